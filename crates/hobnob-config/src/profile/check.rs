//! Checks that need more than one value: duplicate names, URI schemes that collide, services that
//! do not exist.
//!
//! `parse` calls it. Pure: checks that need the tools of servers happen when these are known.

use std::collections::{BTreeMap, BTreeSet};

use hobnob_text::escaped_start;

use super::definition::Profile;
use super::rows::{EntryOverride, Rows, STAR, star_of};
use crate::glob::is_glob;

/// Schemes that are taken: upstream resources, and Hobnob's own.
const RESERVED: [&str; 2] = ["mcp", "hobnob"];
/// The maximum number of characters of a namespace.
const MAX_NAMESPACE_LENGTH: usize = 64;

/// What is wrong, and the path of keys to it.
#[derive(Debug)]
pub(super) struct ProfileProblem {
    pub(super) keys: Vec<String>,
    pub(super) message: String,
}

impl ProfileProblem {
    fn new(keys: &[&str], message: impl Into<String>) -> Self {
        let keys = keys.iter().map(|key| (*key).to_owned()).collect();
        Self { keys, message: message.into() }
    }
}

/// Checks what depends on the profile alone.
pub(super) fn check(profile: &Profile) -> Result<(), ProfileProblem> {
    for (table, rows) in [("tools", &profile.tools), ("prompts", &profile.prompts)] {
        check_stars(table, rows)?;
        check_names(table, rows)?;
        check_arguments(table, rows)?;
    }
    check_schemes(profile)?;
    check_namespaces(profile)
}

/// Checks for unknown services, and for URI schemes that two services would share.
pub(super) fn check_services(profile: &Profile, known: &[&str]) -> Result<(), ProfileProblem> {
    let unknown = |keys: &[&str], service: &str| {
        let shown = escaped_start(service, 80);
        let message =
            format!("there is no service `{shown}`: use one or more of {}", known.join(", "));
        Err(ProfileProblem::new(keys, message))
    };
    for (index, service) in profile.services.iter().flatten().enumerate() {
        if !known.contains(&service.as_str()) {
            return unknown(&["services", &index.to_string()], service);
        }
    }
    for service in profile.uris.keys() {
        if !known.contains(&service.as_str()) {
            return unknown(&["uris", service], service);
        }
    }
    let named = |service: &&str| {
        profile.services.as_ref().is_none_or(|all| all.iter().any(|it| it == service))
    };
    let mut taken: BTreeMap<&str, &str> = BTreeMap::new();
    for service in known.iter().copied().filter(named) {
        let scheme = profile.uri_scheme(service).unwrap_or(service);
        if let Some(other) = taken.insert(scheme, service) {
            // The profile gave one of the two this scheme, and that one is at fault.
            let culprit = if profile.uris.contains_key(service) { service } else { other };
            let message =
                format!("`{other}` and `{service}` would share \"{scheme}\": choose another");
            return Err(ProfileProblem::new(&["uris", culprit], message));
        }
    }
    Ok(())
}

/// Checks the stars in names: a row with a glob needs one, a row for one name must not have one.
fn check_stars(table: &str, rows: &Rows<EntryOverride>) -> Result<(), ProfileProblem> {
    for (pattern, name) in renames(rows) {
        let problem = |message: &str| Err(ProfileProblem::new(&[table, pattern, "name"], message));
        match (is_glob(pattern), name.contains(STAR)) {
            (true, false) => {
                return problem(
                    "this would give many tools or prompts the same name: put a `*` in it",
                );
            }
            (false, true) => return problem("a row for one name cannot use `*`: remove the `*`"),
            (true, true) if pattern.matches(['*', '?']).count() != 1 || !pattern.contains(STAR) => {
                return problem("the `*` is ambiguous: use a row with exactly one `*` and no `?`");
            }
            (true, true) | (false, false) => {}
        }
    }
    Ok(())
}

