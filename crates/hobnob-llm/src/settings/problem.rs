//! What is wrong with a setting, and where, as data.
//!
//! The checks report here; whoever reads the settings file shows it.

use std::fmt;

/// One problem of the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingProblem {
    /// Where it is, below the table of the providers: `work.key.command`.
    pub path: String,
    /// What is wrong, and what would be right.
    pub problem: String,
}

impl fmt::Display for SettingProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.problem)
    }
}

/// The problems of one provider, while they are found.
pub(super) struct Problems<'a> {
    name: &'a str,
    found: Vec<SettingProblem>,
}

impl<'a> Problems<'a> {
    pub(super) fn of(name: &'a str) -> Self {
        Self { name, found: Vec::new() }
    }

    pub(super) fn report(&mut self, below: &str, problem: impl Into<String>) {
        let path = match below {
            "" => self.name.to_owned(),
            below => format!("{}.{below}", self.name),
        };
        self.found.push(SettingProblem { path, problem: problem.into() });
    }

    /// The value, if nothing was found.
    pub(super) fn or<T>(self, value: Option<T>) -> Result<T, Vec<SettingProblem>> {
        match value {
            Some(value) if self.found.is_empty() => Ok(value),
            _ => Err(self.found),
        }
    }
}
