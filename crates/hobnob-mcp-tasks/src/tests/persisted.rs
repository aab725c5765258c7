//! Tests of a task's stored form: it round-trips, and anything else is refused.

use crate::detail::{self, Detail};
use crate::end::TaskEnd;
use crate::phase::TaskPhase;
use crate::store::PersistedTask;
use hobnob_mcp_engine::{Answer, CallError, Caller, ClientId, Principal, TaskOwner, TaskStatus};
use hobnob_mcp_types::capabilities::ClientCapabilities;
use hobnob_mcp_types::{Revision, RpcError};
use serde_json::json;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

#[test]
fn a_record_is_read_as_it_was_written() {
    let task = PersistedTask {
        id: "abc".into(),
        owner: TaskOwner(Some("änn \"a\"".into())),
        instance: "first".into(),
        tool: "slow".into(),
        status: TaskStatus::InputRequired,
        message: Some("half way".into()),
        created: UNIX_EPOCH + Duration::from_millis(1_700_000_000_123),
        updated: UNIX_EPOCH + Duration::from_millis(1_700_000_000_456),
        ttl: Duration::from_millis(5000),
        detail: Some("{}".into()),
    };
    let written = json!({"id": "abc", "owner": "änn \"a\"", "instance": "first", "tool": "slow",
        "status": "input_required", "message": "half way", "created": 1_700_000_000_123_u64,
        "updated": 1_700_000_000_456_u64, "ttlMs": 5000, "detail": "{}"});
    assert_eq!(serde_json::to_value(&task).expect("JSON"), written);
    assert_eq!(serde_json::from_value::<PersistedTask>(written.clone()).expect("a record"), task);
    let bare = PersistedTask { owner: TaskOwner(None), message: None, detail: None, ..task };
    let text = serde_json::to_string(&bare).expect("JSON");
    assert_eq!(serde_json::from_str::<PersistedTask>(&text).expect("a record"), bare);
    for (key, value) in [
        ("status", json!("asleep")),
        ("created", json!(-1)),
        ("owner", json!(7)),
        ("ttlMs", json!("long")),
    ] {
        let mut wrong = written.clone();
        wrong[key] = value;
        assert!(serde_json::from_value::<PersistedTask>(wrong).is_err(), "{key}");
    }
}

#[test]
fn a_record_is_expired_when_its_time_is() {
    let created = UNIX_EPOCH + Duration::from_secs(1000);
    let at = |seconds| UNIX_EPOCH + Duration::from_secs(seconds);
    let ages = Duration::from_secs(u64::MAX);
    for (ttl, now, is_expired) in [
        (Duration::from_secs(10), at(1009), false),
        (Duration::from_secs(10), at(1010), true),
        (Duration::ZERO, at(1000), true),
        // The system time was set back.
        (Duration::from_secs(10), at(1), false),
        (ages, SystemTime::now(), false),
    ] {
        let task: PersistedTask = serde_json::from_value(json!({"id": "a", "owner": null,
            "instance": "i", "tool": "t", "status": "working", "created": 0, "updated": 0,
            "ttlMs": 0}))
        .expect("a record");
        let task = PersistedTask { created, ttl, ..task };
        assert_eq!(task.is_expired(now), is_expired, "{ttl:?} {now:?}");
    }
}

/// Each era gets the same error, whether the task's end was stored or not.
#[test]
fn an_end_is_read_as_it_was_written() {
    let needed = ClientCapabilities { roots: Some(Default::default()), ..Default::default() };
    for error in [
        CallError::params("no such \"thing\""),
        CallError::Resource("a:b".into()),
        CallError::Capability(Box::new(needed)),
        CallError::Late("too late".into()),
        CallError::Internal,
        CallError::Other(RpcError::invalid_request("no").with_data(&json!({"a": 1}))),
    ] {
        let end = TaskEnd::Error(error);
        let eras = [Revision::V2025_11_25, Revision::V2026_07_28];
        let sent = |end: &TaskEnd| {
            eras.map(|era| serde_json::to_string(&end.error(&caller(era))).expect("JSON"))
        };
        let before = sent(&end);
        let text = detail::write(&TaskPhase::ended(end)).expect("a detail");
        match detail::read(TaskStatus::Failed, Some(&text)) {
            Ok(Detail::End(end)) => assert_eq!(sent(&end), before),
            _ => panic!("{text}"),
        }
    }
}

/// A body comes back byte for byte: the order of its keys, its numbers, and its white space.
#[test]
fn an_answer_is_read_as_it_was_written() {
    let body = r#"{"b":12345678901234567890123,"a":"\u00e4", "content":[]}"#;
    for meta in [None, Some(r#"{"z":1,"y":2}"#)] {
        let answer = Answer {
            body: body.into(),
            meta: meta.map(|meta| RawValue::from_string(meta.into()).expect("JSON")),
            cache: None,
            floor: Revision::V2025_06_18,
        };
        let text = detail::write(&TaskPhase::ended(TaskEnd::Answer(answer))).expect("a detail");
        assert!(!text.contains('\n'));
        match detail::read(TaskStatus::Completed, Some(&text)) {
            Ok(Detail::End(TaskEnd::Answer(answer))) => {
                assert_eq!(answer.body, body);
                assert_eq!(answer.meta.as_deref().map(RawValue::get), meta);
                assert_eq!(answer.floor, Revision::V2025_06_18);
            }
            _ => panic!("{text}"),
        }
    }
}

#[test]
fn questions_are_read_as_they_were_written() {
    let asked = json!({"sure": {"method": "roots/list"}});
    let open = serde_json::from_value(asked.clone()).expect("questions");
    let waiting = TaskPhase::waiting(open, hobnob_mcp_engine::Refusable::No, BTreeMap::new());
    let text = detail::write(&waiting).expect("a detail");
    match detail::read(TaskStatus::InputRequired, Some(&text)) {
        Ok(Detail::Questions(open)) => {
            assert_eq!(serde_json::to_value(open).expect("JSON"), asked);
        }
        _ => panic!("{text}"),
    }
}

/// A damaged record is an error, never a guess.
#[test]
fn what_was_never_written_is_refused() {
    for text in [None, Some(""), Some("{}"), Some("[]"), Some(r#"{"answer":{"body":{}}}"#)] {
        for status in [TaskStatus::InputRequired, TaskStatus::Completed, TaskStatus::Failed] {
            assert!(detail::read(status, text).is_err(), "{text:?}");
        }
    }
}

fn caller(revision: Revision) -> Caller {
    Caller { revision, ..Caller::new(ClientId::next(), Principal::anonymous()) }
}
