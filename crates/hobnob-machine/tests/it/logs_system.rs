//! Logs of systems: real journal files, and stand-in programs that print the documented formats.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hobnob_machine::logs::{
    EventLog, Journal, LogControl, LogError, LogLimits, LogOutcome, LogProgram, LogTotal, NoMask,
    SystemLogs, UnifiedLog,
};
use hobnob_policy::{LogFilter, LogLevel, LogOperation, LogStart};

use crate::logs_granted::{GrantedLogs, messages};

/// Reports missing programs and returns `None`; CI installs them and sets the variable.
fn journal_programs() -> Option<(PathBuf, PathBuf)> {
    let first = |paths: [&str; 2]| paths.into_iter().map(PathBuf::from).find(|it| it.is_file());
    let remote =
        first(["/usr/lib/systemd/systemd-journal-remote", "/lib/systemd/systemd-journal-remote"]);
    let found = first(["/usr/bin/journalctl", "/bin/journalctl"]).zip(remote);
    if found.is_none() {
        let required = std::env::var("HOBNOB_JOURNAL").is_ok_and(|it| it == "required");
        assert!(!required, "systemd-journal-remote is missing: `cargo xtask ci` should install it");
        eprintln!("left out: the journal is not read, systemd-journal-remote is not installed");
    }
    found
}

/// An entry in the export format of the journal; a message with a newline is written in binary.
fn exported(number: u64, message: &[u8]) -> Vec<u8> {
    let mut out = format!(
        "__REALTIME_TIMESTAMP={}\n__MONOTONIC_TIMESTAMP={}\n\
         _BOOT_ID=0123456789abcdef0123456789abcdef\nPRIORITY={}\nSYSLOG_IDENTIFIER=prog{}\n\
         _SYSTEMD_UNIT=unit{}.service\nMESSAGE_ID=0000002a000000000000000000000000\n",
        1_700_000_000_000_000 + number * 1_000_000,
        number + 1,
        number % 8,
        number % 2,
        number % 3,
    )
    .into_bytes();
    out.extend_from_slice(b"MESSAGE\n");
    out.extend_from_slice(&(message.len() as u64).to_le_bytes());
    out.extend_from_slice(message);
    out.extend_from_slice(b"\n\n");
    out
}

