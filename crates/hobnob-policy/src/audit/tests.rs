//! Records, the file they go to, and how they are read back.

use std::fs;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;

mod chain;
mod decisions;

use super::chain::ChainEnd;
use super::queue::MAX_BYTES;
use super::*;
use crate::{DecidingRule, Glob};

/// A folder of its own for one test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("hobnob-audit-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn log(&self) -> PathBuf {
        self.0.join("audit.jsonl")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The default options with a changed retention of calls.
fn calls(change: impl FnOnce(&mut AuditRetention)) -> AuditOptions {
    let mut options = AuditOptions::default();
    change(&mut options.calls);
    options
}

fn decided(decision: Decision) -> AuditDecision {
    AuditDecision::new(decision, DecidingRule::Written("mcp__github__* ask".into()))
}

fn record(tool: &str) -> AuditRecord<'_> {
    AuditRecord {
        at: Timestamp::from_microsecond(1_700_000_000_123_456).unwrap(),
        principal: "me",
        address: Some(Ipv4Addr::new(192, 0, 2, 7).into()),
        client: Some(ClientInfo { name: "editor", version: "1.2" }),
        via: Some("cone/notes"),
        revision: Some("2025-11-25"),
        method: "tools/call",
        target: AuditTarget::Tool(tool),
        server: Some("github"),
        original: Some("get_issue"),
        decision: decided(Decision::AskGranted),
        duration_us: 1234,
        outcome: AuditOutcome::Ok,
        request_bytes: 10,
        result_bytes: 20,
    }
}

fn line(record: &AuditRecord<'_>) -> String {
    let mut line = String::new();
    record.write_line(&mut line);
    line
}

/// The line as it is in the file, as the first of its chain.
fn linked(record: &AuditRecord<'_>) -> String {
    let mut text = String::new();
    ChainEnd::START.clone().link(line(record).trim_end(), &mut text);
    text
}

fn tools(path: &Path, filter: AuditFilter) -> Vec<String> {
    AuditReader::open(path, filter).unwrap().filter_map(|entry| entry.unwrap().tool).collect()
}

#[test]
fn a_record_is_one_line() {
    assert_eq!(
        line(&record("mcp__github__get_issue")),
        "{\"at\":\"2023-11-14T22:13:20.123Z\",\"principal\":\"me\",\
         \"address\":\"192.0.2.7\",\"client\":\"editor\",\
         \"client_version\":\"1.2\",\"via\":\"cone/notes\",\"revision\":\"2025-11-25\",\
         \"method\":\"tools/call\",\
         \"tool\":\"mcp__github__get_issue\",\"server\":\"github\",\"original\":\"get_issue\",\
         \"decision\":\"ask-granted\",\"rule\":\"mcp__github__* ask\",\"outcome\":\"ok\",\
         \"duration_us\":1234,\"request_bytes\":10,\"result_bytes\":20}\n"
    );
    let failed = AuditRecord { outcome: AuditOutcome::Error(-32602), ..record("t") };
    assert!(line(&failed).contains("\"outcome\":\"error\",\"code\":-32602,"));
    let bare = AuditRecord {
        address: None,
        client: None,
        via: None,
        revision: None,
        target: AuditTarget::None,
        server: None,
        original: None,
        decision: AuditDecision::default(),
        ..record("")
    };
    let keys = "at principal method decision outcome duration_us request_bytes result_bytes";
    let value: Value = serde_json::from_str(&line(&bare)).unwrap();
    let found: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(found.join(" "), keys);
}

#[test]
fn texts_are_capped_and_escaped() {
    let check = |text: &str, expected: &str| {
        let line = line(&record(text));
        let value: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(value["tool"], *expected, "{line}");
        let hostile = |letter: char| letter.is_control() || hobnob_text::is_display_hazard(letter);
        assert!(!line.trim_end().chars().any(hostile), "{line}");
    };
    for text in ["a\"b\\c", "a\nb\r\tc\0", "\x1b[31m", "\u{202e}\u{200b}", "\u{e0041}", "ä漢👍", ""]
    {
        check(text, text);
    }
    check(&"x".repeat(256), &"x".repeat(256));
    check(&"x".repeat(257), &format!("{}…", "x".repeat(256)));
    check(&"👍".repeat(256), &"👍".repeat(256));
    check(&"\"".repeat(100_000), &format!("{}…", "\"".repeat(256)));
}

