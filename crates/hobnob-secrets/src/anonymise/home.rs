//! Home folders: `/home/NAME`, `/Users/NAME`, `C:\Users\NAME`, `c:/users/NAME`.

use std::ops::Range;

/// Maximum length of a user's name in bytes.
const MAX_NAME: usize = 64;
/// Shared folders next to those of users.
const SHARED: [&str; 5] = ["Public", "Default", "Shared", "All Users", "Default User"];

/// The first home folder that begins in this range of a word. On Windows the name may contain
/// spaces, so it can end after the word.
pub(super) fn home_folder(text: &str, end: usize, starts: Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    // A drive letter precedes the slash.
    let last = end.min(starts.end + 2);
    // Most slashes precede something else.
    let begins = |at: &usize| {
        let next = bytes.get(at + 1);
        matches!(bytes[*at], b'/' | b'\\') && matches!(next, Some(b'h' | b'U' | b'u' | b'\\'))
    };
    let slashes = (starts.start..last).filter(begins);
    let folder =
        |start: usize| windows(text, start, end, starts.start).or_else(|| unix(text, start, end));
    slashes.filter_map(folder).next()
}

fn unix(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let rest = text.get(start..end)?;
    let name = rest.strip_prefix("/home/").or_else(|| rest.strip_prefix("/Users/"))?;
    let head = &name[..name.floor_char_boundary(MAX_NAME + 1)];
    let length = head.find(['/', ':', '\\', '@', '%']).unwrap_or(head.len());
    let name_start = end - name.len();
    let trimmed = name[..length].trim_end_matches('.').len();
    is_name(&name[..trimmed]).then_some(start..name_start + trimmed)
}

/// In JSON backslashes are doubled. A slash counts only after a drive: many URLs have `/users/`.
fn windows(text: &str, start: usize, end: usize, from: usize) -> Option<Range<usize>> {
    let rest = text.get(start..)?;
    let separator = match rest.as_bytes() {
        [b'\\', b'\\', ..] => "\\\\",
        [b'\\', ..] => "\\",
        _ => "/",
    };
    let after = rest.strip_prefix(separator)?;
    let folder = after.get(..5).filter(|it| it.eq_ignore_ascii_case("users"))?;
    let name = after[folder.len()..].strip_prefix(separator)?;
    let drive = start.checked_sub(2).filter(|at| from <= *at);
    let drive = drive
        .filter(|at| text.as_bytes()[at + 1] == b':' && text.as_bytes()[*at].is_ascii_alphabetic());
    if separator == "/" && drive.is_none() {
        return None;
    }
    let name_start = text.len() - name.len();
    let length =
        spaced_length(name).unwrap_or_else(|| word_length(name, end.saturating_sub(name_start)));
    is_name(name.get(..length)?).then(|| drive.unwrap_or(start)..name_start + length)
}

/// The length of a name that may contain spaces; a subfolder must follow it.
fn spaced_length(name: &str) -> Option<usize> {
    let head = &name[..name.floor_char_boundary(MAX_NAME + 1)];
    let end = head.find([
        '\\', '/', ':', '*', '?', '"', '<', '>', '|', '\n', '\r', '\t', ',', ';', '=', '\'', ')',
        ']', '}', '@',
    ])?;
    let followed = head[end..].starts_with(['\\', '/']);
    (followed && !head[..end].ends_with([' ', '.'])).then_some(end)
}

/// The length of a name that ends with its word.
fn word_length(name: &str, in_word: usize) -> usize {
    name.get(..in_word.min(name.floor_char_boundary(MAX_NAME + 1))).map_or(0, |name| {
        let length = name.find(['\\', '/', ':', '@']).unwrap_or(name.len());
        name[..length].trim_end_matches('.').len()
    })
}

fn is_name(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len()) && !SHARED.contains(&name)
}
