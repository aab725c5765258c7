//! The recorder on a real store: what is counted, what is written, and what is read.

use super::pending::PendingUsage;
use super::{UsageDays, UsageRecorder, UsageRequest, read};
use hobnob_config::UsageSettings;
use hobnob_gateway::{CallObserver as _, ObservedCall, ObservedEnd};
use hobnob_mcp_engine::ClientId;
use hobnob_mcp_types::Method;
use hobnob_policy::audit::AuditOutcome;
use hobnob_store::usage::{UsageGroup, UsageRepository, UsageScope};
use hobnob_store::{Owner, Time};
use hobnob_store_sqlite::SqliteStore;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::num::NonZeroU16;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// The principal, server, tool and client of a call.
type Names<'a> = (&'a str, Option<&'a str>, &'a str, Option<&'a str>);

fn called((principal, server, tool, client): Names<'_>) -> ObservedCall {
    ObservedCall {
        id: 1,
        at: Timestamp::now(),
        method: Method::ToolsCall,
        target: tool.into(),
        server: server.map(Into::into),
        original: None,
        principal: principal.into(),
        client: client.map(Into::into),
        via: None,
        revision: "2026-07-28",
        request_bytes: 43,
        client_id: ClientId::OURSELVES,
        trace: None,
    }
}

fn end(outcome: AuditOutcome) -> ObservedEnd {
    ObservedEnd { outcome, duration: Duration::from_micros(100), result_bytes: 430 }
}

fn open(folder: &Path) -> Arc<dyn UsageRepository> {
    Arc::new(SqliteStore::open(&folder.join("store.db")).unwrap())
}

fn recorder(store: &Arc<dyn UsageRepository>) -> Arc<UsageRecorder> {
    UsageRecorder::new(Arc::clone(store), &UsageSettings::default()).unwrap()
}

/// What the page gets, without times.
async fn shown(store: &dyn UsageRepository, scope: UsageScope, by: UsageGroup) -> Value {
    let request = UsageRequest { days: UsageDays::new(7).unwrap(), by };
    let usage = read(store, scope, request, Time::now()).await.unwrap();
    let mut rows = serde_json::to_value(usage).unwrap()["rows"].take();
    for row in rows.as_array_mut().unwrap() {
        let last = row.as_object_mut().unwrap().remove("last").unwrap();
        assert!(last.as_str().unwrap().parse::<Timestamp>().is_ok(), "{last}");
    }
    rows
}

#[tokio::test]
async fn what_was_counted_is_written_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let recorder = recorder(&store);
    let stop = CancellationToken::new();
    let mut writing = JoinSet::new();
    writing.spawn(Arc::clone(&recorder).run(stop.clone()));
    let log = called(("ann", Some("git"), "mcp__git__log", Some("cli")));
    let read = ObservedCall {
        method: Method::ResourcesRead,
        target: "https://example.com/?token=secret".into(),
        ..called(("", Some("web"), "", None))
    };
    let on_page = ObservedCall {
        client_id: ClientId::OURSELVES.on_own_page(),
        ..called(("", None, "memory_recall", None))
    };
    let calls = [
        (log.clone(), AuditOutcome::Ok),
        (log.clone(), AuditOutcome::ToolError),
        (log, AuditOutcome::Cancelled),
        (called(("", None, "memory_recall", None)), AuditOutcome::Refused),
        (read, AuditOutcome::Error(-32_002)),
        // A person looks at the page.
        (on_page, AuditOutcome::Ok),
    ];
    for (call, outcome) in calls {
        let call = Arc::new(call);
        recorder.begun(&call);
        recorder.ended(&call, &end(outcome));
    }
    stop.cancel();
    writing.join_all().await;
    let row = |name: &str, calls: u64, errors: u64| {
        json!({
            "name": name, "calls": calls, "errors": errors, "p50_us": 104, "p95_us": 104,
            "request_tokens": 10 * calls, "result_tokens": 100 * calls,
        })
    };
    let shown = async |scope, by| shown(&*store, scope, by).await;
    let mut refused = row("memory_recall", 1, 1);
    (refused["p50_us"], refused["p95_us"]) = (Value::Null, Value::Null);
    let tools = shown(UsageScope::Everyone, UsageGroup::Tool).await;
    let mut expected = json!([row("mcp__git__log", 3, 1), refused, row("resources/read", 1, 1)]);
    // Spread evenly over their bucket, three calls have other percentiles than one.
    for percentile in ["p50_us", "p95_us"] {
        expected[0][percentile] = tools[0][percentile].clone();
    }
    assert_eq!(tools, expected);
    let names = |rows: &Value| -> Vec<String> {
        rows.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap().into()).collect()
    };
    for (by, expected) in [
        (UsageGroup::Server, ["git", "(built-in)", "web"].as_slice()),
        (UsageGroup::Client, &["cli", "(no name)"]),
        (UsageGroup::Principal, &["ann", "(no name)"]),
    ] {
        assert_eq!(names(&shown(UsageScope::Everyone, by).await), expected);
    }
    let ann = UsageScope::Of(Owner::named("ann"));
    assert_eq!(names(&shown(ann, UsageGroup::Tool).await), ["mcp__git__log"]);
    assert_eq!(shown(UsageScope::Of(Owner::named("eve")), UsageGroup::Tool).await, json!([]));
}

