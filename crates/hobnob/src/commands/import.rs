//! `hobnob import`: servers of other clients, shown as a change of one of our files first.

mod mask;
mod preview;

use super::ourselves::{own_executable, why_ourselves};
use super::scope::Scope;
use crate::context::{Context, Output};
use crate::render::{self, Answer};
use clap::{Args, ValueEnum};
use hobnob_config::import::{Client, Imported, PlanStep, plan, read, sources};
use hobnob_config::{Backup, Existing, OwnProgram, Places, ServerName, add_server, servers_in};
use serde::Serialize;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// What may be typed after it.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// Whose servers (may be repeated).
    #[arg(long, value_enum, default_value = "all")]
    pub(crate) from: Vec<From>,

    /// The file to write them to.
    #[arg(long, value_enum, default_value = "own")]
    pub(crate) to: Scope,

    /// Ask nothing.
    #[arg(long, short)]
    pub(crate) yes: bool,

    /// Only show what would be done.
    #[arg(long, conflicts_with = "yes")]
    pub(crate) dry_run: bool,
}

/// Whose servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum From {
    /// Claude Desktop.
    ClaudeDesktop,
    /// Claude Code.
    ClaudeCode,
    /// Cursor.
    Cursor,
    /// Visual Studio Code.
    #[value(name = "vscode")]
    VsCode,
    /// All of them.
    All,
}

impl From {
    fn fits(self, client: Client) -> bool {
        match self {
            Self::ClaudeDesktop => client == Client::ClaudeDesktop,
            Self::ClaudeCode => client == Client::ClaudeCode,
            Self::Cursor => client == Client::Cursor,
            Self::VsCode => client == Client::VsCode,
            Self::All => true,
        }
    }
}

/// What was found and done, for programs.
#[derive(Debug, Default, Serialize)]
struct Report {
    file: PathBuf,
    /// Whether the file was changed.
    written: bool,
    backup: Option<PathBuf>,
    /// The files that were read.
    sources: Vec<PathBuf>,
    added: Vec<String>,
    same: Vec<String>,
    /// Names that are taken by another server; those stay as they are.
    conflicts: Vec<String>,
    refused: Vec<Refused>,
    notes: Vec<Note>,
    /// Files that cannot be read.
    problems: Vec<String>,
    diff: String,
}

#[derive(Debug, Serialize)]
struct Refused {
    name: String,
    why: String,
}

#[derive(Debug, Serialize)]
struct Note {
    server: String,
    note: String,
}

/// Does it.
pub(crate) fn run(args: ImportArgs, context: &Context) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let file = args.to.file(&places)?;
    let mut report = Report { file: file.clone(), ..Report::default() };
    let imported = collect(&places, &args.from, &mut report);
    let steps = plan(&servers_in(&file)?, &imported);
    let own = OwnProgram::new(own_executable()?, &places);
    let ourselves = |entry: &Value| why_ourselves(&own, &places, entry);
    let additions = sort_out(steps, ourselves, &mut report);
    if !additions.is_empty() {
        let preview = preview::of(&places, &file, &additions)?;
        report.diff = render::unified(&file.display().to_string(), &preview.before, &preview.after);
    }
    if context.output == Output::People {
        show(&report)?;
    }
    if !additions.is_empty() && !args.dry_run && agreed(&args, &report)? {
        report.backup = write(&file, additions)?;
        report.written = true;
    }
    match context.output {
        Output::Json => render::json(&report),
        Output::People => finish(&report, &args),
    }
}

/// Reads every file of the wanted clients.
fn collect(places: &Places, wanted: &[From], report: &mut Report) -> Vec<Imported> {
    let mut imported = Vec::new();
    for source in sources(places) {
        if !source.exists || !wanted.iter().any(|from| from.fits(source.client)) {
            continue;
        }
        match read(&source) {
            Ok(found) => {
                // What a client keeps for other projects has no place here.
                let ours =
                    |it: &Imported| it.project.as_ref().is_none_or(|it| *it == places.project);
                imported.extend(found.into_iter().filter(ours));
                report.sources.push(source.path);
            }
            Err(problem) => report.problems.push(problem.to_string()),
        }
    }
    imported
}

