//! The table of facts: what each definition of each revision looks like, one line each.
//!
//! Lines that are equal but for the revision are merged, so a line that names few revisions is
//! where the protocol changed. Nobody edits the table by hand.

use std::collections::BTreeSet;

use anyhow::{Context, ensure};

/// What the first lines of the table say.
const HEADER: &str = "\
# Made by `cargo xtask schema --refresh DIR`; do not edit.
# definition\trevisions\tkind\trequired\toptional\tconstants\tvalues
";

/// What a definition is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// An object with fields.
    Object,
    /// A text out of a set.
    Text,
    /// One of several other definitions.
    Union,
    /// Anything else: a number, a free object, another name for something.
    Plain,
}

const KINDS: [(Kind, &str); 4] = [
    (Kind::Object, "object"),
    (Kind::Text, "text"),
    (Kind::Union, "union"),
    (Kind::Plain, "plain"),
];

/// What one definition demands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Shape {
    pub(super) kind: Kind,
    pub(super) required: BTreeSet<String>,
    pub(super) optional: BTreeSet<String>,
    /// `field=value` where only that value is allowed.
    pub(super) constants: BTreeSet<(String, String)>,
    /// The texts a [`Kind::Text`] may be.
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

/// Merges what the revisions say, given as (revision, definition, shape).
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

/// The table as text.
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

/// The facts in a table's text.
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
