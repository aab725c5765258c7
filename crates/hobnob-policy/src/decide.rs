//! Which rule decides about a call, and what it says: pure, and the only source of verdicts.
//!
//! [`authorize`](crate::authorize) calls it for every request, the catalogue for the tools it
//! lists. A shortened name is also judged by the full name, and a name from a profile also by the
//! usual name, so a deny cannot be evaded. Of two names, the stricter verdict counts.

use crate::arguments;
use crate::rule::{PermissionRule, RankedRule, RuleAction, RuleSet};
use crate::selector::{ToolMatch, ToolNames};
use crate::subject::{Subject, SubjectKind};
use crate::verdict::{RuleVerdict, VerdictReason};

/// The verdict of the most specific rule that applies, or the default. For a tool that a profile
/// renamed, the stricter of the verdicts for both names.
pub fn decide(rules: &RuleSet, subject: &Subject<'_>) -> RuleVerdict {
    if subject.kind == SubjectKind::OwnContents {
        return default(subject);
    }
    let shown = decide_by_name(rules, subject);
    let usual = renamed(subject).map(|subject| decide_by_name(rules, &subject));
    stricter(shown, usual)
}

/// Whether lists leave the tool out: a rule without a pattern denies one of its names, so every
/// call would be denied.
#[must_use]
pub fn hidden(rules: &RuleSet, subject: &Subject<'_>) -> bool {
    hidden_by_name(rules, subject)
        || renamed(subject).is_some_and(|subject| hidden_by_name(rules, &subject))
}

/// The tool under its usual name, if a profile gave it another one.
pub(crate) fn renamed<'a>(subject: &Subject<'a>) -> Option<Subject<'a>> {
    let usual = subject.usual.filter(|usual| *usual != subject.tool)?;
    Some(Subject { tool: usual, usual: None, ..*subject })
}

/// The verdict for one name of the tool. A rule that asks, but perhaps means another tool, can make
/// the verdict stricter, never weaker.
fn decide_by_name(rules: &RuleSet, subject: &Subject<'_>) -> RuleVerdict {
    let names = names(subject);
    let applies = |rule: &PermissionRule| {
        is_about_caller(rule, subject)
            && rule
                .pattern()
                .is_none_or(|pattern| arguments::applies(pattern, rule.action(), subject.arguments))
    };
    // The strictest rule that asks and may mean another tool; the first allow that is ambiguous.
    let (mut uncertain, mut unclear) = (None, None);
    for (entry, rule, meaning) in rules.ranked() {
        let met = rule.selector().meets(meaning, &names, entry.reach);
        match (met, rule.action()) {
            (ToolMatch::No, _) => {}
            _ if !applies(rule) => {}
            (ToolMatch::Yes, _) | (ToolMatch::Perhaps, RuleAction::Deny) => {
                let decided = stricter(verdict(subject, entry, rule), uncertain);
                return decided.beside(unclear);
            }
            (ToolMatch::Perhaps, RuleAction::Ask | RuleAction::AskOwner) => {
                let asks = verdict(subject, entry, rule);
                uncertain = Some(match uncertain {
                    None => asks,
                    Some(before) => stricter(before, Some(asks)),
                });
            }
            (ToolMatch::Perhaps, RuleAction::Allow) => {
                unclear.get_or_insert(rule);
            }
        }
    }
    stricter(default(subject), uncertain).beside(unclear)
}

fn hidden_by_name(rules: &RuleSet, subject: &Subject<'_>) -> bool {
    let names = names(subject);
    // A deny with a pattern leaves other calls possible; any other pattern may permit a call.
    rules
        .ranked()
        .filter(|(_, rule, _)| rule.pattern().is_none() || rule.action() != RuleAction::Deny)
        .filter(|(_, rule, _)| is_about_caller(rule, subject))
        .find(|(entry, rule, meaning)| {
            match rule.selector().meets(meaning, &names, entry.reach) {
                ToolMatch::Yes => true,
                // An ambiguous name denies in each of its readings, and relaxes in none.
                ToolMatch::Perhaps => rule.action() == RuleAction::Deny,
                ToolMatch::No => false,
            }
        })
        .is_some_and(|(_, rule, _)| rule.action() == RuleAction::Deny)
}

fn is_about_caller(rule: &PermissionRule, subject: &Subject<'_>) -> bool {
    rule.callers().include(subject.caller, rule.action() == RuleAction::Deny)
}

pub(crate) fn names<'a>(subject: &Subject<'a>) -> ToolNames<'a> {
    let upstream = subject.server.map(|server| (server, subject.original.unwrap_or(subject.tool)));
    ToolNames::new(subject.tool, upstream)
}

fn verdict(subject: &Subject<'_>, entry: &RankedRule, rule: &PermissionRule) -> RuleVerdict {
    let action = match (subject.kind, rule.action()) {
        (
            SubjectKind::Management | SubjectKind::ServerContents,
            RuleAction::Ask | RuleAction::AskOwner,
        ) => RuleAction::Allow,
        (_, action) => action,
    };
    let (index, text, place) = (entry.index, rule.text().clone(), rule.place().clone());
    RuleVerdict::new(
        subject,
        action,
        VerdictReason::Rule { index, text, place, says: rule.action() },
    )
}

/// The stricter of two verdicts; the first one if they are equal.
fn stricter(certain: RuleVerdict, other: Option<RuleVerdict>) -> RuleVerdict {
    match other {
        Some(other) if other.action() > certain.action() => other,
        _ => certain,
    }
}

fn default(subject: &Subject<'_>) -> RuleVerdict {
    let (action, why) = match subject.kind {
        SubjectKind::Upstream => (RuleAction::Ask, "no rule names this tool"),
        SubjectKind::Management => (RuleAction::Allow, "management tools never ask"),
        SubjectKind::BuiltIn => (RuleAction::Allow, "no rule names this built-in tool"),
        SubjectKind::ServerContents => (RuleAction::Allow, "resources and prompts never ask"),
        SubjectKind::OwnContents => {
            (RuleAction::Allow, "no rule is about Hobnob's own resources and prompts")
        }
    };
    RuleVerdict::new(subject, action, VerdictReason::Default(why))
}
