//! The record of one crate: its public items as lines, and the difference of two records.
//!
//! `command` writes and compares records. The order of the lines does not depend on the order of
//! the sources, so moving code changes nothing.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use anyhow::Context;
use public_api::{Builder, PublicItem};

/// A marker that the compiler implements for every type with a derived `PartialEq`.
const STRUCTURAL_MARKER: &str = "impl core::marker::StructuralPartialEq";

/// Reads the items from rustdoc's JSON, one line each, sorted for readers.
///
/// Leaves out items that follow from others: blanket and auto trait implementations (such as
/// `Send`), and the functions of a trait in each of its implementations.
pub(super) fn read(described: &Path) -> anyhow::Result<String> {
    let api = Builder::from_rustdoc_json(described)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .build()
        .with_context(|| {
            format!(
                "cannot read {}; if the compiler is new, take the release of `public-api` that \
                 reads its format, in xtask/Cargo.toml",
                described.display()
            )
        })?;
    let items: Vec<(String, &PublicItem)> =
        api.items().map(|item| (item.to_string(), item)).collect();
    let is_of_trait = |line: &str| line.starts_with("impl") && line.contains(" for ");
    let of_traits = items.iter().filter(|(line, _)| is_of_trait(line));
    let of_traits: HashSet<_> = of_traits.map(|(_, item)| item.id()).collect();
    let follows = |line: &str, item: &PublicItem| {
        let is_member = item.parent_id().is_some_and(|it| of_traits.contains(&it));
        is_member && !line.starts_with("pub type") || line.starts_with(STRUCTURAL_MARKER)
    };
    let lines = items.iter().filter(|(line, item)| !follows(line, item));
    Ok(lines.map(|(line, _)| format!("{line}\n")).collect())
}

/// The difference: `-` before removed lines, `+` before new ones; empty if there is none.
pub(super) fn difference(recorded: &str, found: &str) -> Vec<String> {
    let (old, new): (BTreeSet<&str>, BTreeSet<&str>) =
        (recorded.lines().collect(), found.lines().collect());
    let gone = recorded.lines().filter(|line| !new.contains(line)).map(|line| format!("-{line}"));
    let added = found.lines().filter(|line| !old.contains(line)).map(|line| format!("+{line}"));
    gone.chain(added).collect()
}
