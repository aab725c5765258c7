//! `hobnob restore FILE`: replaces the store with a backup, and keeps the old store beside it.
//! `main` runs it.
//!
//! What must stay true: a backup that is damaged, foreign or newer changes nothing.

use super::person::require_person;
use crate::context::CommandContext;
use clap::Args;
use hobnob_hub::store::store_maintenance;
use hobnob_store::maintenance::ExistingFile;
use hobnob_terminal::render;
use hobnob_terminal::render::Output;
use serde_json::json;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// The file that `hobnob backup` wrote.
    file: PathBuf,

    /// Replace existing memories, tasks and trees; they are saved to a file beside the store.
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(args: RestoreArgs, context: &CommandContext) -> anyhow::Result<()> {
    require_person("the store is")?;
    let places = context.places.detect()?;
    check_file(&args.file)?;
    let existing = if args.force { ExistingFile::Replace } else { ExistingFile::Refuse };
    let done = store_maintenance(&places).restore(&args.file, existing)?;
    let contents = done.contents;
    match context.output {
        Output::Json => render::json(&json!({
            "memories": contents.memories,
            "tasks": contents.tasks,
            "trees": contents.trees,
            "sessions": contents.sessions,
            "kept": done.kept,
        })),
        Output::People => {
            render::line(&format!(
                "restored {}, {}, {} and {}",
                render::counted(contents.memories, "memory"),
                render::counted(contents.tasks, "task"),
                render::counted(contents.trees, "tree"),
                render::counted(contents.sessions, "session")
            ))?;
            if let Some(kept) = &done.kept {
                render::note(&format!(
                    "the previous memories, tasks and trees are in {}",
                    kept.display()
                ));
            }
            Ok(())
        }
    }
}

/// Reports a file that does not exist before the store is touched.
fn check_file(file: &Path) -> anyhow::Result<()> {
    match std::fs::metadata(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let shown = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
            anyhow::bail!(
                "there is no file {}; name one that `hobnob backup FILE` wrote",
                shown.display()
            )
        }
        // The store reports all other errors.
        _ => Ok(()),
    }
}
