//! Texts of servers and of the system, on their way to people, without what variables hold.
//!
//! A program that cannot be started, or that complains on standard error, likes to repeat its
//! arguments. Wherever the value of a variable stands there, its name is shown.

use std::borrow::Cow;

use crate::expand::Secret;
use crate::spec::{ServerSpec, Target};

/// Shorter values are no secrets, and would be found in the middle of any word.
const SHORTEST_VALUE: usize = 4;

/// One text that is not shown, and what is shown in its place.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Veil {
    pub(crate) value: Box<str>,
    pub(crate) shown: Box<str>,
}

impl ServerSpec {
    /// The text with names of variables where their values stood, be they in the command, its
    /// arguments, its variables, its folder, the address or the headers.
    pub fn conceal<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut veils = self.veils();
        veils.retain(|veil| SHORTEST_VALUE <= veil.value.len() && text.contains(&*veil.value));
        if veils.is_empty() {
            return Cow::Borrowed(text);
        }
        // The longest first, so that nothing is left of a value that contains another.
        veils.sort_by_key(|veil| std::cmp::Reverse(veil.value.len()));
        let mut shown = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(next) = rest.chars().next() {
            let veil = veils.iter().find(|veil| rest.starts_with(&*veil.value));
            let length = match veil {
                Some(veil) => {
                    shown.push_str(&veil.shown);
                    veil.value.len()
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

    fn veils(&self) -> Vec<Veil> {
        let secrets: Vec<&Secret> = match &self.target {
            Target::Command { program, args, env, cwd } => {
                let env = env.iter().map(|(_, value)| value);
                std::iter::once(program).chain(args).chain(env).chain(cwd).collect()
            }
            Target::Url { url, headers, .. } => {
                std::iter::once(url).chain(headers.iter().map(|(_, value)| value)).collect()
            }
        };
        let mut veils: Vec<Veil> = secrets.into_iter().flat_map(Secret::veils).collect();
        // A value is repeated as it is, in quotes with escapes, or as a part of an address.
        let spellings: Vec<Veil> = veils.iter().flat_map(spellings).collect();
        veils.extend(spellings);
        veils
    }
}

fn spellings(veil: &Veil) -> Vec<Veil> {
    let escaped = veil.value.escape_debug().to_string();
    let lines = veil.value.lines().map(str::to_owned);
    let all = [escaped, percent_encoded(&veil.value)].into_iter().chain(lines);
    let other = all.filter(|spelling| **spelling != *veil.value);
    other.map(|value| Veil { value: value.into(), shown: veil.shown.clone() }).collect()
}

/// As addresses spell what is not allowed in them.
fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/?#[]%".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}
