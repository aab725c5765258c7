//! Sets a principal's groups in `[groups]` of `config.toml`.
//!
//! `hobnob user add`, `set` and `remove` call it.

use std::collections::BTreeSet;
use std::path::Path;

use toml_edit::{Array, DocumentMut, Value};

use crate::edit_toml::{set_value, table_at};
use crate::setting_edit::{SettingEditError, SettingPlan};
use crate::settings::Settings;

impl SettingPlan {
    /// Plans to put this principal into exactly these groups, in the settings at this path.
    ///
    /// # Errors
    /// When the file is broken, locked by another process, or in a form that cannot be edited.
    pub fn groups(file: &Path, member: &str, groups: &[String]) -> Result<Self, SettingEditError> {
        let plain = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || "_-".contains(it);
        if let Some(bad) = groups.iter().find(|it| it.is_empty() || !it.chars().all(plain)) {
            return Err(SettingEditError::BadGroup(bad.clone()));
        }
        let by_hand = || format!("under `[groups]`, put `{member}` into: {}", groups.join(", "));
        let change = |document: &mut DocumentMut, settings: &Settings| {
            let there = groups_of(settings, member);
            let known = settings.groups.keys().filter(|it| !groups.contains(it));
            for name in groups.iter().chain(known) {
                let is_wanted = groups.contains(name);
                if there.contains(&name.as_str()) == is_wanted {
                    continue;
                }
                let others = settings.groups.get(name).into_iter().flatten();
                let others = others.filter(|it| *it != member).map(String::as_str);
                let members: Array = others.chain(is_wanted.then_some(member)).collect();
                set_value(table_at(document, &["groups"])?, name, Value::Array(members))?;
            }
            Some(())
        };
        let wanted: BTreeSet<&str> = groups.iter().map(String::as_str).collect();
        Self::edit(file, by_hand, change, |_, after| {
            groups_of(after, member).into_iter().collect::<BTreeSet<_>>() == wanted
        })
    }
}

/// The groups that a principal is in, by name.
pub fn groups_of<'a>(settings: &'a Settings, member: &str) -> Vec<&'a str> {
    let has_it = |members: &Vec<String>| members.iter().any(|it| it == member);
    let groups = settings.groups.iter().filter(|(_, members)| has_it(members));
    groups.map(|(name, _)| name.as_str()).collect()
}
