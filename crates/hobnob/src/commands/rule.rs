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
use hobnob_policy::{Glob, RuleAction, Subject, SubjectCaller, SubjectKind, decide};
use hobnob_terminal::ended::Ended;
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

    #[command(flatten)]
    callers: CallerArgs,
}

#[derive(Debug, Args)]
pub(crate) struct AskArgs {
    #[command(flatten)]
    rule: RuleArgs,

    /// Ask you, not the caller: others wait until you have run `hobnob answer`.
    #[arg(long)]
    owner: bool,
}

/// Whose calls a rule is about.
#[derive(Debug, Args)]
struct CallerArgs {
    /// Only for calls of this principal: a user, token:NAME, or ISSUER#SUBJECT.
    #[arg(long, value_name = "NAME", conflicts_with = "group")]
    principal: Option<String>,

    /// Only for calls of the members of this group, which `[groups]` of config.toml names.
    #[arg(long, value_name = "NAME")]
    group: Option<String>,
}

/// One rule, as `--json` prints it.
#[derive(Debug, Serialize)]
struct WrittenRule {
    #[serde(skip_serializing_if = "Option::is_none")]
    principal: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<String>,
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

pub(crate) fn run_ask(args: AskArgs, context: &CommandContext) -> anyhow::Result<()> {
    let action = if args.owner { RuleAction::AskOwner } else { RuleAction::Ask };
    run(args.rule, action, context)
}

pub(crate) fn run(
    args: RuleArgs,
    action: RuleAction,
    context: &CommandContext,
) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    require_owner("rules are", &places)?;
    places.create().context("the folders for settings and state cannot be made")?;
    check_callers(&places, &args.callers)?;
    let names = Names::load(&places);
    let log = ChangeLog::open(&places)?;
    let mut written = Vec::new();
    for typed in &args.tools {
        let rule = rule(&names, typed, action, &args.callers);
        written.push(write(&places, &log, &names, typed, rule, action)?);
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
    rule: RuleText,
    action: RuleAction,
) -> anyhow::Result<WrittenRule> {
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
    let overruled = overruled(names, places, typed, &rule, action);
    let (RuleText { principal, group, server, tool, .. }, action) = (rule, action.as_str());
    Ok(WrittenRule { principal, group, server, tool, action, change, before, file, overruled })
}

/// A rule for a group that nobody wrote down would make all rules useless.
fn check_callers(places: &Places, callers: &CallerArgs) -> anyhow::Result<()> {
    let settings = Settings::load(&places.settings()).map_err(anyhow::Error::from)?;
    match (&callers.principal, &callers.group) {
        (Some(name), _) if name.is_empty() => {
            Err(Ended::usage("--principal needs the name of a principal").into())
        }
        (_, Some(group)) if !settings.groups.contains_key(group) => {
            let message = format!(
                "there is no group `{group}`; write `{group} = [\"ann\"]` under `[groups]` of {}",
                places.settings().display()
            );
            Err(Ended::usage(message).into())
        }
        _ => Ok(()),
    }
}

/// What decides about the tool now, if it is another action: a rule that knows it by another name may
/// be more specific, or stricter.
fn overruled(
    names: &Names,
    places: &Places,
    typed: &str,
    rule: &RuleText,
    action: RuleAction,
) -> Option<String> {
    let found = names.server_meant(typed)?;
    let (server, original) = (found.server?, found.original);
    if typed.contains('/') && Glob::escape(&original) != original {
        return None;
    }
    let settings = Settings::load(&places.settings()).ok()?;
    let member = |group: &String| settings.groups.get(group)?.first();
    let caller = rule.principal.as_ref().or_else(|| member(rule.group.as_ref()?));
    let caller = caller.map_or(SubjectCaller::Nameless, |name| SubjectCaller::of(name));
    let servers = names.servers().iter().map(String::as_str);
    let rules = permission_rules(&settings, None).ok()?.among(servers);
    let public = public_name(&server, &original);
    let subject = Subject {
        tool: public.as_str(),
        usual: None,
        server: Some(&server),
        original: Some(&original),
        caller,
        kind: SubjectKind::Upstream,
        arguments: None,
    };
    let verdict = decide(&rules, &subject);
    (verdict.action() != action).then(|| verdict.explain())
}

/// The rule that the typed text means.
fn rule(names: &Names, typed: &str, action: RuleAction, callers: &CallerArgs) -> RuleText {
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
        principal: callers.principal.clone(),
        group: callers.group.clone(),
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
    let callers = match (&rule.principal, &rule.group) {
        (Some(principal), _) => format!(" for {principal}"),
        (None, Some(group)) => format!(" for group {group}"),
        (None, None) => String::new(),
    };
    render::line(&format!("{about}: {}{callers}{past}, in {file}", rule.action))?;
    if let Some(why) = &rule.overruled {
        render::warn(&format!(
            "this rule does not decide about {about}: {why}; change or remove that one in {file}"
        ));
    }
    Ok(())
}
