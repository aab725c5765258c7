//! What the first chat in a folder offers: files and commands of this folder.
//!
//! `chat` calls it before the hub is opened. What must stay true: it writes what `hobnob grant`, `enable` and
//! `ask` write, by those commands, and nothing without an answer; each folder is asked about once.

use super::grant::can_be_granted;
use crate::cli::Cli;
use crate::context::CommandContext;
use anyhow::Context as _;
use clap::Parser as _;
use hobnob_config::{GrantsFile, Places};
use hobnob_disk::{FileMode, write_atomic};
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::render::{note, select};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The file with the folders that were asked about, a line each, in the state folder.
const ASKED: &str = "chat-folders";
/// Folders that are remembered.
const MAX_ASKED: usize = 1_000;
/// The tools that change something, as rules name them.
const CHANGING: [&str; 7] = [
    "files_write",
    "files_edit",
    "files_move",
    "files_delete",
    "shell_run",
    "shell_start",
    "shell_execute",
];

/// Asks once whether the assistant may work in the folder of the chat, and grants what the person says.
pub(super) fn offer(context: &CommandContext) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let asked = AskedFolders::load(&places);
    let Ok(folder) = places.project.canonicalize() else { return Ok(()) };
    let Some(shown) = folder.to_str().filter(|_| can_be_granted(&folder, &places)) else {
        return Ok(());
    };
    if asked.has(shown) || is_granted(&folder, &places) {
        return Ok(());
    }
    note(&format!(
        "The assistant cannot see your files yet. You can let it read and change what is in {shown}, and \
         run commands there, in a sandbox that reaches only this folder and no network."
    ));
    let answers = [
        "Yes, and ask me before each change and command",
        "Yes, without asking",
        "Only let it read files",
        "No",
    ];
    let answers = answers.map(str::to_owned);
    let answer = match select("May the assistant work in this folder?", &answers, 0) {
        Ok(Some(answer)) => answer,
        // Whoever leaves the question is asked the next time.
        Ok(None) => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => {
            return Err(Ended::silently(Code::Interrupted).into());
        }
        Err(error) => return Err(error).context("cannot read from the terminal"),
    };
    asked.add(shown)?;
    match answer {
        0 => {
            // The rules are there before anything could run without them.
            run(&[&["ask", "--future"], &CHANGING[..]].concat(), context)?;
            grant_all(shown, context)
        }
        1 => grant_all(shown, context),
        2 => {
            run(&["enable", "files", "--read-only"], context)?;
            run(&["grant", "files", shown], context)
        }
        _ => {
            note(
                "to let it later: hobnob grant files FOLDER, and hobnob grant shell --in FOLDER --line",
            );
            Ok(())
        }
    }
}

fn grant_all(folder: &str, context: &CommandContext) -> anyhow::Result<()> {
    run(&["enable", "files"], context)?;
    run(&["grant", "files", folder, "--write"], context)?;
    run(&["enable", "shell"], context)?;
    let as_root = super::chat::is_root().then_some("--as-root");
    let shell = ["grant", "shell", "--in", folder, "--line"].into_iter().chain(as_root);
    run(&shell.collect::<Vec<_>>(), context)
}

/// Runs a command of ours as if it were typed.
fn run(words: &[&str], context: &CommandContext) -> anyhow::Result<()> {
    let cli = Cli::try_parse_from(std::iter::once(&"hobnob").chain(words))?;
    crate::run(cli.command, context)
}

/// Whether the files of the folder are granted already.
fn is_granted(folder: &Path, places: &Places) -> bool {
    // What cannot be read grants nothing, and the hub says so.
    let entries = GrantsFile::new(&places.grants()).load().unwrap_or_default();
    entries.files.iter().any(|grant| folder.starts_with(&grant.folder.path))
}

/// The folders that were asked about.
struct AskedFolders {
    file: PathBuf,
    folders: Vec<String>,
}

impl AskedFolders {
    fn load(places: &Places) -> Self {
        let file = places.state_dir.join(ASKED);
        let text = fs::read_to_string(&file).unwrap_or_default();
        Self { file, folders: text.lines().map(str::to_owned).collect() }
    }

    fn has(&self, folder: &str) -> bool {
        self.folders.iter().any(|asked| asked == folder)
    }

    fn add(mut self, folder: &str) -> anyhow::Result<()> {
        self.folders.push(folder.to_owned());
        let from = self.folders.len().saturating_sub(MAX_ASKED);
        let text = self.folders[from..].join("\n") + "\n";
        write_atomic(&self.file, text.as_bytes(), FileMode::Private)
            .with_context(|| format!("cannot write {}", self.file.display()))
    }
}
