//! Backups of a store in use, and stores restored from backups.

use crate::drill::{AcknowledgedWrite, Worker, assert_kept, steps_made, times};
use hobnob_store::maintenance::{
    BackupError, BackupProgress, ExistingFile, RestoreError, StoreHealth, StoreMaintenance,
};
use hobnob_store::suite::TemporaryFolder;
use hobnob_store_sqlite::{SqliteMaintenance, SqliteStore, restore};
use parking_lot::Mutex;
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

#[tokio::test]
async fn a_backup_under_load_has_all_that_was_acknowledged_before_it() {
    for _ in 0..times(2, 20) {
        let folder = TemporaryFolder::new().unwrap();
        let (file, to) = (folder.file("store.db"), folder.file("backup.db"));
        let worker = Worker::write(&file, 8, &BTreeMap::new());
        let before = worker.acks(times(100, 400));
        let store = SqliteStore::open(&file).unwrap();
        let contents = store.backup(&to, ExistingFile::Refuse, |_| {}).await.unwrap();
        let mut after = worker.acks(50);
        after.extend(worker.kill());
        drop(store);

        let elsewhere = folder.file("elsewhere/store.db");
        let restored = restore(&to, &elsewhere, ExistingFile::Refuse).unwrap();
        assert_eq!((restored.contents, restored.kept), (contents, None));
        drop(SqliteStore::open(&elsewhere).unwrap());
        let made = steps_made(&elsewhere);
        assert_kept(&before, &made);
        // It may contain at most one write per writer more than was acknowledged.
        for (writer, last) in made {
            let acked = before.iter().chain(&after).filter(|ack| ack.writer == writer);
            let limit = acked.map(|ack| ack.step).max().unwrap_or_default();
            assert!(last <= limit + 1, "writer {writer}: {last} of {limit}");
        }
        assert_kept(&[before, after].concat(), &steps_made(&file));
    }
}

