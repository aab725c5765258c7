//! Damaged, incomplete and foreign files: refused with a hint, left unchanged, and repaired by a
//! backup.

use crate::drill::{Worker, assert_kept, steps_made, steps_now};
use hobnob_store::StoreOpenError;
use hobnob_store::maintenance::{ExistingFile, StoreHealth};
use hobnob_store::suite::TemporaryFolder;
use hobnob_store_sqlite::{SqliteStore, check, restore};
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::time::Duration;
use tokio::task::JoinSet;

/// How a store was left before it was damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Left {
    Closed,
    Killed,
}

type Damage = fn(&Path);

const HINT: &str = "`hobnob restore ";

#[test]
fn what_is_damaged_is_refused_and_left_as_it_is_until_a_backup_is_restored() {
    let cases: [(Left, &str, Damage, &str); 20] = [
        (Left::Closed, "first byte", |file| flip(file, 0), "not a database"),
        (Left::Closed, "page size", |file| flip(file, 16), "not a database"),
        (Left::Closed, "first tree", |file| flip(file, 100), "malformed"),
        (Left::Closed, "whose it is", |file| flip(file, 70), "another program"),
        (Left::Closed, "format", |file| put(file, 60, &[0; 4]), "header is damaged"),
        (Left::Closed, "half of it", |file| cut(file, |size| size / 2), "malformed"),
        (Left::Closed, "not even a header", |file| cut(file, |_| 50), "malformed"),
        (Left::Closed, "zeros", |file| put(file, 0, &[0; 8_192]), "not a database"),
        (Left::Closed, "text", |file| fs::write(file, "# notes\n").unwrap(), "not a database"),
        (Left::Closed, "other program", foreign, "another program"),
        (Left::Closed, "folder", |file| replace(file, |file| fs::create_dir(file)), "not a file"),
        (Left::Closed, "pipe", pipe, "not a file"),
        (Left::Killed, "first byte", |file| flip(file, 0), "not a database"),
        (Left::Killed, "most pages", |file| put(file, 8_192, &[0xA5; 60_000]), "cannot be used"),
        (Left::Killed, "half of it", |file| cut(file, |size| size / 2), "cannot be used"),
        (Left::Killed, "nothing left", |file| cut(file, |_| 0), "it is empty"),
        (Left::Killed, "gone", |file| fs::remove_file(file).unwrap(), "it is missing"),
        (Left::Killed, "no log", without_log, "its log"),
        (Left::Killed, "only the log", only_log, "it is missing"),
        (Left::Killed, "empty beside its log", empty_with_log, "it is empty"),
    ];
    for (left, what, damage, message) in cases {
        let folder = TemporaryFolder::new().unwrap();
        let (backup, file) = (folder.file("backup.db"), folder.file("store.db"));
        let made = prepare(&file, &backup, left);
        damage(&file);
        let what = format!("{left:?}, {what}");
        let before = bytes(&file);
        let error = SqliteStore::open(&file).expect_err(&what).to_string();
        assert!(error.contains(message) && error.contains(HINT), "{what}: {error}");
        assert!(!error.contains('\n'), "{what}: {error}");
        assert_eq!(bytes(&file), before, "{what}: opening changed it");
        let StoreHealth::Problems(problems) = check(&file) else { panic!("{what}: nothing found") };
        assert!(!problems.is_empty());
        assert_eq!(bytes(&file), before, "{what}: checking changed it");
        let (status, _) = Worker::start(["hold", file.to_str().unwrap()]).end();
        assert!(!status.success(), "{what}: opened by another process");

        if file.exists() && !file.is_file() {
            let error =
                restore(&backup, &file, ExistingFile::Replace).expect_err(&what).to_string();
            assert!(error.contains("not a file"), "{what}: {error}");
            continue;
        }
        let restored = restore(&backup, &file, ExistingFile::Replace).expect(&what);
        let kept = restored.kept.map(|kept| bytes(&kept)).unwrap_or_default();
        assert_eq!(kept, before, "{what}: kept");
        drop(SqliteStore::open(&file).expect(&what));
        assert_eq!(steps_made(&file), made, "{what}");
    }
}

#[test]
fn damage_that_only_shows_when_it_is_read_is_found_by_a_check() {
    let cases: [(&str, Damage); 3] = [
        ("pages in the middle", |file| put(file, 16_384, &[0xA5; 40_000])),
        ("a row that points to nothing", |file| {
            run(file, "PRAGMA foreign_keys = OFF; DELETE FROM tasks WHERE number = 1");
        }),
        ("a memory that cannot be found", |file| {
            run(file, "DELETE FROM memory_text WHERE rowid = 1");
        }),
    ];
    for (what, damage) in cases {
        let folder = TemporaryFolder::new().unwrap();
        let (backup, file) = (folder.file("backup.db"), folder.file("store.db"));
        prepare(&file, &backup, Left::Closed);
        assert_eq!(check(&file), StoreHealth::Sound);
        damage(&file);
        let before = bytes(&file);
        let StoreHealth::Problems(problems) = check(&file) else { panic!("{what}: nothing found") };
        assert!(!problems.is_empty() && problems.iter().all(|problem| !problem.is_empty()));
        assert_eq!(bytes(&file), before, "{what}");
        assert_eq!(names(&folder), ["backup.db", "store.db", "store.db-lock"], "{what}");
    }
}

