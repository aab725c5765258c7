//! Lines of many programs and their parts; every line is made up.

use hobnob_policy::LogLevel;
use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};

use super::{LineClock, begins_entry, parse_line};

fn clock() -> LineClock {
    let modified: Timestamp = "2024-02-11T00:00:00Z".parse().expect("a time");
    LineClock { zone: TimeZone::fixed(Offset::constant(1)), modified }
}

/// The line, its time, its level, its source, its message.
const LINES: &[(&str, &str, LogLevel, &str, &str)] = {
    use LogLevel::{Critical, Debug, Error, Information, Warning};
    &[
        (
            "Feb 10 10:30:45 web1 sshd[811]: Accepted key for bob",
            "2024-02-10T09:30:45Z",
            Information,
            "sshd",
            "Accepted key for bob",
        ),
        (
            "Feb  9 10:30:45 web1 kernel: error: disk is slow",
            "2024-02-09T09:30:45Z",
            Error,
            "kernel",
            "error: disk is slow",
        ),
        (
            "Dec 31 23:59:59 web1 cron[1]: (root) CMD (x)",
            "2023-12-31T22:59:59Z",
            Information,
            "cron",
            "(root) CMD (x)",
        ),
        (
            "Feb 29 00:00:00 web1 a: four years ago",
            "2020-02-28T23:00:00Z",
            Information,
            "a",
            "four years ago",
        ),
        (
            "<34>Feb 10 10:30:45 web1 su: 'su root' failed",
            "2024-02-10T09:30:45Z",
            Critical,
            "su",
            "'su root' failed",
        ),
        (
            "<165>1 2024-02-10T10:30:45.003Z web1 evntslog - 47 [a@1 b=\"x ] \\\" y\"][c] An event",
            "2024-02-10T10:30:45.003Z",
            Information,
            "evntslog",
            "An event",
        ),
        (
            "<11>1 2024-02-10T10:30:45Z web1 app 9 - - it broke",
            "2024-02-10T10:30:45Z",
            Error,
            "app",
            "it broke",
        ),
        (
            "<191>no more than a priority",
            "2024-02-11T00:00:00Z",
            Debug,
            "",
            "no more than a priority",
        ),
        (
            "2024-02-10T10:30:45.123456+02:00 web1 systemd[1]: Started it.",
            "2024-02-10T08:30:45.123456Z",
            Information,
            "systemd",
            "Started it.",
        ),
        (
            "2024-02-10T10:30:45Z ERROR [db::pool] no connection",
            "2024-02-10T10:30:45Z",
            Error,
            "db::pool",
            "no connection",
        ),
        (
            "2024-02-10T10:30:45.5Z  WARN hobnob::logs: it is late",
            "2024-02-10T10:30:45.5Z",
            Warning,
            "hobnob::logs",
            "it is late",
        ),
        (
            "2024-02-10 10:30:45,123 - app.db - CRITICAL - gone",
            "2024-02-10T09:30:45.123Z",
            Critical,
            "app.db",
            "gone",
        ),
        (
            "2024-02-10 10:30:45.123 [main] INFO  com.x.App - Started in 2 s",
            "2024-02-10T09:30:45.123Z",
            Information,
            "com.x.App",
            "Started in 2 s",
        ),
        (
            "2024-02-10 10:30:45.123 DEBUG 4711 --- [main] c.x.App : bean",
            "2024-02-10T09:30:45.123Z",
            Debug,
            "c.x.App",
            "bean",
        ),
        (
            "2024-02-10 10:30:45.123 UTC [4711] FATAL:  no such role",
            "2024-02-10T10:30:45.123Z",
            Critical,
            "",
            "no such role",
        ),
        (
            "2024/02/10 10:30:45 [error] 31#31: *1 open() failed",
            "2024-02-10T09:30:45Z",
            Error,
            "",
            "*1 open() failed",
        ),
        (
            "2024-02-10 10:30:45 status installed x:amd64 1.0",
            "2024-02-10T09:30:45Z",
            Information,
            "",
            "status installed x:amd64 1.0",
        ),
        (
            "[2024-02-10 10:30:45] local.ERROR: it broke",
            "2024-02-10T09:30:45Z",
            Error,
            "local",
            "it broke",
        ),
        (
            "[2024-02-10T10:30:45Z WARN  x::y] careful",
            "2024-02-10T10:30:45Z",
            Warning,
            "x::y",
            "careful",
        ),
        (
            "[Sat Feb 10 10:30:45.902022 2024] [core:error] [pid 35:tid 43] AH1: no",
            "2024-02-10T09:30:45.902022Z",
            Error,
            "core",
            "AH1: no",
        ),
        (
            "E0210 10:30:45.123456   12345 file.go:12] it broke",
            "2024-02-10T09:30:45.123456Z",
            Error,
            "file.go",
            "it broke",
        ),
        (
            "192.0.2.7 - bob [10/Feb/2024:10:30:45 +0100] \"GET /x HTTP/1.1\" 503 12 \"-\" \"agent 1.0\"",
            "2024-02-10T09:30:45Z",
            Error,
            "",
            "192.0.2.7 - bob \"GET /x HTTP/1.1\" 503 12 \"-\" \"agent 1.0\"",
        ),
        (
            "2001:db8::7 - - [10/Feb/2024:10:30:45 +0000] \"GET /x HTTP/1.1\" 404 0",
            "2024-02-10T10:30:45Z",
            Warning,
            "",
            "2001:db8::7 - - \"GET /x HTTP/1.1\" 404 0",
        ),
        (
            "{\"time\":\"2024-02-10T10:30:45Z\",\"level\":\"warn\",\"logger\":\"db\",\"msg\":\"slow\",\"event_id\":7}",
            "2024-02-10T10:30:45Z",
            Warning,
            "db",
            "slow",
        ),
        (
            "{\"ts\":1707561045.25,\"severity\":\"ERROR\",\"message\":\"no\"}",
            "2024-02-10T10:30:45.25Z",
            Error,
            "",
            "no",
        ),
        (
            "{\"level\":50,\"time\":1707561045250,\"name\":\"pino\",\"msg\":\"no\"}",
            "2024-02-10T10:30:45.25Z",
            Error,
            "pino",
            "no",
        ),
        (
            "{\"timestamp\":\"2024-02-10T10:30:45Z\",\"level\":\"INFO\",\"fields\":{\"message\":\"hi\"},\"target\":\"x\"}",
            "2024-02-10T10:30:45Z",
            Information,
            "x",
            "hi",
        ),
        ("{not json", "2024-02-11T00:00:00Z", Information, "", "{not json"),
        (
            "time=2024-02-10T10:30:45Z level=error msg=\"it \\\"broke\\\"\" component=db",
            "2024-02-10T10:30:45Z",
            Error,
            "db",
            "it \"broke\"",
        ),
        ("WARNING: disk is full", "2024-02-11T00:00:00Z", Warning, "", "WARNING: disk is full"),
        (
            "there was no error at all",
            "2024-02-11T00:00:00Z",
            Information,
            "",
            "there was no error at all",
        ),
        (
            "2024-02-30 10:30:45 no such day",
            "2024-02-11T00:00:00Z",
            Information,
            "",
            "2024-02-30 10:30:45 no such day",
        ),
    ]
};

