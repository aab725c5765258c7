//! The n-th call that writes fails, for every n: nothing is acknowledged that is not kept, reading
//! goes on, and when the disk is well again so is the store.
#![cfg(target_os = "linux")]

use crate::drill::{Ack, Worker, assert_kept, dice, steps_made, times};
use hobnob_store::sqlite::SqliteStore;
use hobnob_store::suite::Folder;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The kinds of failure, with how many calls fail in a row.
const KINDS: [(&str, u32); 6] =
    [("full", 1), ("full", 40), ("short", 2), ("broken", 1), ("sync", 1), ("sync", 3)];

#[test]
fn whichever_call_fails_nothing_acknowledged_is_lost() {
    let shim = Shim::build();
    let mut dice = dice();
    for (kind, count) in KINDS {
        let (mut first, mut runs) = (1, 0);
        while survive(&shim, kind, first, count) {
            runs += 1;
            // Each of them for the full count; a few of them in every run.
            first += if times(0, 1) == 1 { 1 } else { dice.u64(1..=150) };
        }
        assert!(0 < runs, "{kind} never happened");
        eprintln!("{kind}, {count} in a row: {runs} runs, {first} calls at most");
    }
}

/// One run from an empty folder on; whether any call failed in it.
fn survive(shim: &Shim, kind: &str, first: u64, count: u32) -> bool {
    let folder = Folder::new().unwrap();
    let (file, seen) = (folder.file("store.db"), folder.file("seen"));
    let what = format!("{kind} from call {first} on, {count} times");
    let mut command = shim.worker(["faults", file.to_str().unwrap()], &file, kind);
    command
        .env("FAULT_FIRST", first.to_string())
        .env("FAULT_COUNT", count.to_string())
        .env("FAULT_SEEN", &seen);
    let (status, lines) = Worker::spawn(&mut command).end();
    assert!(status.success(), "{what}: {status}, {lines:#?}");
    for line in &lines {
        let clear = match line.split(' ').next().unwrap() {
            "ack" | "read" => true,
            "failed" => line.contains("the disk is full or cannot be written: "),
            "refused" => line.contains("store.db cannot be opened"),
            _ => false,
        };
        assert!(clear, "{what}: {line}");
    }
    let acks: Vec<Ack> = lines.iter().filter_map(|line| Ack::parse(line)).collect();
    assert_eq!(acks.len(), 15, "{what}");
    let store = SqliteStore::open(&file).expect(&what);
    let made = steps_made(&file);
    assert_kept(&acks, &made);
    drop(store);
    seen.exists()
}

#[test]
fn what_cannot_be_written_is_refused_and_left_alone() {
    let shim = Shim::build();
    for kind in ["readonly", "forbidden"] {
        let folder = Folder::new().unwrap();
        let file = folder.file("store.db");
        drop(SqliteStore::open(&file).unwrap());
        let before = fs::read(&file).unwrap();
        for name in ["store.db", "new/store.db"] {
            let place = folder.file(name);
            let mut command = shim.worker(["hold", place.to_str().unwrap()], folder.path(), kind);
            let output = command.output().unwrap();
            assert!(!output.status.success(), "{kind}: {}", output.status);
            let told = String::from_utf8_lossy(&output.stderr);
            assert!(told.contains("cannot be opened"), "{kind}: {told}");
        }
        assert_eq!(fs::read(&file).unwrap(), before, "{kind}");
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(Result::unwrap).collect();
        assert_eq!(left.len(), 2, "{kind}: {left:?}");
    }
}

/// The library that makes calls fail, built where the system keeps what is not needed for long.
struct Shim {
    folder: Folder,
}

impl Shim {
    fn build() -> Self {
        let shim = Self { folder: Folder::new().unwrap() };
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/fault/fault.c");
        // The same that SQLite is built with.
        let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
        let built = Command::new(compiler)
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .args([shim.library(), source])
            .arg("-ldl")
            .status();
        assert!(built.unwrap().success());
        shim
    }

    fn library(&self) -> PathBuf {
        self.folder.file("fault.so")
    }

    /// A worker whose calls fail on files whose names begin like this.
    fn worker<const N: usize>(&self, words: [&str; N], file: &Path, kind: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_store-worker"));
        command
            .args(words)
            .env("LD_PRELOAD", self.library())
            .env("FAULT_FILE", file)
            .env("FAULT_KIND", kind);
        command
    }
}
