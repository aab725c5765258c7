//! Exact replacements in a text file, with a diff of the change.
//!
//! If one edit does not match exactly, none is applied.

use std::time::Duration;

use hobnob_policy::{ContentHash, EditMatches, EditRun, RelativePath, TextEdit, WriteMode};
use similar::TextDiff;

use super::content_hash::content_hash;
use super::descend::LastLink;
use super::problem::{FileError, FileRefusal};
use super::read::read_all;
use super::root::ConfinedRoot;
use super::write::replace;

/// Largest file to edit, in bytes; its text is held in memory several times.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// After this time the diff is no longer minimised; it stays correct.
const DIFF_TIMEOUT: Duration = Duration::from_millis(500);

/// The difference that the edits make, written to the file or only previewed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditedFile {
    /// The difference in the unified format, with three lines of context around each change.
    pub diff: String,
    /// How many places the edits replaced.
    pub replaced: usize,
    /// The digest of the new content, even in a preview.
    pub hash: ContentHash,
}

/// Applies exact replacements to a UTF-8 file of at most 16 MiB.
pub(crate) fn edit(
    root: &ConfinedRoot,
    path: &RelativePath,
    edits: &[TextEdit],
    run: EditRun,
) -> Result<EditedFile, FileError> {
    apply(root, path, edits, run).map_err(|refusal| FileError::new(path, refusal))
}

fn apply(
    root: &ConfinedRoot,
    path: &RelativePath,
    edits: &[TextEdit],
    run: EditRun,
) -> Result<EditedFile, FileRefusal> {
    // Taken before the file is read: another edit of this process must not come in between.
    let _guard = root.changes.lock();
    let found = root.resolve(path, LastLink::Follow)?;
    let bytes = read_all(&root.open_resolved(&found)?, MAX_BYTES)?;
    let seen = content_hash(&bytes);
    let old = String::from_utf8(bytes).map_err(|_| FileRefusal::NotText)?;
    let (new, replaced) = edited(&old, edits)?;
    let diff = unified(path, &old, &new);
    let hash = match run {
        EditRun::Preview => content_hash(new.as_bytes()),
        // Another process may have changed the file since it was read.
        EditRun::Write => replace(root, &found, new.as_bytes(), WriteMode::IfHash(seen))?.hash,
    };
    Ok(EditedFile { diff, replaced, hash })
}

/// The new text and how many places changed. Pure, so that tests need no files.
fn edited(text: &str, edits: &[TextEdit]) -> Result<(String, usize), FileRefusal> {
    let mut text = text.to_owned();
    let mut replaced = 0;
    for (index, edit) in edits.iter().enumerate() {
        let number = index + 1;
        if edit.old.is_empty() || edit.old == edit.new {
            return Err(FileRefusal::EmptyEdit(number));
        }
        let times = occurrences(&text, &edit.old);
        match (times, edit.matches) {
            (0, _) => return Err(FileRefusal::NoMatch(number)),
            (1, _) | (_, EditMatches::All) => {}
            (times, EditMatches::Once) => {
                return Err(FileRefusal::ManyMatches { edit: number, times });
            }
        }
        let size = max_length(text.len(), edit, times);
        if MAX_BYTES < size {
            return Err(FileRefusal::TooLarge { size, limit: MAX_BYTES });
        }
        replaced += match edit.matches {
            EditMatches::Once => 1,
            EditMatches::All => text.matches(&edit.old).count(),
        };
        text = text.replace(&edit.old, &edit.new);
    }
    Ok((text, replaced))
}

/// The largest number of bytes that the text can have after an edit.
fn max_length(length: usize, edit: &TextEdit, times: usize) -> u64 {
    let more = edit.new.len().saturating_sub(edit.old.len()).saturating_mul(times);
    length.saturating_add(more) as u64
}

/// How often a text occurs; overlapping occurrences count as separate places.
fn occurrences(text: &str, part: &str) -> usize {
    let mut from = 0;
    let mut count = 0;
    while let Some(at) = text[from..].find(part) {
        count += 1;
        let begin = from + at;
        let step = text[begin..].chars().next().map_or(1, char::len_utf8);
        from = begin + step;
    }
    count
}

fn unified(path: &RelativePath, old: &str, new: &str) -> String {
    let diff = TextDiff::configure().timeout(DIFF_TIMEOUT).diff_lines(old, new);
    let name = path.to_string();
    diff.unified_diff().context_radius(3).header(&name, &name).to_string()
}

#[cfg(test)]
mod tests;
