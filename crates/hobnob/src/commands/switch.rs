//! What `enable` and `disable` share: they set one switch of one server in one file.
//!
//! What must stay true: one entry of one file changes; comments and other entries stay as they are.

use super::scope::{ConfigScope, files_with, typed_name, unknown};
use crate::context::{CommandContext, Output};
use crate::render;
use clap::Args;
use hobnob_config::{
    Backup, Places, ServerName, Servers, Switch, process_environment, switch_server,
};
use serde::Serialize;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct SwitchArgs {
    /// The name of the server.
    pub(crate) name: String,

    /// The file to change, instead of the one that takes precedence.
    #[arg(long, value_enum)]
    pub(crate) scope: Option<ConfigScope>,
}

#[derive(Debug, Serialize)]
struct Switched {
    name: String,
    state: &'static str,
    scope: ConfigScope,
    file: PathBuf,
}

pub(crate) fn run(
    args: SwitchArgs,
    switch: Switch,
    context: &CommandContext,
) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let name = typed_name(&args.name)?;
    let found = match args.scope {
        Some(scope) => Some((scope, scope.file(&places)?)),
        None => file_in_use(&places, &name)?,
    };
    let (scope, file) = found.ok_or_else(|| unknown(&places, name.as_str()))?;
    switch_server(&file, &name, switch, Backup::Skip)?;
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
