//! Problems of settings as data: what is wrong, and where.
//!
//! The checks report them; the program that reads the settings file shows them.

use std::fmt;

/// One problem of the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingProblem {
    /// The path of the setting below the table of providers, such as `work.key.command`.
    pub path: String,
    /// What is wrong, and how to correct it.
    pub problem: String,
}

impl fmt::Display for SettingProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.problem)
    }
}

/// Collects the problems of one provider.
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

    /// Returns the value if no problem was found.
    pub(super) fn or<T>(self, value: Option<T>) -> Result<T, Vec<SettingProblem>> {
        match value {
            Some(value) if self.found.is_empty() => Ok(value),
            _ => Err(self.found),
        }
    }
}
