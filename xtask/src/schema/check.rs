//! Compares facts from the schemas with our sources. Pure functions.

use std::collections::BTreeSet;

use super::facts::{Fact, Kind};
use super::mapping::{self, Entry, Target};
use super::vocabulary::{Known, Vocabulary};

/// What our own sources define, to compare with the schemas.
pub(super) struct Ours {
    pub(super) types: Vocabulary,
    /// Every string in the method table.
    pub(super) methods: BTreeSet<String>,
    /// Every number in the table of error codes, without its sign.
    pub(super) codes: BTreeSet<String>,
}

/// All differences, one line each.
pub(super) fn check(facts: &[Fact], entries: &[Entry], ours: &Ours) -> Vec<String> {
    let mut findings = Vec::new();
    let mut used = BTreeSet::new();
    for fact in facts {
        findings.extend(constants(fact, ours));
        for revision in &fact.revisions {
            let Some(at) = mapping::find(entries, revision, &fact.definition) else {
                findings.push(format!(
                    "{revision} defines `{}`, and the mapping does not say which type it is",
                    fact.definition
                ));
                continue;
            };
            // A fact that spans several revisions may be matched by one entry or by several.
            if used.insert((at, fact.definition.as_str(), &fact.shape)) {
                findings.extend(definition(revision, fact, &entries[at], &ours.types));
            }
        }
    }
    let used: BTreeSet<usize> = used.into_iter().map(|(at, ..)| at).collect();
    let idle = entries.iter().enumerate().filter(|(at, _)| !used.contains(at));
    findings.extend(
        idle.map(|(_, entry)| format!("mapping: `{}` matches no definition", entry.pattern)),
    );
    findings.sort();
    findings.dedup();
    findings
}

const METHOD: &str = "method";
const CODE: &str = "code";

/// Methods and error codes are compared with their own tables.
fn constants(fact: &Fact, ours: &Ours) -> Vec<String> {
    let unknown = fact.shape.constants.iter().filter_map(|(field, value)| {
        let (table, known) = match field.as_str() {
            METHOD => ("method.rs", ours.methods.contains(value)),
            CODE => ("error.rs", ours.codes.contains(value.trim_start_matches('-'))),
            _ => return None,
        };
        (!known).then(|| format!("`{}`: {table} does not know `{value}`", fact.definition))
    });
    unknown.collect()
}

fn definition(revision: &str, fact: &Fact, entry: &Entry, types: &Vocabulary) -> Vec<String> {
    let Target::Types(names) = &entry.target else {
        return Vec::new();
    };
    let mut known = Vec::new();
    for name in names {
        match types.find(name) {
            Ok(found) => known.push(found),
            Err(error) => return vec![format!("mapping: `{}`: {error}", entry.pattern)],
        }
    }
    let place = format!("{revision} `{}` is `{}`", fact.definition, names.join(" "));
    compare(fact, &known).into_iter().map(|what| format!("{place}, which {what}")).collect()
}

fn compare(fact: &Fact, known: &[&Known]) -> Vec<String> {
    let shape = &fact.shape;
    let has_field = |name: &str| known.iter().any(|it| it.fields.contains_key(name));
    let has_value = |value: &str| known.iter().any(|it| it.values.contains(value));
    let mut wrong = Vec::new();

    let fields = shape.required.iter().chain(&shape.optional);
    let unknown = fields.filter(|name| !has_field(name));
    wrong.extend(unknown.map(|name| format!("has no field `{name}`")));
    let fixed = shape.constants.iter().filter(|(field, _)| field != METHOD && field != CODE);
    let values = shape.values.iter().chain(fixed.map(|(_, value)| value));
    let unknown = values.filter(|value| !has_value(value));
    wrong.extend(unknown.map(|value| format!("does not know the value `{value}`")));

    if shape.kind == Kind::Object {
        let demanded = known.iter().flat_map(|it| &it.fields).filter(|(_, demanded)| **demanded);
        let too_much = demanded.filter(|(name, _)| !shape.required.contains(*name));
        wrong.extend(too_much.map(|(name, _)| format!("demands `{name}`, which may be absent")));
    }
    wrong
}
