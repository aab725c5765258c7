//! The table of facts: the shape of each definition in each revision, one line each.
//!
//! Lines that differ only in the revision are merged, so a line with few revisions shows a change
//! of the protocol. The command writes the table; it is not edited by hand.

use std::collections::BTreeSet;

use anyhow::{Context, ensure};

/// The first lines of the table.
const HEADER: &str = "\
# Made by `cargo xtask schema --refresh DIR`; do not edit.
# definition\trevisions\tkind\trequired\toptional\tconstants\tvalues
";

/// The kind of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// An object with fields.
    Object,
    /// A string from a fixed set.
    Text,
    /// One of several other definitions.
    Union,
    /// Anything else: a number, a free-form object, an alias.
    Plain,
}

const KINDS: [(Kind, &str); 4] = [
    (Kind::Object, "object"),
    (Kind::Text, "text"),
    (Kind::Union, "union"),
    (Kind::Plain, "plain"),
];

/// The constraints of one definition.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Shape {
    pub(super) kind: Kind,
    pub(super) required: BTreeSet<String>,
    pub(super) optional: BTreeSet<String>,
    /// The fields that allow only one value, as `field=value`.
    pub(super) constants: BTreeSet<(String, String)>,
    /// The allowed strings of a [`Kind::Text`].
    pub(super) values: BTreeSet<String>,
}

/// A line of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fact {
    /// Its name; a part of a definition has a path such as `Icon/theme`.
    pub(super) definition: String,
    pub(super) revisions: Vec<String>,
    pub(super) shape: Shape,
}

/// Merges (revision, definition, shape) triples of all revisions.
pub(super) fn merge(mut all: Vec<(String, String, Shape)>) -> Vec<Fact> {
    all.sort();
    let mut facts: Vec<Fact> = Vec::new();
    for (revision, definition, shape) in all {
        let equal = |fact: &&mut Fact| fact.definition == definition && fact.shape == shape;
        match facts.iter_mut().find(equal) {
            Some(fact) => fact.revisions.push(revision),
            None => facts.push(Fact { definition, revisions: vec![revision], shape }),
        }
    }
    facts.sort_by(|one, other| {
        (&one.definition, &one.revisions).cmp(&(&other.definition, &other.revisions))
    });
    facts
}

/// Formats the facts as a table.
pub(super) fn write(facts: &[Fact]) -> String {
    let lines = facts.iter().map(|fact| {
        let shape = &fact.shape;
        let kind = KINDS.iter().find(|(kind, _)| *kind == shape.kind).map_or("", |(_, word)| word);
        let constants = shape.constants.iter().map(|(field, value)| format!("{field}={value}"));
        let columns = [
            fact.definition.clone(),
            fact.revisions.join(","),
            kind.to_owned(),
            join(&shape.required),
            join(&shape.optional),
            constants.collect::<Vec<_>>().join(","),
            join(&shape.values),
        ];
        columns.join("\t").trim_end().to_owned() + "\n"
    });
    HEADER.to_owned() + &lines.collect::<String>()
}

fn join(words: &BTreeSet<String>) -> String {
    words.iter().map(String::as_str).collect::<Vec<_>>().join(",")
}

/// Parses the facts from a table.
pub(super) fn read(table: &str) -> anyhow::Result<Vec<Fact>> {
    let lines = table.lines().enumerate().filter(|(_, line)| !line.starts_with('#'));
    lines
        .map(|(at, line)| read_line(line).with_context(|| format!("facts, line {}", at + 1)))
        .collect()
}

fn read_line(line: &str) -> anyhow::Result<Fact> {
    let mut columns = line.split('\t');
    let mut next = || columns.next().unwrap_or_default();
    let (definition, revisions, word) = (next(), next(), next());
    let words =
        |text: &str| text.split(',').filter(|it| !it.is_empty()).map(str::to_owned).collect();
    let kind = KINDS.iter().find(|(_, known)| *known == word);
    let (kind, _) = kind.with_context(|| format!("`{word}` is no kind of definition"))?;
    let (required, optional) = (words(next()), words(next()));
    let constants = next().split(',').filter_map(|it| it.split_once('='));
    let constants = constants.map(|(field, value)| (field.to_owned(), value.to_owned())).collect();
    let values = words(next());
    let revisions: Vec<String> = revisions.split(',').map(str::to_owned).collect();
    ensure!(!definition.is_empty() && !revisions.is_empty(), "a name and a revision are missing");
    let shape = Shape { kind: *kind, required, optional, constants, values };
    Ok(Fact { definition: definition.to_owned(), revisions, shape })
}
