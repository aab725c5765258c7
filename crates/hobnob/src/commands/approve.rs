//! `hobnob approve`: a person looks at what a project wants to start, and at tools that changed.

mod servers;
mod tools;

use super::scope::{typed_name, unknown};
use crate::context::{Context, Output};
use crate::exit::{Code, Ended};
use crate::render::{self, Answer};
use clap::Args;
use hobnob_config::{Approvals, Places, ServerName, Servers, Settings, process_environment};
use serde::Serialize;

pub(crate) use tools::suspicions;

/// What may be typed after it.
#[derive(Debug, Args)]
pub(crate) struct ApproveArgs {
    /// Only this server, and the tools of it.
    pub(crate) name: Option<String>,

    /// Everything that waits, with one question at the end.
    #[arg(long, conflicts_with = "name")]
    pub(crate) all: bool,

    /// Ask nothing: the one who types this has looked.
    #[arg(long, short)]
    pub(crate) yes: bool,
}

/// What was looked at, for programs.
#[derive(Debug, Serialize)]
struct Report {
    servers: Vec<servers::Looked>,
    tools: Vec<tools::Looked>,
    /// What could not be looked at.
    problems: Vec<String>,
}

/// What became of one thing that waited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Decision {
    Approved,
    Waiting,
}

/// How a person is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asking {
    EachOne,
    OnceForAll,
    Never,
}

/// Does it.
pub(crate) fn run(args: ApproveArgs, context: &Context) -> anyhow::Result<()> {
    let asking = match (args.yes, args.all, &args.name) {
        (true, false, None) => {
            let message = "say what to approve: --yes with a NAME, or with --all";
            return Err(Ended::new(Code::Usage, message).into());
        }
        (true, _, _) => Asking::Never,
        (false, true, _) => Asking::OnceForAll,
        (false, false, _) => Asking::EachOne,
    };
    let places = context.places.detect()?;
    let only = args.name.as_deref().map(typed_name).transpose()?;
    let configured = Servers::load(&places, &process_environment);
    if let Some(name) = &only
        && configured.get(name.as_str()).is_none()
    {
        return Err(unknown(&places, name.as_str()));
    }
    let settings = Settings::load(&places.settings())?;
    let mut approvals = Approvals::load(&places.approvals())?;
    let (servers, problems) = servers::waiting(&configured, &places, &approvals, only.as_ref());
    let tools = tools::waiting(&configured, &places, &settings, &approvals, only.as_ref());
    let mut report = Report { servers, tools, problems };
    let asked = decide(&mut report, asking, context.output);
    if keep(&report, &mut approvals, &places)? {
        approvals.save()?;
    }
    asked?;
    finish(&report, only.as_ref(), context.output)
}

/// Shows what waits, and asks. What was approved before an interruption stays approved.
fn decide(report: &mut Report, asking: Asking, output: Output) -> anyhow::Result<()> {
    for server in &mut report.servers {
        show(output, asking, &server.to_text());
        if asking == Asking::EachOne {
            let question = format!("Start `{}` whenever it is needed?", server.name);
            server.decision = ask(&question, &server.name)?;
        }
    }
    for tool in &mut report.tools {
        show(output, asking, &tool.to_text());
        if asking == Asking::EachOne {
            let question =
                format!("Let `{}` of `{}` be used as it is now?", tool.name, tool.server);
            tool.decision = ask(&question, &tool.server)?;
        }
    }
    let all = match asking {
        Asking::EachOne => return Ok(()),
        Asking::OnceForAll if report.is_empty() => return Ok(()),
        Asking::OnceForAll => ask("Approve all of this?", "--all")?,
        Asking::Never => Decision::Approved,
    };
    report.servers.iter_mut().for_each(|server| server.decision = all);
    report.tools.iter_mut().for_each(|tool| tool.decision = all);
    Ok(())
}

impl Report {
    fn is_empty(&self) -> bool {
        self.servers.is_empty() && self.tools.is_empty()
    }
}

/// A program that reads standard output gets one document at the end, so this goes beside it.
fn show(output: Output, asking: Asking, text: &str) {
    if output == Output::People || asking != Asking::Never {
        render::note(text);
    }
}

fn ask(question: &str, what: &str) -> anyhow::Result<Decision> {
    let instead = format!("look at the above, then: hobnob approve {what} --yes");
    Ok(match render::confirm(question, &instead)? {
        Answer::Yes => Decision::Approved,
        Answer::No => Decision::Waiting,
    })
}

/// Takes the decisions over; whether there is anything to save.
fn keep(report: &Report, approvals: &mut Approvals, places: &Places) -> anyhow::Result<bool> {
    let mut any = false;
    for server in report.servers.iter().filter(|it| it.decision == Decision::Approved) {
        let name = ServerName::parse(&server.name)?;
        approvals.approve(&places.project, &name, server.digest);
        any = true;
    }
    for tool in report.tools.iter().filter(|it| it.decision == Decision::Approved) {
        approvals.set_pin(tool.key.clone(), &tool.name, tool.digest);
        any = true;
    }
    Ok(any)
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
            report.problems.iter().for_each(|problem| render::warn(problem));
            if report.is_empty() && report.problems.is_empty() {
                render::line("nothing waits for an approval")?;
            }
        }
    }
    match only {
        // The one that was named cannot be approved.
        Some(_) if report.is_empty() && !report.problems.is_empty() => {
            Err(Ended::quietly(Code::Failed).into())
        }
        _ => Ok(()),
    }
}
