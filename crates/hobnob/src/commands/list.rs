//! `hobnob list`: the configured servers, from the files alone. `main` runs it.
//!
//! What must stay true: it starts nothing, and a broken file is reported beside the servers of the
//! others.

use super::scope::ConfigScope;
use crate::context::CommandContext;
use clap::Args;
use hobnob_config::{
    Approvals, Broken, ConfiguredServer, HttpKind, Origin, Places, Problem, Servers, Settings,
    Switch, Target, process_environment,
};
use hobnob_hub::server_entries::literal_secrets::masked_command;
use hobnob_terminal::render::Output;
use hobnob_terminal::render::{self, Cell, Table, Tone};
use hobnob_text::shell_word;
use serde::Serialize;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ListArgs {}

#[derive(Debug, Serialize)]
struct Listed {
    servers: Vec<Row>,
    problems: Vec<FileProblem>,
}

/// What is known of a server from the files alone.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) state: State,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) transport: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    origin: ConfigScope,
    pub(super) file: PathBuf,
    /// Files whose server of this name is overridden by this one.
    hides: Vec<ConfigScope>,
    /// Whether its tools may change without approval.
    trusted: bool,
    /// The project's entry of this name, which overrides this one once it is approved.
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting: Option<Waiting>,
}

/// A project's entry that is not approved, where the user has one of the same name.
#[derive(Debug, Serialize)]
struct Waiting {
    file: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
}

/// Whether a server would be started when it is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum State {
    On,
    Off,
    NeedsApproval,
    Misconfigured,
}

impl State {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Off => "off",
            Self::NeedsApproval => "needs approval",
            Self::Misconfigured => "misconfigured",
        }
    }

    fn cell(self) -> Cell {
        let tone = match self {
            Self::On => Tone::Good,
            Self::Off => Tone::Dim,
            Self::NeedsApproval => Tone::Warn,
            Self::Misconfigured => Tone::Bad,
        };
        Cell::toned(tone, self.as_str())
    }
}

/// A problem of a file, with its position.
#[derive(Debug, Serialize)]
pub(crate) struct FileProblem {
    file: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    message: String,
}

impl From<&Problem> for FileProblem {
    fn from(problem: &Problem) -> Self {
        Self {
            file: problem.file.clone(),
            line: problem.position.map(|position| position.line),
            column: problem.position.map(|position| position.column),
            message: problem.message.clone(),
        }
    }
}

pub(crate) fn run(_args: ListArgs, context: &CommandContext) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let servers = Servers::load(&places, &process_environment);
    let approvals = Approvals::load(&places.approvals());
    let rows = servers.iter().map(|server| row(server, &places, &approvals)).collect();
    // The list does not depend on the settings, but the user should know that they are broken.
    let settings = Settings::load(&places.settings()).err();
    settings.iter().for_each(|problem| render::warn(&problem.to_string()));
    let problems = servers.problems().iter().chain(&settings).map(FileProblem::from).collect();
    let listed = Listed { servers: rows, problems };
    match context.output {
        Output::Json => render::json(&listed),
        Output::People => show(&listed),
    }
}

/// Reads the row of one server.
pub(super) fn row(
    server: &ConfiguredServer,
    places: &Places,
    approvals: &Result<Approvals, Broken>,
) -> Row {
    let (state, reason) = state(server, places, approvals);
    let spec = server.state.as_ref().ok();
    Row {
        name: server.name.to_string(),
        state,
        reason,
        transport: spec.map(|spec| transport(&spec.target)),
        target: spec.map(masked_command),
        origin: server.origin.into(),
        file: server.file.clone(),
        hides: server.hides.iter().map(|origin| ConfigScope::from(*origin)).collect(),
        trusted: approvals.as_ref().is_ok_and(|it| it.is_trusted(&server.key())),
        waiting: server.waiting.as_ref().map(|waiting| Waiting {
            file: waiting.file.clone(),
            target: waiting.state.as_ref().ok().map(masked_command),
        }),
    }
}

fn state(
    server: &ConfiguredServer,
    places: &Places,
    approvals: &Result<Approvals, Broken>,
) -> (State, Option<String>) {
    if server.switch == Switch::Off {
        return (State::Off, None);
    }
    if let Err(problem) = &server.state {
        return (State::Misconfigured, Some(problem.to_string()));
    }
    if server.origin != Origin::Project {
        return (State::On, None);
    }
    let name = &server.name;
    match approvals {
        Err(broken) => (State::NeedsApproval, Some(broken.to_string())),
        Ok(approvals) if approvals.is_approved(&places.project, name, &server.digest) => {
            (State::On, None)
        }
        Ok(_) => {
            let why =
                format!("review and approve it: hobnob approve {}", shell_word(name.as_str()));
            (State::NeedsApproval, Some(why))
        }
    }
}

/// The name of a server's transport.
pub(crate) fn transport(target: &Target) -> &'static str {
    match target {
        Target::Command { .. } => "stdio",
        Target::Url { kind: HttpKind::Sse, .. } => "sse",
        Target::Url { .. } => "http",
    }
}

fn show(listed: &Listed) -> anyhow::Result<()> {
    let columns = ["NAME", "STATE", "TRANSPORT", "TARGET", "ORIGIN", "FILE"];
    let mut table = Table::new(&columns).optional(&["FILE", "TRANSPORT", "ORIGIN"]);
    for row in &listed.servers {
        let mut origin = row.origin.as_str().to_owned();
        if !row.hides.is_empty() {
            let overridden: Vec<_> = row.hides.iter().map(|scope| scope.as_str()).collect();
            origin = format!("{origin} (overrides {})", overridden.join(", "));
        }
        table.row([
            Cell::from(row.name.as_str()),
            row.state.cell(),
            Cell::from(row.transport.unwrap_or("-")),
            Cell::from(row.target.as_deref().unwrap_or("-")),
            Cell::from(origin),
            Cell::from(row.file.display().to_string()),
        ]);
    }
    if table.is_empty() {
        render::note(
            "no servers are configured; add one with `hobnob add NAME -- COMMAND`, or run `hobnob import`",
        );
    } else {
        render::text(&table.to_text())?;
    }
    for row in &listed.servers {
        if let Some(reason) = &row.reason {
            render::note(&format!("{}: {reason}", row.name));
        }
        if row.trusted {
            let undo = format!("hobnob approve {} --no-trust", shell_word(&row.name));
            render::note(&format!("{}: you trust changes of its tools; undo: {undo}", row.name));
        }
        if let Some(waiting) = &row.waiting {
            let (name, file) = (&row.name, waiting.file.display());
            render::note(&format!(
                "{name}: the project's entry of the same name in {file} is used only after you \
                 review and approve it: hobnob approve {}",
                shell_word(name)
            ));
        }
    }
    Ok(())
}
