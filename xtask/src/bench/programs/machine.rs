//! Our binary with services that act on the machine and the grants they need, and the programs that
//! do the same by themselves.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

use anyhow::Context;
use serde_json::{Value, json};

use super::builder::{Builder, Named};
use super::file_tree;
use super::start::{Start, text, words};
use crate::bench::case::{NEEDLE, Setup, Task};
use crate::bench::kind::BESIDE;
use crate::bench::scratch::{Scratch, write};
use crate::peers::{FD, RIPGREP, install_debian};
use crate::process::quiet;

/// One row of the tables.
pub(super) struct Machine {
    runs: Runs,
    trees: Rc<Trees>,
}

enum Runs {
    /// Our binary, which gets requests.
    Hub(PathBuf),
    /// `true` as a child process.
    True,
    Ripgrep(PathBuf),
    Fd(PathBuf),
}

impl Machine {
    pub(super) fn start(&self, setup: Setup) -> anyhow::Result<Option<Start>> {
        let Setup::Machine(task) = setup else { return Ok(None) };
        let tree = |files| self.trees.tree(files).map(|tree| text(&tree));
        let run = |program: &Path, line: &str, tree: Option<String>| {
            let command = [text(program)].into_iter().chain(words(line)).chain(tree).collect();
            Start { mode: words("program"), command, ..Start::default() }
        };
        Ok(match (&self.runs, task) {
            (Runs::Hub(program), _) => Some(self.serve(program, task)?),
            (Runs::True, Task::Shell) => Some(run(Path::new(TRUE), "", None)),
            (Runs::Ripgrep(rg), Task::Text(files)) => {
                let line = format!("--line-number --no-heading --color=never -F {NEEDLE}");
                Some(run(rg, &line, Some(tree(files)?)))
            }
            (Runs::Fd(fd), Task::Names(files)) => {
                Some(run(fd, &format!("--color=never --glob {}", glob()), Some(tree(files)?)))
            }
            _ => None,
        })
    }

    /// Starts the hub with a home of its own, which has exactly the grants that the task needs.
    fn serve(&self, program: &Path, task: Task) -> anyhow::Result<Start> {
        let folder = self.trees.scratch.folder()?;
        let home = text(&folder);
        let environment = vec![("HOBNOB_HOME", home.clone()), ("HOME", home.clone())];
        // Granting needs a person at a terminal, or the owner's secret.
        let secret = ("HOBNOB_OWNER_SECRET", "bench");
        std::fs::create_dir_all(folder.join("state"))?;
        write(&folder.join("state/owner-secret"), secret.1)?;
        let hobnob = |words: &[&str]| {
            let mut command = Command::new(program);
            command.env(secret.0, secret.1);
            command.args(words).envs(environment.iter().cloned()).current_dir(&folder);
            quiet(&mut command).map(drop)
        };
        let (tool, arguments) = self.prepare(task, &hobnob)?;
        let file = folder.join("arguments.jsonl");
        write(&file, &format!("{arguments}\n"))?;
        let mode = ["stdio", "--tool", tool, "--arguments", &text(&file)].map(str::to_owned).into();
        let command = vec![text(program), "--project".to_owned(), home, "serve".to_owned()];
        Ok(Start { mode, command, environment, ..Start::default() })
    }

    /// Grants what a task needs, as a person would, and returns its tool and arguments.
    fn prepare(
        &self,
        task: Task,
        hobnob: &dyn Fn(&[&str]) -> anyhow::Result<()>,
    ) -> anyhow::Result<(&'static str, Value)> {
        let search = |files, mut what: Value| {
            let tree = text(&self.trees.tree(files)?);
            hobnob(&["enable", "files"])?;
            hobnob(&["grant", "files", &tree])?;
            what["path"] = tree.into();
            what["limit"] = 1000.into();
            Ok(("files_search", what))
        };
        match task {
            Task::Shell => {
                hobnob(&["enable", "shell"])?;
                hobnob(&["grant", "shell", "--as-root", "--", TRUE])?;
                Ok(("shell_run", json!({"argv": ["true"]})))
            }
            Task::Text(files) => search(files, json!({"content": NEEDLE, "literal": true})),
            Task::Names(files) => search(files, json!({"glob": glob()})),
        }
    }
}

/// Trees of files, made once for all programs that search them.
struct Trees {
    scratch: Scratch,
    made: RefCell<HashMap<usize, PathBuf>>,
}

impl Trees {
    fn tree(&self, files: usize) -> anyhow::Result<PathBuf> {
        if let Some(folder) = self.made.borrow().get(&files) {
            return Ok(folder.clone());
        }
        eprintln!("  {files} files …");
        let folder = self.scratch.folder()?;
        file_tree::fill(&folder, files).with_context(|| format!("{files} files"))?;
        self.made.borrow_mut().insert(files, folder.clone());
        Ok(folder)
    }
}

const TRUE: &str = "/bin/true";

fn glob() -> String {
    format!("*{NEEDLE}*")
}

/// Our binary and other builds of it, and the programs beside them.
pub(super) fn all(builder: Builder<'_>) -> anyhow::Result<Vec<Named<Machine>>> {
    let scratch = Scratch::new(builder.workspace, "machine")?;
    let trees = Rc::new(Trees { scratch, made: RefCell::default() });
    let machine = |runs| Machine { runs, trees: Rc::clone(&trees) };
    let mut all: Vec<Named<Machine>> = builder
        .hubs()
        .map(|(name, program)| (name, program.map(|it| machine(Runs::Hub(it)))))
        .collect();
    let [plain, rg, fd] = BESIDE;
    all.push((plain.to_owned(), Ok(machine(Runs::True))));
    let mut install = |name: &str, peer, runs: fn(PathBuf) -> Runs| {
        if builder.args.wants(name) {
            let program = install_debian(peer).map(|program| machine(runs(program)));
            all.push((name.to_owned(), program));
        }
    };
    install(rg, &RIPGREP, Runs::Ripgrep);
    install(fd, &FD, Runs::Fd);
    Ok(all)
}
