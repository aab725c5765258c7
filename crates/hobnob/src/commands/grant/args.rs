//! The options of `hobnob grant …`. `cli` parses them, `row` reads them; `revoke` names commands
//! and views the same way.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct GrantArgs {
    #[command(subcommand)]
    pub(super) what: GrantWhat,
}

#[derive(Debug, Subcommand)]
pub(super) enum GrantWhat {
    /// Let assistants read and search the files in a folder, or change them too.
    Files(FileArgs),
    /// Let assistants run a command: its program and a pattern for each of its words.
    Shell(ShellArgs),
    /// Let assistants read a log of the system, or the log files in a folder.
    Logs(LogArgs),
    /// Let assistants read a registry key and all below it, or change them too.
    Registry(KeyArgs),
    /// Let assistants talk to another agent, whose program then does what you can do.
    #[command(name = "claudecode", alias = "agents")]
    Agents(AgentArgs),
    /// Give a principal a role in the memories of scope `org`, which principals share.
    Memory(MemoryRoleArgs),
}

#[derive(Debug, Args)]
pub(super) struct FileArgs {
    /// The folder; everything below it is granted too.
    pub(super) folder: PathBuf,

    /// Let files be written, moved and deleted too.
    #[arg(long)]
    pub(super) write: bool,

    /// Allow files that have other names (hard links), which may be outside of the folder.
    #[arg(long)]
    pub(super) hard_links: bool,

    /// Grant it to this authenticated principal instead of the programs on this machine.
    #[arg(long = "for", value_name = "PRINCIPAL")]
    pub(super) principal: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct ShellArgs {
    #[command(flatten)]
    pub(super) command: GrantedCommandArgs,

    /// A folder that the command may be run in and change (may be repeated).
    #[arg(long = "in", value_name = "FOLDER")]
    pub(super) folders: Vec<PathBuf>,

    /// A folder that the command may be run in and only read (may be repeated).
    #[arg(long = "read", value_name = "FOLDER")]
    pub(super) read_folders: Vec<PathBuf>,

    /// A variable that callers may set (may be repeated).
    #[arg(long = "env", value_name = "NAME")]
    pub(super) environment: Vec<String>,

    /// How well the system must keep the command away from everything but its folders.
    #[arg(long, value_enum, default_value = "on")]
    pub(super) sandbox: SandboxName,

    /// Let the command use the network of this machine.
    #[arg(long)]
    pub(super) network: bool,

    /// Let the command run as root, where Hobnob does.
    #[arg(long)]
    pub(super) as_root: bool,

    /// The shell that runs command lines; without it, bash, or sh where bash is missing.
    #[arg(long, value_name = "PROGRAM", requires = "line")]
    pub(super) shell: Option<String>,
}

/// Which command, as `grant` and `revoke` name it.
#[derive(Debug, Args)]
pub(in crate::commands) struct GrantedCommandArgs {
    /// The program, then a pattern for each word: `*` is any word that is no option, `-*` any word,
    /// a last `...` any number of words that are no options, a last `-...` anything.
    #[arg(last = true, value_name = "PROGRAM WORDS", required_unless_present = "line")]
    pub(in crate::commands) words: Vec<String>,

    /// Any command line, run by a shell.
    #[arg(long, conflicts_with = "words")]
    pub(in crate::commands) line: bool,

    /// Grant it to this authenticated principal instead of the programs on this machine.
    #[arg(long = "for", value_name = "PRINCIPAL")]
    pub(in crate::commands) principal: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum SandboxName {
    /// Full or partial: the command reaches no other files and no sockets, or does not run.
    On,
    /// Only full: other files, processes, sockets and the network do not exist for it.
    Required,
    /// The best this system has, even if the command can leave it.
    Any,
    /// None: the command can reach everything that you can.
    Off,
}

#[derive(Debug, Args)]
pub(super) struct LogArgs {
    /// A log's name as the system spells it (`*` stands for any text), or the path of a folder.
    pub(super) log: String,

    /// Grant it to this authenticated principal instead of the programs on this machine.
    #[arg(long = "for", value_name = "PRINCIPAL")]
    pub(super) principal: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct KeyArgs {
    /// The key, such as HKCU\Software\Example; all keys below it are granted too.
    pub(super) key: String,

    /// Let values and keys be written and deleted too.
    #[arg(long)]
    pub(super) write: bool,

    /// Only this view of the registry; without it, both.
    #[arg(long, value_enum)]
    pub(super) view: Option<KeyViewName>,

    /// Grant it to this authenticated principal instead of the programs on this machine.
    #[arg(long = "for", value_name = "PRINCIPAL")]
    pub(super) principal: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct AgentArgs {
    /// The agent: claude, codex or gemini.
    pub(super) agent: String,

    /// A folder that its sessions work in (may be repeated).
    #[arg(long = "in", value_name = "FOLDER", required = true)]
    pub(super) folders: Vec<PathBuf>,

    /// Its program, if it is not the one in the search path.
    #[arg(long, value_name = "PATH")]
    pub(super) program: Option<String>,

    /// Grant it to this authenticated principal instead of the programs on this machine.
    #[arg(long = "for", value_name = "PRINCIPAL")]
    pub(super) principal: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct MemoryRoleArgs {
    /// The authenticated principal who gets the role.
    #[arg(long = "for", value_name = "PRINCIPAL")]
    pub(super) principal: String,

    /// What they may do with these memories.
    #[arg(long, value_enum)]
    pub(super) role: MemoryRoleName,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum MemoryRoleName {
    /// Find and read all of them.
    Reader,
    /// Also capture, and change what they captured.
    Writer,
    /// Also change what others captured.
    Admin,
}

impl MemoryRoleName {
    /// As the file of grants spells it.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Writer => "writer",
            Self::Admin => "admin",
        }
    }
}

/// A view of the registry of a 64-bit system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::commands) enum KeyViewName {
    /// As programs of 32 bits see it.
    #[value(name = "32")]
    Bits32,
    /// As programs of 64 bits see it.
    #[value(name = "64")]
    Bits64,
}

impl KeyViewName {
    /// As the file of grants spells it.
    pub(in crate::commands) fn as_str(self) -> &'static str {
        match self {
            Self::Bits32 => "32",
            Self::Bits64 => "64",
        }
    }
}