#[test]
fn a_uri_is_written_without_its_secrets() {
    let check = |uri: &str, expected: &str| {
        let record = AuditRecord { target: AuditTarget::Uri(uri), ..record("") };
        let value: Value = serde_json::from_str(&line(&record)).unwrap();
        assert_eq!(value["uri"], *expected);
    };
    check("file:///a/b", "file:///a/b");
    check("https://me:word@host:1/p@q?token=1#x", "https://host:1/p@q");
    check("https://me:word@host", "https://host");
    check("urn:a?token=1", "urn:a");
    check(&format!("a://{}", "b".repeat(300)), &format!("a://{}…", "b".repeat(252)));
}

#[test]
fn what_is_recorded_is_on_disk_after_a_flush_and_after_the_end() {
    let folder = Folder::new();
    let log = AuditLog::open(&folder.log(), AuditOptions::default()).unwrap();
    log.record(&record("a"));
    log.flush().unwrap();
    assert_eq!(tools(&folder.log(), AuditFilter::default()), ["a"]);
    (0..1000).for_each(|number| log.record(&record(&format!("t{number}"))));
    drop(log);
    assert_eq!(tools(&folder.log(), AuditFilter::default()).len(), 1001);
    // A restart appends to the log and never truncates it.
    AuditLog::open(&folder.log(), AuditOptions::default()).unwrap().record(&record("z"));
    assert_eq!(tools(&folder.log(), AuditFilter::default()).len(), 1002);
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_the_log() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    fs::write(folder.log(), "").unwrap();
    fs::set_permissions(folder.log(), fs::Permissions::from_mode(0o644)).unwrap();
    let options = calls(|kept| kept.file_bytes = 1);
    let log = AuditLog::open(&folder.log(), options).unwrap();
    assert_eq!(mode(&folder.log()), 0o600);
    log.record(&record("a"));
    drop(log);
    assert_eq!(mode(&folder.log()), 0o600);
    assert_eq!(mode(&folder.0.join("audit.jsonl.1")), 0o600);
}

#[test]
fn full_files_are_renamed_and_the_oldest_dropped() {
    let folder = Folder::new();
    // Room for two files beside the newest.
    let total_bytes = 2 * linked(&record("a")).len() as u64 + 1;
    let options = calls(|kept| (kept.file_bytes, kept.total_bytes) = (1, total_bytes));
    let log = AuditLog::open(&folder.log(), options).unwrap();
    for tool in ["a", "b", "c", "d", "e"] {
        log.record(&record(tool));
        log.flush().unwrap();
    }
    drop(log);
    assert_eq!(tools(&folder.log(), AuditFilter::default()), ["d", "e"]);
    assert!(!folder.0.join("audit.jsonl.3").exists());
    let newest = last(&folder.log(), &AuditFilter::default(), 2).unwrap();
    let newest: Vec<_> = newest.into_iter().filter_map(|entry| entry.tool).collect();
    assert_eq!(newest, ["d", "e"]);
}

#[test]
fn records_are_kept_for_a_time_and_then_removed() {
    let folder = Folder::new();
    let day = Duration::from_secs(24 * 60 * 60);
    let write = |keep: Duration| {
        let options = calls(|kept| kept.keep = keep);
        let now = Timestamp::now();
        AuditLog::open(&folder.log(), options)
            .unwrap()
            .record(&AuditRecord { at: now, ..record("new") });
    };
    // Records from long ago: their file is closed at once, but not removed before its time.
    fs::write(folder.log(), line(&record("old"))).unwrap();
    write(90 * day);
    assert_eq!(tools(&folder.log(), AuditFilter::default()), ["old", "new"]);
    assert!(folder.0.join("audit.jsonl.1").exists());
    let file = fs::File::options().write(true).open(folder.0.join("audit.jsonl.1")).unwrap();
    file.set_modified(std::time::SystemTime::now() - 91 * day).unwrap();
    fs::write(folder.log(), line(&record("later"))).unwrap();
    write(365 * day);
    let all = tools(&folder.log(), AuditFilter::default());
    assert_eq!(all, ["old", "new", "later", "new"]);
    fs::write(folder.log(), line(&record("latest"))).unwrap();
    write(90 * day);
    let all = tools(&folder.log(), AuditFilter::default());
    assert_eq!(all, ["later", "new", "latest", "new"]);
}

fn refusal<'a>(tool: &'a str, client: &'a str) -> AuditRecord<'a> {
    AuditRecord {
        client: Some(ClientInfo { name: client, version: "1" }),
        decision: decided(Decision::Deny),
        outcome: AuditOutcome::Refused,
        ..record(tool)
    }
}