#[tokio::test]
async fn a_backup_tells_how_far_it_is_and_is_one_private_file() {
    let folder = TemporaryFolder::new().unwrap();
    let (file, to) = (folder.file("store.db"), folder.file("backup.db"));
    let acks = write(&file, "300");
    let store = SqliteStore::open(&file).unwrap();
    let seen: Arc<Mutex<Vec<BackupProgress>>> = Arc::default();
    let sink = Arc::clone(&seen);
    let progress = move |progress| sink.lock().push(progress);
    let contents = store.backup(&to, ExistingFile::Refuse, progress).await.unwrap();
    assert_eq!(contents.bytes, fs::metadata(&to).unwrap().len());
    assert_eq!((contents.memories, contents.tasks), (120, 60));
    let seen = seen.lock().clone();
    assert!(seen.is_sorted_by_key(|progress| progress.copied) && 1 < seen.len(), "{seen:?}");
    assert!(seen.last().is_some_and(|last| last.copied == last.pages), "{seen:?}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(&to).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let begins = |name: &str| name.starts_with("backup");
    assert_eq!(names(&folder, begins), ["backup.db"]);
    restore(&to, &folder.file("other.db"), ExistingFile::Refuse).unwrap();
    assert_kept(&acks, &steps_made(&folder.file("other.db")));
}

#[tokio::test]
async fn a_backup_replaces_only_what_it_may() {
    let folder = TemporaryFolder::new().unwrap();
    let file = folder.file("store.db");
    let (old, other) = (folder.file("old.db"), folder.file("other.db"));
    let store = SqliteStore::open(&file).unwrap();
    drop(SqliteStore::open(&other).unwrap());
    fs::write(&old, "an older backup").unwrap();
    let stores =
        ["store.db", "store.db-wal", "store.db-open", "other.db", "other.db-wal", "./store.db"];
    for to in stores.map(|name| folder.file(name)) {
        for existing in [ExistingFile::Refuse, ExistingFile::Replace] {
            let before = fs::read(&to).ok();
            let error = store.backup(&to, existing, |_| {}).await.unwrap_err();
            assert!(matches!(error, BackupError::IsStore(_)), "{error}");
            assert_eq!(fs::read(&to).ok(), before);
        }
    }
    let error = store.backup(&old, ExistingFile::Refuse, |_| {}).await.unwrap_err();
    assert!(matches!(&error, BackupError::Exists(it) if *it == old), "{error}");
    assert_eq!(fs::read(&old).unwrap(), b"an older backup");
    store.backup(&old, ExistingFile::Replace, |_| {}).await.unwrap();
    store.backup(&old, ExistingFile::Replace, |_| {}).await.unwrap();
    let error = store.backup(&folder.file("no/folder.db"), ExistingFile::Replace, |_| {}).await;
    assert!(matches!(error.unwrap_err(), BackupError::Io { .. }));
    assert!(names(&folder, |name| name.contains("part")).is_empty());
}

#[tokio::test]
async fn a_damaged_store_is_not_backed_up() {
    let folder = TemporaryFolder::new().unwrap();
    let (file, to) = (folder.file("store.db"), folder.file("backup.db"));
    write(&file, "50");
    let mut bytes = fs::read(&file).unwrap();
    bytes[16_384..50_000].fill(0xA5);
    fs::write(&file, bytes).unwrap();
    let store = SqliteStore::open(&file).unwrap();
    let error = store.backup(&to, ExistingFile::Refuse, |_| {}).await.unwrap_err();
    assert!(matches!(&error, BackupError::Damaged(problems) if !problems.is_empty()), "{error}");
    assert!(!to.exists());
    assert!(names(&folder, |name| name.contains("part")).is_empty());
}

#[test]
fn a_backup_that_is_killed_leaves_nothing_under_its_name() {
    let folder = TemporaryFolder::new().unwrap();
    let file = folder.file("store.db");
    write(&file, "300");
    for round in 0..times(3, 30) {
        let to = folder.file(&format!("{round}.db"));
        let worker = Worker::start(["backup", file.to_str().unwrap(), to.to_str().unwrap()]);
        assert_eq!(worker.line(), "step");
        worker.kill();
        // The backup may have been complete already, but never partial.
        if to.exists() {
            restore(&to, &folder.file(&format!("restored-{round}.db")), ExistingFile::Refuse)
                .unwrap();
        }
    }
}

#[test]
fn a_store_in_use_is_not_replaced() {
    let folder = TemporaryFolder::new().unwrap();
    let (file, backup) = (folder.file("store.db"), folder.file("backup.db"));
    let acks = write(&file, "20");
    let (status, _) =
        Worker::start(["backup", file.to_str().unwrap(), backup.to_str().unwrap()]).end();
    assert!(status.success());

    let worker = Worker::start(["hold", file.to_str().unwrap()]);
    assert_eq!(worker.line(), "open");
    for (from, to) in [(&backup, &file), (&file, &folder.file("copy.db")), (&file, &file)] {
        let error = restore(from, to, ExistingFile::Replace).unwrap_err();
        assert!(matches!(&error, RestoreError::InUse(it) if *it == file), "{error}");
    }
    let (status, _) = worker.end();
    assert!(status.success());

    let error = restore(&backup, &file, ExistingFile::Refuse).unwrap_err();
    assert!(matches!(&error, RestoreError::Exists(it) if *it == file), "{error}");
    let kept = restore(&backup, &file, ExistingFile::Replace).unwrap().kept.unwrap();
    let begins =
        kept.file_name().unwrap().to_str().unwrap().starts_with("store.db.before-restore-");
    assert!(begins, "{kept:?}");
    for file in [&file, &kept] {
        assert_kept(&acks, &steps_made(file));
    }
}

#[test]
fn what_was_kept_can_be_restored_with_its_log() {
    let folder = TemporaryFolder::new().unwrap();
    let (file, backup) = (folder.file("store.db"), folder.file("backup.db"));
    write(&file, "5");
    let (status, _) =
        Worker::start(["backup", file.to_str().unwrap(), backup.to_str().unwrap()]).end();
    assert!(status.success());
    let worker = Worker::write(&file, 4, &steps_made(&file));
    let mut acks = worker.acks(20);
    acks.extend(worker.kill());

    let kept = restore(&backup, &file, ExistingFile::Replace).unwrap().kept.unwrap();
    assert_eq!(steps_made(&file), BTreeMap::from([(0, 5)]));
    restore(&kept, &file, ExistingFile::Replace).unwrap();
    assert_kept(&acks, &steps_made(&file));
}

#[test]
fn what_is_no_backup_is_not_restored() {
    let folder = TemporaryFolder::new().unwrap();
    let (file, from) = (folder.file("store.db"), folder.file("from.db"));
    write(&file, "20");
    let good = fs::read(&file).unwrap();
    let mut damaged = good.clone();
    damaged[16_384..50_000].fill(0xA5);
    let mut newer = good.clone();
    newer[63] = 99;
    let cases: [(&str, &[u8], &str); 6] = [
        ("empty", b"", "another program"),
        ("text", b"# notes\n", "not a database"),
        ("half", &good[..good.len() / 2], "malformed"),
        ("damaged", &damaged, ""),
        ("newer", &newer, "newer Hobnob (format 99, this one knows"),
        ("header only", &good[..100], "malformed"),
    ];
    for (what, bytes, message) in cases {
        fs::write(&from, bytes).unwrap();
        let error = restore(&from, &file, ExistingFile::Replace).unwrap_err();
        assert!(matches!(&error, RestoreError::Unusable { .. }), "{what}: {error}");
        assert!(error.to_string().contains(message), "{what}: {error}");
        assert_eq!(fs::read(&file).unwrap(), good, "{what}");
        assert_eq!(fs::read(&from).unwrap(), bytes, "{what}");
    }
    for from in [folder.file("none.db"), folder.path().into()] {
        let error = restore(&from, &file, ExistingFile::Replace).unwrap_err();
        let refused = matches!(error, RestoreError::Io { .. } | RestoreError::Unusable { .. });
        assert!(refused, "{error}");
    }
    assert_eq!(names(&folder, |_| true), ["from.db", "store.db", "store.db-lock"]);
}

/// Triggers and views run with later writes and reads, so only our own may be there.
#[test]
fn foreign_triggers_and_views_are_neither_restored_nor_called_sound() {
    let folder = TemporaryFolder::new().unwrap();
    let (file, from) = (folder.file("store.db"), folder.file("from.db"));
    for (sql, name) in [
        (
            "CREATE TRIGGER spy AFTER INSERT ON tasks BEGIN DELETE FROM memories; END",
            "the trigger spy is not one of Hobnob's",
        ),
        ("CREATE VIEW spy AS SELECT 1", "the view spy is not one of Hobnob's"),
        (
            "DROP TRIGGER tasks_counted;
             CREATE TRIGGER tasks_counted AFTER INSERT ON tasks BEGIN DELETE FROM memories; END",
            "the trigger tasks_counted is not one of Hobnob's",
        ),
    ] {
        drop(fs::remove_file(&from));
        write(&from, "5");
        Connection::open(&from).unwrap().execute_batch(sql).unwrap();
        let error = restore(&from, &file, ExistingFile::Replace).unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
        let health = SqliteMaintenance::new(&from).check();
        assert_eq!(health, StoreHealth::Problems(vec![name.to_owned()]));
    }
}

/// Makes some steps of one writer and closes the store properly.
fn write(file: &Path, steps: &str) -> Vec<AcknowledgedWrite> {
    let (status, lines) = Worker::start(["write", file.to_str().unwrap(), steps, "0:1"]).end();
    assert!(status.success());
    lines.iter().filter_map(|line| AcknowledgedWrite::parse(line)).collect()
}

fn names(folder: &TemporaryFolder, wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| wanted(name))
        .collect();
    names.sort();
    names
}

