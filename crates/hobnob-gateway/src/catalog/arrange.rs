//! One list as a view wants it: who has which name, what is left out, how entries read.
//!
//! Whoever is first has a name. A new name never takes one that another entry of the view keeps.

use super::entry::{BadTweak, Conflict, Kind, Owner, Terms, TweakProblem};
use super::eye::{Eye, Switch, Tweak};
use super::listing::Listed;
use super::snapshot::Withheld;
use crate::names::MAX_LENGTH;
use crate::rewrite::{self, Unfit};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// An entry before the view has looked at it.
pub(super) struct Candidate<T> {
    pub(super) owner: Owner,
    pub(super) index: usize,
    /// Its usual public name, address or pattern.
    pub(super) key: Arc<str>,
    pub(super) json: Arc<str>,
    pub(super) target: T,
}

/// A list in order, and what its keys lead to.
pub(super) struct Arranged<T> {
    pub(super) listed: Vec<Listed>,
    pub(super) targets: HashMap<Arc<str>, T>,
    pub(super) terms: HashMap<Arc<str>, Terms>,
    /// By the key they would have.
    pub(super) withheld: HashMap<Arc<str>, (T, Withheld)>,
}

/// What is told about a catalogue as a whole.
#[derive(Default)]
pub(super) struct Report {
    pub(super) conflicts: Vec<Conflict>,
    pub(super) bad_tweaks: Vec<BadTweak>,
}

/// Puts one list in order. Of entries with one key the first counts.
pub(super) fn arrange<T>(
    kind: Kind,
    mut candidates: Vec<Candidate<T>>,
    eye: &Eye<'_>,
    hidden: impl Fn(&Candidate<T>, &Tweak) -> bool,
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
        let tweak = (eye.tweak)(kind, &entry.key);
        let why = match (hidden(&entry, &tweak), tweak.switch) {
            (_, Switch::Off) => Some(Withheld::Off),
            (true, Switch::On) => Some(Withheld::Denied),
            (false, Switch::On) => None,
        };
        let wanted = || tweak.rename.as_deref().map_or_else(|| entry.key.clone(), Arc::from);
        match (why, narrowed(kind, &entry, &tweak)) {
            (Some(why), _) => drop(arranged.withheld.insert(wanted(), (entry.target, why))),
            (None, Err(problem)) => {
                arranged.withheld.insert(wanted(), (entry.target, Withheld::Off));
                let (key, owner) = (entry.key, entry.owner);
                report.bad_tweaks.push(BadTweak { kind, key, owner, problem });
            }
            (None, Ok(json)) => shown.push((Candidate { json, ..entry }, tweak)),
        }
    }
    let names = names(kind, &shown, report);
    for ((entry, tweak), name) in shown.into_iter().zip(names) {
        if let Some(name) = name {
            arranged.show(kind, entry, &tweak, name);
        }
    }
    arranged
}

impl<T> Arranged<T> {
    fn show(&mut self, kind: Kind, entry: Candidate<T>, tweak: &Tweak, key: Arc<str>) {
        // What a resource is called is not what it is asked for by.
        let name = match kind {
            Kind::Tools | Kind::Prompts => (key != entry.key).then_some(&*key),
            Kind::Resources | Kind::Templates => tweak.rename.as_deref(),
        };
        let texts = [
            ("name", name),
            ("title", tweak.title.as_deref()),
            ("description", tweak.description.as_deref()),
        ];
        let mut json = entry.json;
        for (member, text) in texts {
            if let Some(text) = text {
                json = rewrite::with_text(&json, member, text).into();
            }
        }
        let terms = Terms {
            arguments: tweak.arguments.clone(),
            description: tweak.description.as_deref().map(Arc::from),
        };
        if terms != Terms::default() {
            self.terms.insert(key.clone(), terms);
        }
        self.targets.insert(key.clone(), entry.target);
        self.listed.push(Listed { key, json, owner: entry.owner, index: entry.index });
    }
}

/// An entry with only the arguments it is left with.
fn narrowed<T>(kind: Kind, entry: &Candidate<T>, tweak: &Tweak) -> Result<Arc<str>, TweakProblem> {
    let Some(keep) = &tweak.arguments else { return Ok(entry.json.clone()) };
    let done = match kind {
        Kind::Tools => rewrite::narrowed_tool(&entry.json, keep),
        Kind::Prompts => rewrite::narrowed_prompt(&entry.json, keep),
        Kind::Resources | Kind::Templates => return Ok(entry.json.clone()),
    };
    done.map(Arc::from).map_err(|unfit| match unfit {
        Unfit::Missing(name) => TweakProblem::NoArgument(name),
        Unfit::Needed(name) => TweakProblem::Needed(name),
    })
}

/// The key of each entry; nothing for one whose new and whose usual name are both taken.
fn names<T>(
    kind: Kind,
    shown: &[(Candidate<T>, Tweak)],
    report: &mut Report,
) -> Vec<Option<Arc<str>>> {
    let mut wishes = Vec::with_capacity(shown.len());
    for (entry, tweak) in shown {
        let wanted = match kind {
            Kind::Tools | Kind::Prompts => tweak.rename.as_deref(),
            Kind::Resources | Kind::Templates => None,
        };
        let wanted = wanted.filter(|wanted| *wanted != &*entry.key);
        if let Some(wanted) = wanted.filter(|wanted| !is_legal(wanted)) {
            let (key, owner) = (entry.key.clone(), entry.owner.clone());
            let problem = TweakProblem::Name(wanted.into());
            report.bad_tweaks.push(BadTweak { kind, key, owner, problem });
        }
        wishes.push(wanted.filter(|wanted| is_legal(wanted)).map(Arc::<str>::from));
    }
    let mut claims = Claims { kind, owners: HashMap::new(), conflicts: &mut report.conflicts };
    for ((entry, _), wish) in shown.iter().zip(&wishes) {
        if wish.is_none() {
            // Keys differ, so nobody has it yet.
            claims.claim(&entry.key, &entry.owner);
        }
    }
    let mut name = |entry: &Candidate<T>, wish: Option<Arc<str>>| match wish {
        None => Some(entry.key.clone()),
        Some(wanted) if claims.claim(&wanted, &entry.owner) => Some(wanted),
        Some(_) => claims.claim(&entry.key, &entry.owner).then(|| entry.key.clone()),
    };
    shown.iter().zip(wishes).map(|((entry, _), wish)| name(entry, wish)).collect()
}

/// Who has which public name.
struct Claims<'a> {
    kind: Kind,
    owners: HashMap<Arc<str>, Owner>,
    conflicts: &'a mut Vec<Conflict>,
}

impl Claims<'_> {
    /// Takes a name, unless somebody has it; then that is reported.
    fn claim(&mut self, key: &Arc<str>, owner: &Owner) -> bool {
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

/// Profiles may use dots, which some systems' tool names have.
fn is_legal(name: &str) -> bool {
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    (1..=MAX_LENGTH).contains(&name.len()) && name.bytes().all(legal)
}
