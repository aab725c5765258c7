//! `hobnob backup FILE`: copies a consistent state of the store while others keep writing. `main`
//! runs it.
//!
//! What must stay true: a file that exists is replaced only with `--force`.

use super::bytes_bar;
use crate::context::CommandContext;
use crate::runtime;
use clap::Args;
use hobnob_hub::store::store_maintenance;
use hobnob_store::maintenance::{BackupProgress, ExistingFile};
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::render;
use hobnob_terminal::render::Output;
use serde_json::json;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct BackupArgs {
    /// The file to write the backup to.
    file: PathBuf,

    /// Replace an existing file.
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(args: BackupArgs, context: &CommandContext) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let maintenance = store_maintenance(&places);
    if !maintenance.exists() {
        // An empty backup would only replace an older one.
        let message = format!("there is nothing to back up in {} yet", places.data_dir.display());
        return Err(Ended::new(Code::Failed, message).into());
    }
    let file = std::path::absolute(&args.file).unwrap_or(args.file);
    let existing = if args.force { ExistingFile::Replace } else { ExistingFile::Refuse };
    let bar = bytes_bar(context.output, "copying");
    let shown = bar.clone();
    let runtime = runtime::current_thread()?;
    let observer = Box::new(move |progress: BackupProgress| {
        shown.set_length(progress.pages);
        shown.set_position(progress.copied);
    });
    let done = runtime.block_on(maintenance.back_up(file.clone(), existing, observer));
    bar.finish_and_clear();
    let contents = done?;
    match context.output {
        Output::Json => render::json(&json!({
            "file": file,
            "memories": contents.memories,
            "tasks": contents.tasks,
            "trees": contents.trees,
            "sessions": contents.sessions,
        })),
        Output::People => render::line(&format!(
            "saved {}, {}, {} and {} to {}",
            render::counted(contents.memories, "memory"),
            render::counted(contents.tasks, "task"),
            render::counted(contents.trees, "tree"),
            render::counted(contents.sessions, "session"),
            file.display()
        )),
    }
}
