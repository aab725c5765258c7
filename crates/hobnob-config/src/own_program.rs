//! Recognises Hobnob itself among the servers of a configuration.
//!
//! `add` and `import` ask before they write an entry, the gateway before it starts one: a Hobnob
//! behind itself would start itself again without end. A case that the command line hides is
//! detected later, by a variable in the child's environment and by what the peers report.

mod command_line;
mod file;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::expand::{Secret, expand, process_environment};
use crate::places::{Overrides, Places};
use crate::spec::Target;
use command_line::{Invocation, find_invocation};

/// The variables that decide where Hobnob's settings are.
const SETTINGS_VARIABLES: [&str; 3] = ["HOBNOB_HOME", "XDG_CONFIG_HOME", "HOME"];

/// Why an entry that starts this Hobnob is refused, and what to do instead.
pub const STARTS_OURSELVES: &str = "it starts Hobnob itself with the same settings, which would \
     start Hobnob again, and so on; give another Hobnob its own settings: \
     --config-dir DIR, or HOBNOB_HOME in its `env`";

/// This program, and the folder of its settings.
#[derive(Debug, Clone)]
pub struct OwnProgram {
    executable: PathBuf,
    config_dir: PathBuf,
}

impl OwnProgram {
    /// The program in this file, with the settings in these places.
    pub fn new(executable: PathBuf, places: &Places) -> Self {
        Self { executable, config_dir: places.config_dir.clone() }
    }

    /// Whether this target would start Hobnob again.
    pub fn is_started_by(&self, target: &Target) -> bool {
        let Target::Command { program, args, env, cwd } = target else { return false };
        let words = std::iter::once(program).chain(args).map(|word| word.expose().to_owned());
        let env = env.iter().map(|(name, value)| (name.clone(), value.expose().to_owned()));
        self.starts(words.collect(), env.collect(), cwd.as_ref().map(Secret::expose))
    }

    /// Like [`OwnProgram::is_started_by`], for an entry as it is in a file.
    pub fn is_started_by_entry(&self, entry: &Value) -> bool {
        let Some(program) = entry.get("command").and_then(Value::as_str) else { return false };
        let args = entry.get("args").and_then(Value::as_array).into_iter().flatten();
        let words = std::iter::once(program).chain(args.filter_map(Value::as_str)).map(expanded);
        let env = entry.get("env").and_then(Value::as_object).into_iter().flatten();
        let env = env.filter_map(|(name, value)| Some((name.clone(), expanded(value.as_str()?))));
        let cwd = entry.get("cwd").and_then(Value::as_str).map(expanded);
        self.starts(words.collect(), env.collect(), cwd.as_deref())
    }

    fn starts(&self, words: Vec<String>, env: Vec<(String, String)>, cwd: Option<&str>) -> bool {
        let is_us = |word: &str| file::is_the_same(&self.executable, word);
        let Some(invocation) = find_invocation(words, &is_us) else { return false };
        self.has_our_settings(&invocation, &env, cwd.map(Path::new))
    }

    /// Whether the started Hobnob reads the same settings as this one, which it does unless a
    /// variable or an option names others.
    fn has_our_settings(
        &self,
        invocation: &Invocation,
        env: &[(String, String)],
        cwd: Option<&Path>,
    ) -> bool {
        let pairs = || invocation.assignments.iter().chain(env);
        let overridden = pairs().any(|(name, _)| SETTINGS_VARIABLES.contains(&name.as_str()));
        if !overridden && invocation.config_dir.is_none() {
            return true;
        }
        let overrides = Overrides {
            config_dir: invocation.config_dir.as_ref().map(PathBuf::from),
            ..Overrides::default()
        };
        let variable = |name: &str| {
            let given = pairs().find(|(key, _)| key == name).map(|(_, value)| value.into());
            // A child inherits our folders, but not the variable that moves all of them.
            given.or_else(|| {
                std::env::var_os(name).filter(|_| name != "HOBNOB_HOME").map(PathBuf::from)
            })
        };
        let here = cwd.unwrap_or(Path::new("/"));
        match Places::detect_from(&overrides, &variable, here) {
            Ok(places) => same_folder(&places.config_dir, &self.config_dir),
            Err(_) => true,
        }
    }
}

/// A text with its variables expanded, if all of them are set.
fn expanded(written: &str) -> String {
    expand(written, &process_environment)
        .map_or_else(|_| written.to_owned(), |value| value.expose().to_owned())
}

fn same_folder(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}
