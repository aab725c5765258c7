//! `hobnob config`: shows the folders and files in use, and where each setting comes from; reads,
//! sets and unsets single settings. `main` runs it.
//!
//! What must stay true: only the owner changes a setting, because a setting may permit something.

use super::person::require_owner;
use crate::context::CommandContext;
use anyhow::Context as _;
use clap::{Args, Subcommand};
use clap_complete::{ArgValueCandidates, CompletionCandidate};
use hobnob_config::{
    Places, SettingLine, SettingPlan, Settings, default_settings, has_chosen_name, known_settings,
    plain_value, shown_url, written_settings,
};
use hobnob_gateway::nearest::did_you_mean;
use hobnob_gateway::permission_rules;
use hobnob_hub::change_log::ChangeLog;
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::render::{self, Cell, Output, Table, Tone};
use serde::Serialize;
use serde_json::json;
use std::borrow::Cow;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    verb: Option<ConfigVerb>,

    /// Show settings that are not in the file, too, with their defaults.
    #[arg(long)]
    all: bool,
}

#[derive(Debug, Subcommand)]
enum ConfigVerb {
    /// Print the path of the settings (config.toml).
    Path,
    /// Print one setting, such as gateway.start; its default if it is not in the file.
    Get {
        #[arg(add = setting_keys())]
        key: String,
    },
    /// Write one setting: hobnob config set gateway.start eager
    Set {
        #[arg(add = setting_keys())]
        key: String,
        /// Its value; TOML, or text without quotes.
        #[arg(allow_hyphen_values = true)]
        value: String,
    },
    /// Take one setting out of the file, so that its default holds.
    Unset {
        #[arg(add = setting_keys())]
        key: String,
    },
}

/// One setting, as `--json` prints it.
#[derive(Debug, Serialize)]
struct ShownSetting {
    key: String,
    value: String,
    /// The line of `config.toml` that sets it; `None` for a default.
    line: Option<usize>,
    /// Its default as TOML, if it has one.
    default: Option<String>,
}

pub(crate) fn run(args: ConfigArgs, context: &CommandContext) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    match args.verb {
        None => overview(&places, args.all, context.output),
        Some(ConfigVerb::Path) => path(&places, context.output),
        Some(ConfigVerb::Get { key }) => get(&places, &key, context.output),
        Some(ConfigVerb::Set { key, value }) => change(&places, &key, Some(&value), context.output),
        Some(ConfigVerb::Unset { key }) => change(&places, &key, None, context.output),
    }
}

