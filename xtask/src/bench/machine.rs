//! Our binary with services that act on the machine, what was granted to them, and the programs
//! that do the same by themselves.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

use anyhow::Context;
use serde_json::{Value, json};

use super::arguments::Args;
use super::artifact::{Artifact, Profile};
use super::machine_material::{LOG, folder_of_logs, tree_of_files};
use super::plan::{MachineTask, NEEDLE};
use super::scratch::{Scratch, write};
use super::start::{BESIDE, OURS, SPAWN, Start, StartCall, StartRole, text};
use crate::peers::{FD, Peer, RIPGREP, install_debian};
use crate::process::quiet;
use crate::workspace::Workspace;

/// Trees and logs, made once for all who read them.
struct Material {
    scratch: Scratch,
    made: RefCell<HashMap<(&'static str, usize), PathBuf>>,
}

impl Material {
    /// A folder with so many of something in it.
    fn folder(
        &self,
        what: &'static str,
        count: usize,
        fill: impl FnOnce(&Path, usize) -> anyhow::Result<()>,
    ) -> anyhow::Result<PathBuf> {
        if let Some(folder) = self.made.borrow().get(&(what, count)) {
            return Ok(folder.clone());
        }
        eprintln!("  {count} {what} …");
        let folder = self.scratch.folder()?;
        fill(&folder, count).with_context(|| format!("{count} {what}"))?;
        self.made.borrow_mut().insert((what, count), folder.clone());
        Ok(folder)
    }

    fn tree(&self, files: usize) -> anyhow::Result<PathBuf> {
        self.folder("files", files, tree_of_files)
    }

    fn logs(&self, entries: usize) -> anyhow::Result<PathBuf> {
        self.folder("log entries", entries, folder_of_logs)
    }
}

/// What is measured under one name.
pub(super) struct Machine {
    runs: Runs,
    material: Rc<Material>,
}

enum Runs {
    /// Our binary: the requests go through it.
    Hobnob(PathBuf),
    /// A program that is run itself.
    Program(Beside),
}

/// Which task a program does by itself, and where the program is.
enum Beside {
    True(StartCall),
    Ripgrep(PathBuf),
    Fd(PathBuf),
}

impl Machine {
    /// How to start it, unless this is not for it.
    pub(super) fn start(&self, task: MachineTask) -> anyhow::Result<Option<Start>> {
        match &self.runs {
            Runs::Hobnob(program) => self.serve(program, task).map(Some),
            Runs::Program(beside) => {
                let command = self.command(beside, task)?;
                let call = match beside {
                    Beside::True(call) => *call,
                    Beside::Ripgrep(_) | Beside::Fd(_) => StartCall::Spawn,
                };
                Ok(command.map(|command| Start {
                    command,
                    role: StartRole::Program(call),
                    ..Start::default()
                }))
            }
        }
    }

    /// The words of a program that does the task, if it does.
    fn command(&self, beside: &Beside, task: MachineTask) -> anyhow::Result<Option<Vec<String>>> {
        let tree = |files| Ok::<_, anyhow::Error>(text(&self.material.tree(files)?));
        let words = |program: &Path, words: &[&str]| {
            let words = words.iter().map(|word| (*word).to_owned());
            Some([text(program)].into_iter().chain(words).collect())
        };
        let lines = ["--line-number", "--no-heading", "--color=never"];
        Ok(match (beside, task) {
            (Beside::True(_), MachineTask::Shell) => words(Path::new(TRUE), &[]),
            (Beside::Ripgrep(rg), MachineTask::Text(files)) => {
                words(rg, &[&lines[..], &["-F", NEEDLE, &tree(files)?]].concat())
            }
            (Beside::Ripgrep(rg), MachineTask::Regex(files)) => {
                words(rg, &[&lines[..], &[REGEX, &tree(files)?]].concat())
            }
            (Beside::Fd(fd), MachineTask::Names(files)) => {
                words(fd, &["--color=never", "--glob", &glob(), &tree(files)?])
            }
            _ => None,
        })
    }

    /// A home of its own for every start, with exactly what the task needs granted in it.
    fn serve(&self, program: &Path, task: MachineTask) -> anyhow::Result<Start> {
        let home = self.material.scratch.folder()?;
        let shown = text(&home);
        let environment = vec![("HOBNOB_HOME", shown.clone()), ("HOME", shown.clone())];
        let hobnob = |words: &[&str]| {
            let mut command = Command::new(program);
            command.args(words).envs(environment.iter().cloned()).current_dir(&home);
            quiet(&mut command).map(drop)
        };
        let (request, mut serve) = (self.prepare(task, &hobnob)?, vec!["serve"]);
        if task.is_sysmcp() {
            serve.extend(["--profile", "sysmcp"]);
        }
        let mut line = request.to_string();
        line.write_char('\n')?;
        write(&home.join(task.requests()), &line)?;
        let mut command = vec![text(program), "--project".to_owned(), shown.clone()];
        command.extend(serve.into_iter().map(str::to_owned));
        Ok(Start { command, environment, folder: shown, ..Start::default() })
    }