#[tokio::test]
async fn the_maintenance_port_takes_care_of_the_store_in_its_file() {
    let folder = TemporaryFolder::new().unwrap();
    let (file, to) = (folder.file("store.db"), folder.file("backup.db"));
    let care: Box<dyn StoreMaintenance> = Box::new(SqliteMaintenance::new(&file));
    assert_eq!((care.exists(), care.check()), (false, StoreHealth::Absent));
    write(&file, "30");
    assert_eq!((care.exists(), care.check()), (true, StoreHealth::Sound));
    assert_eq!(care.location(), file.display().to_string());
    let seen: Arc<Mutex<Option<BackupProgress>>> = Arc::default();
    let sink = Arc::clone(&seen);
    let observer = Box::new(move |progress| *sink.lock() = Some(progress));
    let contents = care.back_up(to.clone(), ExistingFile::Refuse, observer).await.unwrap();
    assert!(seen.lock().is_some_and(|last| last.copied == last.pages));
    fs::write(&file, "no database").unwrap();
    assert!(matches!(care.check(), StoreHealth::Problems(_)));
    let again = care.back_up(to.clone(), ExistingFile::Replace, Box::new(|_| {})).await;
    assert!(matches!(again, Err(BackupError::Open(_))), "{again:?}");
    let restored = care.restore(&to, ExistingFile::Replace).unwrap();
    assert_eq!((restored.contents, care.check()), (contents, StoreHealth::Sound));
}
