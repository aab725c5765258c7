//! `hobnob service`: lets the system start a hub at login. `main` runs it.
//!
//! What must stay true: only the file of the service is written or removed; a person starts and
//! stops it with the commands that are shown.

use super::person::require_person;
use crate::context::CommandContext;
use anyhow::Context as _;
use clap::{Args, Subcommand};
use hobnob_config::{Places, ServiceCommand, ServiceFile, ServiceSystem};
use hobnob_disk::{FileMode, write_atomic};
use hobnob_hub::listeners::{DEFAULT_ADDRESS, parse_address};
use hobnob_hub::server_entries::own_executable;
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::render;
use hobnob_terminal::render::Output;
use serde::Serialize;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[derive(Debug, Args)]
pub(crate) struct ServiceArgs {
    #[command(subcommand)]
    verb: ServiceVerb,
}

#[derive(Debug, Subcommand)]
enum ServiceVerb {
    /// Write the file of the service, for you or for the project that --project names.
    Install {
        /// The address at which it serves over HTTP.
        #[arg(long, value_name = "ADDR", default_value = DEFAULT_ADDRESS, value_parser = parse_address)]
        http: SocketAddr,
        /// Show the file, and write nothing.
        #[arg(long)]
        dry_run: bool,
    },
    /// Remove the file of the service.
    Uninstall {
        /// Show what would be removed, and remove nothing.
        #[arg(long)]
        dry_run: bool,
    },
    /// Show whether the service is installed, and whether it runs.
    Status,
}

/// The result, as `--json` prints it.
#[derive(Debug, Serialize)]
struct ServiceReport {
    name: String,
    file: PathBuf,
    /// `installed`, `absent`, `written`, `removed`, `unchanged`, or what a dry run would do.
    state: &'static str,
    /// What the system says about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<String>,
    /// The contents of the file, in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// What to type next.
    next: Vec<String>,
}

pub(crate) fn run(args: ServiceArgs, context: &CommandContext) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let system = system()?;
    let project = context.places.project.as_ref().map(|_| places.project.clone());
    let config = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
    let config = config.filter(|it| it.is_absolute());
    let file = ServiceFile::new(system, &places, config, project.as_deref());
    let report = match args.verb {
        ServiceVerb::Install { http, dry_run } => {
            let command = command(context, &places, project.as_deref(), http)?;
            let text = file.text(&command);
            match dry_run {
                true => dry(&file, "would be written", Some(text), file.after_install()),
                false => install(system, &file, &text)?,
            }
        }
        ServiceVerb::Uninstall { dry_run: true } => match file.path.exists() {
            true => dry(&file, "would be removed", None, file.after_uninstall()),
            false => dry(&file, "absent", None, Vec::new()),
        },
        ServiceVerb::Uninstall { dry_run: false } => uninstall(&file)?,
        ServiceVerb::Status => status(system, &file)?,
    };
    match context.output {
        Output::Json => render::json(&report),
        Output::People => show(&report),
    }
}

fn system() -> anyhow::Result<ServiceSystem> {
    if cfg!(target_os = "linux") {
        Ok(ServiceSystem::Systemd)
    } else if cfg!(target_os = "macos") {
        Ok(ServiceSystem::Launchd)
    } else {
        anyhow::bail!("services are installed with systemd or launchd, and this system has neither")
    }
}

/// The program of the system that starts services; an error says that there is none.
fn manager(system: ServiceSystem) -> anyhow::Result<&'static str> {
    let name = match system {
        ServiceSystem::Systemd => "systemctl",
        ServiceSystem::Launchd => "launchctl",
    };
    let path = std::env::var_os("PATH").unwrap_or_default();
    if std::env::split_paths(&path).any(|folder| folder.join(name).is_file()) {
        return Ok(name);
    }
    let message = format!(
        "there is no `{name}` on this machine, so nothing would start the service; \
         start it yourself with: hobnob serve --http"
    );
    Err(Ended::new(Code::Unavailable, message).into())
}

