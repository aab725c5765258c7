//! Two principals at one page: neither sees, counts, finds or changes anything of the other's.

use crate::page_hub::{PageHub, call, end, pass, question};
use crate::requests::{Browser, OpenEvents, browser, get, post};
use crate::scripted_tokens::{shared_hub, signed_in};
use hobnob_gateway::{CallObserver as _, ObservedCall, ShownArguments};
use hobnob_mcp_http::ReplyBody;
use hobnob_policy::audit::{
    AuditLog, AuditMode, AuditOptions, AuditOutcome, AuditRecord, AuditRetention, AuditTarget,
};
use hobnob_ui::{PageChange, PageConnection};
use serde_json::{Value, json};
use std::future::poll_fn;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const TOKENS: &[(&str, &str)] = &[("work-ann", "ann"), ("work-bob", "bob"), ("named", "owner")];

/// A call of a principal begins.
fn begin(hub: &PageHub, id: u64, principal: &str) -> Arc<ObservedCall> {
    let call = Arc::new(ObservedCall { principal: principal.into(), ..call(id) });
    hub.feed.begun(&call);
    call
}

fn ids(calls: &Value) -> Vec<u64> {
    calls.as_array().unwrap().iter().map(|call| call["id"].as_u64().unwrap()).collect()
}

async fn state(hub: &PageHub, browser: &Browser) -> Value {
    let (status, state) = get("/ui/api/state").by(browser).answer(hub).await;
    assert_eq!(status, 200, "{state}");
    state
}

#[tokio::test]
async fn a_principal_sees_and_cancels_its_own_calls_alone() {
    let (hub, _tokens) = shared_hub(TOKENS, PageConnection::Plain, None);
    let before = [begin(&hub, 1, "ann"), begin(&hub, 2, "bob"), begin(&hub, 3, "")];
    hub.feed.ended(&begin(&hub, 4, "bob"), &end(AuditOutcome::Ok));
    hub.feed.ended(&begin(&hub, 5, "ann"), &end(AuditOutcome::Ok));
    let (ann, bob) = (signed_in(&hub, "work-ann").await, signed_in(&hub, "work-bob").await);
    let (named, owner) = (signed_in(&hub, "named").await, browser(&hub).await);
    let _after = [begin(&hub, 6, "bob"), begin(&hub, 7, "ann"), begin(&hub, 8, "annabel")];
    hub.feed.ended(&before[1], &end(AuditOutcome::Ok));
    for (who, running, recent) in [
        (&ann, vec![1, 7], vec![5]),
        (&bob, vec![6], vec![4, 2]),
        (&named, vec![], vec![]),
        (&owner, vec![1, 3, 6, 7, 8], vec![4, 5, 2]),
    ] {
        let state = state(&hub, who).await;
        assert_eq!((ids(&state["running"]), ids(&state["recent"])), (running, recent));
    }
    hub.done();
    for (id, who, expected) in
        [(6, &ann, 404), (3, &ann, 404), (5, &ann, 404), (1, &bob, 404), (1, &named, 404)]
    {
        let path = format!("/ui/api/calls/{id}/cancel");
        assert_eq!(post(&path).by(who).status(&hub).await, expected, "{id}");
    }
    assert_eq!(hub.done(), [""; 0], "nothing reached the hub");
    post("/ui/api/calls/7/cancel").by(&ann).send(&hub).await;
    assert_eq!(hub.done(), ["cancel 7"]);
}

#[tokio::test(start_paused = true)]
async fn a_principal_s_stream_has_its_own_calls_and_changes_alone() {
    let (hub, _tokens) = shared_hub(TOKENS, PageConnection::Plain, None);
    let ann = signed_in(&hub, "work-ann").await;
    let mut events = OpenEvents::open(&hub, &ann, None).await;
    events.event("state").await;
    // The changes of a first look at the hub.
    pass(Duration::from_secs(3)).await;
    for id in 10..20 {
        hub.feed.ended(&begin(&hub, id, "bob"), &end(AuditOutcome::Ok));
    }
    hub.page.changed_for("bob", PageChange::Memory);
    hub.page.changed(PageChange::Rules);
    *hub.hub.questions.lock() = vec![question_of(1, "bob"), question_of(2, "")];
    pass(Duration::from_secs(5)).await;
    hub.feed.ended(&begin(&hub, 30, "ann"), &end(AuditOutcome::Ok));
    hub.page.changed_for("ann", PageChange::Tasks);
    // Calls and changes come in either order.
    let (mut seen, mut has_call, mut has_change) = (Vec::new(), false, false);
    while !(has_call && has_change) {
        let event = events.next().await.unwrap();
        has_call |= event.name == "calls";
        has_change |= event.name == "changed" && event.data["what"].to_string().contains("tasks");
        seen.push(event);
    }
    let calls: Vec<_> = seen.iter().filter(|event| event.name == "calls").collect();
    assert_eq!(calls.len(), 1, "{seen:?}");
    assert_eq!((ids(&calls[0].data["ended"]), &calls[0].data["dropped"]), (vec![30], &json!(0)));
    let text = format!("{seen:?}");
    assert!(!text.contains("bob") && !text.contains("memory") && !text.contains("rules"), "{text}");
}

