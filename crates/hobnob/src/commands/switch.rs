//! What `enable` and `disable` share: one switch of one server in one file.

use super::scope::{Scope, files_with, typed_name, unknown};
use crate::context::{Context, Output};
use crate::render;
use clap::Args;
use hobnob_config::{
    Backup, Places, ServerName, Servers, Switch, process_environment, switch_server,
};
use serde::Serialize;
use std::path::PathBuf;

/// What may be typed after either.
#[derive(Debug, Args)]
pub(crate) struct SwitchArgs {
    /// The server.
    pub(crate) name: String,

    /// The file to change, instead of the one whose entry counts.
    #[arg(long, value_enum)]
    pub(crate) scope: Option<Scope>,
}

#[derive(Debug, Serialize)]
struct Switched {
    name: String,
    state: &'static str,
    scope: Scope,
    file: PathBuf,
}

/// Switches it.
pub(crate) fn run(args: SwitchArgs, switch: Switch, context: &Context) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let name = typed_name(&args.name)?;
    let found = match args.scope {
        Some(scope) => Some((scope, scope.file(&places)?)),
        None => counting(&places, &name)?,
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
            render::line(&format!("{name} is switched {state} in {file}"))
        }
    }
}

/// The file whose entry counts: a project's that nobody has approved does not, where there is
/// another one.
fn counting(places: &Places, name: &ServerName) -> anyhow::Result<Option<(Scope, PathBuf)>> {
    let files = files_with(places, name)?;
    let servers = Servers::load(places, &process_environment);
    let counts = servers.get(name.as_str()).map(|server| server.file.clone());
    let found = files.iter().find(|(_, file)| Some(file) == counts.as_ref()).cloned();
    Ok(found.or_else(|| files.into_iter().next()))
}
