//! Tasks in both designs, and times as text.

use crate::{TaskRecord, TaskStatus, timestamp};
use hobnob_mcp_types::json::ObjectWriter;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

fn record(status: TaskStatus, message: Option<&str>) -> TaskRecord {
    let created = UNIX_EPOCH + Duration::from_millis(1_785_196_800_123);
    TaskRecord {
        id: "t-1".into(),
        status,
        message: message.map(str::to_owned),
        created,
        updated: created + Duration::from_secs(61),
        ttl: Duration::from_secs(3600),
        poll: Duration::from_millis(1500),
    }
}

fn write(write: impl FnOnce(&mut ObjectWriter<'_>)) -> String {
    let mut out = String::new();
    let mut object = ObjectWriter::new(&mut out);
    write(&mut object);
    object.end();
    out
}

#[test]
fn both_designs_write_the_same_task() {
    let shared = concat!(
        r#""taskId":"t-1","status":"input_required","statusMessage":"say \"yes\"","#,
        r#""createdAt":"2026-07-28T00:00:00.123Z","lastUpdatedAt":"2026-07-28T00:01:01.123Z""#,
    );
    let record = record(TaskStatus::InputRequired, Some("say \"yes\""));
    let modern = write(|object| record.write_modern(object));
    assert_eq!(modern, format!("{{{shared},\"ttlMs\":3600000,\"pollIntervalMs\":1500}}"));
    let legacy = write(|object| record.write_legacy(object));
    assert_eq!(legacy, format!("{{{shared},\"ttl\":3600000,\"pollInterval\":1500}}"));
}

#[test]
fn a_task_without_a_text_has_no_message() {
    let record = record(TaskStatus::Working, None);
    assert!(!write(|object| record.write_modern(object)).contains("statusMessage"));
    assert!(!write(|object| record.write_legacy(object)).contains("statusMessage"));
}

#[test]
fn statuses_have_names_and_some_are_terminal() {
    let cases = [
        (TaskStatus::Working, "working", false),
        (TaskStatus::InputRequired, "input_required", false),
        (TaskStatus::Completed, "completed", true),
        (TaskStatus::Failed, "failed", true),
        (TaskStatus::Cancelled, "cancelled", true),
    ];
    for (status, word, terminal) in cases {
        assert_eq!((status.as_str(), status.is_terminal()), (word, terminal));
    }
}

#[test]
fn moments_are_utc_with_milliseconds() {
    let after = |nanoseconds| UNIX_EPOCH + Duration::from_nanos(nanoseconds);
    let cases: [(SystemTime, &str); 6] = [
        (UNIX_EPOCH, "1970-01-01T00:00:00.000Z"),
        (after(1_000_000), "1970-01-01T00:00:00.001Z"),
        (after(999_999), "1970-01-01T00:00:00.000Z"),
        (after(951_782_400_000_000_000), "2000-02-29T00:00:00.000Z"),
        (UNIX_EPOCH - Duration::from_secs(1), "1969-12-31T23:59:59.000Z"),
        // A time that no calendar can represent.
        (UNIX_EPOCH + Duration::from_secs(1 << 45), "1970-01-01T00:00:00.000Z"),
    ];
    for (moment, expected) in cases {
        assert_eq!(timestamp(moment), expected);
    }
}
