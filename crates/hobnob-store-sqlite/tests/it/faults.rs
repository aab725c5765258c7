//! The n-th write call fails, for every n: no acknowledged write is lost, reading continues, and
//! the store recovers with the disk.
#![cfg(target_os = "linux")]

use crate::drill::{AcknowledgedWrite, Worker, assert_kept, dice, steps_made, times};
use hobnob_store::suite::TemporaryFolder;
use hobnob_store_sqlite::SqliteStore;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// The number of steps that a worker makes.
const STEPS: usize = 15;

#[test]
fn a_full_disk_loses_nothing_acknowledged() {
    survive("full", 1);
}

#[test]
fn a_disk_that_is_full_for_a_while_loses_nothing_acknowledged() {
    survive("full", 40);
}

#[test]
fn a_short_write_loses_nothing_acknowledged() {
    survive("short", 2);
}

#[test]
fn a_broken_write_loses_nothing_acknowledged() {
    survive("broken", 1);
}

#[test]
fn a_failed_sync_loses_nothing_acknowledged() {
    survive("sync", 1);
}

#[test]
fn several_failed_syncs_lose_nothing_acknowledged() {
    survive("sync", 3);
}

/// `count` calls in a row fail, from any call on: in the end every write is acknowledged and kept.
fn survive(kind: &str, count: u32) {
    let shim = Shim::build();
    until_clean(kind, |first| {
        let what = format!("{kind} from call {first} on, {count} times");
        let run = shim.run(kind, first, count);
        assert!(run.status.success(), "{what}: {}, {:#?}", run.status, run.lines);
        assert_eq!(run.acks().len(), STEPS, "{what}");
        let odd = run.lines.iter().find(|line| !is_clear(line));
        assert!(odd.is_none(), "{what}: {odd:?}");
        run.assert_kept(&what);
        run.failed
    });
}

#[test]
fn whenever_the_power_fails_nothing_acknowledged_is_lost() {
    let shim = Shim::build();
    until_clean("power", |first| {
        let run = shim.run("power", first, 1);
        assert_eq!(run.status.success(), !run.failed);
        run.assert_kept(&format!("power fails with call {first}"));
        run.failed
    });
}

/// Runs with the first failing call at 1, 2, and so on until none fails: all positions for the full
/// count, a few of them in a normal run.
fn until_clean(kind: &str, mut fails: impl FnMut(u64) -> bool) {
    let mut dice = dice();
    let (mut first, mut runs) = (1, 0);
    while fails(first) {
        runs += 1;
        // There are few syncs, so each one is tried every time.
        let all = kind == "sync" || times(0, 1) == 1;
        first += if all { 1 } else { dice.u64(1..=100) };
    }
    assert!(0 < runs, "{kind} never happened");
    eprintln!("{kind}: {runs} runs, fewer than {first} calls in each");
}

/// Whether a line of a worker is as expected: a failure states its reason.
fn is_clear(line: &str) -> bool {
    match line.split(' ').next().unwrap() {
        "ack" | "read" => true,
        "failed" => line.contains("the disk is full or cannot be written: "),
        "refused" => line.contains("store.db cannot be opened"),
        _ => false,
    }
}

/// The result of a worker whose calls fail.
struct Run {
    folder: TemporaryFolder,
    status: ExitStatus,
    lines: Vec<String>,
    /// Whether at least one call failed.
    failed: bool,
}

impl Run {
    fn acks(&self) -> Vec<AcknowledgedWrite> {
        self.lines.iter().filter_map(|line| AcknowledgedWrite::parse(line)).collect()
    }

    /// Asserts that every acknowledged write is there on a healthy disk.
    fn assert_kept(&self, what: &str) {
        let file = self.folder.file("store.db");
        let store = SqliteStore::open(&file).expect(what);
        assert_kept(&self.acks(), &steps_made(&file));
        drop(store);
    }
}

#[test]
fn what_cannot_be_written_is_refused_and_left_alone() {
    let shim = Shim::build();
    for kind in ["readonly", "forbidden"] {
        let folder = TemporaryFolder::new().unwrap();
        let file = folder.file("store.db");
        drop(SqliteStore::open(&file).unwrap());
        let before = fs::read(&file).unwrap();
        for name in ["store.db", "new/store.db"] {
            let place = folder.file(name);
            let mut command = shim.worker(["hold", place.to_str().unwrap()], folder.path(), kind);
            let output = command.output().unwrap();
            assert!(!output.status.success(), "{kind}: {}", output.status);
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(stderr.contains("cannot be opened"), "{kind}: {stderr}");
        }
        assert_eq!(fs::read(&file).unwrap(), before, "{kind}");
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(Result::unwrap).collect();
        assert_eq!(left.len(), 2, "{kind}: {left:?}");
    }
}

/// The preloaded library that makes calls fail, built in a temporary folder.
struct Shim {
    folder: TemporaryFolder,
}

impl Shim {
    fn build() -> Self {
        let shim = Self { folder: TemporaryFolder::new().unwrap() };
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/fault/fault.c");
        // The compiler that SQLite is built with.
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

    /// Makes some steps from an empty folder, while `count` calls fail from call `first` on.
    fn run(&self, kind: &str, first: u64, count: u32) -> Run {
        let folder = TemporaryFolder::new().unwrap();
        let (file, seen) = (folder.file("store.db"), folder.file("seen"));
        let mut command = self.worker(["faults", file.to_str().unwrap()], &file, kind);
        command
            .env("FAULT_FIRST", first.to_string())
            .env("FAULT_COUNT", count.to_string())
            .env("FAULT_SEEN", &seen);
        let (status, lines) = Worker::spawn(&mut command).end();
        Run { folder, status, lines, failed: seen.exists() }
    }

    /// A worker whose calls fail on the files of this store.
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
