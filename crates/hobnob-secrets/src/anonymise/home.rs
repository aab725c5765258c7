//! Home folders: `/home/NAME`, `/Users/NAME`, `C:\Users\NAME`.

use std::ops::Range;

/// Bytes that the name of a user may have; more is no name.
const LONGEST_NAME: usize = 64;

/// The first home folder in a word that begins in this range. On Windows the name may have spaces, so
/// that it can end behind the word.
pub(super) fn home_folder(text: &str, end: usize, starts: Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    // A drive stands before the slash.
    let last = end.min(starts.end + 2);
    // Most slashes stand before something else.
    let begins = |at: &usize| {
        let next = bytes.get(at + 1);
        matches!(bytes[*at], b'/' | b'\\') && matches!(next, Some(b'h' | b'U' | b'u' | b'\\'))
    };
    let folder = |start: usize| match bytes[start] {
        b'/' => unix(text, start, end),
        _ => windows(text, start, end, starts.start),
    };
    (starts.start..last).filter(begins).filter_map(folder).next()
}

fn unix(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let rest = text.get(start..end)?;
    let name = rest.strip_prefix("/home/").or_else(|| rest.strip_prefix("/Users/"))?;
    let head = &name[..name.floor_char_boundary(LONGEST_NAME + 1)];
    let length = head.find(['/', ':', '\\', '@', '%']).unwrap_or(head.len());
    let name_start = end - name.len();
    let trimmed = name[..length].trim_end_matches('.').len();
    (0 < trimmed && trimmed <= LONGEST_NAME).then_some(start..name_start + trimmed)
}

/// In JSON every backslash is two.
fn windows(text: &str, start: usize, end: usize, from: usize) -> Option<Range<usize>> {
    let rest = text.get(start..)?;
    let separator = if rest.starts_with("\\\\") { "\\\\" } else { "\\" };
    let after = rest.strip_prefix(separator)?;
    let folder = after.get(..5).filter(|it| it.eq_ignore_ascii_case("users"))?;
    let name = after[folder.len()..].strip_prefix(separator)?;
    let name_start = text.len() - name.len();
    let head = &name[..name.floor_char_boundary(LONGEST_NAME + 1)];
    let spaced = head.find([
        '\\', '/', ':', '*', '?', '"', '<', '>', '|', '\n', '\r', '\t', ',', ';', '=', '\'', ')',
        ']', '}', '@',
    ]);
    let spaced = spaced.filter(|at| name[*at..].starts_with('\\') && *at <= LONGEST_NAME);
    let spaced = spaced.filter(|at| !name[..*at].ends_with([' ', '.']));
    let in_word = end.saturating_sub(name_start);
    let plain = name.get(..in_word.min(head.len())).map_or(0, |name| {
        let length = name.find(['\\', '/', ':', '@']).unwrap_or(name.len());
        name[..length].trim_end_matches('.').len()
    });
    let length = spaced.unwrap_or(plain);
    if length == 0 || LONGEST_NAME < length {
        return None;
    }
    let drive = start.checked_sub(2).filter(|at| from <= *at);
    let drive = drive
        .filter(|at| text.as_bytes()[at + 1] == b':' && text.as_bytes()[*at].is_ascii_alphabetic());
    Some(drive.unwrap_or(start)..name_start + length)
}
