//! The hash chain: what `verify` says of a log that was left alone, and of one that was not.

use std::fs;

use super::*;

/// Keeps the old records of these tests from being rotated by age.
fn lasting() -> AuditOptions {
    calls(|kept| kept.keep = Duration::from_secs(1 << 33))
}

/// [`lasting`] options with files of this many bytes.
fn small(file_bytes: u64) -> AuditOptions {
    let mut options = lasting();
    options.calls.file_bytes = file_bytes;
    options
}

/// Writes the records of these tools one by one; each is on the disk before the next.
fn write(folder: &Folder, options: AuditOptions, tools: &[&str]) {
    let log = AuditLog::open(&folder.log(), options).unwrap();
    for tool in tools {
        log.record(&record(tool));
        log.flush().unwrap();
    }
}

fn report(folder: &Folder) -> ChainReport {
    verify_chain(&folder.log(), &[]).unwrap()
}

fn fault(folder: &Folder) -> Option<String> {
    report(folder).fault.map(|fault| fault.to_string())
}

/// The chain numbers of the first and the last line of the part that holds.
fn span(report: &ChainReport) -> Option<(u64, u64)> {
    let span = report.holds.as_ref()?;
    span.first.seq.zip(span.last.seq)
}

fn head(folder: &Folder) -> PathBuf {
    folder.0.join("audit.jsonl.head")
}

#[test]
fn a_log_that_was_left_alone_holds_across_files_and_restarts() {
    let folder = Folder::new();
    assert_eq!((span(&report(&folder)), fault(&folder)), (None, None));
    let small = small(1000);
    write(&folder, small, &["a", "b", "c", "d"]);
    write(&folder, small, &["e", "f"]);
    assert!(folder.0.join("audit.jsonl.2").exists(), "nothing was rotated");
    let whole = report(&folder);
    assert_eq!((span(&whole), whole.fault.clone()), (Some((1, 6)), None));
    assert_eq!((whole.unchained, whole.newer_than_head), (0, 0));
    let entries = last(&folder.log(), &AuditFilter::default(), 9).unwrap();
    let numbers: Vec<_> = entries.iter().filter_map(|entry| entry.seq).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6]);
    // A hash that was kept elsewhere is found again, and a hash of another log is not.
    let kept = whole.holds.unwrap().hash;
    write(&folder, small, &["g"]);
    let check = |hash: LineHash| {
        let report = verify_chain(&folder.log(), &[hash]).unwrap();
        report.anchors[0].line.as_ref().and_then(|line| line.seq)
    };
    assert_eq!(check(kept), Some(6));
    assert_eq!(check(LineHash::of(b"other")), None);
}

