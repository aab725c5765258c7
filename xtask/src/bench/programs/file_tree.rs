//! The searched tree of files, with the same bytes in every run.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::bench::case::NEEDLE;

/// The number of files in one folder.
const FILES_PER_FOLDER: usize = 100;
/// One file in this many contains the text, and another one has it in its name.
const MARK_INTERVAL: usize = 1000;
/// The words of generated files.
const WORDS: [&str; 16] = [
    "the", "of", "and", "value", "return", "index", "buffer", "error", "for", "in", "length",
    "field", "struct", "match", "thread", "socket",
];

/// Writes small text files: 100 per folder, and ten folders in each parent folder.
pub(super) fn fill(root: &Path, files: usize) -> anyhow::Result<()> {
    let mut text = String::new();
    for number in 0..files {
        let (top, middle) = (number / (10 * FILES_PER_FOLDER), number / FILES_PER_FOLDER % 10);
        let folder = root.join(format!("part-{top:03}/module-{middle}"));
        if number.is_multiple_of(FILES_PER_FOLDER) {
            fs::create_dir_all(&folder)?;
        }
        let marked = if number % MARK_INTERVAL == MARK_INTERVAL / 2 { NEEDLE } else { "source" };
        text.clear();
        append_lines(&mut text, number)?;
        fs::write(folder.join(format!("{marked}-{number:06}.txt")), &text)?;
    }
    Ok(())
}

/// Writes 24 to 40 lines of eight words, about 1.5 KiB.
fn append_lines(text: &mut String, number: usize) -> std::fmt::Result {
    let mut state = number as u64 + 1;
    for line in 0..24 + number % 17 {
        for _ in 0..8 {
            // A linear congruential generator: any reproducible one would do.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let word = WORDS[(state >> 33) as usize % WORDS.len()];
            write!(text, "{word} ")?;
        }
        if number.is_multiple_of(MARK_INTERVAL) && line == 12 {
            text.push_str(NEEDLE);
        }
        text.push('\n');
    }
    Ok(())
}
