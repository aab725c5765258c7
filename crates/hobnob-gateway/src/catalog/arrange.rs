//! Arranges one list for a view: resolves name conflicts, hides entries, applies overrides.
//!
//! The first claim of a name wins. A rename never takes the name that another entry keeps.

use super::entry::{
    CallTerms, Conflict, EntryOwner, InvalidOverride, ListKind, OverrideProblem, Report,
};
use super::listing::ListedEntry;
use super::snapshot::Withheld;
use super::view_filter::{EntryOverrides, EntrySwitch, ViewFilter};
use crate::names::MAX_LENGTH;
use crate::rewrite::{self, Unfit};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// An entry before the view's overrides are applied.
pub(super) struct UnnamedEntry<T> {
    pub(super) owner: EntryOwner,
    pub(super) index: usize,
    /// Its usual public name, address or pattern.
    pub(super) key: Arc<str>,
    pub(super) json: Arc<str>,
    pub(super) target: T,
}

/// A list in order, with the target of each key.
pub(super) struct Arranged<T> {
    pub(super) listed: Vec<ListedEntry>,
    pub(super) targets: HashMap<Arc<str>, T>,
    pub(super) terms: HashMap<Arc<str>, CallTerms>,
    /// Entries the view does not show, by the key they would have.
    pub(super) withheld: HashMap<Arc<str>, (T, Withheld)>,
}

/// Puts one list in order. If several entries have one key, the first counts.
pub(super) fn arrange<T>(
    kind: ListKind,
    mut candidates: Vec<UnnamedEntry<T>>,
    filter: &ViewFilter<'_>,
    hidden: impl Fn(&UnnamedEntry<T>, &EntryOverrides) -> bool,
    report: &mut Report,
) -> Arranged<T> {
    let mut usual = Claims { kind, owners: HashMap::new(), conflicts: &mut report.conflicts };
    candidates.retain(|entry| usual.claim(&entry.key, &entry.owner));
    let mut arranged = Arranged {
        listed: Vec::with_capacity(candidates.len()),
        targets: HashMap::new(),
        terms: HashMap::new(),
        withheld: HashMap::new(),
    };
    let mut shown = Vec::with_capacity(candidates.len());
    for entry in candidates {
        let overrides = (filter.overrides)(kind, &entry.key);
        let why = match (hidden(&entry, &overrides), overrides.switch) {
            (_, EntrySwitch::Off) => Some(Withheld::Off),
            (true, EntrySwitch::On) => Some(Withheld::Denied),
            (false, EntrySwitch::On) => None,
        };
        let wanted = || overrides.rename.as_deref().map_or_else(|| entry.key.clone(), Arc::from);
        match (why, narrowed(kind, &entry, &overrides)) {
            (Some(why), _) => drop(arranged.withheld.insert(wanted(), (entry.target, why))),
            (None, Err(problem)) => {
                arranged.withheld.insert(wanted(), (entry.target, Withheld::Off));
                let (key, owner) = (entry.key, entry.owner);
                report.invalid_overrides.push(InvalidOverride { kind, key, owner, problem });
            }
            (None, Ok(json)) => shown.push((UnnamedEntry { json, ..entry }, overrides)),
        }
    }
    let names = names(kind, &shown, report);
    for ((entry, overrides), name) in shown.into_iter().zip(names) {
        if let Some(name) = name {
            arranged.show(kind, entry, &overrides, name);
        }
    }
    arranged
}

impl<T> Arranged<T> {
    fn show(
        &mut self,
        kind: ListKind,
        entry: UnnamedEntry<T>,
        overrides: &EntryOverrides,
        key: Arc<str>,
    ) {
        // A resource is requested by its address, so its name may change while its key stays.
        let name = match kind {
            ListKind::Tools | ListKind::Prompts => (key != entry.key).then_some(&*key),
            ListKind::Resources | ListKind::Templates => overrides.rename.as_deref(),
        };
        let texts = [
            ("name", name),
            ("title", overrides.title.as_deref()),
            ("description", overrides.description.as_deref()),
        ];
        let mut json = entry.json;
        if !overrides.omitted.is_empty() {
            json = rewrite::without_members(&json, overrides.omitted).into();
        }
        for (member, text) in texts {
            if let Some(text) = text {
                json = rewrite::with_text(&json, member, text).into();
            }
        }
        let terms = CallTerms {
            arguments: overrides.arguments.clone(),
            description: overrides.description.as_deref().map(Arc::from),
        };
        if terms != CallTerms::default() {
            self.terms.insert(key.clone(), terms);
        }
        self.targets.insert(key.clone(), entry.target);
        self.listed.push(ListedEntry { key, json, owner: entry.owner, index: entry.index });
    }
}

