//! `hobnob import`: copies MCP servers from the configuration files of other MCP clients into one of
//! Hobnob's. `main` runs it.
//!
//! What must stay true: without `--yes`, nothing is written before a person agrees, and the files of
//! other clients are only read.

mod mask;
mod preview;

use super::client_words::{ClientOrAll, client_or_all};
use super::person::require_person;
use super::scope::ConfigScope;
use crate::context::CommandContext;
use clap::Args;
use hobnob_config::clients::ClientFolders;
use hobnob_config::import::{Imported, PlanStep, plan, read, sources};
use hobnob_config::{Backup, Existing, OwnProgram, Places, ServerName, add_server, servers_in};
use hobnob_hub::server_entries::{own_executable, self_reference};
use hobnob_terminal::render::Output;
use hobnob_terminal::render::{self, Confirmation};
use serde::Serialize;
use serde_json::Value;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The client to import from (may be repeated).
    #[arg(long, value_name = "CLIENT", value_parser = client_or_all(), default_value = "all")]
    pub(crate) from: Vec<ClientOrAll>,

    /// The file to write the servers to.
    #[arg(long, value_enum, default_value = "own")]
    pub(crate) to: ConfigScope,

    /// Write the servers without asking.
    #[arg(long, short)]
    pub(crate) yes: bool,

    /// Show what would change, and change nothing.
    #[arg(long, conflicts_with = "yes")]
    pub(crate) dry_run: bool,
}

/// The result, as `--json` prints it.
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
    /// Names that another server has already; that server stays as it is.
    conflicts: Vec<String>,
    refused: Vec<Refused>,
    /// Servers that a client has only for other projects; they are not imported.
    elsewhere: Vec<Elsewhere>,
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
struct Elsewhere {
    name: String,
    project: PathBuf,
}

#[derive(Debug, Serialize)]
struct Note {
    server: String,
    note: String,
}

pub(crate) fn run(args: ImportArgs, context: &CommandContext) -> anyhow::Result<()> {
    require_person("servers are")?;
    let places = context.places.detect()?;
    let file = args.to.file(&places)?;
    let mut report = Report { file: file.clone(), ..Report::default() };
    let imported = collect(&places, &args.from, &mut report);
    let steps = plan(&servers_in(&file)?, &imported);
    let own = OwnProgram::new(own_executable()?, &places);
    let ourselves = |entry: &Value| self_reference(&own, &places, entry);
    let additions = sort_out(steps, ourselves, &mut report);
    if !additions.is_empty() {
        let preview = preview::of(&places, &file, &additions)?;
        report.diff = render::unified(&file.display().to_string(), &preview.before, &preview.after);
    }
    if context.output == Output::People {
        show(&report)?;
    }
    if !additions.is_empty() && !args.dry_run && agreed(&args, &report)? {
        report.backup = write(&file, additions, &places)?;
        report.written = true;
    }
    match context.output {
        Output::Json => render::json(&report),
        Output::People => finish(&report, &args),
    }
}

/// Reads every file of the chosen clients.
fn collect(places: &Places, wanted: &[ClientOrAll], report: &mut Report) -> Vec<Imported> {
    let mut imported = Vec::new();
    for source in sources(&ClientFolders::detect(places)) {
        if !source.exists || !wanted.iter().any(|from| from.includes(source.client)) {
            continue;
        }
        match read(&source) {
            Ok(found) => {
                let ours =
                    |it: &Imported| it.project.as_ref().is_none_or(|it| *it == places.project);
                let (found, elsewhere): (Vec<_>, Vec<_>) = found.into_iter().partition(ours);
                imported.extend(found);
                report.elsewhere.extend(elsewhere.into_iter().filter_map(|it| {
                    let project = it.project?;
                    Some(Elsewhere { name: it.name, project })
                }));
                report.sources.push(source.path);
            }
            Err(problem) => report.problems.push(problem.to_string()),
        }
    }
    imported
}

/// Fills the report and returns the servers to add. Hobnob itself, which other clients list among
/// their servers, is never added.
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
    let servers = render::counted(report.added.len(), "server");
    let question = format!("Write {servers} to {}?", report.file.display());
    let instead = "review the change with --dry-run, then run: hobnob import --yes";
    Ok(render::confirm(&question, instead)? == Confirmation::Yes)
}

/// Only the first change makes a backup, so the backup is the original file.
fn write(
    file: &Path,
    additions: Vec<(ServerName, Value)>,
    places: &Places,
) -> anyhow::Result<Option<PathBuf>> {
    let mut backup = None;
    for (at, (name, entry)) in additions.into_iter().enumerate() {
        let keep = if at == 0 { Backup::Into(places.backups()) } else { Backup::Skip };
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
            "a different server named `{name}` already exists, so this one is not imported; \
             to import it, remove the existing one first"
        ));
    }
    for refused in &report.refused {
        render::warn(&format!("`{}` is not imported: {}", refused.name, refused.why));
    }
    for Elsewhere { name, project } in &report.elsewhere {
        render::warn(&format!(
            "`{name}` is not imported: it belongs to the project {project}; to import it, run: \
             hobnob import --project {project}",
            project = project.display()
        ));
    }
    report.problems.iter().for_each(|problem| render::warn(problem));
    Ok(())
}

fn finish(report: &Report, args: &ImportArgs) -> anyhow::Result<()> {
    let file = report.file.display();
    let summary = match (report.added.len(), report.written) {
        (0, _) if report.sources.is_empty() => "found no files of other clients".to_owned(),
        (0, _) => "nothing to add".to_owned(),
        (count, true) => format!("added {count} to {file}: {}", report.added.join(", ")),
        (count, false) if args.dry_run => format!("would add {count} to {file}"),
        (_, false) => format!("{file} is unchanged"),
    };
    render::line(&summary)?;
    match &report.backup {
        Some(backup) => render::line(&format!("backup: {}", backup.display())),
        None => Ok(()),
    }
}