#[test]
fn what_was_done_to_a_log_is_named() {
    type Deed = fn(&mut Vec<String>);
    let check = |deed: Deed, expected: &str, holds: Option<(u64, u64)>| {
        let folder = Folder::new();
        write(&folder, lasting(), &["a", "b", "c", "d", "e"]);
        let text = fs::read_to_string(folder.log()).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        deed(&mut lines);
        fs::write(folder.log(), lines.iter().map(|line| format!("{line}\n")).collect::<String>())
            .unwrap();
        assert_eq!(fault(&folder).as_deref(), Some(expected));
        assert_eq!(span(&report(&folder)), holds, "{expected}");
        // Lines that are written afterwards do not hide the fault.
        write(&folder, lasting(), &["z"]);
        assert!(fault(&folder).is_some(), "{expected}");
    };
    let changed: Deed = |lines| lines[1] = lines[1].replace("\"b\"", "\"x\"");
    check(changed, "audit.jsonl, line 2 (number 2) was changed", Some((1, 1)));
    let first: Deed = |lines| lines[0] = lines[0].replace("\"a\"", "\"x\"");
    check(first, "audit.jsonl, line 1 (number 1) was changed", None);
    let last: Deed = |lines| lines[4] = lines[4].replace("\"e\"", "\"x\"");
    check(last, "audit.jsonl, line 5 (number 5) was changed", Some((1, 4)));
    let link: Deed = |lines| lines[2] = lines[2].replace("\"prev\":\"", "\"prev\":\"00");
    check(link, "audit.jsonl, line 3 was changed", Some((1, 2)));
    let previous: Deed = |lines| {
        let at = lines[2].find("\"prev\":\"").unwrap() + 8;
        let other = if lines[2][at..].starts_with('0') { "1" } else { "0" };
        lines[2].replace_range(at..=at, other);
    };
    check(previous, "audit.jsonl, line 3 (number 3) was changed", Some((1, 2)));
    let number: Deed = |lines| lines[2] = lines[2].replace("\"seq\":3", "\"seq\":9");
    check(number, "audit.jsonl, line 3 (number 9) was changed", Some((1, 2)));
    check(
        |lines| drop(lines.remove(1)),
        "line number 2 was removed before audit.jsonl, line 2 (number 3)",
        Some((1, 1)),
    );
    check(
        |lines| drop(lines.drain(1..4)),
        "lines number 2 to 4 were removed before audit.jsonl, line 2 (number 5)",
        Some((1, 1)),
    );
    check(
        |lines| drop(lines.remove(0)),
        "line number 1 was removed before audit.jsonl, line 1 (number 2)",
        Some((2, 5)),
    );
    check(
        |lines| lines.swap(1, 3),
        "audit.jsonl, line 4 (number 2) was moved; its place is before audit.jsonl, line 2 (number 4)",
        Some((1, 1)),
    );
    check(
        |lines| lines.swap(0, 1),
        "audit.jsonl, line 2 (number 1) was moved; its place is before audit.jsonl, line 1 (number 2)",
        Some((2, 2)),
    );
    check(
        |lines| lines.insert(2, lines[0].clone()),
        "audit.jsonl, line 3 (number 1) was inserted",
        Some((1, 2)),
    );
    check(
        |lines| lines.insert(2, line(&record("old")).trim_end().to_owned()),
        "audit.jsonl, line 3 was inserted",
        Some((1, 2)),
    );
    check(
        |lines| {
            let mut text = String::new();
            ChainEnd::after(lines[1].as_bytes()).unwrap().link("{\"at\":\"\"}", &mut text);
            lines.insert(2, text.trim_end().to_owned());
        },
        "audit.jsonl, line 3 (number 3) was inserted",
        Some((1, 2)),
    );
    check(
        |lines| lines.truncate(3),
        "the end was cut off: lines number 4 to 5 are missing",
        Some((1, 3)),
    );
    // A new chain in the place of the old one has another end.
    let forged: Deed = |lines| {
        let mut end = ChainEnd::START;
        let mut text = String::new();
        (0..5).for_each(|_| end.link("{\"at\":\"2023-11-14T22:13:20.123Z\"}", &mut text));
        *lines = text.lines().map(str::to_owned).collect();
    };
    check(forged, "audit.jsonl, line 5 (number 5) was changed", Some((1, 4)));
}

#[test]
fn a_log_that_is_gone_is_missed() {
    let folder = Folder::new();
    write(&folder, lasting(), &["a", "b"]);
    fs::remove_file(folder.log()).unwrap();
    let gone = "the end was cut off: lines number 1 to 2 are missing";
    assert_eq!(fault(&folder).as_deref(), Some(gone));
    write(&folder, lasting(), &["c"]);
    let removed = "lines number 1 to 2 were removed before audit.jsonl, line 1 (number 3)";
    assert_eq!(fault(&folder).as_deref(), Some(removed));
}

#[test]
fn a_running_log_remembers_what_is_cut_off() {
    let folder = Folder::new();
    let log = AuditLog::open(&folder.log(), lasting()).unwrap();
    for tool in ["a", "b", "c"] {
        log.record(&record(tool));
        log.flush().unwrap();
    }
    let text = fs::read_to_string(folder.log()).unwrap();
    let first = text.lines().next().unwrap();
    fs::write(folder.log(), format!("{first}\n")).unwrap();
    fs::remove_file(head(&folder)).unwrap();
    log.record(&record("d"));
    drop(log);
    let removed = "lines number 2 to 3 were removed before audit.jsonl, line 2 (number 4)";
    assert_eq!(fault(&folder).as_deref(), Some(removed));
}

#[test]
fn without_the_head_record_the_end_may_be_missing() {
    for damage in [None, Some("{\"seq\":"), Some("")] {
        let folder = Folder::new();
        write(&folder, lasting(), &["a", "b"]);
        match damage {
            None => fs::remove_file(head(&folder)).unwrap(),
            Some(text) => fs::write(head(&folder), text).unwrap(),
        }
        let lost = "the head record is missing or damaged, so the end may be cut off";
        assert_eq!(fault(&folder).as_deref(), Some(lost));
        write(&folder, lasting(), &["c"]);
        let lost = fault(&folder).unwrap_or_default();
        assert!(lost.contains("continued at audit.jsonl, line 3 (number 3)"), "{lost}");
        assert_eq!(span(&report(&folder)), Some((1, 4)));
        // The newest line may be in a rotated file.
        let small = small(1);
        write(&folder, small, &["d"]);
        fs::remove_file(head(&folder)).unwrap();
        write(&folder, small, &["e"]);
        assert_eq!(span(&report(&folder)), Some((1, 7)));
    }
}

