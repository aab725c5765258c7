//! The hand-written table that says which of our types speaks for which definition.
//!
//! `definition<tab>Type [Type …]`, or `definition<tab>- why none is needed`. A definition may
//! hold one `*`, may be a path, and may name a revision (`revision:Definition`) where two designs
//! share a name. A whole name wins over a pattern, and one with a revision wins over both.

use anyhow::Context;

/// What speaks for a definition.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// These types; their fields together are those of the definition.
    Types(Vec<String>),
    /// Nothing, for this reason.
    None,
}

/// One line of the table.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) pattern: String,
    pub(super) target: Target,
}

/// Reads `mapping.tsv`; empty lines and lines with `#` are no entries.
pub(super) fn read(table: &str) -> anyhow::Result<Vec<Entry>> {
    let meant = |line: &&str| !line.is_empty() && !line.starts_with('#');
    table.lines().filter(meant).map(read_line).collect()
}

fn read_line(line: &str) -> anyhow::Result<Entry> {
    let wrong = || format!("mapping: `{line}` is neither `definition<tab>types` nor `…<tab>- why`");
    let (pattern, target) = line.split_once('\t').with_context(wrong)?;
    let target = match target.strip_prefix('-') {
        Some(reason) => {
            anyhow::ensure!(!reason.trim().is_empty(), "{}", wrong());
            Target::None
        }
        None => Target::Types(target.split_whitespace().map(str::to_owned).collect()),
    };
    anyhow::ensure!(target != Target::Types(Vec::new()), "{}", wrong());
    Ok(Entry { pattern: pattern.to_owned(), target })
}

/// The line that speaks for a definition of a revision, as its place in the table.
pub(super) fn find(entries: &[Entry], revision: &str, definition: &str) -> Option<usize> {
    let qualified = format!("{revision}:{definition}");
    let place = |wanted: &str| entries.iter().position(|entry| entry.pattern == wanted);
    place(&qualified)
        .or_else(|| place(definition))
        .or_else(|| entries.iter().position(|entry| covers(&entry.pattern, &qualified)))
        .or_else(|| entries.iter().position(|entry| covers(&entry.pattern, definition)))
}

fn covers(pattern: &str, name: &str) -> bool {
    let Some((before, after)) = pattern.split_once('*') else { return false };
    before.len() + after.len() <= name.len() && name.starts_with(before) && name.ends_with(after)
}