#[test]
fn a_check_makes_no_file_and_finds_a_sound_store_sound() {
    let folder = TemporaryFolder::new().unwrap();
    let (backup, file) = (folder.file("backup.db"), folder.file("store.db"));
    assert_eq!(check(&file), StoreHealth::Absent);
    assert_eq!(check(&folder.file("no/such/folder.db")), StoreHealth::Absent);
    assert!(names(&folder).is_empty());

    prepare(&file, &backup, Left::Killed);
    let before = bytes(&file);
    assert_eq!(check(&file), StoreHealth::Sound);
    assert_eq!(bytes(&file), before);
    assert_eq!(check(&backup), StoreHealth::Sound);

    let worker = Worker::write(&file, 2, &steps_now(&file));
    worker.acks(5);
    assert_eq!(check(&file), StoreHealth::Sound);
    assert_eq!(worker.acks(5).len(), 5, "it goes on");
    worker.kill();
    let expected = ["backup.db", "store.db", "store.db-lock", "store.db-open", "store.db-shm"];
    assert!(
        names(&folder)
            .iter()
            .all(|name| name == "store.db-wal" || expected.contains(&name.as_str()))
    );
}

#[test]
fn what_is_left_without_its_log_can_be_used_when_that_is_asked_for() {
    let folder = TemporaryFolder::new().unwrap();
    let (backup, file) = (folder.file("backup.db"), folder.file("store.db"));
    let made = prepare(&file, &backup, Left::Killed);
    without_log(&file);
    assert!(matches!(SqliteStore::open(&file), Err(StoreOpenError::LogMissing { .. })));
    let restored = restore(&file, &file, ExistingFile::Replace).unwrap();
    assert!(restored.kept.unwrap().exists());
    drop(SqliteStore::open(&file).unwrap());
    // The steps that were in the database file before the kill.
    assert_eq!(steps_made(&file), made);
}

#[test]
fn a_store_that_another_program_put_in_order_is_opened() {
    let folder = TemporaryFolder::new().unwrap();
    let (backup, file) = (folder.file("backup.db"), folder.file("store.db"));
    let made = prepare(&file, &backup, Left::Killed);
    // Any program that reads the file triggers SQLite's clean-up when its last connection closes.
    run(&file, "SELECT count(*) FROM memories");
    assert!(!beside(&file, "-wal").exists() && beside(&file, "-open").exists());
    assert_eq!(check(&file), StoreHealth::Sound);
    drop(SqliteStore::open(&file).expect("it is sound"));
    // The steps from the log are there too.
    let now = steps_made(&file);
    assert!(made.iter().all(|(writer, steps)| steps <= &now[writer]), "{made:?} {now:?}");
    assert_eq!(names(&folder), ["backup.db", "store.db", "store.db-lock"]);

    // If the index is gone as well, the damage shows that the log is missing.
    prepare(&folder.file("other.db"), &folder.file("again.db"), Left::Killed);
    let file = folder.file("other.db");
    run(&file, "SELECT count(*) FROM memories");
    put(&file, 16_384, &[0xA5; 40_000]);
    let before = bytes(&file);
    assert!(matches!(SqliteStore::open(&file), Err(StoreOpenError::LogMissing { .. })));
    assert_eq!(bytes(&file), before, "opening changed it");
}

#[test]
fn a_store_that_was_closed_in_order_is_one_file_and_private() {
    let folder = TemporaryFolder::new().unwrap();
    let file = folder.file("new/store.db");
    let first = SqliteStore::open(&file).unwrap();
    let second = SqliteStore::open(&file).unwrap();
    drop(first);
    assert!(folder.file("new/store.db-open").exists(), "the other has it open");
    drop(second);
    let left: Vec<String> = names_in(&folder.file("new"));
    assert_eq!(left, ["store.db", "store.db-lock"]);
    #[cfg(unix)]
    for (name, mode) in [("new", 0o700), ("new/store.db", 0o600), ("new/store.db-lock", 0o600)] {
        use std::os::unix::fs::PermissionsExt as _;
        let found = fs::metadata(folder.file(name)).unwrap().permissions().mode();
        assert_eq!(found & 0o777, mode, "{name}");
    }
}

