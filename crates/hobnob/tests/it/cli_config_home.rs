//! A home folder of its own for one test, and the program run in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use hobnob_config::{Digest, Places, Servers};
use serde_json::Value;

use crate::program::{OWNER_SECRET, PROGRAM, own};

/// A folder with a home, a project and Hobnob's files; gone with the test.
pub(crate) struct Home(PathBuf);

/// How a run ended.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Home {
    pub(crate) fn new() -> Self {
        static COUNTER: AtomicUsize = AtomicUsize::new(0);
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let name = format!("hobnob-cli-{}-{number}", std::process::id());
        let home = Self(std::env::temp_dir().canonicalize().unwrap().join(name));
        for folder in ["home", "project", "hobnob/config", "hobnob/state"] {
            fs::create_dir_all(home.0.join(folder)).unwrap();
        }
        home
    }

    pub(crate) fn path(&self, inside: &str) -> PathBuf {
        self.0.join(inside)
    }

    /// Hobnob's own list of servers.
    pub(crate) fn own(&self) -> PathBuf {
        self.path("hobnob/config/mcp.json")
    }

    /// The copies of files of this name that commands made before they changed one.
    pub(crate) fn copies(&self, name: &str) -> Vec<PathBuf> {
        let Ok(files) = fs::read_dir(self.path("hobnob/state/backups")) else { return Vec::new() };
        let start = format!("-{name}.bak-");
        let files = files.map(|it| it.unwrap().path());
        files.filter(|it| it.to_str().unwrap().contains(&start)).collect()
    }

    pub(crate) fn write(&self, inside: &str, text: &str) {
        let file = self.path(inside);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// Where the program finds everything, for a project that is this folder.
    pub(crate) fn places(&self, project: &str) -> Places {
        Places {
            home: self.path("home"),
            config_dir: self.path("hobnob/config"),
            data_dir: self.path("hobnob/data"),
            state_dir: self.path("hobnob/state"),
            runtime_dir: self.path("hobnob/run"),
            project: self.path(project),
        }
    }

    /// What the catalogue and the pins of a server are kept under.
    pub(crate) fn identity(&self, project: &str, server: &str) -> Digest {
        let servers = Servers::load(&self.places(project), &|_| None);
        servers.get(server).unwrap().identity
    }

    /// The program in the project's folder, without a terminal.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        own(&self.path("hobnob"), arguments);
        let mut command = Command::new(PROGRAM);
        command
            .args(arguments)
            .env(OWNER_SECRET.0, OWNER_SECRET.1)
            .current_dir(self.path("project"))
            .env("HOME", self.path("home"))
            .env("HOBNOB_HOME", self.path("hobnob"))
            .env_remove("RUST_LOG")
            .env_remove("LOG_LEVEL")
            .env_remove("XDG_CONFIG_HOME")
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        let output = self.command(arguments).output().unwrap();
        Run {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Runs what must end well.
    pub(crate) fn ok(&self, arguments: &[&str]) -> Run {
        let run = self.run(arguments);
        assert_eq!(run.code, 0, "{arguments:?}: {}{}", run.stdout, run.stderr);
        run
    }

    /// The JSON document of a run that must end with this code.
    pub(crate) fn json(&self, code: i32, arguments: &[&str]) -> Value {
        let mut words = vec!["--json"];
        words.extend(arguments);
        let run = self.run(&words);
        assert_eq!(run.code, code, "{arguments:?}: {}{}", run.stdout, run.stderr);
        serde_json::from_str(&run.stdout)
            .unwrap_or_else(|error| panic!("{arguments:?}: {error}: {}", run.stdout))
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

/// The JSON of a file.
pub(crate) fn read_json(file: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()
}

/// Files beside this one whose names begin with its name and `.bak-`.
pub(crate) fn backups(file: &Path) -> Vec<PathBuf> {
    let start = format!("{}.bak-", file.file_name().unwrap().to_str().unwrap());
    let files = fs::read_dir(file.parent().unwrap()).unwrap().map(|it| it.unwrap().path());
    let fits = |it: &PathBuf| it.file_name().unwrap().to_str().unwrap().starts_with(&start);
    files.filter(fits).collect()
}

/// Who may read and write a file.
#[cfg(unix)]
pub(crate) fn mode(file: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(file).unwrap().permissions().mode() & 0o777
}
