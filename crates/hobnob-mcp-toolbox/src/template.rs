//! URI templates, RFC 6570 level 1 and `{+name}`, matched in one pass without backtracking.
//!
//! A variable ends at the first occurrence of the text after it, so no URI can make matching slow.
//! `{name}` stays within one path segment, `{+name}` may contain `/`.

use crate::uri_component::decode_uri_component;
use hobnob_mcp_types::entries::Entries;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Template {
    /// The text before the first variable.
    head: Box<str>,
    /// Each variable with the text after it.
    rest: Vec<(Variable, Box<str>)>,
}

#[derive(Debug, PartialEq, Eq)]
struct Variable {
    name: Box<str>,
    reach: Reach,
}

/// Which characters a variable may contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Any characters except `/`, `?` and `#`.
    Segment,
    Anywhere,
}

impl Template {
    /// Parses a template; fails with a message for the author.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut pieces = text.split('{');
        let head = pieces.next().unwrap_or_default();
        if head.contains('}') {
            return Err(format!("template `{text}`: `}}` without `{{`"));
        }
        let mut rest: Vec<(Variable, Box<str>)> = Vec::new();
        for piece in pieces {
            let Some((inside, after)) = piece.split_once('}') else {
                return Err(format!("template `{text}`: `{{` without `}}`"));
            };
            if after.contains('}') {
                return Err(format!("template `{text}`: `}}` without `{{`"));
            }
            if rest.last().is_some_and(|(_, between)| between.is_empty()) {
                return Err(format!("template `{text}`: put text between two variables"));
            }
            let variable = Variable::parse(inside).ok_or_else(|| {
                format!("template `{text}`: only `{{name}}` and `{{+name}}` are supported")
            })?;
            if rest.iter().any(|(other, _)| other.name == variable.name) {
                return Err(format!(
                    "template `{text}`: variable `{}` appears twice",
                    variable.name
                ));
            }
            rest.push((variable, after.into()));
        }
        Ok(Self { head: head.into(), rest })
    }

    /// Whether the template has a variable of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.variables().any(|variable| variable == name)
    }

    /// The names of all variables.
    pub(crate) fn variables(&self) -> impl Iterator<Item = &str> {
        self.rest.iter().map(|(variable, _)| &*variable.name)
    }

    /// The decoded values of the variables, if the URI matches the template.
    pub(crate) fn matches(&self, uri: &str) -> Option<Entries<String>> {
        let mut left = uri.strip_prefix(&*self.head)?;
        let mut values = Entries::new();
        for (index, (variable, after)) in self.rest.iter().enumerate() {
            let is_last = index + 1 == self.rest.len();
            let value = if is_last {
                left.strip_suffix(&**after)?
            } else {
                // The variable takes at least one character.
                let first = left.chars().next()?.len_utf8();
                &left[..first + left[first..].find(&**after)?]
            };
            if value.is_empty() || !variable.reach.allows(value) {
                return None;
            }
            left = &left[value.len() + after.len()..];
            values.insert(&*variable.name, decode_uri_component(value)?);
        }
        left.is_empty().then_some(values)
    }
}

impl Variable {
    fn parse(inside: &str) -> Option<Self> {
        let (reach, name) = match inside.strip_prefix('+') {
            Some(name) => (Reach::Anywhere, name),
            None => (Reach::Segment, inside),
        };
        let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let named = !name.is_empty() && name.chars().all(legal);
        named.then(|| Self { name: name.into(), reach })
    }
}

impl Reach {
    fn allows(self, value: &str) -> bool {
        match self {
            Self::Segment => !value.contains(['/', '?', '#']),
            Self::Anywhere => true,
        }
    }
}
