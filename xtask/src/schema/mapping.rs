//! The hand-written table that maps definitions to our types.
//!
//! Each line is `definition<tab>Type [Type …]`, or `definition<tab>- reason`. A definition may have
//! one `*`, be a path, and name a revision (`revision:Definition`) where two designs share a name.
//! A full name takes precedence over a pattern, and a name with a revision over both.

use anyhow::Context;

/// The target of a definition.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// These types; together they have the fields of the definition.
    Types(Vec<String>),
    /// No type, for the reason in the table.
    None,
}

/// One line of the table.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) pattern: String,
    pub(super) target: Target,
}

/// Parses `mapping.tsv`, without empty lines and comments.
pub(super) fn read(table: &str) -> anyhow::Result<Vec<Entry>> {
    let is_entry = |line: &&str| !line.is_empty() && !line.starts_with('#');
    table.lines().filter(is_entry).map(read_line).collect()
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

/// The index of the entry for a definition of a revision.
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
