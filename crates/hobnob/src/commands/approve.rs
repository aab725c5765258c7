//! `hobnob approve`: the user reviews what a project wants to start, and tools that have changed.
//!
//! What must stay true: nothing is approved that was not shown, and what was approved before an
//! interruption stays approved.

mod decision;
mod differences;
mod servers;
mod tools;

use super::person::require_owner;
use super::scope::{typed_name, unknown};
use crate::context::CommandContext;
use anyhow::Context as _;
use clap::Args;
use decision::Decision;
use hobnob_config::{
    AcceptedDefinitions, Approvals, ConfiguredServer, Places, ServerKey, ServerName, Servers,
    Settings, process_environment,
};
use hobnob_hub::change_log::ChangeLog;
use hobnob_hub::waiting_approvals::{ToolsToApprove, servers_to_approve};
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::render::Output;
use hobnob_terminal::render::{self, Confirmation};
use hobnob_text::shell_word;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Args)]
pub(crate) struct ApproveArgs {
    /// Review only this server and its tools.
    #[arg(add = super::completions::servers())]
    pub(crate) name: Option<String>,

    /// Show everything that waits, and ask once at the end.
    #[arg(long, conflicts_with = "name")]
    pub(crate) all: bool,

    /// Approve without asking: you have already reviewed it.
    #[arg(long, short)]
    pub(crate) yes: bool,

    /// Trust this server: its tools may change and grow without your approval.
    #[arg(long, requires = "name")]
    pub(crate) trust: bool,

    /// Stop trusting this server: what has changed since the last approval waits again.
    #[arg(long, requires = "name", conflicts_with_all = ["trust", "yes"])]
    pub(crate) no_trust: bool,
}

/// What was reviewed, as `--json` prints it.
#[derive(Debug, Default, Serialize)]
struct Report {
    servers: Vec<servers::WaitingServer>,
    tools: Vec<tools::WaitingTool>,
    /// Servers whose changes are trusted from now on.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    trusted: BTreeSet<String>,
    /// Servers that cannot be shown, with the reason.
    problems: Vec<String>,
}

/// How the user is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asking {
    EachOne,
    OnceForAll,
    Never,
}

pub(crate) fn run(args: ApproveArgs, context: &CommandContext) -> anyhow::Result<()> {
    let asking = asking(&args)?;
    let places = context.places.detect()?;
    require_owner("approvals are", &places)?;
    let only = args.name.as_deref().map(typed_name).transpose()?;
    let configured = Servers::load(&places, &process_environment);
    if let Some(name) = &only
        && configured.get(name.as_str()).is_none()
    {
        return Err(unknown(&places, name.as_str()));
    }
    let settings = Settings::load(&places.settings())?;
    let mut approvals = Approvals::load(&places.approvals())?;
    if args.no_trust {
        let server = only.as_ref().and_then(|name| configured.get(name.as_str()));
        if let Some(key) = server.map(ConfiguredServer::key) {
            approvals.distrust(key);
            let name = only.as_ref().map(ToString::to_string).unwrap_or_default();
            let log = change_log(&places, &settings)?;
            log.recorded("approvals/distrust", &name, || approvals.save())?;
        }
    }
    let (servers, problems) = servers_to_approve(&configured, &places, &approvals, only.as_ref());
    let search = ToolsToApprove {
        servers: &configured,
        places: &places,
        settings: &settings,
        approvals: &approvals,
    };
    let tools = search.find(only.as_ref()).into_iter().map(Into::into).collect();
    let servers = servers.into_iter().map(Into::into).collect();
    let mut report = Report { servers, tools, problems, ..Report::default() };
    let trust = only.as_ref().filter(|_| args.trust);
    let asked = decide(&mut report, asking, trust, context.output);
    save(&report, approvals, &configured, (&places, &settings))?;
    asked?;
    finish(&report, only.as_ref(), context.output)
}

/// How the user is asked, according to the options.
fn asking(args: &ApproveArgs) -> anyhow::Result<Asking> {
    match (args.yes, args.all, &args.name) {
        (true, false, None) => {
            let message = "--yes needs the NAME of a server, or --all";
            Err(Ended::usage(message).into())
        }
        (true, _, _) => Ok(Asking::Never),
        (false, true, _) => Ok(Asking::OnceForAll),
        (false, false, _) if args.trust => Ok(Asking::OnceForAll),
        (false, false, _) => Ok(Asking::EachOne),
    }
}

/// Shows what waits, and asks. What was approved before an interruption stays approved.
fn decide(
    report: &mut Report,
    asking: Asking,
    trust: Option<&ServerName>,
    output: Output,
) -> anyhow::Result<()> {
    for server in &mut report.servers {
        show(output, asking, &server.to_text());
        if asking == Asking::EachOne {
            let question = format!("Start `{}` whenever it is needed?", server.name);
            server.decision = ask(&question, &server.name)?;
        }
    }
    for tool in &mut report.tools {
        if report.trusted.contains(&tool.server) {
            tool.decision = Decision::Approved;
            continue;
        }
        show(output, asking, &tool.to_text());
        if asking == Asking::EachOne {
            let (decision, trust) = ask_about(tool)?;
            tool.decision = decision;
            report.trusted.extend(trust);
        }
    }
    let all = match (asking, trust) {
        (Asking::EachOne, _) => return Ok(()),
        (Asking::OnceForAll, None) if report.is_empty() => return Ok(()),
        (Asking::OnceForAll, None) => ask("Approve all of this?", "--all")?,
        (Asking::OnceForAll, Some(name)) => {
            let question =
                format!("Let `{name}` change its tools from now on without your approval?");
            ask(&question, &format!("{name} --trust"))?
        }
        (Asking::Never, _) => Decision::Approved,
    };
    if all == Decision::Approved {
        report.trusted.extend(trust.map(ToString::to_string));
    }
    report.servers.iter_mut().for_each(|server| server.decision = all);
    report.tools.iter_mut().for_each(|tool| tool.decision = all);
    Ok(())
}

