//! From the text of a file to a checked [`Profile`].
//!
//! `load` and the tests call it. A profile that parses has passed every check that needs no server.

use std::path::Path;

use super::check::{self, ProfileProblem};
use super::definition::Profile;
use super::key_position::offset_of;
use crate::problem::Problem;

impl Profile {
    /// Parses a profile for a product that has these services.
    pub fn parse(file: &Path, text: &str, services: &[&str]) -> Result<Self, Problem> {
        let profile: Self =
            toml::from_str(text).map_err(|error| Problem::of_toml(file, text, &error))?;
        check::check(&profile)
            .and_then(|()| check::check_services(&profile, services))
            .map_err(|problem| located(file, text, &problem))?;
        Ok(profile)
    }
}

fn located(file: &Path, text: &str, problem: &ProfileProblem) -> Problem {
    // Keys are quoted if they have to be, as a person would write them.
    let bare = |key: &String| key.chars().all(|it| it.is_ascii_alphanumeric() || "_-".contains(it));
    let shown = |key: &String| if bare(key) { key.clone() } else { format!("{key:?}") };
    let keys: Vec<String> = problem.keys.iter().map(shown).collect();
    let message = format!("{}: {}", keys.join("."), problem.message);
    Problem::at(file, text, offset_of(text, &problem.keys), message)
}
