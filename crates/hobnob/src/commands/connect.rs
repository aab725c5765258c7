//! `hobnob connect`: writes Hobnob into the configuration of another client, or takes it out again.
//!
//! What must stay true: the change is shown first, a person agrees to it, and a copy of the old
//! file is kept. Values of other entries are not shown, since many of them are secrets.

mod args;
mod command;
mod overview;

pub(crate) use args::ConnectArgs;

use crate::context::CommandContext;
use args::{ConnectScope, NAME};
use command::StartCommand;
use hobnob_config::Places;
use hobnob_config::clients::{ClientFolders, ClientProgram, ClientScope};
use hobnob_config::connect::{ConnectChange, ConnectPlan, ConnectRequest};
use hobnob_terminal::ended::Ended;
use hobnob_terminal::render::Output;
use hobnob_terminal::render::{self, Confirmation};
use serde::Serialize;
use std::path::PathBuf;

/// The result, as `--json` prints it.
#[derive(Debug, Serialize)]
struct ConnectReport {
    client: &'static str,
    file: PathBuf,
    /// `added`, `updated`, `removed` or `unchanged`.
    change: &'static str,
    /// Whether the file was changed.
    written: bool,
    backup: Option<PathBuf>,
    diff: String,
}

pub(crate) fn run(args: ConnectArgs, context: &CommandContext) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let folders = ClientFolders::detect(&places);
    match args.client {
        None => overview::show(&places, &folders, context.output),
        Some(client) => connect(client, &args, context, &places, &folders),
    }
}

fn connect(
    client: ClientProgram,
    args: &ConnectArgs,
    context: &CommandContext,
    places: &Places,
    folders: &ClientFolders,
) -> anyhow::Result<()> {
    let file = file(client, args.scope, places, folders)?;
    let request = match args.remove {
        true => ConnectRequest::Remove,
        false => {
            let StartCommand { program, args, env } =
                StartCommand::new(args.scope, context, places)?;
            let entry = client.entry(&program, &args, &env);
            ConnectRequest::Connect(entry.as_object().cloned().unwrap_or_default())
        }
    };
    let plan = ConnectPlan::new(client, &file, NAME, &request)?;
    let (before, after) = plan.shown();
    let diff = render::unified(&file.display().to_string(), &before, &after);
    if context.output == Output::People {
        render::text(&render::painted(&diff))?;
    }
    let mut report = ConnectReport {
        client: client.word(),
        file,
        change: word(plan.change),
        written: false,
        backup: None,
        diff,
    };
    if plan.change != ConnectChange::Unchanged && !args.dry_run && agreed(client, args, &report)? {
        report.backup = plan.write()?;
        report.written = true;
    }
    match context.output {
        Output::Json => render::json(&report),
        Output::People => finish(client, args, &report),
    }
}

fn file(
    client: ClientProgram,
    scope: ConnectScope,
    places: &Places,
    folders: &ClientFolders,
) -> anyhow::Result<PathBuf> {
    let scope = match scope {
        ConnectScope::User => ClientScope::User,
        ConnectScope::Project if places.project_mcp_json().is_none() => {
            let message = "the home folder is not a project; change to the project's folder, or \
                           name it with --project DIR";
            return Err(Ended::usage(message).into());
        }
        ConnectScope::Project => ClientScope::Project,
    };
    let file = client.file(scope, folders);
    file.ok_or_else(|| {
        Ended::usage(format!("{client} has no file for a project; use --scope user")).into()
    })
}

fn word(change: ConnectChange) -> &'static str {
    match change {
        ConnectChange::Unchanged => "unchanged",
        ConnectChange::Added => "added",
        ConnectChange::Updated => "updated",
        ConnectChange::Removed => "removed",
    }
}

fn agreed(
    client: ClientProgram,
    args: &ConnectArgs,
    report: &ConnectReport,
) -> anyhow::Result<bool> {
    if args.yes {
        return Ok(true);
    }
    let question = format!("Change {}?", report.file.display());
    let remove = if args.remove { " --remove" } else { "" };
    let instead = format!(
        "review the change with --dry-run, then run: hobnob connect {}{remove} --yes",
        client.word()
    );
    Ok(render::confirm(&question, &instead)? == Confirmation::Yes)
}

fn finish(client: ClientProgram, args: &ConnectArgs, report: &ConnectReport) -> anyhow::Result<()> {
    let file = report.file.display();
    let unchanged = report.change == "unchanged";
    render::line(&match (unchanged, report.written, args.remove) {
        (true, _, false) => format!("{client} is connected already, in {file}"),
        (true, _, true) => format!("{client} is not connected in {file}"),
        (false, true, false) => format!("{client} is connected, in {file}; restart {client} now"),
        (false, true, true) => format!("{client} is no longer connected, in {file}"),
        (false, false, _) if args.dry_run => format!("would change {file}"),
        (false, false, _) => format!("{file} is unchanged"),
    })?;
    match &report.backup {
        Some(backup) => render::line(&format!("backup: {}", backup.display())),
        None => Ok(()),
    }
}
