//! Queries of log files: pages, conditions, cursors, rotated and compressed parts, growth.

use std::fs::{self, OpenOptions};
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use hobnob_machine::logs::{LogError, LogLimits, LogTotal};
use hobnob_policy::{LogFilter, LogLevel, LogStart};

use crate::logs_granted::{GrantedLogs, line, messages};

pub(crate) fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).expect("compressed");
    encoder.finish().expect("compressed")
}

/// 10,000 entries in a plain file, a rotated one, and two compressed ones.
fn rotated() -> GrantedLogs {
    let logs = GrantedLogs::new();
    let text = |from: u64, to: u64| (from..to).map(line).collect::<String>();
    logs.write("app.log.3.gz", gzip(text(0, 1000).as_bytes()));
    logs.write("app.log.2.gz", gzip(text(1000, 2000).as_bytes()));
    logs.write("app.log.1", text(2000, 9000));
    logs.write("app.log", text(9000, 10_000));
    logs
}

#[test]
fn pages_go_through_all_parts() {
    let logs = rotated();
    for (offset, limit) in
        [(0, 5), (998, 5), (5000, 3), (7998, 4), (8998, 5), (9998, 5), (20_000, 5)]
    {
        let page = logs.page("app.log", limit, offset);
        let expected: Vec<String> = (offset..offset + u64::from(limit))
            .take_while(|at| *at < 10_000)
            .map(|at| format!("entry {}", 9999 - at))
            .collect();
        assert_eq!(messages(&page.entries), expected, "{offset}");
        assert_eq!(page.total, Some(LogTotal::Exactly(10_000)));
        assert_eq!(page.next_cursor.is_some(), offset + u64::from(limit) < 10_000, "{offset}");
    }
}

#[test]
fn cursors_go_through_all_parts() {
    let logs = rotated();
    for filter in [
        LogFilter::default(),
        LogFilter { min_level: Some(LogLevel::Warning), ..LogFilter::default() },
        LogFilter { source: Some("PART1".into()), ..LogFilter::default() },
        LogFilter { contains: Some("ENTRY 77".into()), ..LogFilter::default() },
    ] {
        let fits = |number: &u64| {
            filter.min_level.is_none_or(|_| 2 <= number % 4)
                && filter.source.as_ref().is_none_or(|_| number % 3 == 1)
                && filter.contains.as_ref().is_none_or(|_| format!("{number}").starts_with("77"))
        };
        let expected: Vec<u64> = (0..10_000).rev().filter(fits).collect();
        let (mut found, mut start) = (Vec::new(), LogStart::Offset(0));
        loop {
            let page = logs.query("app.log", filter.clone(), 777, start).expect("a page");
            found.extend(page.entries.iter().map(|entry| {
                entry.message.trim_start_matches("entry ").parse::<u64>().expect("a number")
            }));
            match page.next_cursor {
                Some(cursor) => start = LogStart::Cursor(cursor),
                None => break,
            }
        }
        assert_eq!(found, expected, "{filter:?}");
    }
}

#[test]
fn conditions_hold_together() {
    let logs = rotated();
    let second = |at: i64| jiff::Timestamp::from_second(1_700_000_000 + at).expect("a time");
    let filter = LogFilter {
        min_level: Some(LogLevel::Error),
        source: Some("part0".into()),
        since: Some(second(1500)),
        until: Some(second(2511)),
        contains: Some("entry 2".into()),
    };
    let page = logs.query("app.log", filter, 100, LogStart::Offset(1)).expect("a page");
    let fits = |at: &u64| at % 4 == 3 && at.is_multiple_of(3) && (2000..=2511).contains(at);
    let expected: Vec<String> =
        (1500..=2511).rev().filter(fits).skip(1).map(|at| format!("entry {at}")).collect();
    assert_eq!(messages(&page.entries), expected);
    assert_eq!(page.total, Some(LogTotal::Exactly(expected.len() as u64 + 1)));
    let entry = &page.entries[0];
    assert_eq!((entry.level, entry.source.as_str(), entry.event_id), (LogLevel::Error, "part0", 0));
}

