//! Migrations: killed in the middle, run by several processes at once, and never backwards.

use crate::drill::{Worker, dice, look, steps_made, steps_now, times};
use hobnob_store::StoreOpenError;
use hobnob_store::maintenance::StoreHealth;
use hobnob_store::suite::TemporaryFolder;
use hobnob_store_sqlite::{NEWEST, SqliteStore, check};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// The number of steps that the worker adds.
const STEPS: i64 = 3;

#[test]
fn a_migration_that_is_killed_is_made_again_or_was_made() {
    let folder = TemporaryFolder::new().unwrap();
    let old = folder.file("old.db");
    let full = fill(&old);
    let mut dice = dice();
    let copy = |name: &str| {
        let file = folder.file(name);
        fs::copy(&old, &file).unwrap();
        file
    };
    let begin = Instant::now();
    let worker = Worker::start(["migrate", copy("whole.db").to_str().unwrap()]);
    assert_eq!(worker.line(), "open");
    let whole = u64::try_from(begin.elapsed().as_micros()).unwrap();
    worker.kill();
    let (mut file, mut made) = (copy("0.db"), 0);
    for round in 0..times(10, 50) {
        let worker = Worker::start(["migrate", file.to_str().unwrap()]);
        let end = Instant::now() + Duration::from_micros(dice.u64(0..=whole));
        let said = worker.line_before(end);
        worker.kill();
        let format = format(&file);
        assert!(format == NEWEST || format == NEWEST + STEPS, "format {format}");
        assert!(said.is_none() || format == NEWEST + STEPS, "it said that it was open");
        assert_eq!(steps_now(&file), full);
        if format == NEWEST + STEPS {
            assert_eq!(logged(&file), [1, 2, 3]);
            made += 1;
            file = copy(&format!("{}.db", round + 1));
        } else {
            // A program that knows only the old format accepts what is left.
            assert_eq!(check(&file), StoreHealth::Sound);
        }
    }
    let (status, _) = Worker::start(["migrate", file.to_str().unwrap()]).end();
    assert!(status.success());
    assert_eq!(logged(&file), [1, 2, 3]);
    eprintln!("{made} were made before they were killed, the others not at all");
}

#[test]
fn one_of_several_processes_migrates_and_all_go_on() {
    let folder = TemporaryFolder::new().unwrap();
    for round in 0..times(2, 20) {
        let file = folder.file(&format!("{round}.db"));
        let full = fill(&file);
        let name = file.to_str().unwrap();
        let workers: Vec<_> = (0..6).map(|_| Worker::start(["migrate", name])).collect();
        for worker in workers {
            let (status, lines) = worker.end();
            assert!(status.success() && lines == ["open"], "{status}: {lines:?}");
        }
        assert_eq!(logged(&file), [1, 2, 3]);
        assert_eq!(steps_now(&file), full);
    }
}

#[test]
fn several_processes_make_one_new_store() {
    let folder = TemporaryFolder::new().unwrap();
    for round in 0..times(3, 30) {
        let file = folder.file(&format!("{round}/deep/store.db"));
        let name = file.to_str().unwrap();
        let workers: Vec<_> = (0..6)
            .map(|writer| Worker::start(["write", name, "3", format!("{writer}:1").as_str()]))
            .collect();
        for worker in workers {
            let (status, _) = worker.end();
            assert!(status.success(), "{status}");
        }
        assert_eq!(steps_made(&file), (0..6).map(|writer| (writer, 3)).collect());
    }
}

#[test]
fn a_newer_file_is_refused_without_a_byte_written() {
    let folder = TemporaryFolder::new().unwrap();
    for closed in ["in order", "not at all"] {
        let file = folder.file(&format!("{closed}.db"));
        let name = file.to_str().unwrap();
        let (status, _) = Worker::start(["migrate", name]).end();
        assert!(status.success());
        if closed == "not at all" {
            // The newer format is recorded only in the log.
            fs::remove_file(&file).unwrap();
            let worker = Worker::start(["migrate", name]);
            assert_eq!(worker.line(), "open");
            worker.kill();
        }
        let files = || {
            let files = ["", "-wal"].map(|suffix| fs::read(format!("{name}{suffix}")).ok());
            assert_eq!(files[1].is_some(), closed == "not at all");
            files
        };
        let before = files();
        let error = SqliteStore::open(&file).unwrap_err();
        assert!(
            matches!(error, StoreOpenError::Newer { found, known, .. }
                if found == NEWEST + STEPS && known == NEWEST),
            "{error}"
        );
        assert_eq!(files(), before);
        assert!(matches!(check(&file), StoreHealth::Problems(_)));
        assert_eq!(files(), before);
        let (status, _) = Worker::start(["migrate", name]).end();
        assert!(status.success(), "{closed}: the newer one can still use it");
    }
}

/// A store of the newest format with some steps, closed properly.
fn fill(file: &Path) -> std::collections::BTreeMap<u64, u64> {
    let (status, _) = Worker::start(["write", file.to_str().unwrap(), "10", "0:1", "1:1"]).end();
    assert!(status.success());
    steps_now(file)
}

fn format(file: &Path) -> i64 {
    look(file).pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
}

/// The migration steps that were applied, with repetitions.
fn logged(file: &Path) -> Vec<i64> {
    let connection = look(file);
    let mut statement = connection.prepare("SELECT step FROM steps_made ORDER BY rowid").unwrap();
    let steps = statement.query_map((), |row| row.get(0)).unwrap();
    steps.map(Result::unwrap).collect()
}