#[tokio::test]
async fn a_read_that_outlives_the_store_keeps_it_open() {
    let folder = TemporaryFolder::new().unwrap();
    let store = SqliteStore::open(&folder.file("store.db")).unwrap();
    let (begun, begins) = tokio::sync::oneshot::channel();
    let (release, released) = sync_channel::<()>(0);
    let mut begun = Some(begun);
    let to = folder.file("backup.db");
    let mut asks = JoinSet::new();
    asks.spawn(async move {
        let wait = move |_| {
            if let Some(begun) = begun.take() {
                begun.send(()).unwrap();
                released.recv().unwrap();
            }
        };
        store.backup(&to, ExistingFile::Refuse, wait).await
    });
    begins.await.unwrap();
    // The runtime with the read's caller ends, and with it the last handle of the store.
    asks.shutdown().await;
    let mark = folder.file("store.db-open");
    assert!(mark.exists());
    release.send(()).unwrap();
    let mut looks = tokio::time::interval(Duration::from_millis(5));
    while mark.exists() {
        looks.tick().await;
    }
    drop(SqliteStore::open(&folder.file("store.db")).unwrap());
    assert_eq!(names(&folder), ["backup.db", "store.db", "store.db-lock"]);
}

#[cfg(unix)]
#[test]
fn a_link_to_a_store_is_that_store() {
    let folder = TemporaryFolder::new().unwrap();
    let (file, link) = (folder.file("store.db"), folder.file("link.db"));
    std::os::unix::fs::symlink("store.db", &link).unwrap();
    assert!(SqliteStore::open(&link).is_err(), "it leads nowhere");
    drop(SqliteStore::open(&file).unwrap());
    let worker = Worker::write(&link, 1, &BTreeMap::new());
    let acks = worker.acks(6);
    worker.kill();
    assert!(folder.file("store.db-wal").exists());
    assert!(matches!(check(&link), StoreHealth::Sound));
    drop(SqliteStore::open(&file).unwrap());
    assert_kept(&acks, &steps_made(&link));
}

/// A store with some steps and a backup of it. A killed one has further steps in its log.
fn prepare(file: &Path, backup: &Path, left: Left) -> BTreeMap<u64, u64> {
    let name = file.to_str().unwrap();
    let (status, _) = Worker::start(["write", name, "25", "0:1", "1:1"]).end();
    assert!(status.success());
    let (status, _) = Worker::start(["backup", name, backup.to_str().unwrap()]).end();
    assert!(status.success());
    let made = steps_made(file);
    if left == Left::Killed {
        let worker = Worker::write(file, 2, &made);
        worker.acks(4);
        worker.kill();
    }
    made
}

/// The length and hash of a store's file and of its log, if they exist.
fn bytes(file: &Path) -> [Option<(usize, u64)>; 2] {
    let hash = |bytes: Vec<u8>| {
        let mut hasher = DefaultHasher::new();
        hasher.write(&bytes);
        (bytes.len(), hasher.finish())
    };
    // Reading a pipe would never end.
    let read = |file: PathBuf| file.is_file().then(|| hash(fs::read(file).unwrap()));
    ["", "-wal"].map(|suffix| read(beside(file, suffix)))
}

fn beside(file: &Path, suffix: &str) -> PathBuf {
    format!("{}{suffix}", file.to_str().unwrap()).into()
}

fn names(folder: &TemporaryFolder) -> Vec<String> {
    names_in(folder.path())
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn flip(file: &Path, at: usize) {
    let mut bytes = fs::read(file).unwrap();
    bytes[at] ^= 0x55;
    fs::write(file, bytes).unwrap();
}

fn put(file: &Path, at: usize, new: &[u8]) {
    let mut bytes = fs::read(file).unwrap();
    bytes[at..at + new.len()].copy_from_slice(new);
    fs::write(file, bytes).unwrap();
}

fn cut(file: &Path, size: fn(u64) -> u64) {
    let length = fs::metadata(file).unwrap().len();
    fs::OpenOptions::new().write(true).open(file).unwrap().set_len(size(length)).unwrap();
}

fn replace(file: &Path, make: fn(&Path) -> std::io::Result<()>) {
    fs::remove_file(file).unwrap();
    make(file).unwrap();
}

fn run(file: &Path, sql: &str) {
    Connection::open(file).unwrap().execute_batch(sql).unwrap();
}

fn foreign(file: &Path) {
    fs::remove_file(file).unwrap();
    run(file, "PRAGMA journal_mode = WAL; CREATE TABLE recipes (name TEXT)");
}

fn pipe(file: &Path) {
    fs::remove_file(file).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(file).status().unwrap().success());
}

fn without_log(file: &Path) {
    fs::remove_file(beside(file, "-wal")).unwrap();
}

fn only_log(file: &Path) {
    fs::remove_file(file).unwrap();
    fs::remove_file(beside(file, "-open")).unwrap();
}

fn empty_with_log(file: &Path) {
    cut(file, |_| 0);
    fs::remove_file(beside(file, "-open")).unwrap();
}
