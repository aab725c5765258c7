//! A temporary folder that is deleted after the test, and the places in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use hobnob_config::{Places, ServerName, Servers};

pub(crate) struct Scratch {
    root: PathBuf,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let count = COUNTER.fetch_add(1, Ordering::Relaxed);
        let nanoseconds = std::time::UNIX_EPOCH.elapsed().unwrap().as_nanos();
        let name = format!("hobnob-config-{}-{count}-{nanoseconds}", std::process::id());
        let root = std::env::temp_dir().join(name);
        fs::create_dir_all(&root).unwrap();
        Self { root: root.canonicalize().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn places(&self) -> Places {
        for folder in ["home", "project"] {
            fs::create_dir_all(self.path(folder)).unwrap();
        }
        Places {
            home: self.path("home"),
            config_dir: self.path("config"),
            data_dir: self.path("data"),
            state_dir: self.path("state"),
            runtime_dir: self.path("run"),
            project: self.path("project"),
        }
    }

    /// The servers if `TOKEN` and `EMPTY` are the only variables.
    pub(crate) fn servers(&self) -> Servers {
        Servers::load(&self.places(), &variables)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

pub(crate) const TOKEN: &str = "s3cret-value";

pub(crate) fn variables(name: &str) -> Option<String> {
    match name {
        "TOKEN" => Some(TOKEN.into()),
        "EMPTY" => Some(String::new()),
        _ => None,
    }
}

pub(crate) fn name(text: &str) -> ServerName {
    ServerName::parse(text).unwrap()
}

/// The names of the files in a folder, sorted.
pub(crate) fn listing(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        files.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[cfg(unix)]
pub(crate) fn mode(path: &Path) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&fs::metadata(path).unwrap().permissions()) & 0o777
}
