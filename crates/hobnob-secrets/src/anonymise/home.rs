//! Home folders: `/home/NAME`, `/Users/NAME`, `C:\Users\NAME`.

use std::ops::Range;

/// Bytes that the name of a user may have; more is no name.
const LONGEST_NAME: usize = 64;

/// The first home folder from this byte on. On Windows the name may have spaces, so that it can end
/// behind the word.
pub(super) fn home_folder(text: &str, end: usize, from: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = from;
    while at < end {
        let next = bytes[at..end].iter().position(|it| matches!(it, b'/' | b'\\'))?;
        let start = at + next;
        let folder = if bytes[start] == b'/' {
            unix(text, start, end)
        } else {
            windows(text, start, end, from)
        };
        if folder.is_some() {
            return folder;
        }
        at = start + 1;
    }
    None
}

fn unix(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let rest = text.get(start..end)?;
    let name = rest.strip_prefix("/home/").or_else(|| rest.strip_prefix("/Users/"))?;
    let length = name.find(['/', ':', '\\', '@', '%']).unwrap_or(name.len());
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
    let spaced = name.find([
        '\\', '/', ':', '*', '?', '"', '<', '>', '|', '\n', '\r', '\t', ',', ';', '=', '\'', ')',
        ']', '}', '@',
    ]);
    let spaced = spaced.filter(|at| name[*at..].starts_with('\\') && *at <= LONGEST_NAME);
    let spaced = spaced.filter(|at| !name[..*at].ends_with([' ', '.']));
    let in_word = end.saturating_sub(name_start);
    let plain = name.get(..in_word).map_or(0, |name| {
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
