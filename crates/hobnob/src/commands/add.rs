//! `hobnob add` and `hobnob add-json`: write one server into one of the `.mcp.json` files.
//!
//! What must stay true: nothing is started, and the user sees exactly what will be started later,
//! except for secrets, which are masked.

mod args;
mod entry;
mod json_entry;
mod rule;

pub(crate) use args::{AddArgs, AddJsonArgs};

use args::AddTarget;
use hobnob_text::shell_word;

use super::person::require_person;
use super::scope::{ConfigScope, typed_name};
use crate::context::CommandContext;
use hobnob_config::{
    Approvals, Backup, EditError, Existing, Origin, OwnProgram, Places, ServerName, Servers,
    add_server, process_environment, servers_in,
};
use hobnob_hub::change_log::ChangeLog;
use hobnob_hub::server_entries::literal_secrets::typed_lines;
use hobnob_hub::server_entries::{entry_secrets, own_executable, risks, self_reference};
use hobnob_terminal::ended::Ended;
use hobnob_terminal::render;
use hobnob_terminal::render::Output;
use serde::Serialize;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The result, as `--json` prints it.
#[derive(Debug, Serialize)]
struct Added {
    name: String,
    scope: ConfigScope,
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

pub(crate) fn run(args: AddArgs, context: &CommandContext) -> anyhow::Result<()> {
    let entry = entry::from_args(&args)?;
    write(&args.target, entry, context)
}

pub(crate) fn run_json(args: AddJsonArgs, context: &CommandContext) -> anyhow::Result<()> {
    let entry = json_entry::read(&args.entry)?;
    write(&args.target, entry, context)
}

fn write(args: &AddTarget, mut entry: Value, context: &CommandContext) -> anyhow::Result<()> {
    require_person("servers are")?;
    let places = context.places.detect()?;
    let name = typed_name(&args.name)?;
    let file = args.scope.file(&places)?;
    let own = OwnProgram::new(own_executable()?, &places);
    if let Some(why) = self_reference(&own, &places, &entry) {
        return Err(Ended::usage(format!("cannot add `{name}`: {why}")).into());
    }
    let mut warnings = risks::of_entry(&entry);
    warnings.extend(offer_variables(&name, &mut entry, args.scope, &file)?);
    // Planned before the first file changes, so that an impossible rule stops everything.
    let rule = args.allow.then(|| rule::plan(&places, &name)).transpose()?;
    let replaced = servers_in(&file).is_ok_and(|servers| servers.contains_key(name.as_str()));
    let existing = if args.force { Existing::Replace } else { Existing::Refuse };
    let backup = if replaced { Backup::Into(places.backups()) } else { Backup::Skip };
    if let Some(rule) = &rule {
        rule.record()?;
    }
    let edited = add_server(&file, &name, entry, existing, backup);
    if let (Err(_), Some(rule)) = (&edited, &rule) {
        rule.give_up();
    }
    let edited = edited.map_err(refused)?;
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

/// Offers a variable in place of each literal secret. Returns warnings: about secrets that go into
/// the file, and about variables that are not set yet.
fn offer_variables(
    name: &ServerName,
    entry: &mut Value,
    scope: ConfigScope,
    file: &Path,
) -> anyhow::Result<Vec<String>> {
    let mut warnings = Vec::new();
    let readers = match scope {
        ConfigScope::Project => ", and everybody who gets the project gets it",
        ConfigScope::Own | ConfigScope::User => "",
    };
    for secret in entry_secrets::of_entry(name, entry) {
        let (place, variable) = (&secret.place, &secret.variable);
        if render::is_interactive() {
            let question =
                format!("{place} looks like a secret{readers}. What goes into the file?");
            let answers =
                [&*format!("${{{variable}}}: you set this variable yourself"), "The secret itself"];
            if render::choose(&question, &answers, "")? == 0 {
                secret.replace_in(entry);
                if std::env::var_os(variable).is_none() {
                    warnings.push(format!(
                        "set the variable before Hobnob starts: export {variable}=…"
                    ));
                }
                continue;
            }
        }
        warnings.push(format!(
            "{place} looks like a secret and is written out in {}{readers}; write ${{{variable}}} \
             in its place (in single quotes) and set that variable",
            file.display()
        ));
    }
    Ok(warnings)
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
        Approval::Stored => {
            render::note("you added it yourself, so it is approved for this project")
        }
        Approval::Needed => render::note(&format!(
            "it starts only after you approve it: hobnob approve {}",
            shell_word(&added.name)
        )),
    }
    Ok(())
}

fn refused(error: EditError) -> anyhow::Error {
    match error {
        EditError::Taken(name, file) => anyhow::anyhow!(
            "server `{name}` already exists in {}; replace it with --force, or choose another name",
            file.display()
        ),
        EditError::Entry(problem) => Ended::usage(problem.to_string()).into(),
        other => other.into(),
    }
}

/// The lines that a user would approve, and warnings.
fn what_starts(
    places: &Places,
    name: &ServerName,
    scope: ConfigScope,
) -> (Vec<String>, Vec<String>) {
    let servers = Servers::load(places, &process_environment);
    let Some(counts) = servers.get(name.as_str()) else { return (Vec::new(), Vec::new()) };
    let waiting = counts.waiting.as_deref().filter(|it| ConfigScope::from(it.origin) == scope);
    let server = waiting.unwrap_or(counts);
    if ConfigScope::from(server.origin) != scope {
        let hidden = format!(
            "a server of the same name in {} takes precedence; remove that one, or use another name",
            server.file.display()
        );
        return (Vec::new(), vec![hidden]);
    }
    let mut warnings: Vec<String> = server
        .hides
        .iter()
        .map(|lost| {
            format!("it overrides the server of the same name in the {} file", scope_name(*lost))
        })
        .collect();
    if waiting.is_some() {
        let lost = scope_name(counts.origin);
        warnings.push(format!(
            "once approved, it overrides the server of the same name in the {lost} file"
        ));
    }
    match &server.state {
        Ok(spec) => (typed_lines(spec), warnings),
        Err(problem) => {
            warnings.push(format!("it cannot start yet: {problem}"));
            (Vec::new(), warnings)
        }
    }
}

fn scope_name(origin: Origin) -> &'static str {
    ConfigScope::from(origin).as_str()
}

/// A user who types a project's server at a terminal has seen what it starts.
fn approve(places: &Places, name: &ServerName, scope: ConfigScope) -> anyhow::Result<Approval> {
    if scope != ConfigScope::Project {
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
    if !render::is_interactive() {
        return Ok(Approval::Needed);
    }
    approvals.approve(&places.project, name, server.digest);
    let text = format!("{name} {}", server.digest);
    ChangeLog::open(places)?.recorded("approvals/server", &text, || approvals.save())?;
    Ok(Approval::Stored)
}
