//! `hobnob allow`, `hobnob ask` and `hobnob deny`: what happens to calls of a tool. `main` runs them.
//!
//! What must stay true: only a command that a person typed changes rules, and it changes nothing else
//! in the file.

use super::change_log::ChangeLog;
use super::completions;
use super::person::require_owner;
use crate::context::CommandContext;
use anyhow::Context as _;
use clap::Args;
use hobnob_config::{Places, RuleChange, RulePlan, RuleText, Settings};
use hobnob_gateway::names::public_name;
use hobnob_gateway::permission_rules;
use hobnob_policy::{Glob, RuleAction, Subject, SubjectKind, decide};
use hobnob_terminal::hub::Names;
use hobnob_terminal::render;
use hobnob_terminal::render::Output;
use serde::Serialize;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct RuleArgs {
    /// SERVER/TOOL, SERVER for all of its tools, or the name of a tool as clients see it; each may be
    /// a glob, such as files/read_*.
    #[arg(required = true, value_name = "TOOL", add = completions::tools_and_servers())]
    tools: Vec<String>,
}

/// One rule, as `--json` prints it.
#[derive(Debug, Serialize)]
struct WrittenRule {
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    action: &'static str,
    /// `added`, `replaced` or `unchanged`.
    change: &'static str,
    /// The action of the rule that was replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    file: PathBuf,
    /// Why calls of the tool are decided otherwise all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    overruled: Option<String>,
}

pub(crate) fn run(
    args: RuleArgs,
    action: RuleAction,
    context: &CommandContext,
) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    require_owner("rules are", &places)?;
    places.create().context("the folders for settings and state cannot be made")?;
    let names = Names::load(&places);
    let log = ChangeLog::open(&places)?;
    let mut written = Vec::new();
    for typed in &args.tools {
        written.push(write(&places, &log, &names, typed, action)?);
    }
    match context.output {
        Output::Json => render::json(&written),
        Output::People => written.iter().try_for_each(show),
    }
}

fn write(
    places: &Places,
    log: &ChangeLog,
    names: &Names,
    typed: &str,
    action: RuleAction,
) -> anyhow::Result<WrittenRule> {
    let rule = rule(names, typed, action);
    let file = places.settings();
    let plan = RulePlan::new(&file, &rule)?;
    let change = match plan.has_changes() {
        true => log.recorded("rules/write", &rule.to_string(), || plan.write())?,
        false => RuleChange::Unchanged,
    };
    let (change, before) = match change {
        RuleChange::Unchanged => ("unchanged", None),
        RuleChange::Added => ("added", None),
        RuleChange::Replaced(before) => ("replaced", Some(before)),
    };
    let overruled = overruled(names, places, typed, action);
    let RuleText { server, tool, .. } = rule;
    Ok(WrittenRule { server, tool, action: action.as_str(), change, before, file, overruled })
}

/// What decides about the tool now, if it is another action: a rule that knows it by another name may
/// be more specific, or stricter.
fn overruled(names: &Names, places: &Places, typed: &str, action: RuleAction) -> Option<String> {
    let found = names.server_meant(typed)?;
    let (server, original) = (found.server?, found.original);
    if typed.contains('/') && Glob::escape(&original) != original {
        return None;
    }
    let settings = Settings::load(&places.settings()).ok()?;
    let servers = names.servers().iter().map(String::as_str);
    let rules = permission_rules(&settings, None).ok()?.among(servers);
    let public = public_name(&server, &original);
    let subject = Subject {
        tool: public.as_str(),
        usual: None,
        server: Some(&server),
        original: Some(&original),
        kind: SubjectKind::Upstream,
        arguments: None,
    };
    let verdict = decide(&rules, &subject);
    (verdict.action() != action).then(|| verdict.explain())
}

/// The rule that the typed text means.
fn rule(names: &Names, typed: &str, action: RuleAction) -> RuleText {
    let (server, tool) = match names.server_meant(typed) {
        // What is behind the slash may be a glob; a name that clients see is exact.
        Some(found) if typed.contains('/') => (found.server, found.original),
        Some(found) => (found.server, Glob::escape(&found.original)),
        None if names.servers().iter().any(|server| server == typed) => {
            (Some(typed.to_owned()), "*".to_owned())
        }
        None => (None, typed.to_owned()),
    };
    RuleText {
        server: server.map(|server| Glob::escape(&server)),
        tool: Some(tool),
        pattern: None,
        action: action.as_str().into(),
    }
}

fn show(rule: &WrittenRule) -> anyhow::Result<()> {
    let tool = rule.tool.as_deref().unwrap_or("*");
    let about = match &rule.server {
        Some(server) => format!("{server}/{tool}"),
        None => tool.to_owned(),
    };
    let past = match (&rule.before, rule.change) {
        (Some(before), _) => format!(" (was: {before})"),
        (None, "unchanged") => " (as before)".to_owned(),
        (None, _) => String::new(),
    };
    let file = rule.file.display();
    render::line(&format!("{about}: {}{past}, in {file}", rule.action))?;
    if let Some(why) = &rule.overruled {
        render::warn(&format!(
            "this rule does not decide about {about}: {why}; change or remove that one in {file}"
        ));
    }
    Ok(())
}
