//! `hobnob remove`: removes one server from a file, and keeps a copy of the file in the state
//! folder. `main` runs it.
//!
//! What must stay true: all other entries and comments of the file stay as they are.

use super::person::require_person;
use super::scope::{ConfigScope, files_with, typed_name, unknown};
use crate::context::CommandContext;
use clap::Args;
use hobnob_config::{Backup, remove_server};
use hobnob_terminal::ended::Ended;
use hobnob_terminal::render;
use hobnob_terminal::render::Output;
use serde::Serialize;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct RemoveArgs {
    /// The name of the server.
    #[arg(add = super::completions::servers())]
    pub(crate) name: String,

    /// The file to remove it from, if several contain it.
    #[arg(long, value_enum)]
    pub(crate) scope: Option<ConfigScope>,
}

#[derive(Debug, Serialize)]
struct Removed {
    name: String,
    scope: ConfigScope,
    file: PathBuf,
    backup: Option<PathBuf>,
}

pub(crate) fn run(args: RemoveArgs, context: &CommandContext) -> anyhow::Result<()> {
    require_person("servers are")?;
    let places = context.places.detect()?;
    let name = typed_name(&args.name)?;
    let (scope, file) = match args.scope {
        Some(scope) => (scope, scope.file(&places)?),
        None => match files_with(&places, &name)?.as_slice() {
            [] => return Err(unknown(&places, name.as_str())),
            [one] => one.clone(),
            files => {
                let words: Vec<_> = files.iter().map(|(scope, _)| scope.as_str()).collect();
                let message = format!(
                    "several files contain server `{name}`; choose one with --scope {}",
                    words.join("|")
                );
                return Err(Ended::usage(message).into());
            }
        },
    };
    let edited = remove_server(&file, &name, Backup::Into(places.backups()))?;
    let removed = Removed { name: name.to_string(), scope, file, backup: edited.backup };
    match context.output {
        Output::Json => render::json(&removed),
        Output::People => {
            let mut block = render::Block::new();
            block.pair("removed", &removed.name).pair("file", &removed.file.display().to_string());
            let backup = removed.backup.as_ref().map(|file| file.display().to_string());
            render::text(&block.maybe("backup", backup.as_deref()).to_text())
        }
    }
}
