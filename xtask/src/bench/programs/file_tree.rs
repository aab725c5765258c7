//! The tree of files that is searched, the same bytes in every run.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::bench::case::NEEDLE;

/// Files in one folder.
const EACH: usize = 100;
/// One file of this number has the text in it, and another one has it in its name.
const RARE: usize = 1000;
/// Words of made-up files.
const WORDS: [&str; 16] = [
    "the", "of", "and", "value", "return", "index", "buffer", "error", "for", "in", "length",
    "field", "struct", "match", "thread", "socket",
];

/// Writes small text files, a hundred in each folder, ten folders in each above it.
pub(super) fn fill(root: &Path, files: usize) -> anyhow::Result<()> {
    let mut text = String::new();
    for number in 0..files {
        let (top, middle) = (number / (10 * EACH), number / EACH % 10);
        let folder = root.join(format!("part-{top:03}/module-{middle}"));
        if number.is_multiple_of(EACH) {
            fs::create_dir_all(&folder)?;
        }
        let marked = if number % RARE == RARE / 2 { NEEDLE } else { "source" };
        text.clear();
        append_lines(&mut text, number)?;
        fs::write(folder.join(format!("{marked}-{number:06}.txt")), &text)?;
    }
    Ok(())
}

/// 24 to 40 lines of eight words, about 1.5 KiB.
fn append_lines(text: &mut String, number: usize) -> std::fmt::Result {
    let mut state = number as u64 + 1;
    for line in 0..24 + number % 17 {
        for _ in 0..8 {
            // Any generator will do, if it is the same everywhere.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let word = WORDS[(state >> 33) as usize % WORDS.len()];
            write!(text, "{word} ")?;
        }
        if number.is_multiple_of(RARE) && line == 12 {
            text.push_str(NEEDLE);
        }
        text.push('\n');
    }
    Ok(())
}