#[test]
fn refusals_that_repeat_become_one_line_and_what_ran_never_does() {
    let folder = Folder::new();
    let log = AuditLog::open(&folder.log(), AuditOptions::default()).unwrap();
    log.record(&record("ran"));
    for number in 0..100_000_u32 {
        log.record(&refusal("denied", "spammer"));
        if number % 1000 == 0 {
            log.record(&record("ran"));
        }
    }
    log.record(&AuditRecord {
        decision: decided(Decision::AskRefused),
        ..refusal("denied", "spammer")
    });
    log.record(&refusal("denied", "other"));
    log.record(&AuditRecord { address: None, ..refusal("denied", "other") });
    log.flush().unwrap();
    // The counting window starts over.
    log.record(&refusal("denied", "spammer"));
    drop(log);
    let entries: Vec<AuditEntry> = AuditReader::open(&folder.log(), AuditFilter::default())
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let ran = |entry: &&AuditEntry| entry.tool.as_deref() == Some("ran");
    assert_eq!(entries.iter().filter(ran).count(), 101);
    let refused: Vec<_> = entries.iter().filter(|entry| !ran(entry)).collect();
    let counts: Vec<_> = refused.iter().map(|entry| entry.repeated).collect();
    assert_eq!(counts, [None, None, None, None, Some(99_999), None]);
    let joint = refused[4];
    assert_eq!(joint.client.as_deref(), Some("spammer"));
    assert_eq!(joint.decision.as_deref(), Some("deny"));
    assert!(joint.since.is_some_and(|since| since <= joint.at));
}

#[test]
fn who_varies_the_names_cannot_fill_the_log_either() {
    let folder = Folder::new();
    let log = AuditLog::open(&folder.log(), AuditOptions::default()).unwrap();
    let names: Vec<String> = (0..5000).map(|number| format!("n{number}")).collect();
    for name in &names {
        log.record(&refusal("denied", name));
        log.record(&refusal(name, "spammer"));
        log.record(&AuditRecord { principal: name, ..refusal("denied", "spammer") });
        // No server offers these tools.
        let unknown =
            AuditRecord { server: None, decision: AuditDecision::default(), ..refusal(name, "u") };
        log.record(&unknown);
    }
    drop(log);
    let entries: Vec<AuditEntry> = AuditReader::open(&folder.log(), AuditFilter::default())
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert!(entries.len() < 250, "{} lines", entries.len());
    let all: u64 = entries.iter().map(|entry| entry.repeated.unwrap_or(1)).sum();
    assert_eq!(all, 20_000);
}