/// The audit log, in a folder that need not exist yet.
fn change_log(places: &Places, settings: &Settings) -> anyhow::Result<ChangeLog> {
    places.create().context("the folders for settings and state cannot be made")?;
    ChangeLog::with_settings(places, settings)
}

impl Report {
    /// What was approved, as the audit log names it.
    fn approved(&self) -> Vec<(&'static str, String)> {
        let servers = self.servers.iter().filter(|it| it.decision == Decision::Approved);
        let tools = self.tools.iter().filter(|it| it.decision == Decision::Approved);
        let servers = servers.map(|it| ("approvals/server", format!("{} {}", it.name, it.digest)));
        let tools =
            tools.map(|it| ("approvals/tool", format!("{}/{} {}", it.server, it.name, it.digest)));
        let trusted = self.trusted.iter().map(|name| ("approvals/trust", name.clone()));
        servers.chain(tools).chain(trusted).collect()
    }

    fn is_empty(&self) -> bool {
        self.servers.is_empty() && self.tools.is_empty()
    }
}

/// Goes to standard error, because standard output carries one JSON document at the end.
fn show(output: Output, asking: Asking, text: &str) {
    if output == Output::People || asking != Asking::Never {
        render::note(text);
    }
}

fn ask(question: &str, what: &str) -> anyhow::Result<Decision> {
    let instead = format!("review the above, then run: hobnob approve {} --yes", shell_word(what));
    Ok(match render::confirm(question, &instead)? {
        Confirmation::Yes => Decision::Approved,
        Confirmation::No => Decision::Waiting,
    })
}

/// Asks about one tool. Returns the decision, and the server if it is trusted from now on.
fn ask_about(tool: &tools::WaitingTool) -> anyhow::Result<(Decision, Option<String>)> {
    let tools::WaitingTool { name, server, .. } = tool;
    let question = format!("Approve tool `{name}` of `{server}` as it is now?");
    let trust = format!("Yes, and trust all later changes of `{server}`");
    let instead =
        format!("review the above, then run: hobnob approve {} --yes", shell_word(server));
    let answers = ["No", "Yes", trust.as_str()];
    Ok(match render::choose(&question, &answers, &instead)? {
        1 => (Decision::Approved, None),
        2 => (Decision::Approved, Some(server.clone())),
        _ => (Decision::Waiting, None),
    })
}

/// Saves approvals, trust and the accepted definitions.
fn save(
    report: &Report,
    mut approvals: Approvals,
    configured: &Servers,
    (places, settings): (&Places, &Settings),
) -> anyhow::Result<()> {
    let servers: Vec<_> =
        report.servers.iter().filter(|it| it.decision == Decision::Approved).collect();
    let tools: Vec<_> =
        report.tools.iter().filter(|it| it.decision == Decision::Approved).collect();
    if servers.is_empty() && tools.is_empty() && report.trusted.is_empty() {
        return Ok(());
    }
    for server in &servers {
        let name = ServerName::parse(&server.name)?;
        approvals.approve(&places.project, &name, server.digest);
    }
    for name in &report.trusted {
        let approved = servers.iter().find(|it| it.name == *name).map(|it| it.key.clone());
        let key = approved.or_else(|| configured.get(name).map(ConfiguredServer::key));
        key.into_iter().for_each(|key| approvals.trust(key));
    }
    let mut definitions: BTreeMap<&ServerKey, Vec<(&str, &str)>> = BTreeMap::new();
    for tool in tools {
        approvals.set_pin(tool.key.clone(), &tool.name, tool.pin);
        definitions.entry(&tool.key).or_default().push((&tool.name, &tool.text));
    }
    let log = change_log(places, settings)?;
    let changes = report.approved();
    for (method, text) in &changes {
        log.record(method, text)?;
    }
    if let Err(error) = approvals.save() {
        changes.iter().for_each(|(method, text)| log.not_done(method, text));
        return Err(error.into());
    }
    let accepted = AcceptedDefinitions::new(&places.definitions());
    for (key, definitions) in definitions {
        if let Err(error) = accepted.add(key, definitions) {
            render::warn(&format!("cannot show the next change as a difference: {error}"));
        }
    }
    Ok(())
}

fn finish(report: &Report, only: Option<&ServerName>, output: Output) -> anyhow::Result<()> {
    match output {
        Output::Json => render::json(report)?,
        Output::People => {
            let servers = report.servers.iter().map(|it| (it.decision, it.name.clone()));
            let tools = report.tools.iter();
            let tools = tools.map(|it| (it.decision, format!("{} of {}", it.name, it.server)));
            for (decision, what) in servers.chain(tools) {
                match decision {
                    Decision::Approved => render::line(&format!("approved: {what}"))?,
                    Decision::Waiting => render::line(&format!("not approved: {what}"))?,
                }
            }
            for name in &report.trusted {
                let undo = format!("undo: hobnob approve {} --no-trust", shell_word(name));
                render::line(&format!("trusted: changes of {name}; {undo}"))?;
            }
            report.problems.iter().for_each(|problem| render::warn(problem));
            if report.is_empty() && report.problems.is_empty() && report.trusted.is_empty() {
                render::line("nothing waits for an approval")?;
            }
        }
    }
    match only {
        // The server that the user named cannot be approved.
        Some(_) if report.is_empty() && !report.problems.is_empty() => {
            Err(Ended::silently(Code::Failed).into())
        }
        _ => Ok(()),
    }
}