/// Checks that no two tools get the same name, as far as rows without globs show. The names that
/// globs lead to are checked when the tools are known.
fn check_names(table: &str, rows: &Rows<EntryOverride>) -> Result<(), ProfileProblem> {
    let mut taken: BTreeMap<&str, &str> = BTreeMap::new();
    for (one, name) in renames(rows).filter(|(pattern, _)| !is_glob(pattern)) {
        if let Some(other) = taken.insert(name, one) {
            let message = format!("\"{other}\" gets the name \"{name}\" too: choose another");
            return Err(ProfileProblem::new(&[table, one, "name"], message));
        }
    }
    for (name, one) in taken {
        let keeps = rows.iter().any(|(other, row)| {
            // A tool that keeps its name has it too, unless the profile hides the tool.
            other == name && other != one && row.name.is_none() && row.enabled != Some(false)
        });
        let renamed = renames(rows).filter(|(pattern, _)| is_glob(pattern)).find_map(|it| {
            let other = it.0.replacen(STAR, star_of(it.1, name)?, 1);
            let row = rows.find(&other);
            let has = row.enabled != Some(false) && row.name.as_deref() == Some(name);
            (other != one && has).then_some(other)
        });
        if keeps || renamed.is_some() {
            let other = renamed.as_deref().unwrap_or(name);
            let message = format!("\"{other}\" already has the name \"{name}\": choose another");
            return Err(ProfileProblem::new(&[table, one, "name"], message));
        }
    }
    Ok(())
}

fn check_arguments(table: &str, rows: &Rows<EntryOverride>) -> Result<(), ProfileProblem> {
    for (pattern, row) in rows.iter() {
        let mut seen = BTreeSet::new();
        for (index, argument) in row.arguments.iter().flatten().enumerate() {
            if argument.is_empty() || !seen.insert(argument) {
                let keys = [table, pattern, "arguments", &index.to_string()];
                return Err(ProfileProblem::new(&keys, "empty, or a duplicate: remove it"));
            }
        }
    }
    Ok(())
}

fn check_schemes(profile: &Profile) -> Result<(), ProfileProblem> {
    for (service, scheme) in &profile.uris {
        // RFC 3986, but lower case only, since schemes are compared byte by byte.
        let legal = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || "+.-".contains(it);
        let sound = scheme.starts_with(|it: char| it.is_ascii_lowercase())
            && scheme.len() <= 32
            && scheme.chars().all(legal);
        if !sound {
            let message =
                "not a scheme: use 1 to 32 of `a-z`, `0-9`, `+`, `.`, `-`, a letter first";
            return Err(ProfileProblem::new(&["uris", service], message));
        }
        if RESERVED.contains(&scheme.as_str()) {
            let message = format!("\"{scheme}\" is reserved for Hobnob: choose another");
            return Err(ProfileProblem::new(&["uris", service], message));
        }
    }
    Ok(())
}

fn check_namespaces(profile: &Profile) -> Result<(), ProfileProblem> {
    let Some(namespaces) = &profile.memory.namespaces else { return Ok(()) };
    if namespaces.is_empty() {
        let message = "nothing could be stored: name at least one, or omit the key";
        return Err(ProfileProblem::new(&["memory", "namespaces"], message));
    }
    let legal = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || "_-".contains(it);
    let mut seen = BTreeSet::new();
    for (index, name) in namespaces.iter().enumerate() {
        let sound =
            !name.is_empty() && name.len() <= MAX_NAMESPACE_LENGTH && name.chars().all(legal);
        if !sound || !seen.insert(name) {
            let keys = ["memory", "namespaces", &index.to_string()];
            let message =
                "not a namespace, or a duplicate: use 1 to 64 of `a-z`, `0-9`, `_` and `-`";
            return Err(ProfileProblem::new(&keys, message));
        }
    }
    Ok(())
}

fn renames(rows: &Rows<EntryOverride>) -> impl Iterator<Item = (&str, &str)> {
    rows.iter().filter_map(|(pattern, row)| Some((pattern, row.name.as_deref()?)))
}
