//! Acknowledged writes survive: killed processes, and many processes on one file.

use crate::drill::{AcknowledgedWrite, Worker, assert_kept, dice, steps_made, steps_now, times};
use hobnob_store::suite::TemporaryFolder;
use hobnob_store_sqlite::SqliteStore;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

const WRITERS: u64 = 8;

#[test]
fn no_acknowledged_write_is_lost_when_the_process_is_killed() {
    let mut dice = dice();
    let (mut acknowledged, mut slowest) = (0, Duration::ZERO);
    // Each store stays small, so that checking it stays quick.
    for cycles in [10; 20].into_iter().take(usize::try_from(times(1, 20)).unwrap()) {
        let folder = TemporaryFolder::new().unwrap();
        let file = folder.file("store.db");
        let mut made = BTreeMap::new();
        for _ in 0..cycles {
            let worker = Worker::write(&file, WRITERS, &made);
            // Some workers are killed while they still open the store.
            if dice.bool() {
                assert_eq!(worker.line(), "open");
            }
            let end = Instant::now() + Duration::from_millis(dice.u64(10..=500));
            let mut acks = worker.acks_before(end);
            acks.extend(worker.kill());
            let begin = Instant::now();
            let store = SqliteStore::open(&file).unwrap();
            slowest = slowest.max(begin.elapsed());
            made = steps_made(&file);
            assert_kept(&acks, &made);
            acknowledged += acks.len();
            drop(store);
        }
    }
    assert!(0 < acknowledged);
    eprintln!("{acknowledged} acknowledged writes, slowest restart {slowest:?}");
}

#[test]
fn a_task_is_there_whose_change_was_acknowledged_the_moment_before_the_kill() {
    let folder = TemporaryFolder::new().unwrap();
    let file = folder.file("store.db");
    let (mut dice, mut made) = (dice(), BTreeMap::new());
    for _ in 0..times(10, 200) {
        let worker = Worker::write(&file, 1, &made);
        // Every fourth and fifth step is about a task.
        let about = [4, 0][dice.usize(..2)];
        let ack = std::iter::repeat_with(|| worker.acks(1)[0]).find(|ack| ack.step % 5 == about);
        let rest = worker.kill();
        made = steps_made(&file);
        assert_kept(&[ack.unwrap()], &made);
        assert_kept(&rest, &made);
    }
}

#[test]
fn many_processes_share_a_file_and_none_fails_because_it_is_locked() {
    let folder = TemporaryFolder::new().unwrap();
    let file = folder.file("store.db");
    let steps = times(100, 1_000);
    let mut dice = dice();
    let acks: Vec<AcknowledgedWrite> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (file, dice) = (&file, dice.fork());
                scope.spawn(move || write_all(file, writer, steps, dice))
            })
            .collect();
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
    });
    let made = steps_made(&file);
    assert_eq!(made, (0..WRITERS).map(|writer| (writer, steps)).collect());
    assert_kept(&acks, &made);
    let mut micros: Vec<u64> = acks.iter().map(|ack| ack.micros).collect();
    micros.sort_unstable();
    let at = |percent| micros[(micros.len() - 1) * percent / 100];
    eprintln!(
        "{} writes by {WRITERS} processes at a time: median {} µs, 99 of 100 within {} µs, all \
         within {} µs",
        acks.len(),
        at(50),
        at(99),
        at(100)
    );
}

/// One writer's steps, by consecutive processes that end properly or are killed.
fn write_all(
    file: &Path,
    writer: u64,
    steps: u64,
    mut dice: fastrand::Rng,
) -> Vec<AcknowledgedWrite> {
    let mut acks = Vec::new();
    loop {
        let made = steps_now(file);
        let first = made.get(&writer).map_or(1, |last| last + 1);
        if steps < first {
            return acks;
        }
        let count = dice.u64(1..=steps + 1 - first);
        let name = file.to_str().unwrap();
        let who = format!("{writer}:{first}");
        let worker = Worker::start(["write", name, &count.to_string(), &who]);
        if dice.bool() {
            acks.extend(worker.acks(count));
            let (status, _) = worker.end();
            assert!(status.success(), "{status}");
        } else {
            acks.extend(worker.acks(dice.u64(1..=count)));
            acks.extend(worker.kill());
        }
        checkpoint(file, &mut dice);
    }
}

/// A checkpoint, which SQLite does from time to time, done more often.
fn checkpoint(file: &Path, dice: &mut fastrand::Rng) {
    let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
    // Does as much as it can without blocking another process.
    connection.busy_timeout(Duration::ZERO).unwrap();
    let how = ["PASSIVE", "FULL", "RESTART", "TRUNCATE"][dice.usize(..4)];
    let sql = format!("PRAGMA wal_checkpoint({how})");
    let done = connection.query_row(&sql, (), |_| Ok(()));
    let busy = |error: &rusqlite::Error| {
        error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy)
    };
    assert!(done.as_ref().is_ok() || done.as_ref().is_err_and(busy), "{done:?}");
}
