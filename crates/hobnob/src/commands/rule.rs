//! `hobnob allow`, `hobnob ask` and `hobnob deny`: write rules about calls of tools. `main` runs
//! them.
//!
//! What must stay true: only a command that a person typed changes rules, it changes nothing else
//! in the file, and it says so if a rule does nothing.

use super::change_log::ChangeLog;
use super::completions;
use super::known_tools::{KnownTools, RuleMatch};
use super::person::require_owner;
use super::rule_target::{MissingName, RuleNames, RuleTarget, rule_target};
use crate::context::CommandContext;
use anyhow::Context as _;
use clap::Args;
use hobnob_config::{Places, RuleChange, RulePlan, RuleText, Settings, TokensFile};
use hobnob_gateway::names::public_name;
use hobnob_gateway::nearest::did_you_mean;
use hobnob_gateway::permission_rules;
use hobnob_hub::authentication::token_principal;
use hobnob_policy::{Glob, RuleAction, Subject, SubjectCaller, SubjectKind, decide};
use hobnob_terminal::ended::Ended;
use hobnob_terminal::hub::Names;
use hobnob_terminal::render;
use hobnob_terminal::render::Output;
use serde::Serialize;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct RuleArgs {
    /// SERVER/TOOL, SERVER for all of its tools, or the name of a tool as clients see it; each may
    /// be a glob, such as files/read_*.
    #[arg(required = true, value_name = "TOOL", add = completions::tools_and_servers())]
    tools: Vec<String>,

    #[command(flatten)]
    callers: CallerArgs,

    /// Write the rule also if no server or tool has the name yet; it counts as soon as one has.
    #[arg(long)]
    future: bool,
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
    /// `tools`; `not-listed` if the tools of the server are not known yet; `nothing` if no server
    /// or tool has the name.
    matches: &'static str,
    /// Remarks for the user.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    /// The rule that still decides about calls of the tool, with another action.
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
    let settings = Settings::load(&places.settings()).map_err(anyhow::Error::from)?;
    let missing = if args.future { MissingName::Keep } else { MissingName::Refuse };
    check_callers(&places, &settings, &args.callers, missing)?;
    let known = KnownTools::load(&places, &settings);
    // Resolve all names before the first rule is written, so that a bad name stops the command.
    let target = |typed: &String| rule_target(&known, typed, action, missing);
    let targets: Vec<RuleTarget> = args.tools.iter().map(target).collect::<Result<_, _>>()?;
    let log = ChangeLog::open(&places)?;
    let writer = RuleWriter { places: &places, log, known: &known, action, callers: &args.callers };
    let mut written = Vec::new();
    for (typed, target) in args.tools.iter().zip(targets) {
        written.push(writer.write(typed, target)?);
    }
    match context.output {
        Output::Json => render::json(&written),
        Output::People => written.iter().try_for_each(show),
    }
}

/// Writes the rules of one command, with what they share.
struct RuleWriter<'a> {
    places: &'a Places,
    log: ChangeLog,
    known: &'a KnownTools,
    action: RuleAction,
    callers: &'a CallerArgs,
}

impl RuleWriter<'_> {
    fn write(&self, typed: &str, target: RuleTarget) -> anyhow::Result<WrittenRule> {
        let RuleTarget { names, matches, notes } = target;
        let rule = rule(names, self.action, self.callers);
        let file = self.places.settings();
        let plan = RulePlan::new(&file, &rule)?;
        let change = match plan.has_changes() {
            true => self.log.recorded("rules/write", &rule.to_string(), || plan.write())?,
            false => RuleChange::Unchanged,
        };
        let (change, before) = match change {
            RuleChange::Unchanged => ("unchanged", None),
            RuleChange::Added => ("added", None),
            RuleChange::Replaced(before) => ("replaced", Some(before)),
        };
        let overruled = overruled(self.known.names(), self.places, typed, &rule, self.action);
        let RuleText { principal, group, server, tool, .. } = rule;
        let (action, matches) = (self.action.as_str(), matches_word(&matches));
        Ok(WrittenRule {
            principal,
            group,
            server,
            tool,
            action,
            change,
            before,
            file,
            matches,
            notes,
            overruled,
        })
    }
}

fn matches_word(matches: &RuleMatch) -> &'static str {
    match matches {
        RuleMatch::Known => "tools",
        RuleMatch::Unlisted(_) => "not-listed",
        RuleMatch::Nothing => "nothing",
    }
}

/// Refuses unknown callers: a rule for an undefined group would make all rules unusable, and a rule
/// for a token that does not exist would do nothing.
fn check_callers(
    places: &Places,
    settings: &Settings,
    callers: &CallerArgs,
    missing: MissingName,
) -> anyhow::Result<()> {
    if let (Some(principal), MissingName::Refuse) = (&callers.principal, missing) {
        check_token(places, principal)?;
    }
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

fn check_token(places: &Places, principal: &str) -> anyhow::Result<()> {
    let Some(name) = token_name(principal) else { return Ok(()) };
    let tokens = TokensFile::new(&places.tokens()).load()?;
    if tokens.iter().any(|token| token.name == name) {
        return Ok(());
    }
    let there: Vec<String> = tokens.iter().map(|token| token_principal(&token.name)).collect();
    let near = did_you_mean(principal, there.iter().map(String::as_str));
    let message = format!(
        "there is no token `{name}`, so a rule for `{principal}` would do nothing and none was \
         written; `hobnob token list` shows the tokens, and --future writes the rule for one that \
         comes later{near}"
    );
    Err(Ended::usage(message).into())
}

/// The name of the token that a principal stands for.
fn token_name(principal: &str) -> Option<&str> {
    principal.strip_prefix(token_principal("").as_str())
}

/// Explains the rule that decides about the tool now, if its action differs: a rule that names the
/// tool in another way may be more specific or stricter.
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

fn rule(names: RuleNames, action: RuleAction, callers: &CallerArgs) -> RuleText {
    RuleText {
        principal: callers.principal.clone(),
        group: callers.group.clone(),
        server: names.server,
        tool: Some(names.tool),
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
    rule.notes.iter().for_each(|note| render::note(note));
    if let Some(why) = &rule.overruled {
        render::warn(&format!(
            "this rule does not decide about {about}: {why}; change or remove that one in {file}"
        ));
    }
    Ok(())
}
