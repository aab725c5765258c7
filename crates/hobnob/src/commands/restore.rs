//! `hobnob restore FILE`: a backup in the place of what is stored. What was there is kept beside.

use crate::context::{Context, Output};
use crate::render;
use clap::Args;
use hobnob_store::sqlite::{Existing, restore};
use serde_json::json;
use std::path::PathBuf;

/// What may be typed after it.
#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// The backup.
    file: PathBuf,

    /// Restore although there are memories or tasks; they are kept in a file beside.
    #[arg(long)]
    force: bool,
}

/// Does it.
pub(crate) fn run(args: RestoreArgs, context: &Context) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let existing = if args.force { Existing::Replace } else { Existing::Refuse };
    let done = restore(&args.file, &places.store(), existing)?;
    let contents = done.contents;
    match context.output {
        Output::Json => render::json(&json!({
            "memories": contents.memories,
            "tasks": contents.tasks,
            "kept": done.kept,
        })),
        Output::People => {
            let (memories, tasks) = (contents.memories, contents.tasks);
            render::line(&format!("restored {memories} memories and {tasks} tasks"))?;
            if let Some(kept) = &done.kept {
                render::note(&format!("what was there before is in {}", kept.display()));
            }
            Ok(())
        }
    }
}
