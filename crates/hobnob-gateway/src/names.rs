//! Public names of upstream tools and prompts: `mcp__server__tool`, for any server and tool.
//!
//! What must stay true: two different pairs get different names, unless two shortened or altered names
//! collide in their 32-bit hashes. A name depends on its pair alone, and is looked up in the catalogue,
//! never parsed.

pub(crate) mod management;
pub(crate) mod searching;

pub use management::management_tools;

use hobnob_text::hex;
use ring::digest::{SHA256, digest};
use std::fmt;

/// The most characters of a public name: the limit of model APIs.
pub const MAX_LENGTH: usize = 64;
const PREFIX: &str = "mcp__";
const SEPARATOR: &str = "__";
/// The length of an underscore and eight hexadecimal digits.
const HASH_LENGTH: usize = 9;
/// How much of the server a shortened name keeps, so that some of the tool's name remains.
const MAX_SERVER_CHARS: usize = 20;

/// A name as clients see it: 1 to 64 of `[A-Za-z0-9_-]`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublicName(Box<str>);

impl PublicName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PublicName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<PublicName> for Box<str> {
    fn from(name: PublicName) -> Self {
        name.0
    }
}

/// The public name of the tool or prompt that `server` calls `tool`.
pub fn public_name(server: &str, tool: &str) -> PublicName {
    let name = if is_unambiguous(server, tool) {
        format!("{PREFIX}{server}{SEPARATOR}{tool}")
    } else {
        hashed(server, tool)
    };
    PublicName(name.into())
}

/// The most characters of a short name: a host that puts `mcp__` and a name of up to nine
/// characters in front of it again stays within [`MAX_LENGTH`].
pub const MAX_SHORT_LENGTH: usize = 48;

/// The short form of a public name: without `mcp__`, and cut to [`MAX_SHORT_LENGTH`] with a hash of
/// the whole name at the end. `None` for a name without `mcp__`, which belongs to no server.
///
/// Different names have different short forms: a cut name has exactly the maximum length and ends
/// in a hash, and a name that happens to look like that is hashed too.
pub fn short_name(public: &str) -> Option<String> {
    let rest = public.strip_prefix(PREFIX)?;
    let looks_cut = rest.len() == MAX_SHORT_LENGTH && ends_like_a_hash(rest);
    if rest.len() <= MAX_SHORT_LENGTH && !looks_cut {
        return Some(rest.to_owned());
    }
    let mut short = rest.get(..MAX_SHORT_LENGTH - HASH_LENGTH)?.to_owned();
    push_hash(&mut short, public.as_bytes());
    Some(short)
}

/// Whether the plain name differs from all other names, so that it needs no hash.
///
/// If the server contains no `__` and does not end in `_`, the first `__` after the prefix is the
/// only possible border. A tool that ends like a hash could collide with a hashed name.
fn is_unambiguous(server: &str, tool: &str) -> bool {
    let clear_server = !server.contains(SEPARATOR) && !server.ends_with('_');
    let clear_tool = !tool.starts_with('_') && !ends_like_a_hash(tool);
    let length = PREFIX.len() + server.len() + SEPARATOR.len() + tool.len();
    is_legal(server) && is_legal(tool) && clear_server && clear_tool && length <= MAX_LENGTH
}

fn is_legal(part: &str) -> bool {
    !part.is_empty() && part.chars().all(is_legal_character)
}

fn is_legal_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_' || character == '-'
}

fn ends_like_a_hash(tool: &str) -> bool {
    let tail = tool.len().checked_sub(HASH_LENGTH).and_then(|at| tool.get(at..));
    let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let digits = tail.and_then(|tail| tail.strip_prefix('_'));
    // A tool of just eight digits follows the separator's `_`, so the name ends like a hash, too.
    let bare = (tool.len() == HASH_LENGTH - 1).then_some(tool);
    digits.or(bare).is_some_and(|digits| digits.bytes().all(digit))
}

fn hashed(server: &str, tool: &str) -> String {
    let legal = |c: char| if is_legal_character(c) { c } else { '_' };
    let whole = PREFIX.len() + server.chars().count() + SEPARATOR.len() + tool.chars().count();
    let space = MAX_LENGTH - HASH_LENGTH;
    let server_chars = if whole <= space { usize::MAX } else { MAX_SERVER_CHARS };
    let mut name = String::from(PREFIX);
    name.extend(server.chars().take(server_chars).map(legal));
    name.push_str(SEPARATOR);
    name.extend(tool.chars().map(legal));
    // All characters are ASCII here.
    name.truncate(space);
    let mut pair = Vec::with_capacity(server.len() + 1 + tool.len());
    pair.extend_from_slice(server.as_bytes());
    pair.push(0);
    pair.extend_from_slice(tool.as_bytes());
    push_hash(&mut name, &pair);
    name
}

/// Appends a hash of `of` to a name.
fn push_hash(name: &mut String, of: &[u8]) {
    name.push('_');
    name.push_str(&hex::encode(&digest(&SHA256, of).as_ref()[..4]));
}

#[cfg(test)]
mod tests;
