//! The options of `hobnob memory …`. `cli` parses them, `memory` reads them.
//!
//! What must stay true: values of options become the words that the tools expect in one place,
//! here.

use clap::{Args, Subcommand, ValueEnum};
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct MemoryArgs {
    #[command(subcommand)]
    pub(super) command: MemoryCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum MemoryCommand {
    /// Store a new memory.
    Capture(CaptureArgs),
    /// Find memories; without a query, show the newest ones.
    Recall(RecallArgs),
    /// Show one memory in full.
    Get(IdArgs),
    /// List memories, newest first.
    List(ListArgs),
    /// Show every version of a memory.
    History(IdArgs),
    /// Delete a memory; you can restore it for a while.
    Delete(DeleteArgs),
    /// Bring back a memory that was deleted or superseded.
    Restore(IdArgs),
    /// Show how much is stored, and the progress of embeddings.
    Status,
    /// Write memories as JSON lines or Markdown.
    Export(ExportArgs),
    /// Read memories that `export` wrote.
    Import(ImportArgs),
    /// Sync the project's memories with its git remote.
    Sync(SyncArgs),
    /// Remove what has expired or was deleted long ago.
    Gc,
}

#[derive(Debug, Args)]
pub(super) struct CaptureArgs {
    /// The text to remember, or - to read it from standard input.
    pub(super) content: String,

    /// The namespace: decisions, patterns, learnings, or a name of your own.
    #[arg(short, long, value_name = "NAME", default_value = "context")]
    pub(super) namespace: String,

    /// A tag to find it by (may be repeated).
    #[arg(short, long = "tag", value_name = "WORD")]
    pub(super) tags: Vec<String>,

    /// Where it comes from.
    #[arg(long, value_name = "TEXT")]
    pub(super) source: Option<String>,

    /// Who can see it.
    #[arg(long, value_enum, default_value = "project")]
    pub(super) scope: ScopeName,

    /// How long it is valid: 12h, 30d, 1y.
    #[arg(long, value_name = "TIME")]
    pub(super) ttl: Option<String>,

    /// Store secrets and personal data masked instead of refusing them.
    #[arg(long)]
    pub(super) redact: bool,

    /// A memory that this one replaces (may be repeated); found by the texts if not given.
    #[arg(long, value_name = "ID")]
    pub(super) replaces: Vec<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum ScopeName {
    Project,
    User,
    Org,
}

impl ScopeName {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
            Self::Org => "org",
        }
    }
}

#[derive(Debug, Args)]
pub(super) struct RecallArgs {
    /// The question or words to search for.
    pub(super) query: Vec<String>,

    /// Search only these memories: ns:decisions tag:a,b -tag:c since:7d source:docs/* scope:user
    #[arg(short, long, value_name = "FILTER")]
    pub(super) filter: Option<String>,

    /// How to search: by text, by meaning, or both.
    #[arg(short, long, value_enum, default_value = "hybrid")]
    pub(super) mode: ModeName,

    /// Show at most this number of memories.
    #[arg(short = 'n', long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(super) limit: u16,

    /// Show the full text of each memory.
    #[arg(long)]
    pub(super) full: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum ModeName {
    Hybrid,
    Text,
    Vector,
}

impl ModeName {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Hybrid => "hybrid",
            Self::Text => "text",
            Self::Vector => "vector",
        }
    }
}

#[derive(Debug, Args)]
pub(super) struct IdArgs {
    /// The memory's id or URN.
    pub(super) id: String,
}

#[derive(Debug, Args)]
pub(super) struct DeleteArgs {
    /// The memory's id or URN.
    pub(super) id: String,

    /// Remove it permanently, with its history.
    #[arg(long)]
    pub(super) purge: bool,
}

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// List only these memories: ns:decisions tag:a,b -tag:c since:7d source:docs/* status:deleted
    #[arg(short, long, value_name = "FILTER")]
    pub(super) filter: Option<String>,

    /// Show at most this number of memories.
    #[arg(short = 'n', long, default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=500))]
    pub(super) limit: u16,
}

/// The values of `--format`.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum FormatName {
    Jsonl,
    Markdown,
}

impl FormatName {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Markdown => "markdown",
        }
    }

    /// The format that a file name extension stands for, if any.
    pub(super) fn of_name(file: &Path) -> Option<Self> {
        let ending = file.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "md" | "markdown" => Some(Self::Markdown),
            "jsonl" | "ndjson" => Some(Self::Jsonl),
            _ => None,
        }
    }

    /// The format of a text that begins with these bytes: a memory in Markdown begins with `---`,
    /// one in JSON with `{`.
    pub(super) fn of_content(head: &[u8]) -> Self {
        match head.trim_ascii_start().first() {
            Some(b'-') => Self::Markdown,
            _ => Self::Jsonl,
        }
    }
}

#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// The file to write, or - for standard output, which is the default.
    pub(super) file: Option<PathBuf>,

    /// The format of the file; without it, Markdown if its name ends with .md, and JSON lines
    /// otherwise.
    #[arg(long, value_enum)]
    pub(super) format: Option<FormatName>,

    /// Export only these memories.
    #[arg(short, long, value_name = "FILTER")]
    pub(super) filter: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct SyncArgs {
    /// Agree to this project's remote without being asked; Hobnob asks before the first sync.
    #[arg(short, long)]
    pub(super) yes: bool,
}

#[derive(Debug, Args)]
pub(super) struct ImportArgs {
    /// The file to read, or - for standard input.
    pub(super) file: PathBuf,

    /// The format of the file; without it, its name (.md or .jsonl) or else its content decides.
    #[arg(long, value_enum)]
    pub(super) format: Option<FormatName>,

    /// Store secrets and personal data masked instead of skipping such memories.
    #[arg(long)]
    pub(super) redact: bool,
}
