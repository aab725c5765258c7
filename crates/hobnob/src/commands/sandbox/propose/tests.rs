//! Proposals as cases: a home, what a server used in it, and the sandbox for it.

use super::*;
use std::fs;
use std::os::unix::fs::symlink;

/// A home with these files; a name with a slash at its end is a folder.
struct Home {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl Home {
    fn new(files: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("home");
        for file in files {
            let file = path.join(file);
            if file.to_string_lossy().ends_with('/') {
                fs::create_dir_all(file).unwrap();
            } else {
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, "").unwrap();
            }
        }
        Self { _folder: folder, path }
    }

    fn propose(&self, uses: &[(TracedUse, &str)]) -> Proposal {
        let file = |(use_, name): &(TracedUse, &str)| (self.path.join(name), *use_);
        let report =
            TraceReport { files: uses.iter().map(file).collect(), ..TraceReport::default() };
        let around = Surroundings {
            home: self.path.clone(),
            own_folders: vec![self.path.join(".config/hobnob")],
            scratch: vec![self.path.join("scratch")],
        };
        propose(&report, &around)
    }

    fn check(&self, uses: &[(TracedUse, &str)], read: &[&str], write: &[&str]) {
        let proposal = self.propose(uses);
        let names = |paths: &BTreeSet<PathBuf>| -> Vec<String> {
            let name =
                |it: &PathBuf| it.strip_prefix(&self.path).unwrap_or(it).display().to_string();
            paths.iter().map(name).collect()
        };
        let found = (names(&proposal.read), names(&proposal.write));
        let wanted = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        assert_eq!(found, (wanted(read), wanted(write)), "{uses:?}");
    }
}

use TracedUse::{Create, Look, Read, Write, WriteFolder};

#[test]
fn packages_and_folders_of_programs_stand_for_their_files() {
    let home = Home::new(&[
        "src/app/node_modules/a/index.js",
        "src/app/node_modules/b/node_modules/c/index.js",
        "src/app/main.js",
        "venv/pyvenv.cfg",
        "venv/lib/python3/site-packages/mcp/__init__.py",
        ".cache/uv/wheels/x",
        ".npm/_npx/1/x",
        ".local/share/uv/python/bin/python3",
    ]);
    home.check(
        &[
            (Read, "src/app/node_modules/a/index.js"),
            (Read, "src/app/node_modules/b/node_modules/c/index.js"),
            (Read, "src/app/main.js"),
            (Read, "venv/lib/python3/site-packages/mcp/__init__.py"),
            (WriteFolder, ".cache/uv/wheels"),
            (Read, ".cache/uv/wheels/x"),
            (Write, ".npm/_npx/1/x"),
            (Read, ".local/share/uv/python/bin/python3"),
            (Read, "/usr/lib/libc.so"),
            (Read, "/proc/self/maps"),
        ],
        &[".local/share/uv", "src/app/main.js", "src/app/node_modules", "venv"],
        &[".cache/uv", ".npm"],
    );
}

#[test]
fn many_files_of_a_folder_are_the_folder_but_never_the_home_or_more() {
    let files = [
        "data/a",
        "data/b",
        "data/c",
        "data/d",
        "one",
        "two",
        "three",
        "four",
        "few/a",
        "few/b",
        ".config/a.toml",
        ".config/b.toml",
        ".config/c.toml",
        ".config/d.toml",
    ];
    let home = Home::new(&files);
    let read = files.into_iter().chain(["", ".config"]);
    let uses: Vec<_> = read.map(|name| (Read, name)).collect();
    home.check(
        &uses,
        &[
            ".config/a.toml",
            ".config/b.toml",
            ".config/c.toml",
            ".config/d.toml",
            "data",
            "few/a",
            "few/b",
            "four",
            "one",
            "three",
            "two",
        ],
        &[],
    );
}

#[test]
fn secrets_and_our_own_files_are_named_one_by_one() {
    let home = Home::new(&[
        ".ssh/a",
        ".ssh/b",
        ".ssh/c",
        ".ssh/d",
        ".config/hobnob/config.toml",
        ".npmrc",
    ]);
    let uses = [".ssh/a", ".ssh/b", ".ssh/c", ".ssh/d", ".npmrc", ".config/hobnob/config.toml"];
    let proposal = home.propose(&uses.map(|name| (Read, name)));
    assert_eq!(proposal.read.len(), uses.len());
    assert_eq!(proposal.read, proposal.secrets);
    let changed = home.propose(&[(WriteFolder, ".ssh"), (WriteFolder, "")]);
    assert_eq!(changed.write, BTreeSet::new());
    assert_eq!(changed.refused, [home.path.join(".ssh"), home.path.clone()].into());
}

#[test]
fn what_is_made_needs_its_folder_unless_that_is_too_much() {
    let home = Home::new(&[
        "notes/new.md",
        ".tool.json",
        "made/",
        ".cache/",
        "base/tasks.db",
        "scratch/old",
        "gone/",
    ]);
    home.check(
        &[
            (Create, "notes/new.md"),
            (Create, ".tool.json"),
            (Create, "made"),
            (Create, ".cache"),
            (Write, "base/tasks.db"),
            (Create, "gone/lock"),
            (Create, "scratch/own"),
            (Write, "scratch/own/file"),
            (Read, "scratch/old"),
        ],
        &["scratch/old"],
        &[".tool.json", "base", "gone", "made", "notes"],
    );
}

#[test]
fn code_that_python_caches_does_not_make_an_environment_writable() {
    let home = Home::new(&[
        "venv/pyvenv.cfg",
        "venv/lib/mcp/__init__.py",
        "venv/lib/mcp/__pycache__/__init__.cpython-311.pyc",
        "server/__pycache__/server.cpython-311.pyc",
        "server/server.py",
    ]);
    home.check(
        &[
            (Read, "venv/lib/mcp/__init__.py"),
            (Create, "venv/lib/mcp/__pycache__"),
            (Create, "venv/lib/mcp/__pycache__/__init__.cpython-311.pyc.139"),
            (WriteFolder, "venv/lib/mcp/__pycache__"),
            (Read, "server/server.py"),
            (Create, "server/__pycache__"),
            (Write, "server/__pycache__/server.cpython-311.pyc"),
            (Read, "server/__pycache__/server.cpython-311.pyc"),
        ],
        &["server/server.py", "venv"],
        &[],
    );
}

#[test]
fn links_and_what_they_lead_to_are_both_needed() {
    let home = Home::new(&["real/tool", "bin/"]);
    symlink(home.path.join("real/tool"), home.path.join("bin/tool")).unwrap();
    symlink("/usr/bin/env", home.path.join("bin/env")).unwrap();
    home.check(
        &[(Read, "bin/tool"), (Read, "bin/env")],
        &["bin/env", "bin/tool", "real/tool"],
        &[],
    );
}

#[test]
fn only_what_is_looked_at_last_counts() {
    let home = Home::new(&["docs/sub/", "other/file"]);
    home.check(
        &[(Look, ""), (Look, "docs"), (Look, "docs/sub"), (Look, "other"), (Read, "other/file")],
        &["docs/sub", "other/file"],
        &[],
    );
}
