//! `WWW-Authenticate`: which credentials a server wants, in several challenges and several values.
//!
//! The authorizer reads every refusal with it. A value that breaks the grammar gives the challenges
//! before the break; what cannot be read asks for nothing.

use std::str::Chars;

#[cfg(test)]
mod tests;

/// Challenges of one answer that are read.
const MAX_CHALLENGES: usize = 16;
/// Parameters of one challenge that are read.
const MAX_PARAMETERS: usize = 32;

/// One challenge: a scheme and what it is asked with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthChallenge {
    /// Such as `bearer`, in lower case.
    pub scheme: Box<str>,
    /// Names in lower case, values without quotes.
    parameters: Vec<(Box<str>, Box<str>)>,
}

impl AuthChallenge {
    /// The value of a parameter, whatever the case of its name.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let found = self.parameters.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| &**value)
    }

    /// The scopes that it asks for; none if it does not say.
    pub fn scopes(&self) -> Option<Vec<Box<str>>> {
        let scopes: Vec<_> = self.parameter("scope")?.split_whitespace().map(Into::into).collect();
        (!scopes.is_empty()).then_some(scopes)
    }

    /// The challenge of an answer that is for OAuth: a bearer token or one that is bound to a key.
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

/// Reads one value of the header. A comma separates parameters and challenges alike, so a word is
/// a scheme if a space and another word follow, or nothing, and a parameter if `=` does.
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
            // A scheme. What follows may be a token68, which no scheme of ours has.
            self.rest = before;
            if MAX_CHALLENGES <= challenges.len() {
                return;
            }
            let scheme = word.to_ascii_lowercase().into();
            challenges.push(AuthChallenge { scheme, parameters: Vec::new() });
            self.skip_token68();
        }
    }

    /// `abc==` after a scheme, up to the next comma.
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

    /// A token or a quoted text. `None` if the quotes do not end.
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

/// A parameter belongs to the challenge before it; the first of two equal names counts.
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
