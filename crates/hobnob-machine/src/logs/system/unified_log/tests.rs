//! Lines in the shapes in which `log show --style ndjson` prints them, on every system.

use super::{entry, predicate};
use crate::logs::entry::LogEntry;
use crate::logs::limits::LogLimits;
use hobnob_policy::{LogFilter, LogLevel};

fn parsed(line: &str) -> Option<LogEntry> {
    entry(&serde_json::from_str(line).unwrap(), &LogLimits::default())
}

/// A message of this type, from this image, at this time.
fn line(message_type: &str, image: &str, time: &str) -> String {
    format!(
        "{{\"traceID\":5138947,\"eventMessage\":\"disk \\\"x\\\" is full\",\"eventType\":\"logEvent\",\
         \"source\":null,\"formatString\":\"disk %{{public}}s is full\",\"activityIdentifier\":0,\
         \"subsystem\":\"com.example.disks\",\"category\":\"mount\",\"threadID\":3821,\
         \"backtrace\":{{\"frames\":[{{\"imageOffset\":17,\"imageUUID\":\"1\"}}]}},\
         \"bootUUID\":\"\",\"processImagePath\":{image},\"timestamp\":\"{time}\",\
         \"machTimestamp\":471103,\"messageType\":{message_type},\"processID\":88,\
         \"timezoneName\":\"\"}}"
    )
}

const TIME: &str = "2024-02-10 10:30:45.123456+0100";

#[test]
fn a_message_is_read() {
    let entry = parsed(&line("\"Error\"", "\"\\/usr\\/libexec\\/diskd\"", TIME)).unwrap();
    assert_eq!((entry.id, entry.event_id, entry.level), (471_103, 0, LogLevel::Error));
    assert_eq!((entry.source.as_str(), entry.message.as_str()), ("diskd", "disk \"x\" is full"));
    assert_eq!(entry.timestamp.to_string(), "2024-02-10T09:30:45.123456Z");
}

#[test]
fn types_images_and_times_have_several_shapes() {
    let levels = [
        ("\"Default\"", LogLevel::Information),
        ("\"Info\"", LogLevel::Information),
        ("\"Debug\"", LogLevel::Debug),
        ("\"Error\"", LogLevel::Error),
        ("\"Fault\"", LogLevel::Critical),
        // Activities and signposts have no type.
        ("null", LogLevel::Information),
    ];
    for (message_type, level) in levels {
        let entry = parsed(&line(message_type, "\"\\/kernel\"", TIME)).unwrap();
        assert_eq!((entry.level, entry.source.as_str()), (level, "kernel"), "{message_type}");
    }
    for image in ["null", "\"\""] {
        let entry = parsed(&line("\"Info\"", image, TIME)).unwrap();
        assert_eq!(entry.source, "com.example.disks", "{image}");
    }
    for (time, read) in [
        ("2024-02-10 01:30:45.000001-0800", Some("2024-02-10T09:30:45.000001Z")),
        ("2024-02-10 15:00:45+0530", Some("2024-02-10T09:30:45Z")),
        ("2024-02-10 09:30:45.5Z", Some("2024-02-10T09:30:45.5Z")),
        ("yesterday", None),
        ("", None),
    ] {
        let entry = parsed(&line("\"Info\"", "\"\\/kernel\"", time));
        assert_eq!(entry.map(|it| it.timestamp.to_string()).as_deref(), read, "{time}");
    }
}

#[test]
fn an_entry_without_text_counts_and_the_totals_do_not() {
    let activity = "{\"eventMessage\":null,\"eventType\":\"activityCreateEvent\",\
                    \"timestamp\":\"2024-02-10 10:30:45.123456+0100\"}";
    let entry = parsed(activity).unwrap();
    assert_eq!((entry.id, entry.message.as_str(), entry.source.as_str()), (0, "", ""));
    assert_eq!(parsed("{\"count\":4,\"finished\":1}"), None);
    let limits = LogLimits { message: 6, ..LogLimits::default() };
    let long = line("\"Info\"", "null", TIME);
    let cut = super::entry(&serde_json::from_str(&long).unwrap(), &limits);
    assert_eq!(cut.unwrap().message, "disk \"");
}

#[test]
fn conditions_become_a_predicate() {
    let of = |min_level| LogFilter { min_level, ..LogFilter::default() };
    assert_eq!(predicate("unified", &of(None), None), None);
    assert_eq!(predicate("unified", &of(Some(LogLevel::Debug)), None), None);
    let fault = predicate("a\"b", &of(Some(LogLevel::Critical)), Some("x\ny"));
    let expected = "subsystem == \"a\\\"b\" AND (process ==[c] \"x y\" OR subsystem ==[c] \"x y\") \
                    AND messageType == fault";
    assert_eq!(fault.as_deref(), Some(expected));
}