/// The entry's JSON with only the arguments that the view leaves it.
fn narrowed<T>(
    kind: ListKind,
    entry: &UnnamedEntry<T>,
    overrides: &EntryOverrides,
) -> Result<Arc<str>, OverrideProblem> {
    let Some(keep) = &overrides.arguments else { return Ok(entry.json.clone()) };
    let done = match kind {
        ListKind::Tools => rewrite::narrowed_tool(&entry.json, keep),
        ListKind::Prompts => rewrite::narrowed_prompt(&entry.json, keep),
        ListKind::Resources | ListKind::Templates => return Ok(entry.json.clone()),
    };
    done.map(Arc::from).map_err(|unfit| match unfit {
        Unfit::Missing(name) => OverrideProblem::NoArgument(name),
        Unfit::Needed(name) => OverrideProblem::Needed(name),
    })
}

/// The key of each entry; `None` if both its new name and its usual one are taken.
fn names<T>(
    kind: ListKind,
    shown: &[(UnnamedEntry<T>, EntryOverrides)],
    report: &mut Report,
) -> Vec<Option<Arc<str>>> {
    let mut renames = Vec::with_capacity(shown.len());
    for (entry, overrides) in shown {
        let wanted = match kind {
            ListKind::Tools | ListKind::Prompts => overrides.rename.as_deref(),
            ListKind::Resources | ListKind::Templates => None,
        };
        let wanted = wanted.filter(|wanted| *wanted != &*entry.key);
        if let Some(wanted) = wanted.filter(|wanted| !is_legal(wanted)) {
            let (key, owner) = (entry.key.clone(), entry.owner.clone());
            let problem = OverrideProblem::Name(wanted.into());
            report.invalid_overrides.push(InvalidOverride { kind, key, owner, problem });
        }
        renames.push(wanted.filter(|wanted| is_legal(wanted)).map(Arc::<str>::from));
    }
    let mut claims = Claims { kind, owners: HashMap::new(), conflicts: &mut report.conflicts };
    for ((entry, _), rename) in shown.iter().zip(&renames) {
        if rename.is_none() {
            // Keys are unique, so this claim cannot fail.
            claims.claim(&entry.key, &entry.owner);
        }
    }
    let mut name = |entry: &UnnamedEntry<T>, rename: Option<Arc<str>>| match rename {
        None => Some(entry.key.clone()),
        Some(wanted) if claims.claim(&wanted, &entry.owner) => Some(wanted),
        Some(_) => claims.claim(&entry.key, &entry.owner).then(|| entry.key.clone()),
    };
    shown.iter().zip(renames).map(|((entry, _), rename)| name(entry, rename)).collect()
}

/// The owners of public names.
struct Claims<'a> {
    kind: ListKind,
    owners: HashMap<Arc<str>, EntryOwner>,
    conflicts: &'a mut Vec<Conflict>,
}

impl Claims<'_> {
    /// Takes a name for `owner`. If another entry has it, reports the conflict and returns `false`.
    fn claim(&mut self, key: &Arc<str>, owner: &EntryOwner) -> bool {
        match self.owners.entry(key.clone()) {
            Entry::Vacant(free) => {
                free.insert(owner.clone());
                true
            }
            Entry::Occupied(taken) => {
                let (kept, dropped) = (taken.get().clone(), owner.clone());
                let (kind, key) = (self.kind, key.clone());
                self.conflicts.push(Conflict { kind, key, kept, dropped });
                false
            }
        }
    }
}

/// Checks a name that a profile gives. Dots are allowed: some systems' tool names have them.
fn is_legal(name: &str) -> bool {
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    (1..=MAX_LENGTH).contains(&name.len()) && name.bytes().all(legal)
}