fn write_journal(remote: &Path, file: &Path, entries: impl Iterator<Item = Vec<u8>>) {
    let output = format!("--output={}", file.display());
    let mut child = Command::new(remote)
        .args([&output, "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("systemd-journal-remote");
    let mut stdin = child.stdin.take().expect("a pipe");
    for entry in entries {
        stdin.write_all(&entry).expect("written");
    }
    drop(stdin);
    assert!(child.wait().expect("its end").success());
}

struct RealJournal {
    logs: GrantedLogs,
    file: PathBuf,
    remote: PathBuf,
    _folder: tempfile::TempDir,
}

impl RealJournal {
    /// A journal with 100 entries; the 50th is not text.
    fn new() -> Option<Self> {
        let (journalctl, remote) = journal_programs()?;
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("test.journal");
        write_journal(&remote, &file, (0..100).map(|at| exported(at, &message(at))));
        let words = [format!("--file={}", file.display())];
        let journal = Journal::new(LogProgram::new(journalctl).with_arguments(words));
        let limits = LogLimits { poll: Duration::from_millis(20), ..LogLimits::default() };
        let logs = GrantedLogs::with(limits, Some(Arc::new(journal)));
        Some(Self { logs, file, remote, _folder: folder })
    }
}

fn message(number: u64) -> Vec<u8> {
    match number {
        50 => b"b\xffb\0b".to_vec(),
        51 => b"two\nlines".to_vec(),
        _ => format!("entry {number}").into_bytes(),
    }
}

#[test]
fn a_real_journal_is_read() {
    let Some(journal) = RealJournal::new() else { return };
    let logs = &journal.logs;
    let mut names = logs.names();
    names.sort();
    assert_eq!(names, ["journal", "unit0.service", "unit1.service", "unit2.service"]);
    let page = logs.page("journal", 3, 0);
    assert_eq!(messages(&page.entries), ["entry 99", "entry 98", "entry 97"]);
    assert_eq!(page.total, Some(LogTotal::Exactly(100)));
    let entry = &page.entries[0];
    assert_eq!((entry.id, entry.event_id, entry.source.as_str()), (100, 42, "prog1"));
    assert_eq!(entry.level, LogLevel::Error);
    assert_eq!(entry.timestamp.as_second(), 1_700_000_099);
    let odd = logs.page("journal", 2, 48);
    assert_eq!(messages(&odd.entries), ["two\nlines", "b\u{fffd}b\u{fffd}b"]);
    let unit = logs.page("unit1.service", 100, 0);
    assert_eq!(unit.total, Some(LogTotal::Exactly(33)));
    assert_eq!(logs.page("no.service", 100, 0).total, Some(LogTotal::Exactly(0)));
}

#[test]
fn a_real_journal_is_paged_and_filtered() {
    let Some(journal) = RealJournal::new() else { return };
    let logs = &journal.logs;
    let second = |at: i64| jiff::Timestamp::from_second(1_700_000_000 + at).expect("a time");
    type Fits = fn(u64) -> bool;
    let cases: [(LogFilter, Fits); 5] = [
        (LogFilter::default(), |_| true),
        (LogFilter { min_level: Some(LogLevel::Warning), ..LogFilter::default() }, |at| {
            at % 8 <= 4
        }),
        (LogFilter { source: Some("prog1".into()), ..LogFilter::default() }, |at| at % 2 == 1),
        (
            LogFilter { since: Some(second(10)), until: Some(second(60)), ..LogFilter::default() },
            |at| (10..=60).contains(&at),
        ),
        (LogFilter { contains: Some("ENTRY 9".into()), ..LogFilter::default() }, |at| {
            at == 9 || (90..100).contains(&at)
        }),
    ];
    for (filter, fits) in cases {
        let expected: Vec<u64> = (0..100).rev().filter(|at| fits(*at)).map(|at| at + 1).collect();
        let (mut found, mut start) = (Vec::new(), LogStart::Offset(0));
        loop {
            let page = logs.query("journal", filter.clone(), 7, start).expect("a page");
            found.extend(page.entries.iter().map(|entry| entry.id));
            match page.next_cursor {
                Some(cursor) => start = LogStart::Cursor(cursor),
                None => break,
            }
        }
        assert_eq!(found, expected, "{filter:?}");
        let offset = logs.query("journal", filter.clone(), 7, LogStart::Offset(5)).expect("a page");
        let ids: Vec<u64> = offset.entries.iter().map(|entry| entry.id).collect();
        let end = expected.len().min(12);
        assert_eq!(ids, expected[5.min(end)..end], "{filter:?}");
        assert_eq!(offset.total, Some(LogTotal::Exactly(expected.len() as u64)), "{filter:?}");
    }
    for cursor in ["--help", "s=1 --file=/etc/passwd", "f.1.2", ""] {
        let start = LogStart::Cursor(cursor.into());
        let bad = logs.query("journal", LogFilter::default(), 1, start);
        assert!(matches!(bad, Err(LogError::BadCursor)), "{cursor}");
    }
}

#[test]
fn new_entries_of_a_real_journal_are_followed() {
    let Some(RealJournal { logs, file, remote, _folder }) = RealJournal::new() else { return };
    let follow = LogOperation::Follow {
        filter: LogFilter { source: Some("prog0".into()), ..LogFilter::default() },
        limit: 2,
        wait: Duration::from_secs(600),
    };
    let permit = logs.permit("journal", follow);
    let (sender, entries) = std::sync::mpsc::sync_channel(1000);
    std::thread::scope(|scope| {
        let reader = &logs.reader;
        scope.spawn(move || {
            let mut each = |entry: hobnob_machine::logs::LogEntry| {
                sender.send(entry.source).expect("somebody listens");
            };
            let ended = reader.perform(&permit, &NoMask, &LogControl::default(), &mut each);
            assert!(matches!(ended, Ok(LogOutcome::Followed(_))), "{ended:?}");
        });
        let (mut seen, mut number) = (Vec::new(), 200);
        while seen.len() < 2 {
            write_journal(&remote, &file, (number..number + 2).map(|at| exported(at, b"new")));
            number += 2;
            seen.extend(entries.recv_timeout(Duration::from_millis(200)));
        }
        assert_eq!(seen, ["prog0", "prog0"]);
    });
}

/// A program of the test's own: it appends its arguments to `words` and runs the script.
fn stand_in(folder: &Path, script: &str) -> LogProgram {
    let file = folder.join("program");
    let text =
        format!("#!/bin/sh\nprintf '%s\\n' \"$@\" >> '{0}/words'\n{script}\n", folder.display());
    fs::write(&file, text).expect("a program");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("a program");
    LogProgram::new("/bin/sh").with_arguments([file])
}

fn words(folder: &Path) -> String {
    fs::read_to_string(folder.join("words")).expect("it ran")
}

fn granted(system: impl SystemLogs + 'static) -> GrantedLogs {
    let limits = LogLimits { poll: Duration::from_millis(5), ..LogLimits::default() };
    GrantedLogs::with(limits, Some(Arc::new(system)))
}

/// An event as `wevtutil qe System /f:RenderedXml` prints it, on one line.
fn event(record: u64, level: u8, message: &str) -> String {
    format!(
        "<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System>\
         <Provider Name='Service Control Manager' Guid='{{555908d1}}' EventSourceName='SCM'/>\
         <EventID Qualifiers='16384'>7036</EventID><Version>0</Version><Level>{level}</Level>\
         <Task>0</Task><Opcode>0</Opcode><Keywords>0x8080000000000000</Keywords>\
         <TimeCreated SystemTime='2024-02-10T10:30:45.{record:03}000000Z'/>\
         <EventRecordID>{record}</EventRecordID><Correlation/><Execution ProcessID='6'/>\
         <Channel>System</Channel><Computer>PC-7</Computer><Security/></System>\
         <EventData><Data Name='param1'>one &lt; two</Data><Data>three</Data></EventData>\
         <RenderingInfo Culture='en-US'>{message}<Level>Information</Level></RenderingInfo></Event>\r\n"
    )
}

#[test]
fn events_of_windows_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().display();
    let events: String = [
        event(9, 2, "<Message>The &quot;x&quot; service\r\nstopped &#8211; &amp;amp;.</Message>"),
        event(8, 3, ""),
        event(7, 4, "<Message>Größe</Message>"),
    ]
    .concat();
    let wide: Vec<u8> = events.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (form, bytes) in [("plain", events.into_bytes()), ("wide", wide)] {
        fs::write(folder.path().join("events"), bytes).expect("a file");
        let script = format!(
            "case $1 in el) printf 'Application\\r\\nSystem\\r\\nMicrosoft-Windows-X/Operational\\r\\n' ;;\n\
             *) cat '{path}/events' ;; esac"
        );
        let logs = granted(EventLog::new(stand_in(folder.path(), &script)));
        let names = ["Application", "Microsoft-Windows-X/Operational", "System"];
        assert_eq!(logs.names(), names, "{form}");
        let page = logs.page("System", 100, 0);
        assert_eq!(
            messages(&page.entries),
            ["The \"x\" service\nstopped – &amp;.", "one < two, three", "Größe"],
            "{form}"
        );
        let entry = &page.entries[0];
        assert_eq!((entry.id, entry.event_id, entry.level), (9, 7036, LogLevel::Error));
        assert_eq!(entry.source, "Service Control Manager");
        assert_eq!(entry.timestamp.to_string(), "2024-02-10T10:30:45.009Z");
        assert_eq!(page.total, Some(LogTotal::Exactly(3)));
    }
    let logs = granted(EventLog::new(stand_in(folder.path(), &format!("cat '{path}/events'"))));
    let filter = LogFilter {
        min_level: Some(LogLevel::Warning),
        source: Some("Service Control Manager".into()),
        since: Some("2024-02-10T10:30:45Z".parse().expect("a time")),
        ..LogFilter::default()
    };
    let start = LogStart::Cursor("w.9".into());
    fs::remove_file(folder.path().join("words")).expect("words");
    logs.query("System", filter, 100, start).expect("a page");
    let said = words(folder.path());
    let query = "/q:*[System[(Level=1 or Level=2 or Level=3) and \
                 TimeCreated[@SystemTime>='2024-02-10T10:30:45Z'] and \
                 Provider[@Name='Service Control Manager'] and EventRecordID < 9]]";
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[..4], ["qe", "System", "/f:RenderedXml", "/rd:true"]);
    assert_eq!(lines[5], query);
}