/// The files and folders in use, each with its key in `--json`.
fn paths(places: &Places) -> [(&'static str, PathBuf); 8] {
    [
        ("settings", places.settings()),
        ("servers", places.own_mcp_json()),
        ("profiles", places.profiles()),
        ("data", places.data_dir.clone()),
        ("state", places.state_dir.clone()),
        ("run", places.runtime_dir.clone()),
        ("audit", places.audit()),
        ("project", places.project.clone()),
    ]
}

fn overview(places: &Places, all: bool, output: Output) -> anyhow::Result<()> {
    let settings = settings(places)?;
    let settings: Vec<ShownSetting> =
        settings.into_iter().filter(|it| all || it.line.is_some()).collect();
    if output == Output::Json {
        let paths: serde_json::Map<String, _> =
            paths(places).into_iter().map(|(what, path)| (what.to_owned(), json!(path))).collect();
        return render::json(&json!({ "paths": paths, "settings": settings }));
    }
    let mut table = Table::new(&["WHAT", "PATH", ""]);
    for (what, path) in paths(places) {
        let there = if path.exists() { "" } else { "not there yet" };
        table.row([
            Cell::from(what),
            Cell::from(path.display().to_string()),
            Cell::toned(Tone::Dim, there),
        ]);
    }
    render::text(&table.to_text())?;
    render::line("")?;
    if settings.is_empty() {
        render::line("all settings have their defaults; to see them: hobnob config --all")?;
    } else {
        render::text(&settings_table(&settings).to_text())?;
    }
    render::note("change one with: hobnob config set KEY VALUE; or edit the file: hobnob edit");
    Ok(())
}

fn settings_table(settings: &[ShownSetting]) -> Table {
    let mut table = Table::new(&["SETTING", "VALUE", "FROM", "DEFAULT"]);
    for setting in settings {
        let default = setting.default.clone().unwrap_or_default();
        let from = setting.line.map(|line| format!("config.toml:{line}"));
        table.row([
            Cell::from(&*setting.key),
            Cell::from(&*setting.value),
            match &from {
                Some(from) => Cell::from(&**from),
                None => Cell::toned(Tone::Dim, "default"),
            },
            Cell::toned(Tone::Dim, if from.is_some() { &default } else { "" }),
        ]);
    }
    table
}

fn path(places: &Places, output: Output) -> anyhow::Result<()> {
    let file = places.settings();
    match output {
        Output::Json => render::json(&json!({ "file": file })),
        Output::People => render::line(&file.display().to_string()),
    }
}

fn get(places: &Places, key: &str, output: Output) -> anyhow::Result<()> {
    let inside = format!("{key}.");
    let elements = format!("{key}[");
    let mut found = settings(places)?;
    found
        .retain(|it| it.key == key || it.key.starts_with(&inside) || it.key.starts_with(&elements));
    if found.is_empty() {
        require_known(key)?;
        let message = format!("{key} is not set, and has no default");
        return Err(Ended::new(Code::Failed, message).into());
    }
    match (output, &*found) {
        (Output::Json, [one]) if one.key == key => render::json(one),
        (Output::Json, all) => render::json(&all),
        (Output::People, [one]) if one.key == key => render::line(&plain_value(&one.value)),
        (Output::People, all) => {
            all.iter().try_for_each(|it| render::line(&format!("{} = {}", it.key, it.value)))
        }
    }
}

/// The settings in effect: first the file's, then the defaults of all others.
fn settings(places: &Places) -> anyhow::Result<Vec<ShownSetting>> {
    let file = places.settings();
    let text = match std::fs::read_to_string(&file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        read => read.with_context(|| format!("cannot read {}", file.display()))?,
    };
    Settings::parse(&file, &text)?;
    let defaults = default_settings();
    let written = written_settings(&file, &text)?;
    let others = defaults.iter().filter(|it| !written.iter().any(|there| there.key == it.key));
    let others = others.map(|it| ShownSetting {
        key: it.key.clone(),
        value: it.value.clone(),
        line: None,
        default: Some(it.value.clone()),
    });
    let default = |key: &str| defaults.iter().find(|it| it.key == key).map(|it| it.value.clone());
    let own = written.iter().map(|SettingLine { key, value, line }| ShownSetting {
        key: key.clone(),
        value: shown(key, value).into_owned(),
        line: Some(*line),
        default: default(key),
    });
    Ok(own.chain(others).collect())
}

/// A value as people and records see it: the URL of the store without its password.
fn shown<'v>(key: &str, value: &'v str) -> Cow<'v, str> {
    match key {
        "store.url" => Cow::Owned(shown_url(value)),
        _ => Cow::Borrowed(value),
    }
}

fn change(places: &Places, key: &str, value: Option<&str>, output: Output) -> anyhow::Result<()> {
    require_known(key)?;
    require_owner("settings are", places)?;
    places.create().context("the folders for settings and state cannot be made")?;
    let file = places.settings();
    let plan = SettingPlan::new(&file, key, value)?;
    permission_rules(&plan.settings, None).with_context(|| file.display().to_string())?;
    if plan.has_changes() {
        let text = match value {
            Some(value) => format!("{key} = {}", shown(key, value)),
            None => format!("{key} taken out"),
        };
        ChangeLog::open(places)?.recorded("settings/change", &text, || plan.write())?;
    }
    let now = settings(places)?.into_iter().find(|it| it.key == key);
    if output == Output::Json {
        let changed = plan.has_changes();
        return render::json(
            &json!({"file": file, "key": key, "changed": changed, "setting": now}),
        );
    }
    let past = if plan.has_changes() { "" } else { " (as before)" };
    render::line(&match now {
        Some(ShownSetting { value, line: Some(_), .. }) => {
            format!("{key} = {value}{past}, in {}", file.display())
        }
        Some(ShownSetting { value, line: None, .. }) => {
            format!("{key} = {value}{past}, the default")
        }
        None => format!("{key} is not set{past}"),
    })
}

/// Fails if there is no such setting, and suggests the nearest key.
fn require_known(key: &str) -> anyhow::Result<()> {
    let known = known_settings();
    let inside = format!("{key}.");
    if has_chosen_name(key) || known.iter().any(|it| it == key || it.starts_with(&inside)) {
        return Ok(());
    }
    let meant = did_you_mean(key, known.iter().map(String::as_str));
    let key = render::safe(key);
    let message = format!("there is no setting `{key}`{meant}; to list all: hobnob config --all");
    Err(Ended::usage(message).into())
}

/// Completes keys of settings.
fn setting_keys() -> ArgValueCandidates {
    let candidates = || known_settings().into_iter().map(CompletionCandidate::new).collect();
    ArgValueCandidates::new(candidates)
}
