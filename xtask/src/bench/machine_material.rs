//! What the services of the machine are measured on: a tree of files and a long log, the same bytes
//! in every run.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::Path;

use super::plan::NEEDLE;

/// The file that a folder of logs has.
pub(super) const LOG: &str = "application.log";
/// Files in one folder.
const EACH: usize = 100;
/// One file of so many has the text in it, and another one has it in its name.
const RARE: usize = 1000;
/// Words of made-up files.
const WORDS: [&str; 16] = [
    "the", "of", "and", "value", "return", "index", "buffer", "error", "for", "in", "length",
    "field", "struct", "match", "thread", "socket",
];

/// So many small text files, a hundred in each folder, ten folders in each above it.
pub(super) fn tree_of_files(root: &Path, files: usize) -> anyhow::Result<()> {
    let mut text = String::new();
    for number in 0..files {
        let (top, middle) = (number / (10 * EACH), number / EACH % 10);
        let folder = root.join(format!("part-{top:03}/module-{middle}"));
        if number.is_multiple_of(EACH) {
            fs::create_dir_all(&folder)?;
        }
        let marked = if number % RARE == RARE / 2 { NEEDLE } else { "source" };
        text.clear();
        fill(&mut text, number)?;
        fs::write(folder.join(format!("{marked}-{number:06}.txt")), &text)?;
    }
    Ok(())
}

/// 24 to 40 lines of eight words, about 1.5 KiB.
fn fill(text: &mut String, number: usize) -> std::fmt::Result {
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

/// One file with so many lines in the form of syslog, one a second, a few of them with addresses
/// and users in them.
pub(super) fn folder_of_logs(root: &Path, entries: usize) -> anyhow::Result<()> {
    let mut file = BufWriter::new(File::create(root.join(LOG))?);
    for number in 0..entries {
        let (day, second) = (1 + number / 86_400 % 28, number % 86_400);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        let time = format!(
            "2026-{:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z",
            1 + number / 86_400 / 28 % 12
        );
        let level = if number.is_multiple_of(50) { "ERROR" } else { "INFO" };
        writeln!(
            file,
            "{time} {level} [worker-{}] request {number} of user=u{} from 10.0.{}.{} took {} ms",
            number % 8,
            number % 1000,
            number % 256,
            number / 256 % 256,
            number % 700,
        )?;
    }
    file.flush()?;
    Ok(())
}
