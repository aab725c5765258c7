//! Files that an attacker put there, and files that change while they are read.

use std::fs::{self, File};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hobnob_machine::logs::{LogControl, LogError, LogLimits, LogOutcome, LogTotal, NoMask};
use hobnob_policy::{LogFilter, LogOperation, LogStart};
use rustix::fs::{CWD, Mode, mkfifoat};

use crate::logs_files::gzip;
use crate::logs_granted::{GrantedLogs, line, messages};

#[test]
fn a_line_without_an_end_is_cut_and_read_over() {
    let logs = GrantedLogs::new();
    let mut file = File::create(logs.folder.join("a.log")).expect("a file");
    file.write_all(line(1).as_bytes()).expect("written");
    // 100 MB of zeros in a sparse file, and then a last entry.
    file.seek(SeekFrom::Current(100 << 20)).expect("sparse");
    file.write_all(b"\n").expect("written");
    file.write_all(line(2).as_bytes()).expect("written");
    let page = logs.page("a.log", 10, 0);
    assert_eq!(page.total, Some(LogTotal::Exactly(2)));
    assert_eq!(page.entries[0].message, "entry 2");
    assert!(page.entries[1].message.starts_with("entry 1"));
    assert!(page.entries[1].message.len() <= 3 * LogLimits::default().message);
    let filter = LogFilter { contains: Some("entry 1".into()), ..LogFilter::default() };
    let found = logs.query("a.log", filter, 10, LogStart::Offset(0)).expect("a page");
    assert_eq!(found.entries.len(), 1);
}

#[test]
fn bytes_that_are_no_text_do_no_harm() {
    let logs = GrantedLogs::new();
    let mut random = fastrand::Rng::with_seed(7);
    let noise: Vec<u8> = std::iter::repeat_with(|| random.u8(..)).take(300_000).collect();
    logs.write("noise.log", &noise);
    let page = logs.page("noise.log", 10_000, 0);
    let total = page.total.expect("counted").count();
    let mut count = 0;
    for entry in &page.entries {
        assert!(!entry.message.contains(|it: char| it.is_control() && it != '\n' && it != '\t'));
        count += 1;
    }
    assert_eq!(count, total.min(10_000));
    logs.write("esc.log", "2024-02-10T10:30:45Z INFO \x1b]0;title\x07\n");
    assert_eq!(messages(&logs.page("esc.log", 1, 0).entries), ["\u{fffd}]0;title\u{fffd}"]);
}

#[test]
fn a_gzip_bomb_is_read_up_to_the_limit() {
    let limits = LogLimits { decompressed: 1 << 20, ..LogLimits::default() };
    let logs = GrantedLogs::with(limits, None);
    let bomb = gzip(&vec![b'x'; 64 << 20]);
    assert!(bomb.len() < 1 << 20);
    logs.write("a.log.1.gz", &bomb);
    logs.write("b.log.1.gz", gzip(line(1).repeat(1 << 20).as_bytes()));
    logs.write("c.log.1.gz", &gzip(line(1).repeat(100).as_bytes())[..60]);
    logs.write("d.log.1.gz", "no gzip at all");
    assert_eq!(logs.page("a.log", 1, 0).total, Some(LogTotal::Exactly(1)));
    let filter = LogFilter { contains: Some("entry".into()), ..LogFilter::default() };
    let page = logs.query("b.log", filter, 3, LogStart::Offset(0)).expect("a page");
    let expected = (1_u64 << 20).div_ceil(line(1).len() as u64);
    assert_eq!(page.total.map(|it| it.count() <= expected), Some(true));
    for name in ["c.log", "d.log"] {
        logs.page(name, 10, 0);
    }
}

#[test]
fn links_and_pipes_lead_nowhere() {
    let logs = GrantedLogs::new();
    logs.write("real.log", line(1));
    symlink("../secret.log", logs.folder.join("out.log")).expect("a link");
    symlink("/etc/passwd", logs.folder.join("passwd.log")).expect("a link");
    symlink("real.log", logs.folder.join("in.log")).expect("a link");
    mkfifoat(CWD, logs.folder.join("x.log"), Mode::RUSR | Mode::WUSR).expect("a pipe");
    fs::hard_link(logs.folder.join("../secret.log"), logs.folder.join("hard.log")).expect("a link");
    for name in ["out.log", "passwd.log", "x.log", "hard.log"] {
        let refused = logs.query(name, LogFilter::default(), 10, LogStart::Offset(0));
        let error = refused.expect_err(name);
        assert!(matches!(error, LogError::File(_)), "{name}: {error}");
        assert!(!error.to_string().contains("secret"), "{error}");
    }
    assert_eq!(messages(&logs.page("in.log", 10, 0).entries), ["entry 1"]);
    assert_eq!(logs.names(), ["real.log"]);
    let follow =
        LogOperation::Follow { filter: LogFilter::default(), limit: 1, wait: Duration::ZERO };
    let permit = logs.permit("x.log", follow);
    let ended = logs.reader.perform(&permit, &NoMask, &LogControl::default(), &mut |_| {});
    ended.expect_err("a pipe");
}

