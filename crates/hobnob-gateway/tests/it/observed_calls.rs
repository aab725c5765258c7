//! What an observer of calls hears, and calls that the owner cancels.

use std::fs;
use std::sync::Arc;

use hobnob_gateway::{CallObserver, ObservedCall, ObservedEnd, Reload};
use hobnob_mcp_types::Method;
use hobnob_policy::audit::{AuditLog, AuditOptions, AuditOutcome};
use serde_json::{Value, json};
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::harness::{ALLOW, Harness, entry, home, python, write_servers, write_settings};

/// What an observer heard: a call, with its end if it has ended.
type Heard = (Arc<ObservedCall>, Option<ObservedEnd>);

struct Listening(Sender<Heard>);

impl CallObserver for Listening {
    fn begun(&self, call: &Arc<ObservedCall>) {
        self.0.try_send((Arc::clone(call), None)).unwrap();
    }

    fn ended(&self, call: &Arc<ObservedCall>, end: &ObservedEnd) {
        self.0.try_send((Arc::clone(call), Some(*end))).unwrap();
    }

    fn records_traces(&self) -> bool {
        true
    }
}

/// A gateway with an observer, an audit log, and an upstream whose `echo` is denied.
fn harness(name: &str) -> Option<(Harness, Receiver<Heard>)> {
    let python = python()?;
    let home = home(name);
    let deny = "[[permissions]]\ntool = \"mcp__up__echo\"\naction = \"deny\"\n";
    write_settings(&home, &format!("{deny}{ALLOW}"));
    let up = entry(&python, &home, "up", &[]);
    write_servers(&home, &json!({"mcpServers": {"up": up}}).to_string());
    let log = AuditLog::open(&home.join("audit.jsonl"), AuditOptions::default()).unwrap();
    let (send, heard) = channel(16);
    let observer: Arc<dyn CallObserver> = Arc::new(Listening(send));
    let harness =
        Harness::open_watched(&home, Reload::OnDemand, Some(Arc::new(log)), Some(observer));
    Some((harness, heard))
}

#[tokio::test]
async fn each_call_is_heard_once_with_its_outcome() {
    let Some((harness, mut heard)) = harness("observed") else { return };
    let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let meta = json!({"name": "mcp__up__count", "_meta": {"traceparent": parent}});
    let tool = |name: &str| json!({"name": name});
    for (method, params, server, begins, outcome) in [
        (Method::ToolsCall, meta, Some("up"), true, AuditOutcome::Ok),
        (Method::ToolsCall, tool("mcp__up__fail"), Some("up"), true, AuditOutcome::ToolError),
        (Method::ToolsCall, tool("mcp__up__echo"), None, false, AuditOutcome::Refused),
        (Method::ToolsCall, tool("mcp__up__none"), None, false, AuditOutcome::Refused),
        (Method::ToolsCall, tool("ListMcpResources"), None, true, AuditOutcome::Ok),
        (
            Method::ResourcesRead,
            json!({"uri": "mcp://up/test://notes/1"}),
            Some("up"),
            true,
            AuditOutcome::Ok,
        ),
        (Method::PromptsGet, json!({"name": "none"}), None, false, AuditOutcome::Error(-32602)),
    ] {
        drop(harness.plain.ask(method, params.clone()).await);
        let mut all = Vec::new();
        while let Ok(one) = heard.try_recv() {
            all.push(one);
        }
        let (call, end) = all.pop().unwrap();
        let end = end.unwrap();
        assert_eq!(end.outcome, outcome, "{params}");
        assert_eq!(all, if begins { vec![(Arc::clone(&call), None)] } else { vec![] }, "{params}");
        assert_eq!((call.method, call.server.as_deref()), (method, server), "{params}");
        let target = params["name"].as_str().or_else(|| params["uri"].as_str());
        assert_eq!(Some(&*call.target), target);
        let trace = call.trace.as_deref().unwrap();
        match params.get("_meta") {
            Some(_) => assert_eq!(trace.parent.unwrap().to_string(), "b7ad6b7169203331"),
            None => assert_eq!(trace.parent, None, "{params}"),
        }
        assert_eq!(end.result_bytes > 0, begins, "{params}");
    }
    harness.close().await;
}

#[tokio::test]
async fn the_owner_cancels_a_running_call_and_its_caller_is_told() {
    let Some((harness, mut heard)) = harness("cancelled") else { return };
    let owner = harness.gateway.owner_controls();
    let asked = harness.plain.tool("mcp__up__nap", json!({"ms": 600_000}));
    let cancelling = async {
        let (call, end) = heard.recv().await.unwrap();
        assert!(end.is_none(), "{end:?}");
        assert_eq!(owner.running_calls(), [Arc::clone(&call)]);
        assert!(owner.cancel_call(call.id));
        call.id
    };
    let (answer, id) = tokio::join!(asked, cancelling);
    let answer = answer.unwrap();
    assert_eq!(answer["isError"], true, "{answer}");
    assert!(answer.to_string().contains("cancelled by the owner"), "{answer}");
    let (_, end) = heard.recv().await.unwrap();
    assert_eq!(end.unwrap().outcome, AuditOutcome::Cancelled);
    assert!(owner.running_calls().is_empty() && !owner.cancel_call(id), "it has ended");
    // The server answers the next call.
    let answer = harness.plain.tool("mcp__up__count", json!({})).await.unwrap();
    assert_eq!(answer["content"][0]["text"], "1");
    let home = harness.home.clone();
    harness.gateway.shut_down().await;
    let text = fs::read_to_string(home.join("audit.jsonl")).unwrap();
    let line = |line: &str| serde_json::from_str::<Value>(line).unwrap()["outcome"].clone();
    assert_eq!(text.lines().map(line).collect::<Vec<_>>(), ["cancelled", "ok"]);
    drop(fs::remove_dir_all(home));
}
