//! Our binary with its built-in services, on stores that are filled for the run.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

use super::builder::{Builder, Named};
use super::start::{Start, text, words};
use crate::bench::artifact::Artifact;
use crate::bench::case::{Over, Setup};
use crate::bench::scratch::{Scratch, write};
use crate::process::quiet;

/// How many captures are prepared: more than one measurement makes.
const CAPTURES: &str = "60000";

/// One build of our binary.
pub(super) struct Hub {
    program: PathBuf,
    stores: Rc<Stores>,
}

impl Hub {
    pub(super) fn start(&self, setup: Setup) -> anyhow::Result<Option<Start>> {
        match setup {
            Setup::Hub { over, memories } => self.serve(over, memories).map(Some),
            Setup::Recall { memories } => {
                let store = text(&store(&self.stores.home(memories)?));
                let memories = memories.to_string();
                let words = ["recall", "--file", &store, "--memories", &memories];
                let program = text(&self.stores.example);
                let command = [program].into_iter().chain(words.map(str::to_owned)).collect();
                Ok(Some(Start { command, ..Start::default() }))
            }
            _ => Ok(None),
        }
    }

    fn serve(&self, over: Over, memories: usize) -> anyhow::Result<Start> {
        let home = text(&self.stores.home(memories)?);
        let mut command = vec![text(&self.program), "--project".to_owned(), home.clone()];
        command.extend(match over {
            Over::Stdio => words("serve"),
            Over::Http => words("serve --http 127.0.0.1:{PORT}"),
        });
        let environment = vec![("HOBNOB_HOME", home.clone()), ("HOME", home)];
        let folder = text(&self.stores.scratch.root);
        Ok(Start { command, environment, folder, ..Start::default() })
    }
}

/// Home folders with filled stores, which all builds share.
struct Stores {
    /// The program that fills stores, prepares calls, and searches in process.
    example: PathBuf,
    scratch: Scratch,
    /// The homes, by the number of memories in them.
    filled: RefCell<HashMap<usize, PathBuf>>,
}

impl Stores {
    /// A home with this number of memories in its store; an empty one is new each time.
    fn home(&self, memories: usize) -> anyhow::Result<PathBuf> {
        if let Some(home) = self.filled.borrow().get(&memories) {
            return Ok(home.clone());
        }
        let home = self.scratch.folder()?;
        if memories == 0 {
            return Ok(home);
        }
        eprintln!("  a store with {memories} memories …");
        let store = store(&home);
        fs::create_dir_all(store.parent().unwrap_or(&home))?;
        let (file, count) = (text(&store), memories.to_string());
        quiet(Command::new(&self.example).args(["fill", "--file", &file, "--memories", &count]))?;
        self.filled.borrow_mut().insert(memories, home.clone());
        Ok(home)
    }
}

fn store(home: &Path) -> PathBuf {
    home.join("data/hobnob.db")
}

/// Our binary, and other builds of it.
pub(super) fn all(builder: Builder<'_>) -> anyhow::Result<Vec<Named<Hub>>> {
    let hubs: Vec<Named<PathBuf>> = builder.hubs().collect();
    if hubs.is_empty() {
        return Ok(Vec::new());
    }
    let example = builder.build(Artifact::Example("bench_memory"), "hobnob-services")?;
    let captures = quiet(Command::new(&example).args(["captures", "--count", CAPTURES]))?;
    let scratch = Scratch::new(builder.workspace, "services")?;
    write(&scratch.root.join("captures.jsonl"), &captures)?;
    let stores = Rc::new(Stores { example, scratch, filled: RefCell::default() });
    let hub = |program| Hub { program, stores: Rc::clone(&stores) };
    Ok(hubs.into_iter().map(|(name, program)| (name, program.map(hub))).collect())
}
