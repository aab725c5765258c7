//! `hobnob backup FILE`: one moment of everything that is stored, while everybody goes on.

use super::bytes_bar;
use crate::context::{Context, Output};
use crate::exit::{Code, Ended};
use crate::render;
use anyhow::Context as _;
use clap::Args;
use hobnob_store::sqlite::{Existing, SqliteStore};
use serde_json::json;
use std::path::PathBuf;

/// What may be typed after it.
#[derive(Debug, Args)]
pub(crate) struct BackupArgs {
    /// The file to write.
    file: PathBuf,

    /// Replace a file that is there already.
    #[arg(long)]
    force: bool,
}

/// Does it.
pub(crate) fn run(args: BackupArgs, context: &Context) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    if !places.store().exists() {
        // Making one would only put nothing in the place of an older backup.
        let message = format!("nothing is stored in {} yet", places.data_dir.display());
        return Err(Ended::new(Code::Failed, message).into());
    }
    let store = SqliteStore::open(&places.store())?;
    let file = std::path::absolute(&args.file).unwrap_or(args.file);
    let existing = if args.force { Existing::Replace } else { Existing::Refuse };
    let bar = bytes_bar(context.output, "copying");
    let shown = bar.clone();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the runtime cannot be started")?;
    let done = runtime.block_on(store.backup(&file, existing, move |progress| {
        shown.set_length(progress.pages);
        shown.set_position(progress.copied);
    }));
    bar.finish_and_clear();
    let contents = done?;
    match context.output {
        Output::Json => render::json(&json!({
            "file": file,
            "memories": contents.memories,
            "tasks": contents.tasks,
        })),
        Output::People => render::line(&format!(
            "{} memories and {} tasks in {}",
            contents.memories,
            contents.tasks,
            file.display()
        )),
    }
}
