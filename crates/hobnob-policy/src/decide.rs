//! Which rule decides about a call, and what it says: pure, and the only source of verdicts.
//!
//! A tool's annotations are not an input, so they can never relax a rule.
//! A name that was shortened is also judged by its full name, so a deny cannot be escaped.

use crate::arguments;
use crate::naming::{Meets, ToolNames};
use crate::permit::{Because, Verdict};
use crate::rule::{Action, Entry, Rule, Rules};

/// What a call is about. The caller knows the parts; they are never split out of a name.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The public name, as clients call it.
    pub tool: &'a str,
    /// The upstream server's name.
    pub server: Option<&'a str>,
    /// The tool's name at that server.
    pub original: Option<&'a str>,
    /// Whose tool it is.
    pub kind: SubjectKind,
    /// The arguments: the raw text of a JSON object.
    pub arguments: Option<&'a str>,
}

/// Whose tool it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubjectKind {
    /// A configured server's: it asks by default.
    Upstream,
    /// One of Hobnob's own about servers and subscriptions: it never asks.
    Management,
    /// One of Hobnob's services.
    BuiltIn,
}

/// The verdict of the most specific rule that applies, or the default.
///
/// A rule that asks, but may be about another tool, can only make the verdict stricter.
pub fn decide(rules: &Rules, subject: &Subject<'_>) -> Verdict {
    let names = names(subject);
    let applies = |rule: &Rule| match rule.pattern() {
        Some(pattern) => arguments::applies(pattern, rule.action(), subject.arguments),
        None => true,
    };
    // What asks but may be about another tool, and what would allow if it could not be.
    let (mut uncertain, mut unclear) = (None, None);
    for (entry, rule, meaning) in rules.ranked() {
        let met = rule.naming().meets(meaning, &names, entry.reach);
        match (met, rule.action()) {
            (Meets::No, _) => {}
            _ if !applies(rule) => {}
            (Meets::Yes, _) | (Meets::Perhaps, Action::Deny) => {
                let decided = stricter(verdict(subject, entry, rule), uncertain);
                return decided.beside(unclear);
            }
            (Meets::Perhaps, Action::Ask) => {
                uncertain.get_or_insert_with(|| verdict(subject, entry, rule));
            }
            (Meets::Perhaps, Action::Allow) => {
                unclear.get_or_insert(rule);
            }
        }
    }
    stricter(default(subject), uncertain).beside(unclear)
}

/// Whether lists leave the tool out: a rule without a pattern denies it, whatever the arguments.
#[must_use]
pub fn hidden(rules: &Rules, subject: &Subject<'_>) -> bool {
    let names = names(subject);
    // A pattern that denies leaves other calls possible; one that does not may let a call through.
    rules
        .ranked()
        .filter(|(_, rule, _)| rule.pattern().is_none() || rule.action() != Action::Deny)
        .find(|(entry, rule, meaning)| {
            match rule.naming().meets(meaning, &names, entry.reach) {
                Meets::Yes => true,
                // What can be read in several ways denies in any, and relaxes in none.
                Meets::Perhaps => rule.action() == Action::Deny,
                Meets::No => false,
            }
        })
        .is_some_and(|(_, rule, _)| rule.action() == Action::Deny)
}

fn names<'a>(subject: &Subject<'a>) -> ToolNames<'a> {
    let upstream = subject.server.map(|server| (server, subject.original.unwrap_or(subject.tool)));
    ToolNames::new(subject.tool, upstream)
}

fn verdict(subject: &Subject<'_>, entry: &Entry, rule: &Rule) -> Verdict {
    let action = match (subject.kind, rule.action()) {
        (SubjectKind::Management, Action::Ask) => Action::Allow,
        (_, action) => action,
    };
    let (index, text, place) = (entry.index, rule.text().clone(), rule.place().clone());
    Verdict::new(subject, action, Because::Rule { index, text, place, says: rule.action() })
}

fn stricter(certain: Verdict, uncertain: Option<Verdict>) -> Verdict {
    match uncertain {
        Some(other) if other.action() > certain.action() => other,
        _ => certain,
    }
}

fn default(subject: &Subject<'_>) -> Verdict {
    let (action, why) = match subject.kind {
        SubjectKind::Upstream => (Action::Ask, "no rule names this tool"),
        SubjectKind::Management => (Action::Allow, "management tools never ask"),
        SubjectKind::BuiltIn => (Action::Allow, "no rule names this built-in tool"),
    };
    Verdict::new(subject, action, Because::Default(why))
}
