//! Public names of upstream tools and prompts: `mcp__server__tool`, for any server and tool.
//!
//! Two different pairs never get the same name, whatever other servers there are; a name is looked
//! up in the catalogue and never taken apart again.

pub(crate) mod management;
pub(crate) mod searching;

pub use management::management_tools;

use hobnob_text::hex;
use ring::digest::{SHA256, digest};
use std::fmt;

/// Model APIs refuse longer names.
pub const MAX_LENGTH: usize = 64;
const HEAD: &str = "mcp__";
const BETWEEN: &str = "__";
/// An underscore and eight hexadecimal digits.
const TAIL_LENGTH: usize = 9;
/// What a shortened name keeps of the server, so that something of the tool is left to read.
const SERVER_SHARE: usize = 20;

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

/// The public name of what `server` calls `tool` (or the name of a prompt).
pub fn public_name(server: &str, tool: &str) -> PublicName {
    let name = if stands_as_it_is(server, tool) {
        format!("{HEAD}{server}{BETWEEN}{tool}")
    } else {
        hashed(server, tool)
    };
    PublicName(name.into())
}

/// The most characters of a short name: a host that puts `mcp__` and a name of up to nine
/// characters in front of it again stays within [`MAX_LENGTH`].
pub const MAX_SHORT_LENGTH: usize = 48;

/// The short form of a public name: without its head, and cut to [`MAX_SHORT_LENGTH`] with a hash of
/// the whole name at the end. Nothing for a name without the head, which is no server's.
///
/// Different names have different short forms: what is cut has exactly the longest length and ends
/// in a hash, and a name that would look like that is hashed too.
pub fn short_name(public: &str) -> Option<String> {
    let rest = public.strip_prefix(HEAD)?;
    let looks_cut = rest.len() == MAX_SHORT_LENGTH && ends_like_a_hash(rest);
    if rest.len() <= MAX_SHORT_LENGTH && !looks_cut {
        return Some(rest.to_owned());
    }
    let mut short = rest.get(..MAX_SHORT_LENGTH - TAIL_LENGTH)?.to_owned();
    push_hash(&mut short, public.as_bytes());
    Some(short)
}

/// Whether the name can be told apart from all others without a hash.
///
/// A server without `__` that does not end in `_` makes the first `__` after the head the only
/// possible border; a tool that ends like a hash could pass for another one's hashed name.
fn stands_as_it_is(server: &str, tool: &str) -> bool {
    let clear_server = !server.contains(BETWEEN) && !server.ends_with('_');
    let clear_tool = !tool.starts_with('_') && !ends_like_a_hash(tool);
    let length = HEAD.len() + server.len() + BETWEEN.len() + tool.len();
    is_legal(server) && is_legal(tool) && clear_server && clear_tool && length <= MAX_LENGTH
}

fn is_legal(part: &str) -> bool {
    !part.is_empty() && part.chars().all(is_legal_character)
}

fn is_legal_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_' || character == '-'
}

fn ends_like_a_hash(tool: &str) -> bool {
    let tail = tool.len().checked_sub(TAIL_LENGTH).and_then(|at| tool.get(at..));
    let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let digits = tail.and_then(|tail| tail.strip_prefix('_'));
    // A tool that is nothing but eight digits follows the border's `_` and looks the same.
    let bare = (tool.len() == TAIL_LENGTH - 1).then_some(tool);
    digits.or(bare).is_some_and(|digits| digits.bytes().all(digit))
}

fn hashed(server: &str, tool: &str) -> String {
    let legal = |c: char| if is_legal_character(c) { c } else { '_' };
    let whole = HEAD.len() + server.chars().count() + BETWEEN.len() + tool.chars().count();
    let space = MAX_LENGTH - TAIL_LENGTH;
    let share = if whole <= space { usize::MAX } else { SERVER_SHARE };
    let mut name = String::from(HEAD);
    name.extend(server.chars().take(share).map(legal));
    name.push_str(BETWEEN);
    name.extend(tool.chars().map(legal));
    // Every character is ASCII by now.
    name.truncate(space);
    let mut pair = Vec::with_capacity(server.len() + 1 + tool.len());
    pair.extend_from_slice(server.as_bytes());
    pair.push(0);
    pair.extend_from_slice(tool.as_bytes());
    push_hash(&mut name, &pair);
    name
}

/// Ends a name with the hash of what it stands for.
fn push_hash(name: &mut String, of: &[u8]) {
    name.push('_');
    name.push_str(&hex::encode(&digest(&SHA256, of).as_ref()[..4]));
}

#[cfg(test)]
mod tests;
