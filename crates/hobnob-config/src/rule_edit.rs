//! Writes one permission rule into `config.toml`, or removes one.
//!
//! `hobnob allow`, `ask`, `deny` and `add --allow` and the page call it. A rule for the same tools
//! gets the new action in place, since of two equal rules the stricter one would decide; otherwise
//! the rule is appended.

use std::path::Path;

use toml_edit::{ArrayOfTables, Document, DocumentMut, Item, Table};

use crate::edit_toml::{appended_table, set_value};
use crate::setting_edit::{SettingEditError, SettingPlan};
use crate::settings::{RuleText, Settings};

/// The key of the list of rules.
const RULES: &str = "permissions";

/// The change that the plan makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleChange {
    /// The file has the rule already.
    Unchanged,
    /// The rule is appended to the file.
    Added,
    /// An existing rule for the same tools gets the action; this was its old action.
    Replaced(String),
}

/// A planned rule, and what becomes of an old one.
#[derive(Debug)]
pub struct RulePlan {
    plan: SettingPlan,
    change: RuleChange,
}

impl RulePlan {
    /// Plans to write the rule into the settings at this path, which need not exist.
    ///
    /// # Errors
    /// When the file is broken, locked by another process, or in a form that cannot be edited.
    pub fn new(file: &Path, rule: &RuleText) -> Result<Self, SettingEditError> {
        Self::unless(file, rule, |_| false)
    }

    /// The same for a person who decided by these rules: fails if they are not the rules of the
    /// file any more.
    ///
    /// # Errors
    /// As for [`RulePlan::new`], and when the rules have changed.
    pub fn over(file: &Path, rule: &RuleText, seen: &[RuleText]) -> Result<Self, SettingEditError> {
        let mut is_other = false;
        let plan = Self::unless(file, rule, |settings| {
            is_other = settings.permissions != seen;
            is_other
        });
        if is_other { Err(SettingEditError::OtherRules) } else { plan }
    }

    fn unless(
        file: &Path,
        rule: &RuleText,
        stop: impl FnOnce(&Settings) -> bool,
    ) -> Result<Self, SettingEditError> {
        let mut change = RuleChange::Unchanged;
        let by_hand = || {
            let mut table = Table::new();
            fill(&mut table, rule);
            format!("[[{RULES}]]\n{table}")
        };
        let edit = |document: &mut DocumentMut, settings: &Settings| {
            if stop(settings) {
                return None;
            }
            change = set_rule(document, settings, rule)?;
            Some(())
        };
        let means_it = |there: &RuleText| there.action == rule.action && same_calls(there, rule);
        let plan = SettingPlan::edit(file, by_hand, edit, |_, after| {
            after.permissions.iter().any(means_it)
        })?;
        Ok(Self { plan, change })
    }

    /// Whether the plan changes the file.
    pub fn has_changes(&self) -> bool {
        self.plan.has_changes()
    }

    /// Writes the file, unless it has the rule already.
    ///
    /// # Errors
    /// When the system refuses. The file is then unchanged.
    pub fn write(self) -> Result<RuleChange, SettingEditError> {
        self.plan.write()?;
        Ok(self.change)
    }
}

impl SettingPlan {
    /// Plans to remove the rule at this index, for a person who saw these rules.
    ///
    /// # Errors
    /// When the rules have changed, or the file is broken, locked by another process, or in a form
    /// that cannot be edited.
    pub fn without_rule(
        file: &Path,
        index: usize,
        seen: &[RuleText],
    ) -> Result<Self, SettingEditError> {
        let mut is_other = false;
        let by_hand = || match seen.get(index) {
            Some(rule) => format!("delete the rule `{rule}`"),
            None => "delete the rule".to_owned(),
        };
        let edit = |document: &mut DocumentMut, settings: &Settings| {
            is_other = settings.permissions != seen || seen.len() <= index;
            if is_other { None } else { remove_rule(document, index) }
        };
        let plan = Self::edit(file, by_hand, edit, |before, after| {
            let mut left = before.permissions.clone();
            left.remove(index);
            after.permissions == left
        });
        if is_other { Err(SettingEditError::OtherRules) } else { plan }
    }
}

