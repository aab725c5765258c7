//! Sets a principal's groups in `[groups]` of `config.toml`, and changes nothing else there.
//!
//! `hobnob user add`, `set` and `remove` call it. A changed list is rewritten in place; a new group
//! gets a line of its own. The new text is parsed as settings before it is written.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use hobnob_disk::{FileMode, Lock, LockError, write_atomic};
use serde::Deserialize;
use toml::Spanned;

use crate::disk::read_text;
use crate::problem::Problem;
use crate::settings::{MAX_SETTINGS_BYTES, Settings};

/// Why groups were not changed; the file is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum GroupEditError {
    /// The text is not a valid name of a group.
    #[error("`{0}` is not a valid group name: use a-z, 0-9, `_` and `-`")]
    Name(String),
    /// The file cannot be parsed, and stays unchanged.
    #[error("{0}; the file was not changed: repair it first")]
    Broken(#[from] Problem),
    /// Another process is changing it.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The groups are written in a way that cannot be edited.
    #[error("cannot change the groups in {}; write them by hand, under `[groups]`", .0.display())]
    ByHand(PathBuf),
    /// The system reported an error while the file was written.
    #[error("cannot write {}", .0.display())]
    Io(PathBuf, #[source] io::Error),
}

/// The new text of the settings, already checked. The lock keeps other processes out.
#[derive(Debug)]
pub struct GroupPlan {
    file: PathBuf,
    before: String,
    text: String,
    _lock: Lock,
}

impl GroupPlan {
    /// Plans to put this principal into exactly these groups, in the settings at this path.
    ///
    /// # Errors
    /// When the file is broken, locked by another process, or in a form that cannot be edited.
    pub fn new(file: &Path, member: &str, groups: &[String]) -> Result<Self, GroupEditError> {
        let plain = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || "_-".contains(it);
        if let Some(bad) = groups.iter().find(|it| it.is_empty() || !it.chars().all(plain)) {
            return Err(GroupEditError::Name(bad.clone()));
        }
        let lock = Lock::acquire(&file.with_extension("toml.lock"))?;
        let before = read_text(file, MAX_SETTINGS_BYTES)?.unwrap_or_default();
        Settings::parse(file, &before)?;
        let text = changed(file, &before, member, groups)?;
        let by_hand = || GroupEditError::ByHand(file.into());
        let parsed = Settings::parse(file, &text).map_err(|_| by_hand())?;
        let is_in: BTreeSet<&str> = groups_of(&parsed, member).into_iter().collect();
        if is_in != groups.iter().map(String::as_str).collect() {
            return Err(by_hand());
        }
        Ok(Self { file: file.into(), before, text, _lock: lock })
    }

    /// Whether the plan changes the file.
    pub fn has_changes(&self) -> bool {
        self.before != self.text
    }

    /// Writes the file, if the plan changes it.
    ///
    /// # Errors
    /// When the system refuses. The file is then unchanged.
    pub fn write(self) -> Result<(), GroupEditError> {
        if !self.has_changes() {
            return Ok(());
        }
        write_atomic(&self.file, self.text.as_bytes(), FileMode::Keep)
            .map_err(|error| GroupEditError::Io(self.file.clone(), error))
    }
}

/// The groups that a principal is in, by name.
pub fn groups_of<'a>(settings: &'a Settings, member: &str) -> Vec<&'a str> {
    let has_it = |members: &Vec<String>| members.iter().any(|it| it == member);
    let groups = settings.groups.iter().filter(|(_, members)| has_it(members));
    groups.map(|(name, _)| name.as_str()).collect()
}

/// The groups of a file with the positions of their lists; [`Settings`] checks everything else.
#[derive(Deserialize)]
struct GroupTable {
    groups: Option<BTreeMap<String, Spanned<Vec<String>>>>,
}

fn changed(
    file: &Path,
    before: &str,
    member: &str,
    groups: &[String],
) -> Result<String, GroupEditError> {
    let table: GroupTable =
        toml::from_str(before).map_err(|error| Problem::of_toml(file, before, &error))?;
    let known = table.groups.unwrap_or_default();
    let mut text = before.to_owned();
    let mut lists: Vec<_> = known.iter().collect();
    // Edit from the end, so that earlier positions stay valid.
    lists.sort_by_key(|(_, list)| Reverse(list.span().start));
    let first = lists.last().map(|(_, list)| list.span().start);
    for (name, list) in lists {
        let (is_in, is_wanted) =
            (list.get_ref().iter().any(|it| it == member), groups.contains(name));
        if is_in != is_wanted {
            let others = list.get_ref().iter().filter(|it| *it != member);
            let members: Vec<_> =
                others.map(String::as_str).chain(is_wanted.then_some(member)).collect();
            text.replace_range(list.span(), &written(&members));
        }
    }
    let mut lines = String::new();
    for name in groups.iter().filter(|name| !known.contains_key(*name)) {
        // Writing to a string does not fail.
        let _written = writeln!(lines, "{name} = {}", written(&[member]));
    }
    match first {
        _ if lines.is_empty() => {}
        // Insert before the line of the first group, whose comment stays with it.
        Some(first) => {
            let line = before[..first].rfind('\n').map_or(0, |at| at + 1);
            text.insert_str(line, &lines);
        }
        None => {
            let between = match before {
                "" => "",
                text if text.ends_with('\n') => "\n",
                _ => "\n\n",
            };
            let _written = write!(text, "{between}[groups]\n{lines}");
        }
    }
    Ok(text)
}

/// Names as a TOML list.
fn written(names: &[&str]) -> String {
    let names: Vec<_> = names.iter().map(|name| toml::Value::from(*name).to_string()).collect();
    format!("[{}]", names.join(", "))
}