#[test]
fn growth_and_truncation_are_noticed() {
    let logs = GrantedLogs::new();
    let path = logs.folder.join("a.log");
    let append = |text: &str| {
        let mut file = OpenOptions::new().append(true).create(true).open(&path).expect("a file");
        file.write_all(text.as_bytes()).expect("written");
    };
    append(&(0..5000).map(line).collect::<String>());
    assert_eq!(logs.page("a.log", 1, 0).total, Some(LogTotal::Exactly(5000)));
    append("  and a line that belongs to it\n");
    let page = logs.page("a.log", 1, 0);
    assert_eq!(page.total, Some(LogTotal::Exactly(5000)));
    assert_eq!(messages(&page.entries), ["entry 4999\n  and a line that belongs to it"]);
    append(&(5000..9000).map(line).collect::<String>());
    let page = logs.page("a.log", 1, 4000);
    assert_eq!(page.total, Some(LogTotal::Exactly(9000)));
    assert_eq!(page.entries[0].id & 0xff_ffff_ffff, offset_of(4999));
    fs::write(&path, line(1)).expect("a file");
    let page = logs.page("a.log", 10, 0);
    assert_eq!(
        (messages(&page.entries), page.total),
        (vec!["entry 1"], Some(LogTotal::Exactly(1)))
    );
    // The new content is as long as the old one.
    let other: String = (10_000..10_001).map(line).collect();
    fs::write(&path, other).expect("a file");
    assert_eq!(messages(&logs.page("a.log", 10, 0).entries), ["entry 10000"]);
}

/// The offset of the n-th line.
fn offset_of(number: u64) -> u64 {
    (0..number).map(|at| line(at).len() as u64).sum()
}

#[test]
fn a_rotation_between_pages_loses_and_doubles_nothing() {
    let logs = GrantedLogs::new();
    logs.write("a.log", (0..100).map(line).collect::<String>());
    let first = logs.page("a.log", 50, 0);
    fs::rename(logs.folder.join("a.log"), logs.folder.join("a.log.1")).expect("a rename");
    logs.write("a.log", (100..200).map(line).collect::<String>());
    let cursor = LogStart::Cursor(first.next_cursor.clone().expect("more"));
    let second = logs.query("a.log", LogFilter::default(), 100, cursor).expect("a page");
    let expected: Vec<String> = (0..50).rev().map(|at| format!("entry {at}")).collect();
    assert_eq!(messages(&second.entries), expected);
    assert_eq!(logs.page("a.log", 1, 0).total, Some(LogTotal::Exactly(200)));
    // The ids of entries stay when the file is renamed.
    let again = logs.page("a.log", 50, 100);
    assert_eq!(again.entries, first.entries);
}

#[test]
fn a_query_looks_through_so_much_and_no_more() {
    let limits = LogLimits { scan: 200_000, count: 50_000, ..LogLimits::default() };
    let logs = GrantedLogs::with(limits, None);
    logs.write("a.log", (0..20_000).map(line).collect::<String>());
    let filter = LogFilter { contains: Some("entry 1234".into()), ..LogFilter::default() };
    let (mut start, mut calls, mut found) = (LogStart::Offset(0), 0, Vec::new());
    loop {
        let page = logs.query("a.log", filter.clone(), 5, start).expect("a page");
        calls += 1;
        found.extend(page.entries.into_iter().map(|entry| entry.message));
        match page.next_cursor {
            Some(cursor) => start = LogStart::Cursor(cursor),
            None => break,
        }
    }
    let expected: Vec<String> = (0..20_000_u64)
        .rev()
        .map(|at| format!("entry {at}"))
        .filter(|text| text.starts_with("entry 1234"))
        .collect();
    assert_eq!(found, expected);
    assert!(2 < calls, "{calls}");
    let any = LogFilter { contains: Some("entry".into()), ..LogFilter::default() };
    let page = logs.query("a.log", any, 5, LogStart::Offset(0)).expect("a page");
    assert!(matches!(page.total, Some(LogTotal::AtLeast(count)) if 5 < count && count < 20_000));
}

#[test]
fn the_list_has_logs_and_nothing_else() {
    let logs = rotated();
    fs::create_dir_all(logs.folder.join("nginx/old")).expect("a folder");
    logs.write("nginx/access.log", "x\n");
    logs.write("nginx/old/access.log-20240210.gz", gzip(b"x\n"));
    logs.write("wtmp", [0, 1, 2]);
    logs.write("not.gz", "text");
    assert_eq!(logs.names(), ["app.log", "nginx/access.log", "nginx/old/access.log"]);
    for name in logs.names() {
        assert!(!logs.page(&name, 1, 0).entries.is_empty(), "{name}");
    }
    let missing = logs.query("no.log", LogFilter::default(), 1, LogStart::Offset(0));
    assert!(matches!(missing, Err(LogError::NoSystemLogs(_))));
    for cursor in ["", "x", "f.1.2", "f.99999999999999999999.1", "s=1"] {
        let start = LogStart::Cursor(cursor.into());
        let bad = logs.query("app.log", LogFilter::default(), 1, start);
        assert!(matches!(bad, Err(LogError::BadCursor)), "{cursor}");
    }
}