#[test]
fn several_writers_lose_nothing_when_one_rotates() {
    const WRITERS: usize = 4;
    const EACH: usize = 300;
    let folder = Folder::new();
    // Two logs in one process lock each other out just as two processes do.
    let options = calls(|kept| kept.file_bytes = 8 * 1024);
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let path = folder.log();
            scope.spawn(move || {
                let log = AuditLog::open(&path, options).unwrap();
                for number in 0..EACH {
                    log.record(&record(&format!("{writer}-{number}")));
                    if number % 10 == 0 {
                        log.flush().unwrap();
                    }
                }
            });
        }
    });
    assert!(folder.0.join("audit.jsonl.5").exists(), "nothing was rotated");
    let mut reader = AuditReader::open(&folder.log(), AuditFilter::default()).unwrap();
    let read: Vec<String> = reader.by_ref().filter_map(|entry| entry.unwrap().tool).collect();
    assert_eq!(reader.damaged(), 0);
    assert_eq!(read.len(), WRITERS * EACH);
    let report = verify_chain(&folder.log(), &[]).unwrap();
    assert_eq!(report.fault, None);
    assert_eq!(report.holds.and_then(|span| span.last.seq), Some((WRITERS * EACH) as u64));
    for writer in 0..WRITERS {
        let own = read.iter().filter_map(|tool| tool.strip_prefix(&format!("{writer}-")));
        let own: Vec<usize> = own.map(|number| number.parse().unwrap()).collect();
        assert_eq!(own, (0..EACH).collect::<Vec<_>>(), "writer {writer}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_written_is_counted_and_the_flush_says_so() {
    let folder = Folder::new();
    std::os::unix::fs::symlink("/dev/full", folder.log()).unwrap();
    let log = AuditLog::open(&folder.log(), AuditOptions::default()).unwrap();
    log.record(&record("a"));
    let error = log.flush().unwrap_err().to_string();
    assert!(error.contains("look at free space"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_full_queue_is_counted_and_said_later() {
    let folder = Folder::new();
    let log = AuditLog::open(&folder.log(), AuditOptions::default()).unwrap();
    // Holding the lock as a rotating process would, keeps the writer from writing.
    let held = fs::File::open(folder.log()).unwrap();
    held.lock().unwrap();
    // The writer may have taken some lines before it blocks.
    let fitting = MAX_BYTES / line(&record("a")).len();
    let records = 3 * fitting;
    (0..records).for_each(|_| log.record(&record("a")));
    held.unlock().unwrap();
    drop(log);
    let read = AuditReader::open(&folder.log(), AuditFilter::default()).unwrap();
    let (mut written, mut lost) = (0, 0);
    for entry in read {
        let entry = entry.unwrap();
        written += usize::from(entry.tool.is_some());
        lost += entry.lost.unwrap_or(0) as usize;
    }
    assert!(0 < lost && fitting / 2 <= written, "{written} written, {lost} lost");
    assert_eq!(written + lost, records);
}

#[test]
fn each_line_has_a_number_and_the_hash_of_the_line_before() {
    let folder = Folder::new();
    // Records of long ago are in files of their own, and a restart continues the chain.
    for tool in ["a", "b", "c"] {
        AuditLog::open(&folder.log(), AuditOptions::default()).unwrap().record(&record(tool));
    }
    let files = ["audit.jsonl.3", "audit.jsonl.2", "audit.jsonl.1"];
    let mut before = "0".repeat(64);
    for (seq, file) in (1..).zip(files) {
        let text = fs::read_to_string(folder.0.join(file)).unwrap();
        let line = text.trim_end();
        assert!(line.ends_with(&format!(",\"seq\":{seq},\"prev\":\"{before}\"}}")), "{line}");
        before = LineHash::of(line.as_bytes()).to_string();
    }
    let head: Value =
        serde_json::from_slice(&fs::read(folder.0.join("audit.jsonl.head")).unwrap()).unwrap();
    assert_eq!((&head["seq"], &head["hash"]), (&3.into(), &before.into()));
}

#[test]
fn damaged_lines_are_stepped_over() {
    let folder = Folder::new();
    let good = line(&record("a"));
    let long = "x".repeat(200_000);
    let torn = &good[..good.len() / 2];
    let text = format!("{good}{torn}\n{long}\n{{}}\n\n{good}{torn}");
    fs::write(folder.log(), text).unwrap();
    let mut reader = AuditReader::open(&folder.log(), AuditFilter::default()).unwrap();
    assert_eq!(reader.by_ref().filter_map(Result::ok).count(), 2);
    assert_eq!(reader.damaged(), 5);
    let missing = AuditReader::open(&folder.0.join("none"), AuditFilter::default()).unwrap();
    assert_eq!(missing.count(), 0);
}

#[test]
fn filters_choose_lines() {
    let folder = Folder::new();
    let log = AuditLog::open(&folder.log(), AuditOptions::default()).unwrap();
    let late = Timestamp::from_second(1_800_000_000).unwrap();
    log.record(&record("mcp__github__a"));
    log.record(&AuditRecord { at: late, server: Some("files"), ..record("mcp__files__b") });
    log.record(&AuditRecord {
        decision: decided(Decision::Deny),
        outcome: AuditOutcome::Refused,
        ..record("c")
    });
    drop(log);
    let check = |filter: AuditFilter, expected: &[&str]| {
        assert_eq!(tools(&folder.log(), filter.clone()), expected, "{filter:?}");
    };
    let all = AuditFilter::default;
    check(all(), &["mcp__github__a", "mcp__files__b", "c"]);
    check(AuditFilter { since: Some(late), ..all() }, &["mcp__files__b"]);
    check(AuditFilter { server: Some("files".into()), ..all() }, &["mcp__files__b"]);
    check(
        AuditFilter { tool: Some(Glob::for_name("mcp__*").unwrap()), ..all() },
        &["mcp__github__a", "mcp__files__b"],
    );
    check(AuditFilter { decision: Some(Decision::Deny), ..all() }, &["c"]);
    check(AuditFilter { outcome: Some("refused".into()), ..all() }, &["c"]);
    check(
        AuditFilter { outcome: Some("ok".into()), server: Some("github".into()), ..all() },
        &["mcp__github__a"],
    );
    assert_eq!(last(&folder.log(), &all(), 0).unwrap().len(), 0);
    assert_eq!(last(&folder.log(), &all(), 9).unwrap().len(), 3);
}

#[test]
fn addresses_are_recorded_without_secrets() {
    for (uri, recorded) in [
        ("mcp://s/https://u:p@h/x?key=1#f", "mcp://s/https://h/x"),
        ("https://u:p@h/x://y", "https://h/x://y"),
        ("mcp://s/file:///a/b", "mcp://s/file:///a/b"),
        ("mcp://s/note:1", "mcp://s/note:1"),
        ("hobnob://status", "hobnob://status"),
        ("odd", "odd"),
        ("", ""),
    ] {
        assert_eq!(super::without_secrets(uri), recorded, "{uri}");
    }
}
