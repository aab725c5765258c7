//! Replaces the values of variables in a text by their names before people see the text.
//!
//! A program that cannot be started, or that complains on standard error, often repeats its
//! arguments. The gateway passes such texts through [`ServerSpec::conceal`] before it logs or
//! returns them. What must stay true: no value of four bytes or more remains in them.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use crate::expand::{Concealed, Secret};
use crate::oauth::OAuthSpec;
use crate::spec::{ServerSpec, Target};

/// Shorter values are not secrets, and would be found in the middle of any word.
const MIN_VALUE_BYTES: usize = 4;

impl ServerSpec {
    /// The text with the values of variables replaced by their names, for all variables in the
    /// command, its arguments, its variables, its folder, the address or the headers.
    pub fn conceal<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut parts = self.concealed();
        parts.retain(|part| MIN_VALUE_BYTES <= part.value.len() && text.contains(&*part.value));
        if parts.is_empty() {
            return Cow::Borrowed(text);
        }
        // The longest first, so that no part is left of a value that contains another.
        parts.sort_by_key(|part| std::cmp::Reverse(part.value.len()));
        let mut shown = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(next) = rest.chars().next() {
            let part = parts.iter().find(|part| rest.starts_with(&*part.value));
            let length = match part {
                Some(part) => {
                    shown.push_str(&part.shown);
                    part.value.len()
                }
                None => {
                    shown.push(next);
                    next.len_utf8()
                }
            };
            rest = &rest[length..];
        }
        Cow::Owned(shown)
    }

    fn concealed(&self) -> Vec<Concealed> {
        let mut secrets: Vec<&Secret> = match &self.target {
            Target::Command { program, args, env, cwd } => {
                let env = env.iter().map(|(_, value)| value);
                std::iter::once(program).chain(args).chain(env).chain(cwd).collect()
            }
            Target::Url { url, headers, .. } => {
                std::iter::once(url).chain(headers.iter().map(|(_, value)| value)).collect()
            }
        };
        secrets.extend(self.oauth.iter().flat_map(OAuthSpec::secrets));
        secrets.extend(&self.headers_helper);
        secrets.extend(self.sandbox.iter().flat_map(|it| it.read.iter().chain(&it.write)));
        let mut parts: Vec<Concealed> = secrets.into_iter().flat_map(Secret::concealed).collect();
        // A text may repeat a value as it is, in quotes with escapes, or as a part of an address.
        let spellings: Vec<Concealed> = parts.iter().flat_map(spellings).collect();
        parts.extend(spellings);
        parts
    }
}

fn spellings(part: &Concealed) -> Vec<Concealed> {
    let escaped = part.value.escape_debug().to_string();
    let lines = part.value.lines().map(str::to_owned);
    let all = [escaped, percent_encoded(&part.value)].into_iter().chain(lines);
    let other = all.filter(|spelling| **spelling != *part.value);
    other.map(|value| Concealed { value: value.into(), shown: part.shown.clone() }).collect()
}

/// Percent-encodes the characters that a URL does not allow, except delimiters: the value may be a
/// part of a URL or a whole one.
fn percent_encoded(text: &str) -> String {
    utf8_percent_encode(text, NOT_IN_URLS).to_string()
}

const NOT_IN_URLS: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');