    /// Grants what a task needs, as a person does, and returns its request.
    fn prepare(
        &self,
        task: MachineTask,
        hobnob: &dyn Fn(&[&str]) -> anyhow::Result<()>,
    ) -> anyhow::Result<Value> {
        let call = |tool: &str, arguments: Value| json!({"method": "tools/call", "params": {"name": tool, "arguments": arguments}});
        let granted_tree = |files| {
            let tree = text(&self.material.tree(files)?);
            hobnob(&["enable", "files"])?;
            hobnob(&["grant", "files", &tree])?;
            Ok::<_, anyhow::Error>(tree)
        };
        let granted_logs = |entries| {
            let logs = text(&self.material.logs(entries)?);
            hobnob(&["enable", "logs"])?;
            hobnob(&["grant", "logs", &logs])?;
            Ok::<_, anyhow::Error>(format!("{logs}/{LOG}"))
        };
        Ok(match task {
            MachineTask::Shell => {
                hobnob(&["enable", "shell"])?;
                hobnob(&["grant", "shell", "--", TRUE])?;
                call("shell_run", json!({"argv": ["true"]}))
            }
            MachineTask::Text(files) => {
                let path = granted_tree(files)?;
                let arguments =
                    json!({"path": path, "content": NEEDLE, "literal": true, "limit": 1000});
                call("files_search", arguments)
            }
            MachineTask::Regex(files) => {
                let path = granted_tree(files)?;
                call("files_search", json!({"path": path, "content": REGEX, "limit": 1000}))
            }
            MachineTask::Names(files) => {
                let path = granted_tree(files)?;
                call("files_search", json!({"path": path, "glob": glob(), "limit": 1000}))
            }
            MachineTask::Logs(entries) => {
                call("logs_query", json!({"log": granted_logs(entries)?, "limit": 100}))
            }
            MachineTask::Discovery => json!({"method": "tools/list", "params": {}}),
            MachineTask::Parsing => json!({"method": "ping", "params": {}}),
            MachineTask::Stat => {
                let path = granted_tree(SMALL_TREE)?;
                call("fs_stat", json!({"path": path}))
            }
            MachineTask::EventLog => {
                call("eventlog_query", json!({"logName": granted_logs(SMALL_LOG)?, "limit": 100}))
            }
            MachineTask::Validation => {
                call("eventlog_query", json!({"logName": "System", "limit": "many"}))
            }
        })
    }
}

const TRUE: &str = "/bin/true";
/// Finds what the plain text finds.
const REGEX: &str = "needle[0-9][a-f][0-9][a-f]";
/// For what is asked of a service and not of its speed.
const SMALL_TREE: usize = 100;
const SMALL_LOG: usize = 10_000;

fn glob() -> String {
    format!("*{NEEDLE}*")
}

/// What is compared under its name; a program that cannot be had has a reason instead.
pub(super) type NamedMachine = (String, anyhow::Result<Machine>);

/// Everything that is compared.
pub(super) fn all(workspace: &Workspace, args: &Args) -> anyhow::Result<Vec<NamedMachine>> {
    let scratch = Scratch::new(workspace, "machine")?;
    let material = Rc::new(Material { scratch, made: RefCell::default() });
    let machine = |runs| Machine { runs, material: Rc::clone(&material) };
    let mut all = Vec::new();
    if args.wants(OURS) {
        let program =
            Artifact::Program("hobnob").build(workspace, Profile::SHIPPED, &["hobnob"])?;
        all.push((OURS.to_owned(), Ok(machine(Runs::Hobnob(program)))));
    }
    for (name, program) in args.other_builds.iter().filter(|(name, _)| args.wants(name)) {
        let program = fs::canonicalize(program)?;
        all.push((name.clone(), Ok(machine(Runs::Hobnob(program)))));
    }
    let [plain, rg, fd] = BESIDE;
    for (name, call) in [(plain, StartCall::Fork), (SPAWN, StartCall::Spawn)] {
        all.push((name.to_owned(), Ok(machine(Runs::Program(Beside::True(call))))));
    }
    let mut peer = |name: &str, peer: &Peer, beside: fn(PathBuf) -> Beside| {
        if args.wants(name) {
            let found = install_debian(peer).map(|it| machine(Runs::Program(beside(it))));
            all.push((name.to_owned(), found));
        }
    };
    peer(rg, &RIPGREP, Beside::Ripgrep);
    peer(fd, &FD, Beside::Fd);
    Ok(all)
}