fn command(
    context: &CommandContext,
    places: &Places,
    project: Option<&Path>,
    http: SocketAddr,
) -> anyhow::Result<ServiceCommand> {
    let text = |path: &Path| {
        let text = path.to_str().filter(|it| !it.contains('\n')).map(str::to_owned);
        text.with_context(|| format!("the path {} cannot be written down", path.display()))
    };
    let mut args = vec!["serve".to_owned(), "--http".to_owned(), http.to_string()];
    // Without a project, the hub runs for the home folder.
    let folder = project.unwrap_or(&places.home);
    args.extend(["--project".to_owned(), text(folder)?]);
    let (given, mut env) = context.places.restated(places, text)?;
    args.extend(given);
    // Hobnob looks up servers in `PATH`, and the `PATH` of system services is short.
    if let Some(path) = std::env::var_os("PATH") {
        env.push(("PATH".to_owned(), text(Path::new(&path))?));
    }
    Ok(ServiceCommand { program: text(&own_executable()?)?, args, env, folder: text(folder)? })
}

fn dry(
    file: &ServiceFile,
    state: &'static str,
    text: Option<String>,
    next: Vec<String>,
) -> ServiceReport {
    let ServiceFile { name, path, .. } = file.clone();
    ServiceReport { name, file: path, state, system: None, text, next }
}

fn install(system: ServiceSystem, file: &ServiceFile, text: &str) -> anyhow::Result<ServiceReport> {
    require_person("services are")?;
    manager(system)?;
    let before = std::fs::read_to_string(&file.path).ok();
    let state = match before.as_deref() == Some(text) {
        true => "unchanged",
        false => {
            write_atomic(&file.path, text.as_bytes(), FileMode::Keep)
                .with_context(|| format!("cannot write {}", file.path.display()))?;
            "written"
        }
    };
    Ok(dry(file, state, None, file.after_install()))
}

fn uninstall(file: &ServiceFile) -> anyhow::Result<ServiceReport> {
    require_person("services are")?;
    if !file.path.exists() {
        return Ok(dry(file, "absent", None, Vec::new()));
    }
    if let Some(link) = file.enabling_link().filter(|link| link.is_symlink()) {
        std::fs::remove_file(&link).with_context(|| format!("cannot remove {}", link.display()))?;
    }
    std::fs::remove_file(&file.path)
        .with_context(|| format!("cannot remove {}", file.path.display()))?;
    Ok(dry(file, "removed", None, file.after_uninstall()))
}

fn status(system: ServiceSystem, file: &ServiceFile) -> anyhow::Result<ServiceReport> {
    let program = manager(system)?;
    let words: &[&str] = match system {
        ServiceSystem::Systemd => &["--user", "is-active"],
        ServiceSystem::Launchd => &["list"],
    };
    let asked = Command::new(program).args(words).arg(&file.name).stdin(Stdio::null()).output();
    let asked = asked.with_context(|| format!("cannot run {program}"))?;
    let said = match system {
        ServiceSystem::Systemd => String::from_utf8_lossy(&asked.stdout).trim().to_owned(),
        ServiceSystem::Launchd if asked.status.success() => "loaded".to_owned(),
        ServiceSystem::Launchd => "not loaded".to_owned(),
    };
    let said = match said.is_empty() {
        true => render::one_line(&String::from_utf8_lossy(&asked.stderr)),
        false => said,
    };
    let (state, next) = match file.path.exists() {
        true => ("installed", Vec::new()),
        false => ("absent", vec!["hobnob service install".to_owned()]),
    };
    Ok(ServiceReport { system: Some(said), ..dry(file, state, None, next) })
}

fn show(report: &ServiceReport) -> anyhow::Result<()> {
    if let Some(text) = &report.text {
        render::text(&render::safe(text))?;
    }
    let file = report.file.display();
    render::line(&match report.state {
        "absent" => format!("{} is not installed", report.name),
        state => format!("{file}: {state}"),
    })?;
    if let Some(said) = &report.system {
        render::line(&format!("the system says: {said}"))?;
    }
    if !report.next.is_empty() {
        render::note("next, run:");
        report.next.iter().for_each(|line| render::note(&format!("  {line}")));
    }
    Ok(())
}
