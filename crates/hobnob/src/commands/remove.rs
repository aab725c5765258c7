//! `hobnob remove`: takes one server out of a file, and keeps a copy of the file.

use super::scope::{Scope, files_with, typed_name, unknown};
use crate::context::{Context, Output};
use crate::exit::{Code, Ended};
use crate::render;
use clap::Args;
use hobnob_config::{Backup, remove_server};
use serde::Serialize;
use std::path::PathBuf;

/// What may be typed after it.
#[derive(Debug, Args)]
pub(crate) struct RemoveArgs {
    /// The server.
    pub(crate) name: String,

    /// The file to take it out of, if several have it.
    #[arg(long, value_enum)]
    pub(crate) scope: Option<Scope>,
}

#[derive(Debug, Serialize)]
struct Removed {
    name: String,
    scope: Scope,
    file: PathBuf,
    backup: Option<PathBuf>,
}

/// Does it.
pub(crate) fn run(args: RemoveArgs, context: &Context) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let name = typed_name(&args.name)?;
    let (scope, file) = match args.scope {
        Some(scope) => (scope, scope.file(&places)?),
        None => match files_with(&places, &name)?.as_slice() {
            [] => return Err(unknown(&places, name.as_str())),
            [one] => one.clone(),
            several => {
                let words: Vec<_> = several.iter().map(|(scope, _)| scope.word()).collect();
                let message = format!(
                    "server `{name}` is in several files: say which with --scope {}",
                    words.join("|")
                );
                return Err(Ended::new(Code::Usage, message).into());
            }
        },
    };
    let edited = remove_server(&file, &name, Backup::Make)?;
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
