//! `hobnob allow`, `hobnob ask` and `hobnob deny`: write rules about calls of tools. `main` runs
//! them.
//!
//! What must stay true: only a command that a person typed changes rules, it changes nothing else
//! in the file, and it says so if a rule does nothing.

use super::completions;
use super::person::require_owner;
use crate::context::CommandContext;
use anyhow::Context as _;
use clap::Args;
use hobnob_config::{Places, RuleChange, RulePlan, RuleText, Settings};
use hobnob_hub::change_log::ChangeLog;
use hobnob_hub::known_tools::{KnownTools, MatchedTools};
use hobnob_hub::rule_target::{BadRuleTarget, MissingName, RuleTarget, rule_target};
use hobnob_hub::rule_writer::{RuleFor, overruled, write_rule};
use hobnob_policy::RuleAction;
use hobnob_terminal::ended::Ended;
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
    let callers = RuleFor { principal: args.callers.principal, group: args.callers.group };
    let refused = |problem| refused(problem, &callers);
    callers.check(&places, &settings, missing).map_err(refused)?;
    let known = KnownTools::load(&places, &settings);
    // Resolve all names before the first rule is written, so that a bad name stops the command.
    let target = |typed: &String| rule_target(&known, typed, action, missing).map_err(refused);
    let targets: Vec<RuleTarget> = args.tools.iter().map(target).collect::<Result<_, _>>()?;
    let log = ChangeLog::open(&places)?;
    let writer = RuleWriter { places: &places, log, known: &known, action, callers: &callers };
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
    callers: &'a RuleFor,
}

impl RuleWriter<'_> {
    fn write(&self, typed: &str, target: RuleTarget) -> anyhow::Result<WrittenRule> {
        let RuleTarget { names, matches, notes } = target;
        let rule = self.callers.rule(names, self.action);
        let file = self.places.settings();
        let plan = RulePlan::new(&file, &rule)?;
        let change = write_rule(&self.log, &rule, plan)?;
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

fn matches_word(matches: &MatchedTools) -> &'static str {
    match matches {
        MatchedTools::Known => "tools",
        MatchedTools::Unlisted(_) => "not-listed",
        MatchedTools::Nothing => "nothing",
    }
}

/// The error for a name that a rule cannot have; it names the options that help.
fn refused(problem: BadRuleTarget, callers: &RuleFor) -> Ended {
    let principal = callers.principal.as_deref().unwrap_or_default();
    Ended::usage(match problem {
        BadRuleTarget::Invalid(why) => why,
        BadRuleTarget::NoTool { what, near } => format!(
            "{what}, so a rule would do nothing and none was written; `hobnob tools` lists what \
             there is, --project DIR names the project of a server, and --future writes the rule \
             for a server or tool that comes later{near}"
        ),
        BadRuleTarget::NoToken { name, near } => format!(
            "there is no token `{name}`, so a rule for `{principal}` would do nothing and none was \
             written; `hobnob token list` shows the tokens, and --future writes the rule for one \
             that comes later{near}"
        ),
    })
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