/// The lines, from 1, in which the rules of this text begin, as far as they are tables of their own
/// or in a list.
#[must_use]
pub fn rule_lines(text: &str) -> Vec<Option<usize>> {
    let Ok(document) = Document::parse(text) else { return Vec::new() };
    let line = |span: Option<std::ops::Range<usize>>| {
        let before = text.get(..span?.start)?;
        Some(before.matches('\n').count() + 1)
    };
    match document.get(RULES) {
        Some(Item::ArrayOfTables(tables)) => tables.iter().map(|it| line(it.span())).collect(),
        Some(Item::Value(list)) => {
            let values = list.as_array().into_iter().flatten();
            values.map(|it| line(it.span())).collect()
        }
        _ => Vec::new(),
    }
}

/// Removes a rule and the comment right above it; what stands above an empty line stays.
fn remove_rule(document: &mut DocumentMut, index: usize) -> Option<()> {
    let rules = document.get_mut(RULES)?;
    let Some(tables) = rules.as_array_of_tables_mut() else {
        rules.as_array_mut()?.remove(index);
        return Some(());
    };
    let gone = tables.get(index)?.decor().prefix().and_then(|text| text.as_str());
    let gone = gone.unwrap_or_default().to_owned();
    let kept = gone.rfind("\n\n").map(|at| &gone[..at + 1]).unwrap_or_default();
    tables.remove(index);
    if kept.contains('#') {
        // The comment is about the rules or the file as a whole.
        if let Some(next) = tables.get_mut(index) {
            let prefix = next.decor().prefix().and_then(|text| text.as_str()).unwrap_or_default();
            let prefix = format!("{kept}{prefix}");
            next.decor_mut().set_prefix(prefix);
        } else {
            let trailing = document.trailing().as_str().unwrap_or_default();
            let trailing = format!("{kept}{trailing}");
            document.set_trailing(trailing);
        }
    }
    Some(())
}

/// `None` if the rules are a list on one line, and the rule is not among them.
fn set_rule(
    document: &mut DocumentMut,
    settings: &Settings,
    rule: &RuleText,
) -> Option<RuleChange> {
    let rules = settings.permissions.iter().enumerate();
    let same: Vec<_> = rules.filter(|(_, there)| same_calls(there, rule)).collect();
    if same.is_empty() {
        let mut table = appended_table(document);
        fill(&mut table, rule);
        let rules = document.entry(RULES).or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
        rules.as_array_of_tables_mut()?.push(table);
        return Some(RuleChange::Added);
    }
    // Of several rules for the same tools the stricter decides, so all of them change.
    let mut change = RuleChange::Unchanged;
    for (at, there) in same.into_iter().filter(|(_, there)| there.action != rule.action) {
        let table = document.get_mut(RULES)?.get_mut(at)?.as_table_like_mut()?;
        set_value(table, "action", rule.action.as_str().into())?;
        if change == RuleChange::Unchanged {
            change = RuleChange::Replaced(there.action.clone());
        }
    }
    Some(change)
}

/// Whether both are about the same calls: a server without a tool means every tool.
fn same_calls(one: &RuleText, other: &RuleText) -> bool {
    let tools = |rule: &RuleText| match (&rule.server, &rule.tool) {
        (Some(_), None) => Some("*".to_owned()),
        (_, tool) => tool.clone(),
    };
    let callers = |rule: &RuleText| (rule.principal.clone(), rule.group.clone());
    let parts = |rule: &RuleText| (rule.server.clone(), tools(rule), rule.pattern.clone());
    callers(one) == callers(other) && parts(one) == parts(other)
}

fn fill(table: &mut Table, rule: &RuleText) {
    let members = [
        ("principal", rule.principal.as_deref()),
        ("group", rule.group.as_deref()),
        ("server", rule.server.as_deref()),
        ("tool", rule.tool.as_deref()),
        ("pattern", rule.pattern.as_deref()),
        ("action", Some(rule.action.as_str())),
    ];
    for (key, value) in members {
        if let Some(value) = value {
            table.insert(key, toml_edit::value(value));
        }
    }
}
