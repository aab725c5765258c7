//! `hobnob list`: what is configured, from the files alone. Nothing is started.

use super::scope::Scope;
use crate::context::{Context, Output};
use crate::render::{self, Cell, Table, Tone};
use clap::Args;
use hobnob_config::{
    Approvals, Broken, HttpKind, Origin, Places, Problem, Server, Servers, Settings, Switch,
    Target, process_environment,
};
use serde::Serialize;
use std::path::PathBuf;

/// What may be typed after it.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {}

#[derive(Debug, Serialize)]
struct Listed {
    servers: Vec<Row>,
    problems: Vec<Trouble>,
}

#[derive(Debug, Serialize)]
struct Row {
    name: String,
    state: State,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    transport: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    origin: Scope,
    file: PathBuf,
    /// Files whose server of this name does not count because of this one.
    hides: Vec<Scope>,
    /// Whether its tools may change without an approval, because a person said so.
    trusted: bool,
    /// The project's entry of this name, which takes its place once it is approved.
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting: Option<Waiting>,
}

/// An entry of the project that nobody has approved, where the user has one of the same name.
#[derive(Debug, Serialize)]
struct Waiting {
    file: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
}

/// Whether a server would be started when it is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum State {
    On,
    Off,
    NeedsApproval,
    Misconfigured,
}

impl State {
    fn cell(self) -> Cell {
        match self {
            Self::On => Cell::toned(Tone::Good, "on"),
            Self::Off => Cell::toned(Tone::Dim, "off"),
            Self::NeedsApproval => Cell::toned(Tone::Warn, "needs approval"),
            Self::Misconfigured => Cell::toned(Tone::Bad, "misconfigured"),
        }
    }
}

/// What is wrong with a file.
#[derive(Debug, Serialize)]
pub(crate) struct Trouble {
    file: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    message: String,
}

impl From<&Problem> for Trouble {
    fn from(problem: &Problem) -> Self {
        Self {
            file: problem.file.clone(),
            line: problem.position.map(|position| position.line),
            column: problem.position.map(|position| position.column),
            message: problem.message.clone(),
        }
    }
}

/// Does it.
pub(crate) fn run(_args: ListArgs, context: &Context) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let servers = Servers::load(&places, &process_environment);
    let approvals = Approvals::load(&places.approvals());
    let rows = servers.iter().map(|server| row(server, &places, &approvals)).collect();
    // The settings change nothing here, and whoever lists wants to know what is broken.
    let settings = Settings::load(&places.settings()).err();
    settings.iter().for_each(|problem| render::warn(&problem.to_string()));
    let problems = servers.problems().iter().chain(&settings).map(Trouble::from).collect();
    let listed = Listed { servers: rows, problems };
    match context.output {
        Output::Json => render::json(&listed),
        Output::People => show(&listed),
    }
}

fn row(server: &Server, places: &Places, approvals: &Result<Approvals, Broken>) -> Row {
    let (state, reason) = state(server, places, approvals);
    let spec = server.state.as_ref().ok();
    Row {
        name: server.name.to_string(),
        state,
        reason,
        transport: spec.map(|spec| transport(&spec.target)),
        target: spec.map(|spec| spec.display_command()),
        origin: server.origin.into(),
        file: server.file.clone(),
        hides: server.shadows.iter().map(|origin| Scope::from(*origin)).collect(),
        trusted: approvals.as_ref().is_ok_and(|it| it.is_trusted(&server.key())),
        waiting: server.waiting.as_ref().map(|waiting| Waiting {
            file: waiting.file.clone(),
            target: waiting.state.as_ref().ok().map(|spec| spec.display_command()),
        }),
    }
}

fn state(
    server: &Server,
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
            let why = format!("look at it and approve it: hobnob approve {name}");
            (State::NeedsApproval, Some(why))
        }
    }
}

/// The word for how a server is spoken to.
pub(crate) fn transport(target: &Target) -> &'static str {
    match target {
        Target::Command { .. } => "stdio",
        Target::Url { kind: HttpKind::Sse, .. } => "sse",
        Target::Url { .. } => "http",
    }
}

fn show(listed: &Listed) -> anyhow::Result<()> {
    let mut table = Table::new(&["NAME", "STATE", "TRANSPORT", "TARGET", "ORIGIN", "FILE"]);
    for row in &listed.servers {
        let mut origin = row.origin.word().to_owned();
        if !row.hides.is_empty() {
            let hidden: Vec<_> = row.hides.iter().map(|scope| scope.word()).collect();
            origin = format!("{origin} (hides {})", hidden.join(", "));
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
            "No server is configured. Add one: hobnob add NAME -- COMMAND, or: hobnob import",
        );
    } else {
        render::text(&table.to_text())?;
    }
    for row in &listed.servers {
        if let Some(reason) = &row.reason {
            render::note(&format!("{}: {reason}", row.name));
        }
        if row.trusted {
            let undo = format!("hobnob approve {} --no-trust", row.name);
            render::note(&format!("{}: changes of its tools are trusted; undo: {undo}", row.name));
        }
        if let Some(waiting) = &row.waiting {
            let (name, file) = (&row.name, waiting.file.display());
            render::note(&format!(
                "{name}: the entry of the same name in {file} waits, and this one is used until \
                 you look at it and approve it: hobnob approve {name}"
            ));
        }
    }
    Ok(())
}