#[test]
fn two_readers_and_a_writer_get_whole_entries() {
    let logs = GrantedLogs::new();
    logs.write("a.log", (0..2000).map(line).collect::<String>());
    let over = AtomicBool::new(false);
    let path = logs.folder.join("a.log");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0..200_u64 {
                match round % 20 {
                    // Rename, truncate, or append.
                    7 => fs::rename(&path, path.with_file_name("a.log.1")).expect("a rename"),
                    13 => fs::write(&path, line(round)).expect("a file"),
                    _ => {
                        let file = File::options().append(true).create(true).open(&path);
                        let text: String = (round..round + 50).map(line).collect();
                        file.expect("a file").write_all(text.as_bytes()).expect("written");
                    }
                }
            }
            over.store(true, Ordering::Relaxed);
        });
        for filter in [
            LogFilter::default(),
            LogFilter { contains: Some("entry".into()), ..LogFilter::default() },
        ] {
            let (logs, over) = (&logs, &over);
            scope.spawn(move || {
                let mut looks = 0;
                while looks < 20 || !over.load(Ordering::Relaxed) {
                    looks += 1;
                    let start = LogStart::Offset(looks % 7 * 100);
                    match logs.query("a.log", filter.clone(), 50, start) {
                        Ok(page) => check(&page.entries),
                        // Between the rename and the next write only the rotated part exists.
                        Err(error) => panic!("{error}"),
                    }
                }
            });
        }
    });
}

/// Entries are never joined or torn, although the file changes.
fn check(entries: &[hobnob_machine::logs::LogEntry]) {
    for entry in entries {
        let number = entry.message.strip_prefix("entry ").expect("an entry");
        assert!(number.len() <= 4, "{number}");
    }
}

#[test]
fn a_query_that_nobody_waits_for_ends() {
    let logs = GrantedLogs::new();
    logs.write("a.log", (0..10_000).map(line).collect::<String>());
    let control = LogControl::default();
    control.cancel();
    let query =
        LogOperation::Query { filter: LogFilter::default(), limit: 10, start: LogStart::Offset(0) };
    let permit = logs.permit("a.log", query);
    let ended = logs.reader.perform(&permit, &NoMask, &control, &mut |_| {});
    assert!(matches!(ended, Err(LogError::Cancelled)));
    let follow = LogOperation::Follow {
        filter: LogFilter::default(),
        limit: 10,
        wait: Duration::from_secs(3600),
    };
    let permit = logs.permit("a.log", follow);
    let ended = logs.reader.perform(&permit, &NoMask, &control, &mut |_| {});
    assert!(matches!(ended, Err(LogError::Cancelled)));
}

#[test]
fn a_tail_follows_growth_rotation_and_truncation() {
    let logs = GrantedLogs::new();
    let path = logs.folder.join("a.log");
    logs.write("a.log", line(1));
    let follow = LogOperation::Follow {
        filter: LogFilter::default(),
        limit: 5,
        wait: Duration::from_secs(600),
    };
    let permit = logs.permit("a.log", follow);
    let append = |text: &str| {
        let file = File::options().append(true).create(true).open(&path);
        file.expect("a file").write_all(text.as_bytes()).expect("written");
    };
    let (sender, entries) = std::sync::mpsc::sync_channel(1000);
    std::thread::scope(|scope| {
        let reader = &logs.reader;
        scope.spawn(move || {
            let mut each = |entry: hobnob_machine::logs::LogEntry| {
                sender.send(entry.message).expect("somebody listens");
            };
            let ended = reader.perform(&permit, &NoMask, &LogControl::default(), &mut each);
            let Ok(LogOutcome::Followed(ended)) = ended else { panic!("{ended:?}") };
            assert_eq!(ended.count, 5);
        });
        let wait = Duration::from_secs(60);
        let next = || entries.recv_timeout(wait).expect("an entry");
        // An entry from before the tail begins is not new: write until one arrives.
        let first = loop {
            append(&line(2));
            if let Ok(entry) = entries.recv_timeout(Duration::from_millis(100)) {
                break entry;
            }
        };
        assert_eq!(first, "entry 2");
        fs::rename(&path, path.with_file_name("a.log.1")).expect("a rename");
        append(&line(3));
        let mut seen = vec![first];
        while seen.len() < 5 && !seen.iter().any(|it| it == "entry 3") {
            seen.push(next());
        }
        if seen.len() < 5 {
            fs::write(&path, "").expect("emptied");
            while seen.len() < 5 {
                append(&line(4));
                seen.extend(entries.recv_timeout(Duration::from_millis(100)));
            }
        }
        assert!(seen.iter().all(|it| it.starts_with("entry ")), "{seen:?}");
        assert!(seen.iter().any(|it| it == "entry 3"), "{seen:?}");
    });
}
