//! The first chat in a folder offers access: to the folder's files, and to commands in it.
//!
//! `chat` calls it before it opens the hub. What must stay true: it writes what `hobnob grant`,
//! `enable` and `ask` write, and nothing without an answer; it asks about each folder once.

use super::grant::can_be_granted;
use super::person::is_root;
use super::service_access::write_access;
use crate::context::CommandContext;
use anyhow::Context as _;
use hobnob_config::{GrantsFile, Places};
use hobnob_disk::{FileMode, write_atomic};
use hobnob_policy::{MachineService, ServiceAccess};
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::render::{note, select};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Runs a `hobnob` command as if the person had typed these words.
pub(super) type RunWords<'a> = &'a dyn Fn(&[&str]) -> anyhow::Result<()>;

/// The file with the folders that were asked about, a line each, in the state folder.
const FOLDERS_FILE: &str = "chat-folders";
/// Most folders that the file keeps; the oldest are forgotten first.
const MAX_ASKED: usize = 1_000;
/// The tools that change something, as rules name them.
const CHANGING_TOOLS: [&str; 7] = [
    "files_write",
    "files_edit",
    "files_move",
    "files_delete",
    "shell_run",
    "shell_start",
    "shell_execute",
];

/// Asks whether the assistant may work in the chat's folder, and grants what the person says.
pub(super) fn offer(context: &CommandContext, run: RunWords<'_>) -> anyhow::Result<()> {
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
        // A person who leaves the question is asked again the next time.
        Ok(None) => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => {
            return Err(Ended::silently(Code::Interrupted).into());
        }
        Err(error) => return Err(error).context("cannot read from the terminal"),
    };
    asked.add(shown)?;
    match answer {
        0 => {
            // The rules come first, so that no tool can run without them.
            run(&[&["ask", "--future"], &CHANGING_TOOLS[..]].concat())?;
            grant_all(shown, &places, run)
        }
        1 => grant_all(shown, &places, run),
        2 => {
            write_access(MachineService::Files, ServiceAccess::ReadOnly, &places)?;
            run(&["grant", "files", shown])
        }
        _ => {
            note(
                "to let it later: hobnob grant files FOLDER, and hobnob grant shell --in FOLDER --line",
            );
            Ok(())
        }
    }
}

fn grant_all(folder: &str, places: &Places, run: RunWords<'_>) -> anyhow::Result<()> {
    for service in [MachineService::Files, MachineService::Shell] {
        write_access(service, ServiceAccess::ReadWrite, places)?;
    }
    run(&["grant", "files", folder, "--write"])?;
    let as_root = is_root().then_some("--as-root");
    let shell = ["grant", "shell", "--in", folder, "--line"].into_iter().chain(as_root);
    run(&shell.collect::<Vec<_>>())
}

/// Whether the files of the folder are granted already.
fn is_granted(folder: &Path, places: &Places) -> bool {
    // An unreadable file grants nothing, and the hub reports it.
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
        let file = places.state_dir.join(FOLDERS_FILE);
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