#[test]
fn lines_are_understood() {
    for (line, time, level, source, message) in LINES {
        let parsed = parse_line(line, &clock());
        let found = (
            parsed.time.unwrap_or(clock().modified).to_string(),
            parsed.level.unwrap_or(LogLevel::Information),
            parsed.source.as_deref().unwrap_or_default(),
            &*parsed.message,
        );
        assert_eq!(found, ((*time).to_owned(), *level, *source, *message), "{line}");
    }
}

#[test]
fn an_entry_begins_with_a_head() {
    let headless = ["WARNING", "there was", "2024-02-30", "{not"];
    for (line, ..) in LINES {
        let expected = !headless.iter().any(|it| line.starts_with(it)) || line.starts_with('{');
        assert_eq!(begins_entry(line.as_bytes()), expected, "{line}");
    }
    for line in
        ["", "\tat com.x.App", "  File \"x.py\"", "Caused by: x", "Traceback", "12 apples", "}"]
    {
        assert!(!begins_entry(line.as_bytes()), "{line}");
    }
}

proptest::proptest! {
    #[test]
    fn no_line_breaks_the_reader(line in "\\PC{0,80}", head in 0..LINES.len(), cut in 0..100_usize) {
        let known = LINES[head].0;
        let cut = known.floor_char_boundary(cut.min(known.len()));
        for text in [line.clone(), format!("{}{line}", &known[..cut])] {
            begins_entry(text.as_bytes());
            parse_line(&text, &clock());
        }
    }
}
