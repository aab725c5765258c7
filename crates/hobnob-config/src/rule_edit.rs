//! Writes one permission rule into `config.toml`, and changes nothing else in it.
//!
//! `hobnob allow`, `ask`, `deny` and `add --allow` call it. A rule for the same tools gets the new
//! action in place, since of two equal rules the stricter one would decide; otherwise the rule is
//! appended. The new text is parsed as settings before it is written.

use std::cmp::Reverse;
use std::io;
use std::path::{Path, PathBuf};

use hobnob_disk::{FileMode, Lock, LockError, write_atomic};
use serde::Deserialize;
use toml::Spanned;

use crate::disk::read_text;
use crate::problem::Problem;
use crate::settings::{MAX_SETTINGS_BYTES, RuleText, Settings};
use crate::toml_string::toml_string;

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

/// Why a rule was not written; the file is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum RuleEditError {
    /// The file cannot be parsed, and stays unchanged.
    #[error("{0}; the file was not changed: repair it first")]
    Broken(#[from] Problem),
    /// Another process is changing it.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The rules are written in a way that cannot be edited.
    #[error("cannot add this to {}; write it by hand:\n{text}", file.display())]
    ByHand {
        /// The settings file, which stays unchanged.
        file: PathBuf,
        /// The text of the rule, for the person to write.
        text: String,
    },
    /// The system reported an error while the file was written.
    #[error("cannot write {}", .0.display())]
    Io(PathBuf, #[source] io::Error),
}

/// The new text of the settings, already checked. The lock keeps other processes out.
#[derive(Debug)]
pub struct RulePlan {
    file: PathBuf,
    text: String,
    change: RuleChange,
    _lock: Lock,
}

impl RulePlan {
    /// Plans to write the rule into the settings at this path, which need not exist.
    ///
    /// # Errors
    /// When the file is broken, locked by another process, or in a form that cannot be edited.
    pub fn new(file: &Path, rule: &RuleText) -> Result<Self, RuleEditError> {
        let lock = Lock::acquire(&file.with_extension("toml.lock"))?;
        let before = read_text(file, MAX_SETTINGS_BYTES)?.unwrap_or_default();
        Settings::parse(file, &before)?;
        let (text, change) = changed(file, &before, rule)?;
        let parsed = Settings::parse(file, &text).map_err(|_| by_hand(file, rule))?;
        let means_it = |there: &RuleText| there.action == rule.action && same_calls(there, rule);
        if !parsed.permissions.iter().any(means_it) {
            return Err(by_hand(file, rule));
        }
        Ok(Self { file: file.into(), text, change, _lock: lock })
    }

    /// Whether the plan changes the file.
    pub fn has_changes(&self) -> bool {
        self.change != RuleChange::Unchanged
    }

    /// Writes the file, unless it has the rule already.
    ///
    /// # Errors
    /// When the system refuses. The file is then unchanged.
    pub fn write(self) -> Result<RuleChange, RuleEditError> {
        if self.has_changes() {
            write_atomic(&self.file, self.text.as_bytes(), FileMode::Keep)
                .map_err(|error| RuleEditError::Io(self.file.clone(), error))?;
        }
        Ok(self.change)
    }
}

/// The rules of a file with the positions of their actions; [`Settings`] checks everything else.
#[derive(Deserialize)]
struct RuleTable {
    #[serde(default)]
    permissions: Vec<PlacedRule>,
}

#[derive(Deserialize)]
struct PlacedRule {
    principal: Option<String>,
    group: Option<String>,
    server: Option<String>,
    tool: Option<String>,
    pattern: Option<String>,
    action: Spanned<String>,
}

impl PlacedRule {
    fn is_about(&self, rule: &RuleText) -> bool {
        let there = RuleText {
            principal: self.principal.clone(),
            group: self.group.clone(),
            server: self.server.clone(),
            tool: self.tool.clone(),
            pattern: self.pattern.clone(),
            action: self.action.get_ref().clone(),
        };
        same_calls(&there, rule)
    }
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

fn changed(
    file: &Path,
    before: &str,
    rule: &RuleText,
) -> Result<(String, RuleChange), RuleEditError> {
    let table: RuleTable =
        toml::from_str(before).map_err(|error| Problem::of_toml(file, before, &error))?;
    let same = table.permissions.iter().filter(|there| there.is_about(rule));
    let same: Vec<&Spanned<String>> = same.map(|there| &there.action).collect();
    if same.is_empty() {
        return Ok((appended(before, rule), RuleChange::Added));
    }
    // Of several rules for the same tools the stricter decides, so all of them change.
    let mut others: Vec<&Spanned<String>> =
        same.into_iter().filter(|action| *action.get_ref() != rule.action).collect();
    let Some(was) = others.first().map(|action| action.get_ref().clone()) else {
        return Ok((before.into(), RuleChange::Unchanged));
    };
    // Edit from the end, so that earlier positions stay valid.
    others.sort_by_key(|action| Reverse(action.span().start));
    let mut text = before.to_owned();
    for action in others {
        text.replace_range(action.span(), &toml_string(&rule.action));
    }
    Ok((text, RuleChange::Replaced(was)))
}

fn appended(before: &str, rule: &RuleText) -> String {
    let between = match before {
        "" => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    format!("{before}{between}{}", written(rule))
}

fn written(rule: &RuleText) -> String {
    let members = [
        ("principal", rule.principal.as_deref()),
        ("group", rule.group.as_deref()),
        ("server", rule.server.as_deref()),
        ("tool", rule.tool.as_deref()),
        ("pattern", rule.pattern.as_deref()),
        ("action", Some(rule.action.as_str())),
    ];
    let mut text = String::from("[[permissions]]\n");
    for (key, value) in members {
        if let Some(value) = value {
            text.push_str(&format!("{key} = {}\n", toml_string(value)));
        }
    }
    text
}

fn by_hand(file: &Path, rule: &RuleText) -> RuleEditError {
    RuleEditError::ByHand { file: file.into(), text: written(rule) }
}
