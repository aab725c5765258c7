//! `hobnob add`: writes one server into one of the files, and shows what will be started.

mod entry;
mod rule;
#[cfg(test)]
mod tests;
mod warnings;

use super::ourselves::{own_executable, why_ourselves};
use super::scope::{Scope, typed_name};
use crate::context::{Context, Output};
use crate::exit::{Code, Ended};
use crate::render;
use clap::{Args, ValueEnum};
use hobnob_config::{
    Approvals, Backup, EditError, Existing, Origin, OwnProgram, Places, ServerName, Servers,
    add_server, process_environment, servers_in,
};
use serde::Serialize;
use std::path::PathBuf;

/// What may be typed after it.
#[derive(Debug, Args)]
pub(crate) struct AddArgs {
    /// What to call the server: its tools become mcp__NAME__TOOL.
    pub(crate) name: String,

    /// The server's address, if it is one that is reached over HTTP.
    #[arg(required_unless_present = "command", conflicts_with = "command")]
    pub(crate) url: Option<String>,

    /// The program to start and its arguments.
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,

    /// The file to write it to.
    #[arg(long, value_enum, default_value = "own")]
    pub(crate) scope: Scope,

    /// A variable for the program (may be repeated); ${VAR} is filled in when it starts.
    #[arg(long, short, value_name = "K=V", conflicts_with = "url")]
    pub(crate) env: Vec<String>,

    /// A header for every request (may be repeated); ${VAR} is filled in.
    #[arg(long, short = 'H', value_name = "K:V", conflicts_with = "command")]
    pub(crate) header: Vec<String>,

    /// The folder the program runs in.
    #[arg(long, value_name = "DIR", conflicts_with = "url")]
    pub(crate) cwd: Option<String>,

    /// The transport; found out if not given.
    #[arg(long = "type", value_enum, conflicts_with = "command")]
    pub(crate) kind: Option<Kind>,

    /// How long a call may take, for example 30s.
    #[arg(long, value_name = "TIME")]
    pub(crate) timeout: Option<String>,

    /// Take only these tools (name or glob, may be repeated).
    #[arg(long, value_name = "GLOB")]
    pub(crate) allow_tools: Vec<String>,

    /// Leave these tools out (name or glob, may be repeated).
    #[arg(long, value_name = "GLOB")]
    pub(crate) deny_tools: Vec<String>,

    /// Let all its tools be called without asking: adds a rule to config.toml.
    #[arg(long)]
    pub(crate) allow: bool,

    /// Replace a server of this name.
    #[arg(long)]
    pub(crate) force: bool,
}

/// A transport over HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// Streamable HTTP.
    Http,
    /// The older HTTP+SSE.
    Sse,
}

/// What was done, for programs.
#[derive(Debug, Serialize)]
struct Added {
    name: String,
    scope: Scope,
    file: PathBuf,
    replaced: bool,
    backup: Option<PathBuf>,
    /// Exactly what will be started or reached.
    starts: Vec<String>,
    approval: Approval,
    rule: Option<String>,
    warnings: Vec<String>,
}

/// Whether a person has to approve it before it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Approval {
    NotNeeded,
    Stored,
    Needed,
}

/// Does it.
pub(crate) fn run(args: AddArgs, context: &Context) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let name = typed_name(&args.name)?;
    let file = args.scope.file(&places)?;
    let entry = entry::from_words(&args)?;
    let own = OwnProgram::new(own_executable()?, &places);
    if let Some(why) = why_ourselves(&own, &places, &entry) {
        return Err(Ended::new(Code::Usage, format!("`{name}` is not added: {why}")).into());
    }
    let mut warnings = warnings::of_entry(&entry);
    // A rule that cannot be written must stop everything before the first file changes.
    let rule = args.allow.then(|| rule::plan(&places, &name)).transpose()?;
    let replaced = servers_in(&file).is_ok_and(|servers| servers.contains_key(name.as_str()));
    let existing = if args.force { Existing::Replace } else { Existing::Refuse };
    let backup = if replaced { Backup::Make } else { Backup::Skip };
    let edited = add_server(&file, &name, entry, existing, backup).map_err(refused)?;
    let rule = rule.map(|rule| rule.write()).transpose()?;
    let (starts, problems) = what_starts(&places, &name, args.scope);
    warnings.extend(problems);
    let approval = approve(&places, &name, args.scope)?;
    let added = Added {
        name: name.to_string(),
        scope: args.scope,
        file,
        replaced,
        backup: edited.backup,
        starts,
        approval,
        rule,
        warnings,
    };
    match context.output {
        Output::Json => render::json(&added),
        Output::People => show(&added),
    }
}

