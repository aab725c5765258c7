//! Our binary with its built-in services, on stores that are filled for the run.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use super::arguments::Args;
use super::artifact::{Artifact, Profile};
use super::plan::{Over, Transport};
use super::scratch::{Scratch, write};
use super::start::{OURS, Start, text};
use crate::process::quiet;
use crate::workspace::Workspace;

/// Captures that are prepared; more than anybody makes in one measurement.
const CAPTURES: &str = "60000";
/// The one without memory and tasks.
const WITHOUT: &str = "ours, both off";

/// Our binary in one setting.
pub(super) struct BuiltIns {
    program: PathBuf,
    /// Fills stores, prepares calls, and searches in process.
    example: PathBuf,
    services: Services,
    scratch: Arc<Scratch>,
    /// Homes by the number of memories in them.
    filled: RefCell<HashMap<usize, PathBuf>>,
}

#[derive(Clone, Copy, PartialEq)]
enum Services {
    On,
    Off,
}

impl BuiltIns {
    /// How to start it, unless this is not for it.
    pub(super) fn start(&self, transport: Transport) -> anyhow::Result<Option<Start>> {
        match (transport, self.services) {
            (Transport::BuiltInsOnOrOff(over, memories), _)
            | (Transport::BuiltIns(over, memories), Services::On) => {
                self.serve(over, memories).map(Some)
            }
            (Transport::InProcess(memories), Services::On) => {
                let store = text(&store(&self.home(memories)?));
                let memories = memories.to_string();
                let words = ["recall", "--file", &store, "--memories", &memories];
                let command = [text(&self.example)].into_iter().chain(words.map(str::to_owned));
                Ok(Some(Start { command: command.collect(), ..Start::default() }))
            }
            _ => Ok(None),
        }
    }

    fn serve(&self, over: Over, memories: usize) -> anyhow::Result<Start> {
        let home = text(&self.home(memories)?);
        let mut command = vec![text(&self.program), "--project".to_owned(), home.clone()];
        let serve: &[&str] = match over {
            Over::Stdio => &["serve"],
            Over::Http => &["serve", "--http", "127.0.0.1:{PORT}"],
        };
        command.extend(serve.iter().map(|word| (*word).to_owned()));
        let environment = vec![("HOBNOB_HOME", home.clone()), ("HOME", home)];
        let folder = text(&self.scratch.root);
        Ok(Start { command, environment, folder, ..Start::default() })
    }

    /// A home with so many memories in its store; one without any is new each time.
    fn home(&self, memories: usize) -> anyhow::Result<PathBuf> {
        if let Some(home) = self.filled.borrow().get(&memories) {
            return Ok(home.clone());
        }
        let home = self.scratch.folder()?;
        let settings = match self.services {
            Services::On => "",
            Services::Off => "[services]\nmemory = false\ntasks = false\n",
        };
        write(&home.join("config/config.toml"), settings)?;
        if memories == 0 {
            return Ok(home);
        }
        eprintln!("  a store with {memories} memories …");
        let count = memories.to_string();
        let store = store(&home);
        fs::create_dir_all(store.parent().unwrap_or(&home))?;
        self.prepare(&["fill", "--file", &text(&store), "--memories", &count])?;
        let questions = self.prepare(&["questions", "--memories", &count])?;
        write(&self.scratch.root.join(format!("questions-{memories}.jsonl")), &questions)?;
        self.filled.borrow_mut().insert(memories, home.clone());
        Ok(home)
    }

    fn prepare(&self, words: &[&str]) -> anyhow::Result<String> {
        quiet(Command::new(&self.example).args(words))
    }
}

fn store(home: &Path) -> PathBuf {
    home.join("data/hobnob.db")
}

/// Our binary with its services and without, and other builds of it with them.
pub(super) fn all(workspace: &Workspace, args: &Args) -> anyhow::Result<Vec<(String, BuiltIns)>> {
    let ours = [(OURS, Services::On), (WITHOUT, Services::Off)].map(|(name, on)| (name, on, None));
    let others = args.other_builds.iter();
    let others = others.map(|(name, program)| (name.as_str(), Services::On, Some(program)));
    let wanted: Vec<_> =
        ours.into_iter().chain(others).filter(|(name, ..)| args.wants(name)).collect();
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let example = Artifact::Example("bench_memory").build(
        workspace,
        Profile::SHIPPED,
        &["hobnob-services"],
    )?;
    let program = Artifact::Program("hobnob").build(workspace, Profile::SHIPPED, &["hobnob"])?;
    let scratch = Arc::new(Scratch::new(workspace, "services")?);
    let captures = quiet(Command::new(&example).args(["captures", "--count", CAPTURES]))?;
    write(&scratch.root.join("captures.jsonl"), &captures)?;
    let built_ins = |(name, services, other): (&str, Services, Option<&PathBuf>)| {
        let built_ins = BuiltIns {
            program: other.unwrap_or(&program).clone(),
            example: example.clone(),
            services,
            scratch: Arc::clone(&scratch),
            filled: RefCell::default(),
        };
        (name.to_owned(), built_ins)
    };
    Ok(wanted.into_iter().map(built_ins).collect())
}