/// Fills the report and returns what is to be added; never Hobnob itself, which other clients
/// have among their servers.
fn sort_out(
    steps: Vec<PlanStep>,
    ourselves: impl Fn(&Value) -> Option<&'static str>,
    report: &mut Report,
) -> Vec<(ServerName, Value)> {
    let mut additions = Vec::new();
    for step in steps {
        match step {
            PlanStep::Add { name, entry, .. } if ourselves(&entry).is_some() => {
                let why = ourselves(&entry).unwrap_or_default().into();
                report.refused.push(Refused { name: name.to_string(), why });
            }
            PlanStep::Add { name, entry, notes } => {
                report.note(&name, notes);
                report.added.push(name.to_string());
                additions.push((name, entry));
            }
            PlanStep::Same { name } => report.same.push(name.to_string()),
            PlanStep::Conflict { name, notes, .. } => {
                report.note(&name, notes);
                report.conflicts.push(name.to_string());
            }
            PlanStep::Refused { name, why } => report.refused.push(Refused { name, why }),
        }
    }
    for names in [&mut report.same, &mut report.conflicts] {
        names.sort();
        names.dedup();
    }
    additions
}

impl Report {
    fn note(&mut self, server: &ServerName, notes: Vec<String>) {
        let note = |note| Note { server: server.to_string(), note };
        self.notes.extend(notes.into_iter().map(note));
    }
}

fn agreed(args: &ImportArgs, report: &Report) -> anyhow::Result<bool> {
    if args.yes {
        return Ok(true);
    }
    let question = format!("Write {} servers to {}?", report.added.len(), report.file.display());
    let instead = "look at the change with --dry-run, then: hobnob import --yes";
    Ok(render::confirm(&question, instead)? == Answer::Yes)
}

/// The first change makes the copy of the file, so the copy is the file as it was.
fn write(file: &Path, additions: Vec<(ServerName, Value)>) -> anyhow::Result<Option<PathBuf>> {
    let mut backup = None;
    for (at, (name, entry)) in additions.into_iter().enumerate() {
        let keep = if at == 0 { Backup::Make } else { Backup::Skip };
        let edited = add_server(file, &name, entry, Existing::Refuse, keep)?;
        backup = backup.or(edited.backup);
    }
    Ok(backup)
}

fn show(report: &Report) -> anyhow::Result<()> {
    for source in &report.sources {
        render::note(&format!("read {}", source.display()));
    }
    render::text(&render::painted(&report.diff))?;
    for note in &report.notes {
        render::note(&format!("{}: {}", note.server, note.note));
    }
    for name in &report.conflicts {
        render::warn(&format!(
            "`{name}` is here already and is another server; it stays as it is: \
             remove it first to take the other one"
        ));
    }
    for refused in &report.refused {
        render::warn(&format!("`{}` is left out: {}", refused.name, refused.why));
    }
    report.problems.iter().for_each(|problem| render::warn(problem));
    Ok(())
}

fn finish(report: &Report, args: &ImportArgs) -> anyhow::Result<()> {
    let file = report.file.display();
    let told = match (report.added.len(), report.written) {
        (0, _) if report.sources.is_empty() => "no file of another client was found".to_owned(),
        (0, _) => "nothing to add".to_owned(),
        (count, true) => format!("added {count} to {file}: {}", report.added.join(", ")),
        (count, false) if args.dry_run => format!("would add {count} to {file}"),
        (_, false) => format!("{file} was not changed"),
    };
    render::line(&told)?;
    match &report.backup {
        Some(backup) => render::line(&format!("the file as it was: {}", backup.display())),
        None => Ok(()),
    }
}