#[tokio::test]
async fn a_call_is_written_while_the_hub_runs() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let recorder = UsageRecorder::with_delay(Arc::clone(&store), NonZeroU16::MAX, Duration::ZERO);
    let (recorder, stop) = (Arc::new(recorder), CancellationToken::new());
    let mut writing = JoinSet::new();
    writing.spawn(Arc::clone(&recorder).run(stop.clone()));
    for calls in 1..=2 {
        let call = Arc::new(called(("", None, "echo", None)));
        recorder.ended(&call, &end(AuditOutcome::Ok));
        let written = async {
            while shown(&*store, UsageScope::Everyone, UsageGroup::Tool).await[0]["calls"] != calls
            {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), written).await.unwrap();
    }
    stop.cancel();
    writing.join_all().await;
}

#[tokio::test]
async fn a_reader_in_the_same_hub_sees_calls_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let recorder = recorder(&open(folder.path()));
    let call = Arc::new(called(("", None, "echo", None)));
    for (days, bucket_seconds, points) in [(1, 3_600, 24), (2, 3_600, 48), (3, 86_400, 3)] {
        recorder.ended(&call, &end(AuditOutcome::Ok));
        let days = UsageDays::new(days).unwrap();
        let request = UsageRequest { days, by: UsageGroup::Tool };
        let usage = recorder.read(UsageScope::Everyone, request).await.unwrap();
        assert_eq!((usage.bucket_seconds, usage.series.len()), (bucket_seconds, points));
        assert_eq!(usage.series[0].at, usage.from);
        let calls: u64 = usage.series.iter().map(|point| point.calls).sum();
        assert_eq!(calls, usage.rows[0].calls);
    }
}

#[tokio::test]
async fn calls_wait_for_a_store_that_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("taken"), "").unwrap();
    let unusable = SqliteStore::on_demand(&folder.path().join("taken/store.db"));
    let recorder = recorder(&(Arc::new(unusable) as Arc<dyn UsageRepository>));
    let call = Arc::new(called(("", None, "echo", None)));
    for calls in 1..=3 {
        recorder.ended(&call, &end(AuditOutcome::Ok));
        recorder.write().await;
        assert_eq!(recorder.waiting_calls(), calls);
    }
    let request = UsageRequest { days: UsageDays::new(1).unwrap(), by: UsageGroup::Tool };
    assert!(recorder.read(UsageScope::Everyone, request).await.is_err());
}

#[test]
fn a_minute_has_a_bounded_number_of_records() {
    let mut pending = PendingUsage::default();
    let mut expected: BTreeMap<String, u64> = BTreeMap::new();
    let at = Timestamp::now();
    let mut count = |principal: &str, client: &str| {
        let call = ObservedCall { at, ..called((principal, None, "echo", Some(client))) };
        pending.count(&call, &end(AuditOutcome::Ok));
        *expected.entry(principal.into()).or_default() += 1;
    };
    for number in 0..1_000 {
        // The name is as long as a hostile client likes, and it is cut between two characters.
        count("ann", &format!("{number}{}", "ä".repeat(10_000)));
    }
    for number in 0..150 {
        count(&format!("principal-{number}"), "cli");
    }
    let usage = pending.take();
    assert!(usage.len() <= 400, "{}", usage.len());
    assert!(usage.iter().all(|it| it.key.client.len() <= 128));
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    for it in &usage {
        *found.entry(it.key.owner.as_str().into()).or_default() += it.counts.calls;
    }
    assert_eq!(found, expected, "each principal has its own calls");
    assert!(pending.is_empty());
    for number in 0..1_000 {
        let principal = format!("principal-{number}");
        let call = ObservedCall { at, ..called((&principal, None, "echo", None)) };
        pending.count(&call, &end(AuditOutcome::Ok));
    }
    let usage = pending.take();
    assert_eq!(usage.len(), 401);
    assert_eq!(usage.iter().map(|it| it.counts.calls).sum::<u64>(), 1_000);
}

#[test]
fn nothing_is_recorded_where_the_settings_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let settings = UsageSettings { enabled: false, ..UsageSettings::default() };
    assert!(UsageRecorder::new(open(folder.path()), &settings).is_none());
}
