//! `hobnob profiles`: lists the profiles, what each shows and where it is served; `profiles show`
//! prints one, to copy it. `main` runs it. Files are only read.

use crate::context::{CommandContext, PlaceArgs};
use anyhow::Context as _;
use clap::{Args, Subcommand};
use clap_complete::{ArgValueCandidates, CompletionCandidate};
use hobnob_config::{Places, Profile, ProfileName, SHIPPED, list_profiles, load_profile};
use hobnob_gateway::nearest::did_you_mean;
use hobnob_hub::services::profile_services;
use hobnob_terminal::ended::Ended;
use hobnob_terminal::render::{self, Cell, Output, Table, Tone};
use serde::Serialize;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct ProfilesArgs {
    #[command(subcommand)]
    verb: Option<ProfilesVerb>,
}

#[derive(Debug, Subcommand)]
enum ProfilesVerb {
    /// Print the file of a profile, also of one that ships with Hobnob.
    Show {
        #[arg(add = profile_names())]
        name: String,
    },
}

/// One profile, as `--json` prints it.
#[derive(Debug, Serialize)]
struct ListedProfile {
    name: String,
    /// What its file says about itself.
    description: Option<String>,
    /// The user's file; `None` for a profile that ships with Hobnob.
    file: Option<PathBuf>,
    /// The path below the address of `hobnob serve --http`.
    endpoint: String,
    /// Names and globs; `None` means all servers.
    servers: Option<Vec<String>>,
    /// Built-in services; `None` means those that are switched on.
    services: Option<Vec<String>>,
    /// Why it cannot be used.
    problem: Option<String>,
}

pub(crate) fn run(args: ProfilesArgs, context: &CommandContext) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    match args.verb {
        Some(ProfilesVerb::Show { name }) => show(&places, &name, context.output),
        None => list(&places, context.output),
    }
}

fn list(places: &Places, output: Output) -> anyhow::Result<()> {
    let names = list_profiles(places, SHIPPED);
    let profiles: Vec<ListedProfile> = names.iter().map(|name| listed(places, name)).collect();
    if output == Output::Json {
        return render::json(&profiles);
    }
    let mut table = Table::new(&["PROFILE", "SHOWS", "ENDPOINT", "FILE", "ABOUT"]);
    for profile in &profiles {
        let file = profile.file.as_ref().map(|file| file.display().to_string());
        table.row([
            Cell::from(&*profile.name),
            match profile.problem {
                Some(_) => Cell::toned(Tone::Bad, "broken"),
                None => Cell::from(shows(profile)),
            },
            Cell::from(&*profile.endpoint),
            Cell::from(file.unwrap_or_else(|| "ships with Hobnob".to_owned())),
            Cell::from(profile.description.clone().unwrap_or_default()),
        ]);
    }
    render::text(&table.to_text())?;
    profiles.iter().filter_map(|it| it.problem.as_deref()).for_each(render::warn);
    for file in unusable_files(places) {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if let Err(bad) = ProfileName::parse(&name) {
            render::warn(&format!("{}: {bad}", file.display()));
        }
    }
    render::note(
        "serve one with: hobnob serve --profile NAME; print one with: hobnob profiles show NAME",
    );
    Ok(())
}

fn listed(places: &Places, name: &ProfileName) -> ListedProfile {
    let loaded = load_profile(places, name, SHIPPED, &profile_services());
    let (profile, problem) = match loaded {
        Ok(profile) => (profile, None),
        Err(error) => (Profile::default(), Some(error.to_string())),
    };
    let file = own_file(places, name);
    ListedProfile {
        name: name.to_string(),
        description: profile.description,
        file: file.exists().then_some(file),
        endpoint: format!("/p/{name}/mcp"),
        servers: profile.servers,
        services: profile.services,
        problem,
    }
}

fn shows(profile: &ListedProfile) -> String {
    let servers = match profile.servers.as_deref() {
        None => "all servers".to_owned(),
        Some([]) => "no servers".to_owned(),
        Some(servers) => format!("servers: {}", servers.join(", ")),
    };
    match profile.services.as_deref() {
        None => format!("{servers}; services that are on"),
        Some([]) => format!("{servers}; no services"),
        Some(services) => format!("{servers}; services: {}", services.join(", ")),
    }
}

fn show(places: &Places, name: &str, output: Output) -> anyhow::Result<()> {
    let known = list_profiles(places, SHIPPED);
    let Some(name) = known.iter().find(|it| it.as_str() == name) else {
        let meant = did_you_mean(name, known.iter().map(ProfileName::as_str));
        let name = render::safe(name);
        let message = format!("there is no profile `{name}`{meant}; to list all: hobnob profiles");
        return Err(Ended::usage(message).into());
    };
    let file = own_file(places, name);
    let shipped = SHIPPED.iter().find(|(shipped, _)| *shipped == name.as_str());
    let (file, text) = match shipped {
        Some((_, text)) if !file.exists() => (None, (*text).to_owned()),
        _ => {
            let text = fs::read_to_string(&file);
            (Some(&file), text.with_context(|| format!("cannot read {}", file.display()))?)
        }
    };
    let problem = listed(places, name).problem;
    if output == Output::Json {
        let name = name.as_str();
        return render::json(
            &json!({"name": name, "file": file, "toml": text, "problem": problem}),
        );
    }
    render::text(&text)?;
    problem.as_deref().into_iter().for_each(render::warn);
    Ok(())
}

fn own_file(places: &Places, name: &ProfileName) -> PathBuf {
    places.profiles().join(format!("{name}.toml"))
}

/// The files whose names are not valid names of profiles, sorted.
fn unusable_files(places: &Places) -> Vec<PathBuf> {
    let is_unusable = |file: &PathBuf| {
        let stem = |file: &Path| Some(file.file_stem()?.to_str()?.to_owned());
        file.extension().is_some_and(|it| it == "toml")
            && stem(file).is_none_or(|name| ProfileName::parse(&name).is_err())
    };
    let entries = fs::read_dir(places.profiles()).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|it| it.path()).filter(is_unusable).collect();
    files.sort();
    files
}

/// Completes names of profiles.
fn profile_names() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let Ok(places) = PlaceArgs::default().detect() else { return Vec::new() };
        let names = list_profiles(&places, SHIPPED);
        names.into_iter().map(|name| CompletionCandidate::new(name.as_str())).collect()
    })
}
