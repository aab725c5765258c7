//! Finds rules, scopes of tokens and entries of profiles that match nothing. `doctor` calls it once
//! the servers have been started.
//!
//! What must stay true: an entry that may match a server whose tools are not known is not reported.

use crate::commands::scope_names::token_problems;
use hobnob_config::{
    Places, Profile, ProfileName, RuleText, Settings, TokensFile, glob_matches, list_profiles,
    load_profile,
};
use hobnob_gateway::nearest::did_you_mean;
use hobnob_gateway::permission_rules;
use hobnob_hub::authentication::token_principal;
use hobnob_hub::finding::{CheckFinding, Verdict};
use hobnob_hub::known_tools::{KnownTools, MatchedTools};
use hobnob_hub::services::profile_services;
use hobnob_policy::RuleSet;

/// The prefix of the public name of every tool and prompt of a server.
const UPSTREAM_PREFIX: &str = "mcp__";

/// The check: the settings whose rules it checks, and the places of the profiles and tokens, which only
/// `find` reads.
pub(super) struct UnmatchedEntries {
    places: Places,
    settings: Settings,
}

impl UnmatchedEntries {
    pub(super) fn new(places: &Places, settings: &Settings) -> Self {
        Self { places: places.clone(), settings: settings.clone() }
    }

    /// Returns a warning for each entry that matches no tool, prompt or server known now.
    pub(super) fn find(&self) -> Vec<CheckFinding> {
        let known = KnownTools::load(&self.places, &self.settings);
        let mut findings = self.rules(&known);
        for name in list_profiles(&self.places, &[]) {
            // A profile that cannot be read has a finding of its own.
            if let Ok(profile) = load_profile(&self.places, &name, &[], &profile_services()) {
                findings.extend(self.profile(&known, &name, &profile));
            }
        }
        findings.extend(self.tokens(&known));
        findings
    }

    fn rules(&self, known: &KnownTools) -> Vec<CheckFinding> {
        let file = self.places.settings().display().to_string();
        match permission_rules(&self.settings, None) {
            Ok(rules) => unmatched_rules(known, &rules, &self.settings.permissions, &file),
            // `machine::settings` reports the error.
            Err(_) => Vec::new(),
        }
    }

    fn profile(
        &self,
        known: &KnownTools,
        name: &ProfileName,
        profile: &Profile,
    ) -> Vec<CheckFinding> {
        let file = self.places.profiles().join(format!("{name}.toml")).display().to_string();
        let mut findings = match permission_rules(&self.settings, Some(profile)) {
            // The rules of the profile come first in the set.
            Ok(rules) => unmatched_rules(known, &rules, &profile.permissions, &file),
            Err(_) => Vec::new(),
        };
        let servers = known.names().servers();
        for entry in profile.servers.iter().flatten() {
            if !servers.iter().any(|server| glob_matches(entry, server)) {
                let near = did_you_mean(entry, servers.iter().map(String::as_str));
                let message = format!("`servers` of {file}: no server matches `{entry}`{near}");
                findings.push(warning("profile", message, &file));
            }
        }
        let tools: Vec<&str> = known.usual_names().collect();
        let prompts: Vec<&str> = known.names().prompts().iter().map(String::as_str).collect();
        let tool_rows = profile.tool_rows().map(|(row, _)| row);
        // Hobnob's own prompts come and go with the stored data, so their rows are not checked.
        let prompt_rows = profile.prompt_rows().map(|(row, _)| row);
        let prompt_rows = prompt_rows.filter(|row| row.starts_with(UPSTREAM_PREFIX));
        for row in unmatched_rows(known, tool_rows, &tools) {
            let near = did_you_mean(row, tools.iter().copied());
            let message = format!("[tools.\"{row}\"] of {file} matches no tool{near}");
            findings.push(warning("profile", message, &file));
        }
        for row in unmatched_rows(known, prompt_rows, &prompts) {
            let near = did_you_mean(row, prompts.iter().copied());
            let message = format!("[prompts.\"{row}\"] of {file} matches no prompt{near}");
            findings.push(warning("profile", message, &file));
        }
        findings
    }

    fn tokens(&self, known: &KnownTools) -> Vec<CheckFinding> {
        let tokens = match TokensFile::new(&self.places.tokens()).load() {
            Ok(tokens) => tokens,
            Err(error) => {
                return vec![CheckFinding::new("tokens", Verdict::Broken, error.to_string())];
            }
        };
        let mut findings = Vec::new();
        for token in &tokens {
            let principal = token_principal(&token.name);
            for problem in token_problems(known, token) {
                let message = format!("{principal}: {}{}", problem.what, problem.near);
                let hint = format!(
                    "make another token and revoke this one (hobnob token revoke {}), unless it is \
                     for something that comes later",
                    token.name
                );
                findings.push(CheckFinding::new("tokens", Verdict::Warning, message).hint(hint));
            }
        }
        findings
    }
}

/// A finding for each of the `written` rules that matches nothing. They come first in `rules`.
fn unmatched_rules(
    known: &KnownTools,
    rules: &RuleSet,
    written: &[RuleText],
    file: &str,
) -> Vec<CheckFinding> {
    let candidates = known.candidates();
    let matches = known.matches(rules).into_iter().zip(written).enumerate();
    let unmatched = matches.filter(|(_, (matches, _))| *matches == MatchedTools::Nothing);
    unmatched
        .map(|(index, (_, rule))| {
            let tool = rule.tool.as_deref().unwrap_or("*");
            let names = match &rule.server {
                Some(server) => format!("{server}/{tool}"),
                None => tool.to_owned(),
            };
            let what = format!("rule {} of {file}, `{names}` {}", index + 1, rule.action);
            match (&rule.server, tool.split_once('/')) {
                // Earlier versions wrote such a rule if the server was not configured.
                (None, Some((server, tool))) => {
                    let message = format!("{what}, matches no tool: no name has a `/` in it");
                    let hint = format!("write server = \"{server}\" and tool = \"{tool}\"");
                    CheckFinding::new("rules", Verdict::Warning, message).hint(hint)
                }
                _ => {
                    let near = did_you_mean(&names, candidates.iter().map(String::as_str));
                    warning("rules", format!("{what}, matches no tool{near}"), file)
                }
            }
        })
        .collect()
}

/// The rows that match no name and cannot belong to a server whose lists are not known.
fn unmatched_rows<'a>(
    known: &KnownTools,
    rows: impl Iterator<Item = &'a str>,
    names: &[&str],
) -> Vec<&'a str> {
    let may_come = |row: &str| {
        let fixed = row.split(['*', '?']).next().unwrap_or_default();
        known.names().unlisted_servers().any(|server| {
            let head = format!("{UPSTREAM_PREFIX}{server}__");
            fixed.starts_with(&head) || (fixed != row && head.starts_with(fixed))
        })
    };
    let fits = |row: &str| names.iter().any(|name| glob_matches(row, name));
    rows.filter(|row| !fits(row) && !may_come(row)).collect()
}

fn warning(what: &'static str, message: String, file: &str) -> CheckFinding {
    let hint = format!(
        "correct or remove it in {file}; leave it if it is for a server of another project, or for \
         one that comes later"
    );
    CheckFinding::new(what, Verdict::Warning, message).hint(hint)
}