#[test]
fn sources_cannot_leave_their_quotes() {
    let folder = tempfile::tempdir().expect("a folder");
    for (source, expected) in
        [("a'b", "[@Name=\"a'b\"]"), ("a\"b", "[@Name='a\"b']"), ("a'\"b", "/q:*\n")]
    {
        let logs = granted(EventLog::new(stand_in(folder.path(), "true")));
        let filter = LogFilter { source: Some(source.into()), ..LogFilter::default() };
        logs.query("System", filter.clone(), 1, LogStart::Offset(0)).expect("a page");
        assert!(words(folder.path()).contains(expected), "{source}");
        let logs = granted(UnifiedLog::new(stand_in(folder.path(), "true")));
        logs.query("unified", filter, 1, LogStart::Offset(0)).expect("a page");
        let quoted = source.replace('"', "\\\"");
        assert!(words(folder.path()).contains(&format!("process ==[c] \"{quoted}\"")), "{source}");
    }
}

#[test]
fn entries_of_macos_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = |second: u8, kind: &str, message: &str| {
        format!(
            "{{\"timestamp\":\"2024-02-10 10:30:{second:02}.123456+0100\",\"messageType\":\"{kind}\",\
             \"eventType\":\"logEvent\",\"subsystem\":\"com.example.net\",\"category\":\"x\",\
             \"processImagePath\":\"\\/usr\\/libexec\\/netd\",\"processID\":88,\
             \"machTimestamp\":4711{second:02},\"eventMessage\":\"{message}\"}}\n"
        )
    };
    let text = [
        line(1, "Default", "one"),
        line(2, "Error", "two"),
        line(3, "Fault", "three"),
        line(4, "Debug", "four"),
        "{\"count\":4,\"finished\":1}\n".to_owned(),
    ];
    fs::write(folder.path().join("entries"), text.concat()).expect("a file");
    let script = format!("cat '{}/entries'", folder.path().display());
    let logs = granted(UnifiedLog::new(stand_in(folder.path(), &script)));
    assert_eq!(logs.names(), ["com.example.net", "unified"]);
    let page = logs.page("unified", 2, 1);
    assert_eq!(messages(&page.entries), ["three", "two"]);
    let entry = &page.entries[0];
    assert_eq!(
        (entry.id, entry.level, entry.source.as_str()),
        (471_103, LogLevel::Critical, "netd")
    );
    assert_eq!(entry.timestamp.to_string(), "2024-02-10T09:30:03.123456Z");
    let next = LogStart::Cursor(page.next_cursor.expect("more"));
    let rest = logs.query("unified", LogFilter::default(), 2, next).expect("a page");
    assert_eq!(messages(&rest.entries), ["one"]);
    fs::remove_file(folder.path().join("words")).expect("words");
    let filter = LogFilter { min_level: Some(LogLevel::Error), ..LogFilter::default() };
    let page = logs.query("com.example.net", filter, 9, LogStart::Offset(0)).expect("a page");
    assert_eq!(messages(&page.entries), ["three", "two"]);
    let said = words(folder.path());
    assert!(said.starts_with("show\n--style\nndjson\n"), "{said}");
    let predicate =
        "subsystem == \"com.example.net\" AND (messageType == error OR messageType == fault)";
    assert!(said.contains(predicate), "{said}");
    let far = logs.query("unified", LogFilter::default(), 1, LogStart::Offset(30_000));
    assert!(matches!(far, Err(LogError::TooFar(_))));
}