fn show(added: &Added) -> anyhow::Result<()> {
    let verb = if added.replaced { "replaced" } else { "added" };
    let mut block = render::Block::new();
    block.pair(verb, &added.name).pair("file", &added.file.display().to_string());
    if !added.starts.is_empty() {
        block.pair("starts", &added.starts.join("\n"));
    }
    block.maybe("rule", added.rule.as_deref());
    let backup = added.backup.as_ref().map(|file| file.display().to_string());
    block.maybe("backup", backup.as_deref());
    render::text(&block.to_text())?;
    for warning in &added.warnings {
        render::warn(warning);
    }
    match added.approval {
        Approval::NotNeeded => {}
        Approval::Stored => render::note("You added it, so it counts as approved here."),
        Approval::Needed => render::note(&format!(
            "It starts only after a person has approved it: hobnob approve {}",
            added.name
        )),
    }
    Ok(())
}

fn refused(error: EditError) -> anyhow::Error {
    match error {
        EditError::Taken(name, file) => anyhow::anyhow!(
            "server `{name}` is in {} already: replace it with --force, or choose another name",
            file.display()
        ),
        EditError::Entry(problem) => Ended::new(Code::Usage, problem.to_string()).into(),
        other => other.into(),
    }
}

/// The lines a person would approve, and what stands in the way.
fn what_starts(places: &Places, name: &ServerName, scope: Scope) -> (Vec<String>, Vec<String>) {
    let servers = Servers::load(places, &process_environment);
    let Some(counts) = servers.get(name.as_str()) else { return (Vec::new(), Vec::new()) };
    let waiting = counts.waiting.as_deref().filter(|it| Scope::from(it.origin) == scope);
    let server = waiting.unwrap_or(counts);
    if Scope::from(server.origin) != scope {
        let hidden = format!(
            "a server of this name in {} wins over this one; remove that one, or use another name",
            server.file.display()
        );
        return (Vec::new(), vec![hidden]);
    }
    let mut warnings: Vec<String> = server
        .shadows
        .iter()
        .map(|lost| format!("it hides the server of the same name in the {} file", word(*lost)))
        .collect();
    if waiting.is_some() {
        let lost = word(counts.origin);
        warnings.push(format!(
            "once it is approved, it hides the server of the same name in the {lost} file"
        ));
    }
    match &server.state {
        Ok(spec) => (spec.approval_lines(), warnings),
        Err(problem) => {
            warnings.push(format!("it cannot start yet: {problem}"));
            (Vec::new(), warnings)
        }
    }
}

fn word(origin: Origin) -> &'static str {
    Scope::from(origin).word()
}

/// Whoever types a project's server at a terminal has seen what it starts.
fn approve(places: &Places, name: &ServerName, scope: Scope) -> anyhow::Result<Approval> {
    if scope != Scope::Project {
        return Ok(Approval::NotNeeded);
    }
    let servers = Servers::load(places, &process_environment);
    let counts = servers.get(name.as_str());
    let ours = counts.map(|counts| counts.waiting.as_deref().unwrap_or(counts));
    let Some(server) = ours.filter(|server| server.origin == Origin::Project) else {
        return Ok(Approval::Needed);
    };
    let mut approvals = Approvals::load(&places.approvals())?;
    if approvals.is_approved(&places.project, name, &server.digest) {
        return Ok(Approval::Stored);
    }
    if !render::somebody_is_there() {
        return Ok(Approval::Needed);
    }
    approvals.approve(&places.project, name, server.digest);
    approvals.save()?;
    Ok(Approval::Stored)
}