#[test]
fn the_start_after_a_crash_repairs_the_last_line() {
    let next = line(&record("c"));
    for left in [&next.as_bytes()[..40], &[0_u8; 300][..], b"\xff\xfe", next.trim_end().as_bytes()]
    {
        let folder = Folder::new();
        write(&folder, lasting(), &["a", "b"]);
        let good = fs::read(folder.log()).unwrap();
        fs::write(folder.log(), [&good, left].concat()).unwrap();
        let before = report(&folder);
        assert_eq!((span(&before), &before.fault), (Some((1, 2)), &None));
        assert_eq!(before.unfinished.map(|line| line.line), Some(3));
        let log = AuditLog::open(&folder.log(), lasting()).unwrap();
        // The repair is on the disk before anything else is recorded.
        let repaired = report(&folder);
        assert_eq!((span(&repaired), &repaired.fault), (Some((1, 3)), &None));
        assert_eq!(repaired.repaired.iter().map(|line| line.line).collect::<Vec<_>>(), [3]);
        log.record(&record("d"));
        drop(log);
        assert_eq!((span(&report(&folder)), fault(&folder)), (Some((1, 4)), None));
        assert_eq!(tools(&folder.log(), AuditFilter::default()), ["a", "b", "d"]);
        let entries = last(&folder.log(), &AuditFilter::default(), 9).unwrap();
        let shown = String::from_utf8_lossy(left).chars().take(256).collect::<String>();
        let kept = entries[2].torn.as_deref().unwrap().trim_end_matches('…').to_owned();
        assert_eq!(kept, shown);
    }
}

#[test]
fn a_crash_while_files_are_renamed_loses_none_of_them() {
    let folder = Folder::new();
    let small = small(1);
    write(&folder, small, &["a", "b", "c"]);
    let numbered = |number: usize| folder.0.join(format!("audit.jsonl.{number}"));
    for number in [3, 2, 1] {
        fs::rename(numbered(number), numbered(number + 1)).unwrap();
    }
    let check =
        |lines: u64| assert_eq!((span(&report(&folder)), fault(&folder)), (Some((1, lines)), None));
    check(3);
    write(&folder, small, &["d"]);
    check(4);
    assert!(numbered(4).exists() && !numbered(5).exists());
}

#[test]
fn a_crash_between_a_line_and_its_head_record_does_no_harm() {
    let folder = Folder::new();
    write(&folder, lasting(), &["a"]);
    let old = fs::read(head(&folder)).unwrap();
    write(&folder, lasting(), &["b", "c"]);
    fs::write(head(&folder), old).unwrap();
    let behind = report(&folder);
    assert_eq!((behind.fault, behind.newer_than_head), (None, 2));
    write(&folder, lasting(), &["d"]);
    let after = report(&folder);
    assert_eq!((span(&after), after.fault, after.newer_than_head), (Some((1, 4)), None, 0));
}

#[test]
fn lines_of_earlier_versions_stay_readable_and_the_chain_begins_after_them() {
    let folder = Folder::new();
    let old = line(&record("old"));
    fs::write(folder.log(), format!("{old}{old}{}", &old[..50])).unwrap();
    let before = report(&folder);
    assert_eq!((before.unchained, &before.holds, &before.fault), (2, &None, &None));
    write(&folder, lasting(), &["new"]);
    assert_eq!(tools(&folder.log(), AuditFilter::default()), ["old", "old", "new"]);
    let after = report(&folder);
    assert_eq!((after.unchained, span(&after), &after.fault), (2, Some((1, 2)), &None));
    assert_eq!(after.holds.unwrap().first.line, 3);
}

#[test]
fn files_that_were_removed_in_time_are_not_missed_and_others_are() {
    let folder = Folder::new();
    let total_bytes = 3 * linked(&record("a")).len() as u64 + 1;
    let mut options = small(1);
    options.calls.total_bytes = total_bytes;
    write(&folder, options, &["a", "b", "c", "d", "e"]);
    let kept = report(&folder);
    assert_eq!((span(&kept), kept.fault), (Some((3, 5)), None));
    fs::remove_file(folder.0.join("audit.jsonl.3")).unwrap();
    let missing = fault(&folder);
    let expected = "line number 3 was removed before audit.jsonl.2, line 1 (number 4)";
    assert_eq!(missing.as_deref(), Some(expected));
}
