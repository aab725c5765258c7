//! The rules that a person sees, by their digest, and the answers if they have changed
//! meanwhile or a change fails.
//!
//! The files beside it use it. What must stay true: the digest covers everything that rules say, and
//! the members of groups.

use crate::services::profile_services;
use hobnob_config::{
    Digest, Places, Profile, ProfileName, RuleText, SHIPPED, Settings, load_profile,
};
use hobnob_ui::RulesProblem;

/// The settings as they are in their file.
pub(super) fn settings(places: &Places) -> Result<Settings, RulesProblem> {
    Settings::load(&places.settings()).map_err(|problem| RulesProblem::Failed(problem.to_string()))
}

pub(super) fn profile(places: &Places, name: &str) -> Result<Profile, RulesProblem> {
    let wrong = |why: String| RulesProblem::Wrong(why);
    let name = ProfileName::parse(name).map_err(|error| wrong(error.to_string()))?;
    load_profile(places, &name, SHIPPED, &profile_services())
        .map_err(|error| wrong(error.to_string()))
}

/// The digest of the rules and groups that a person sees.
pub(super) fn rules_digest(settings: &Settings) -> String {
    fn optional(value: Option<&String>) -> [&str; 2] {
        value.map_or(["", ""], |value| ["+", value])
    }
    let rule = |rule: &'_ RuleText| {
        let RuleText { principal, group, server, tool, pattern, action } = rule;
        let parts = [principal, group, server, tool, pattern].map(|it| optional(it.as_ref()));
        Digest::of_parts(parts.into_iter().flatten().chain([action.as_str()])).to_string()
    };
    let group = |(name, members): (&String, &Vec<String>)| {
        Digest::of_parts([name].into_iter().chain(members).map(String::as_str)).to_string()
    };
    let rules = settings.permissions.iter().map(rule);
    let parts: Vec<String> =
        rules.chain(["groups".to_owned()]).chain(settings.groups.iter().map(group)).collect();
    Digest::of_parts(parts.iter().map(String::as_str)).to_string()
}

/// What a person saw changed between the look and the click.
pub(super) fn changed_meanwhile(what: &str) -> RulesProblem {
    RulesProblem::Changed(format!("{what} changed meanwhile; nothing was done: look at it again"))
}

/// A change that was tried and failed.
pub(super) fn failed(error: anyhow::Error) -> RulesProblem {
    RulesProblem::Failed(format!("{error:#}"))
}
