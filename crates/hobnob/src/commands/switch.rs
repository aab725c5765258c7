//! Decides what a name means, and switches one server in one file, for `enable` and `disable`.
//!
//! What must stay true: one entry of one file changes; comments and other entries stay as they are.

use super::person::require_person;
use super::scope::{ConfigScope, files_with, typed_name};
use crate::context::CommandContext;
use clap::Args;
use hobnob_config::{
    Backup, Places, ServerName, Servers, Switch, process_environment, switch_server,
};
use hobnob_gateway::nearest::did_you_mean;
use hobnob_hub::names::Names;
use hobnob_hub::services::service_names;
use hobnob_policy::MachineService;
use hobnob_terminal::ended::Ended;
use hobnob_terminal::hub::no_server;
use hobnob_terminal::render;
use hobnob_terminal::render::Output;
use serde::Serialize;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct SwitchArgs {
    /// The name of a server, or of a service: shell, files, logs, registry, claudecode.
    #[arg(add = super::completions::servers())]
    pub(crate) name: String,

    /// The file to change, instead of the one that takes precedence (servers only).
    #[arg(long, value_enum)]
    pub(crate) scope: Option<ConfigScope>,

    /// The name is a server's, even if a service has it too.
    #[arg(long, conflicts_with = "service")]
    pub(crate) server: bool,

    /// The name is a service's, even if a server has it too.
    #[arg(long, conflicts_with = "scope")]
    pub(crate) service: bool,
}

/// What a name on the command line means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SwitchTarget {
    Server(ServerName),
    Service(MachineService),
}

/// Decides whether the name means a server or a service; a name of both needs an option.
pub(crate) fn target(args: &SwitchArgs, places: &Places) -> anyhow::Result<SwitchTarget> {
    let service = MachineService::parse(&args.name).filter(|_| !args.server);
    let Some(service) = service.filter(|_| args.scope.is_none()) else {
        if args.service {
            let known = MachineService::ALL.map(MachineService::as_str).join(", ");
            let hint = did_you_mean(&args.name, MachineService::ALL.map(MachineService::as_str));
            let message =
                format!("there is no service `{}` to switch; known: {known}{hint}", args.name);
            return Err(Ended::usage(message).into());
        }
        return typed_name(&args.name).map(SwitchTarget::Server);
    };
    if !args.service && !files_with(places, &typed_name(&args.name)?)?.is_empty() {
        let message = format!(
            "`{}` is the name of a service and of a server; say which with --service or --server",
            args.name
        );
        return Err(Ended::usage(message).into());
    }
    Ok(SwitchTarget::Service(service))
}

#[derive(Debug, Serialize)]
struct Switched {
    name: String,
    state: &'static str,
    scope: ConfigScope,
    file: PathBuf,
}

pub(crate) fn run(
    name: &ServerName,
    scope: Option<ConfigScope>,
    switch: Switch,
    places: &Places,
    context: &CommandContext,
) -> anyhow::Result<()> {
    require_person("servers are")?;
    let found = match scope {
        Some(scope) => Some((scope, scope.file(places)?)),
        None => file_in_use(places, name)?,
    };
    let (scope, file) = found.ok_or_else(|| not_switched(places, name))?;
    switch_server(&file, name, switch, Backup::Skip)?;
    let state = match switch {
        Switch::On => "on",
        Switch::Off => "off",
    };
    let switched = Switched { name: name.to_string(), state, scope, file };
    match context.output {
        Output::Json => render::json(&switched),
        Output::People => {
            let file = switched.file.display();
            render::line(&format!("switched {name} {state} in {file}"))
        }
    }
}

/// The error for a name that no server has. A service without grants is switched in the settings.
fn not_switched(places: &Places, name: &ServerName) -> anyhow::Error {
    match service_names().contains(&name.as_str()) {
        true => anyhow::anyhow!(
            "the service `{name}` is switched on and off by the line `{name} = true` or \
             `{name} = false` under [services] in {}",
            places.settings().display()
        ),
        // The name may be that of a service, mistyped.
        false => no_server(&Names::load(places), name.as_str(), service_names()).into(),
    }
}

/// The file whose entry is used. A project's entry that is not approved yields to another one.
fn file_in_use(
    places: &Places,
    name: &ServerName,
) -> anyhow::Result<Option<(ConfigScope, PathBuf)>> {
    let files = files_with(places, name)?;
    let servers = Servers::load(places, &process_environment);
    let counts = servers.get(name.as_str()).map(|server| server.file.clone());
    let found = files.iter().find(|(_, file)| Some(file) == counts.as_ref()).cloned();
    Ok(found.or_else(|| files.into_iter().next()))
}
