//! Parses `WWW-Authenticate`: a response may have several values, and a value several challenges.
//!
//! The authorizer reads every refusal with it. Of a value that breaks the grammar, the challenges
//! before the break count; the rest is ignored.

use std::str::Chars;

#[cfg(test)]
mod tests;

/// How many challenges of one response are read.
const MAX_CHALLENGES: usize = 16;
/// How many parameters of one challenge are read.
const MAX_PARAMETERS: usize = 32;

/// One challenge: a scheme and its parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthChallenge {
    /// The scheme in lower case, such as `bearer`.
    pub scheme: Box<str>,
    /// Names in lower case, values without quotes.
    parameters: Vec<(Box<str>, Box<str>)>,
}

impl AuthChallenge {
    /// The value of a parameter; the case of `name` does not matter.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let found = self.parameters.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| &**value)
    }

    /// The scopes that the challenge asks for, or `None` if it names none.
    pub fn scopes(&self) -> Option<Vec<Box<str>>> {
        let scopes: Vec<_> = self.parameter("scope")?.split_whitespace().map(Into::into).collect();
        (!scopes.is_empty()).then_some(scopes)
    }

    /// The challenge that OAuth can answer: for a bearer token, or a DPoP token bound to a key.
    pub fn for_oauth(values: &[Box<str>]) -> Option<Self> {
        let mut all = parse_challenges(values.iter().map(|value| &**value));
        let at = all.iter().position(|it| matches!(&*it.scheme, "bearer" | "dpop"))?;
        Some(all.swap_remove(at))
    }
}

/// All challenges in all values of the header.
pub fn parse_challenges<'a>(values: impl IntoIterator<Item = &'a str>) -> Vec<AuthChallenge> {
    let mut challenges = Vec::new();
    for value in values {
        Reader { rest: value.chars() }.read(&mut challenges);
    }
    challenges.truncate(MAX_CHALLENGES);
    challenges
}

/// Parses one value of the header. Commas separate both parameters and challenges, so a word is a
/// parameter if `=` follows, and otherwise a scheme.
struct Reader<'a> {
    rest: Chars<'a>,
}

impl Reader<'_> {
    fn read(mut self, challenges: &mut Vec<AuthChallenge>) {
        loop {
            self.skip(|c| c == ',' || c.is_whitespace());
            let word = self.take(is_token);
            if word.is_empty() {
                return;
            }
            let before = self.rest.clone();
            self.skip(char::is_whitespace);
            if self.next_is('=') && !challenges.is_empty() {
                self.rest.next();
                let Some(value) = self.value() else { return };
                push(challenges, &word, value);
                continue;
            }
            // A scheme. A token68 may follow, but no scheme that we support has one.
            self.rest = before;
            if MAX_CHALLENGES <= challenges.len() {
                return;
            }
            let scheme = word.to_ascii_lowercase().into();
            challenges.push(AuthChallenge { scheme, parameters: Vec::new() });
            self.skip_token68();
        }
    }

    /// Skips a token68 such as `abc==` after a scheme, up to the next comma.
    fn skip_token68(&mut self) {
        let before = self.rest.clone();
        self.skip(char::is_whitespace);
        let word = self.take(|c| is_token(c) || c == '/');
        self.skip(|c| c == '=');
        self.skip(char::is_whitespace);
        let ends = self.rest.as_str().is_empty() || self.next_is(',');
        if word.is_empty() || !ends {
            self.rest = before;
        }
    }

    /// Reads a token or a quoted string; `None` if the quotes are not closed.
    fn value(&mut self) -> Option<String> {
        self.skip(char::is_whitespace);
        if !self.next_is('"') {
            return Some(self.take(|c| c != ',' && !c.is_whitespace()));
        }
        self.rest.next();
        let mut text = String::new();
        loop {
            match self.rest.next()? {
                '"' => return Some(text),
                '\\' => text.push(self.rest.next()?),
                other => text.push(other),
            }
        }
    }

    fn next_is(&self, wanted: char) -> bool {
        self.rest.as_str().starts_with(wanted)
    }

    fn skip(&mut self, passes: impl Fn(char) -> bool) {
        self.take(passes);
    }

    fn take(&mut self, passes: impl Fn(char) -> bool) -> String {
        let mut taken = String::new();
        while let Some(next) = self.rest.clone().next().filter(|next| passes(*next)) {
            taken.push(next);
            self.rest.next();
        }
        taken
    }
}

/// Adds a parameter to the last challenge; the first of two equal names counts.
fn push(challenges: &mut [AuthChallenge], name: &str, value: String) {
    let Some(challenge) = challenges.last_mut() else { return };
    let name: Box<str> = name.to_ascii_lowercase().into();
    let known = challenge.parameters.iter().any(|(other, _)| *other == name);
    if !known && challenge.parameters.len() < MAX_PARAMETERS {
        challenge.parameters.push((name, value.into()));
    }
}

fn is_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c)
}
