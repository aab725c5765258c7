//! `hobnob memory …`: what is remembered, from the terminal.

mod carry;
mod show;

use super::service::{call_and_show, call_with_consent, given, text_or_stdin};
use crate::context::Context;
use crate::terminal::Consent;
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};
use std::path::PathBuf;

/// What may be typed after it.
#[derive(Debug, Args)]
pub(crate) struct MemoryArgs {
    #[command(subcommand)]
    command: MemoryCommand,
}

#[derive(Debug, Subcommand)]
enum MemoryCommand {
    /// Remember something.
    Capture(CaptureArgs),
    /// Find what is remembered; the newest if nothing is asked.
    Recall(RecallArgs),
    /// Show one memory in full.
    Get(IdArgs),
    /// List memories, newest first.
    List(ListArgs),
    /// Show every version of a memory.
    History(IdArgs),
    /// Delete a memory; it can be restored for a while.
    Delete(DeleteArgs),
    /// Bring back a memory that was deleted or superseded.
    Restore(IdArgs),
    /// Say how much is remembered, and how far embeddings are.
    Status,
    /// Write memories as JSON lines or Markdown.
    Export(ExportArgs),
    /// Read memories that `export` wrote.
    Import(ImportArgs),
    /// Exchange the project's memories with its git remote.
    Sync(SyncArgs),
    /// Remove what has expired or was deleted long ago.
    Gc,
}

#[derive(Debug, Args)]
struct CaptureArgs {
    /// What to remember, or - to read it from standard input.
    content: String,

    /// What kind of thing it is: decisions, patterns, learnings, or a name of your own.
    #[arg(short, long, value_name = "NAME", default_value = "context")]
    namespace: String,

    /// A word to find it by (may be repeated).
    #[arg(short, long = "tag", value_name = "WORD")]
    tags: Vec<String>,

    /// Where it comes from.
    #[arg(long, value_name = "TEXT")]
    source: Option<String>,

    /// Whom it is for.
    #[arg(long, value_enum, default_value = "project")]
    scope: ScopeName,

    /// How long it stays true: 12h, 30d, 1y.
    #[arg(long, value_name = "TIME")]
    ttl: Option<String>,

    /// Store secrets and personal data masked instead of refusing them.
    #[arg(long)]
    redact: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ScopeName {
    Project,
    User,
    Org,
}

impl ScopeName {
    fn word(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
            Self::Org => "org",
        }
    }
}

#[derive(Debug, Args)]
struct RecallArgs {
    /// What you want to know.
    query: Vec<String>,

    /// Which memories count: ns:decisions tag:a,b -tag:c since:7d source:docs/* scope:user
    #[arg(short, long, value_name = "FILTER")]
    filter: Option<String>,

    /// How they are found.
    #[arg(short, long, value_enum, default_value = "hybrid")]
    mode: ModeName,

    /// At most so many.
    #[arg(short = 'n', long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=100))]
    limit: u16,

    /// Show them in full.
    #[arg(long)]
    full: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ModeName {
    Hybrid,
    Text,
    Vector,
}

impl ModeName {
    fn word(self) -> &'static str {
        match self {
            Self::Hybrid => "hybrid",
            Self::Text => "text",
            Self::Vector => "vector",
        }
    }
}

#[derive(Debug, Args)]
struct IdArgs {
    /// The memory's id or URN.
    id: String,
}

#[derive(Debug, Args)]
struct DeleteArgs {
    /// The memory's id or URN.
    id: String,

    /// Remove it for good, with its history.
    #[arg(long)]
    purge: bool,
}

#[derive(Debug, Args)]
struct ListArgs {
    /// Which memories: ns:decisions tag:a,b -tag:c since:7d source:docs/* status:deleted
    #[arg(short, long, value_name = "FILTER")]
    filter: Option<String>,

    /// At most so many.
    #[arg(short = 'n', long, default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=500))]
    limit: u16,
}

/// How memories are written.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum FormatName {
    Jsonl,
    Markdown,
}

impl FormatName {
    fn word(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Markdown => "markdown",
        }
    }
}

#[derive(Debug, Args)]
struct ExportArgs {
    /// The file to write; standard output if not given.
    file: Option<PathBuf>,

    /// How they are written.
    #[arg(long, value_enum, default_value = "jsonl")]
    format: FormatName,

    /// Which memories.
    #[arg(short, long, value_name = "FILTER")]
    filter: Option<String>,
}

#[derive(Debug, Args)]
struct SyncArgs {
    /// Agree to this project's remote without being asked; Hobnob asks before the first exchange.
    #[arg(short, long)]
    yes: bool,
}

#[derive(Debug, Args)]
struct ImportArgs {
    /// The file to read, or - for standard input.
    file: PathBuf,

    /// How they are written.
    #[arg(long, value_enum, default_value = "jsonl")]
    format: FormatName,

    /// Store secrets and personal data masked instead of leaving such memories out.
    #[arg(long)]
    redact: bool,
}

/// Does it.
pub(crate) fn run(args: MemoryArgs, context: &Context) -> anyhow::Result<()> {
    let one = |id: String| json!({ "id": id });
    let none = || json!({});
    match args.command {
        MemoryCommand::Capture(args) => capture(args, context),
        MemoryCommand::Recall(args) => recall(args, context),
        MemoryCommand::Get(args) => call_and_show(context, "memory_get", one(args.id), show::whole),
        MemoryCommand::List(args) => {
            let wanted = given([
                ("filter", args.filter.into()),
                ("limit", args.limit.into()),
                ("detail", "medium".into()),
            ]);
            call_and_show(context, "memory_list", wanted, show::list)
        }
        MemoryCommand::History(args) => {
            call_and_show(context, "memory_history", one(args.id), show::history)
        }
        MemoryCommand::Delete(args) => {
            let wanted = json!({ "id": args.id, "purge": args.purge });
            call_and_show(context, "memory_delete", wanted, show::done)
        }
        MemoryCommand::Restore(args) => {
            call_and_show(context, "memory_restore", one(args.id), show::whole)
        }
        MemoryCommand::Status => call_and_show(context, "memory_status", none(), show::status),
        MemoryCommand::Export(args) => carry::export(args, context),
        MemoryCommand::Import(args) => carry::import(args, context),
        MemoryCommand::Sync(args) => {
            let consent = if args.yes { Consent::Once } else { Consent::Ask };
            call_with_consent(context, consent, "memory_sync", none(), show::synced)
        }
        MemoryCommand::Gc => call_and_show(context, "memory_gc", none(), show::cleaned),
    }
}

fn capture(args: CaptureArgs, context: &Context) -> anyhow::Result<()> {
    let arguments = given([
        ("content", text_or_stdin(&args.content)?.into()),
        ("namespace", args.namespace.into()),
        ("tags", args.tags.into()),
        ("source", args.source.into()),
        ("scope", args.scope.word().into()),
        ("ttl", args.ttl.into()),
        ("redact", args.redact.then_some(true).map_or(Value::Null, Value::from)),
    ]);
    call_and_show(context, "memory_capture", arguments, show::captured)
}

fn recall(args: RecallArgs, context: &Context) -> anyhow::Result<()> {
    let query = args.query.join(" ");
    let arguments = given([
        ("query", if query.is_empty() { Value::Null } else { query.into() }),
        ("filter", args.filter.into()),
        ("mode", args.mode.word().into()),
        ("limit", args.limit.into()),
        ("detail", if args.full { "full" } else { "medium" }.into()),
    ]);
    let show = if args.full { show::in_full } else { show::list };
    call_and_show(context, "memory_recall", arguments, show)
}