#[test]
fn programs_that_misbehave_are_ended() {
    let folder = tempfile::tempdir().expect("a folder");
    let query = |script: &str, limits: LogLimits| {
        let journal = Journal::new(stand_in(folder.path(), script));
        let logs = GrantedLogs::with(limits, Some(Arc::new(journal)));
        logs.query("journal", LogFilter::default(), 10, LogStart::Offset(0))
    };
    let usual = LogLimits::default();
    for script in ["exit 3", "echo no; exit 1", "kill -9 $$"] {
        let error = query(script, usual.clone()).expect_err(script);
        assert!(matches!(error, LogError::Program { .. }), "{script}: {error}");
    }
    let garbage = query("echo '{}'; echo; echo 'no json'; printf 'no end'", usual.clone());
    assert_eq!(garbage.expect("a page").entries.len(), 0);
    let began = Instant::now();
    let endless = query("yes", LogLimits { output: 1 << 20, ..usual.clone() }).expect("a page");
    assert_eq!(endless.entries.len(), 0);
    let one_line = "cat /dev/zero";
    query(one_line, LogLimits { output: 1 << 20, ..usual.clone() }).expect("a page");
    let brief = LogLimits { program: Duration::from_millis(300), ..usual };
    for script in ["sleep 1000", "sleep 1000 & sleep 1000"] {
        let error = query(script, brief.clone()).expect_err(script);
        assert!(error.to_string().contains("takes too long"), "{script}: {error}");
    }
    assert!(began.elapsed() < Duration::from_secs(120), "a program was waited for");
    let missing = GrantedLogs::with(
        LogLimits::default(),
        Some(Arc::new(Journal::new(LogProgram::new("/nowhere/journalctl")))),
    );
    let error = missing.query("journal", LogFilter::default(), 1, LogStart::Offset(0));
    assert_eq!(error.expect_err("missing").to_string(), "`journalctl` cannot be started");
}
