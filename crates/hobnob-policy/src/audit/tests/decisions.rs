//! People's decisions: on the disk before their callers continue, and never pushed out by calls.

use std::fs;
use std::sync::mpsc::sync_channel;

use super::*;

fn decisions(folder: &Folder) -> PathBuf {
    folder.0.join("audit-decisions.jsonl")
}

/// A record of today; a record of long ago would be rotated at once.
fn recent(tool: &str) -> AuditRecord<'_> {
    AuditRecord { at: Timestamp::now(), ..record(tool) }
}

/// The tools in one file, as it is on the disk.
fn tools_in(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let entries = text.lines().map(|line| serde_json::from_str::<AuditEntry>(line).unwrap());
    entries.filter_map(|entry| entry.tool).collect()
}

/// Hands a record to the log and waits for its callback.
fn wait_for_result(begin: impl FnOnce(WrittenCallback)) -> Result<(), AuditWriteError> {
    let (say, said) = sync_channel(1);
    begin(Box::new(move |written| say.send(written).unwrap()));
    said.recv().unwrap()
}

#[test]
fn a_decision_is_on_the_disk_when_its_caller_goes_on() {
    let folder = Folder::new();
    let log = AuditLog::open(&folder.log(), AuditOptions::default()).unwrap();
    log.decide_and_wait(&recent("a")).unwrap();
    assert_eq!(tools_in(&decisions(&folder)), ["a"]);
    wait_for_result(|then| log.decide(&recent("b"), then)).unwrap();
    assert_eq!(tools(&folder.log(), AuditFilter::default()), ["a", "b"]);
    wait_for_result(|then| log.record_then(&recent("c"), then)).unwrap();
    for (stream, lines) in [(AuditStream::Calls, 1), (AuditStream::Decisions, 2)] {
        let report = verify_chain(&stream.path(&folder.log()), &[]).unwrap();
        assert_eq!((report.fault, report.newer_than_head), (None, 0));
        assert_eq!(report.holds.and_then(|span| span.last.seq), Some(lines), "{stream:?}");
    }
}

#[test]
fn any_number_of_calls_leaves_decisions_alone() {
    let folder = Folder::new();
    let options = calls(|kept| (kept.file_bytes, kept.total_bytes) = (1, 1));
    let log = AuditLog::open(&folder.log(), options).unwrap();
    log.decide_and_wait(&recent("grant")).unwrap();
    for _ in 0..50 {
        (0..100).for_each(|_| log.record(&recent("cheap")));
        log.flush().unwrap();
    }
    drop(log);
    let all = tools(&folder.log(), AuditFilter::default());
    assert!(all.len() < 5000, "calls were kept");
    assert_eq!(all.iter().filter(|tool| *tool == "grant").count(), 1);
}

#[cfg(target_os = "linux")]
#[test]
fn a_decision_that_takes_effect_is_kept_until_it_can_be_written() {
    use std::os::unix::fs::symlink;
    for (mode, kept) in [
        (AuditMode::BestEffort, &["noticed", "answer", "later"][..]),
        (AuditMode::Strict, &["noticed", "later"]),
    ] {
        let folder = Folder::new();
        symlink("/dev/full", decisions(&folder)).unwrap();
        let options = AuditOptions { mode, ..AuditOptions::default() };
        let log = AuditLog::open(&folder.log(), options).unwrap();
        assert_eq!(log.mode(), mode);
        // A command that cannot record its change does not make it, so it is not written later.
        let refused = log.decide_and_wait(&recent("command")).unwrap_err();
        assert!(matches!(refused, AuditWriteError::Write(_)), "{refused}");
        wait_for_result(|then| log.notice_then(&recent("noticed"), then)).unwrap_err();
        wait_for_result(|then| log.decide(&recent("answer"), then)).unwrap_err();
        fs::remove_file(decisions(&folder)).unwrap();
        wait_for_result(|then| log.decide(&recent("later"), then)).unwrap();
        assert_eq!(tools_in(&decisions(&folder)), kept, "{mode:?}");
        log.flush().unwrap();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_call_learns_that_its_record_cannot_be_written() {
    let folder = Folder::new();
    std::os::unix::fs::symlink("/dev/full", folder.log()).unwrap();
    let log = AuditLog::open(&folder.log(), AuditOptions::default()).unwrap();
    wait_for_result(|then| log.record_then(&recent("a"), then)).unwrap_err();
    // Decisions have a file of their own.
    wait_for_result(|then| log.decide(&recent("b"), then)).unwrap();
    fs::remove_file(folder.log()).unwrap();
    wait_for_result(|then| log.record_then(&recent("c"), then)).unwrap();
    assert_eq!(tools_in(&folder.log()), ["c"]);
}

#[test]
fn both_streams_are_read_as_one() {
    let folder = Folder::new();
    let log = AuditLog::open(&folder.log(), AuditOptions::default()).unwrap();
    let at = |second: i64| Timestamp::from_second(1_700_000_000 + second).unwrap();
    let late = |tool, second| AuditRecord { at: at(second), ..record(tool) };
    log.record(&late("c1", 1));
    log.decide_and_wait(&late("d2", 2)).unwrap();
    log.record(&late("c3", 3));
    log.record(&late("c4", 4));
    log.decide_and_wait(&late("d4", 4)).unwrap();
    log.record(&late("c5", 5));
    drop(log);
    let all = ["c1", "d2", "c3", "d4", "c4", "c5"];
    assert_eq!(tools(&folder.log(), AuditFilter::default()), all);
    for limit in 0..=all.len() {
        let newest = last(&folder.log(), &AuditFilter::default(), limit).unwrap();
        let newest: Vec<_> = newest.into_iter().filter_map(|entry| entry.tool).collect();
        assert_eq!(newest, all[all.len() - limit..]);
    }
}