fn question_of(number: u64, principal: &str) -> hobnob_gateway::OwnerQuestion {
    let path = "/home/me/.local/arguments".into();
    hobnob_gateway::OwnerQuestion {
        principal: principal.into(),
        arguments: ShownArguments::File { path, bytes: 7 },
        always_writes: Some("allow everything".into()),
        ..question(number)
    }
}

#[tokio::test]
async fn a_state_says_nothing_of_the_machine_and_of_others() {
    let (hub, _tokens) = shared_hub(TOKENS, PageConnection::Plain, None);
    *hub.hub.questions.lock() =
        vec![question_of(41, "bob"), question_of(42, "ann"), question_of(43, "")];
    {
        let mut status = hub.hub.status.lock();
        status.problems = vec!["the folder /home/me is gone".into()];
        status.servers[0].reason = Some("exit 3 in /home/me".into());
        status.servers[0].pid = Some(4242);
        status.servers[0].warnings = vec!["/home/me".into()];
    }
    let ann = signed_in(&hub, "work-ann").await;
    let state = state(&hub, &ann).await;
    let servers = state["status"]["servers"].as_array().unwrap();
    let git = (&servers[0]["name"], &servers[0]["phase"], &servers[0]["tools"]);
    assert_eq!((servers.len(), git), (1, (&json!("git"), &json!("ready"), &json!(3))));
    let questions = state["questions"].as_array().unwrap();
    assert_eq!((questions.len(), &questions[0]["number"]), (1, &json!(1)));
    assert_eq!(questions[0]["public"], "git_push");
    let text = state.to_string();
    for secret in ["/home/me", "uvx", "4242", "bob", "ask owner", "allow everything", "42", "41"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
    let (_, health) = get("/ui/api/health").by(&ann).answer(&hub).await;
    assert_eq!(health, json!({ "version": "1.2.3", "ok": true }));
    // Where the token's view shows no status, the page shows none either.
    let named = signed_in(&hub, "named").await;
    let (_, state) = get("/ui/api/state").by(&named).answer(&hub).await;
    assert_eq!((&state["status"]["servers"], &state["questions"]), (&json!([]), &json!([])));
}

#[tokio::test]
async fn usage_is_of_the_principal_who_asks() {
    let (hub, _tokens) = shared_hub(TOKENS, PageConnection::Plain, None);
    let (ann, owner) = (signed_in(&hub, "work-ann").await, browser(&hub).await);
    hub.done();
    get("/ui/api/usage?days=7&by=principal&principal=bob").by(&ann).send(&hub).await;
    get("/ui/api/usage?days=7&by=tool").by(&owner).send(&hub).await;
    assert_eq!(hub.done(), ["usage 7 principal of ann", "usage 7 tool"]);
}

/// Each principal in turn, and the owner.
fn write_log(path: &Path) {
    let options = AuditOptions {
        calls: AuditRetention::new(Duration::from_secs(3_600_000_000), 64 << 20),
        decisions: AuditRetention::by_age(Duration::MAX),
        mode: AuditMode::BestEffort,
    };
    let log = AuditLog::open(path, options).unwrap();
    for number in 0..30 {
        let principal = ["ann", "bob", ""][number % 3];
        let target = format!("tool_{number}_{principal}");
        log.record(&AuditRecord {
            principal,
            target: AuditTarget::Tool(&target),
            ..AuditRecord::event("tools/call")
        });
    }
    log.flush().unwrap();
}

async fn export(hub: &PageHub, browser: &Browser) -> String {
    let answer = get("/ui/api/audit/export").by(browser).send(hub).await;
    let ReplyBody::Stream(mut stream) = answer.into_body() else { panic!("no stream") };
    let mut text = Vec::new();
    while let Some(block) = poll_fn(|cx| stream.as_mut().poll_next(cx)).await {
        text.extend_from_slice(&block);
    }
    String::from_utf8(text).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_shows_a_principal_its_own_lines_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    write_log(&path);
    let (hub, _tokens) = shared_hub(TOKENS, PageConnection::Plain, Some(path));
    let (ann, bob) = (signed_in(&hub, "work-ann").await, signed_in(&hub, "work-bob").await);
    let named = signed_in(&hub, "named").await;
    let read = |query: &str, who: &Browser| get(&format!("/ui/api/audit?{query}")).by(who);
    let (_, page) = read("limit=4", &ann).answer(&hub).await;
    let lines = page["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 4);
    for line in lines {
        assert_eq!(line["principal"], "ann");
        assert!(line.get("seq").is_none() && line.get("prev").is_none(), "{line}");
    }
    // Another principal's cursor names a line that does not exist for this one.
    let next = page["next"].as_str().unwrap();
    assert_eq!(read(&format!("before={next}"), &ann).status(&hub).await, 200);
    assert_eq!(read(&format!("before={next}"), &bob).status(&hub).await, 422);
    for query in ["q=bob", "principal=bob", "q=tool_1_"] {
        let (_, found) = read(query, &ann).answer(&hub).await;
        assert!(!found.to_string().contains("bob"), "{query}: {found}");
    }
    assert_eq!(read("", &named).answer(&hub).await.1["lines"], json!([]));
    let text = export(&hub, &ann).await;
    assert_eq!((text.lines().count(), text.contains("bob")), (10, false), "{text}");
    assert!(!text.contains("\"prev\"") && text.lines().all(|line| line.contains("ann")), "{text}");
}
