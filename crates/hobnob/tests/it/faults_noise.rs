//! Upstreams that make noise, hang, or answer too late.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::faults_client::{Client, text_of};
use crate::faults_setup::{ALLOW, Setup, times, until};

/// How long something may take that is bound to happen.
const SOON: Duration = Duration::from_secs(90);

#[tokio::test]
async fn seven_of_ten_upstreams_are_usable_when_three_are_not() {
    let Some(mut setup) = Setup::new("seven").await else { return };
    for number in 0..7 {
        setup.upstream(&format!("good{number}"), &["--only", "echo"]);
    }
    let hanging = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let refusing = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let closed = refusing.local_addr().unwrap();
    drop(refusing);
    let open = hanging.local_addr().unwrap();
    setup.server("refuses", json!({"type": "http", "url": format!("http://{closed}/mcp")}));
    setup.server("hangs", json!({"type": "http", "url": format!("http://{open}/mcp")}));
    setup.upstream("garbage", &["--fault", "only-garbage"]);
    setup.settings(&format!("[timeouts]\nhandshake = \"3s\"\nconnect = \"2s\"\n{ALLOW}"));
    setup.first_list_wait("2s");
    let mut client = Client::legacy(&setup).await;
    let begun = Instant::now();
    let listed = client.tools().await;
    let waited = begun.elapsed();
    assert!(waited < Duration::from_secs(4), "the first list took {waited:?}");
    // On a busy machine some come with `list_changed` instead.
    let mut good = listed.iter().filter(|name| name.starts_with("mcp__good")).count();
    while good < 7 {
        client.notified("notifications/tools/list_changed").await;
        good = client.tools().await.iter().filter(|name| name.starts_with("mcp__good")).count();
    }
    for number in 0..7 {
        let tool = format!("mcp__good{number}__echo");
        assert_eq!(client.text(&tool, json!({"message": "hi"})).await, "hi");
    }
    // A busy machine gives programs more time.
    let end = Instant::now() + SOON;
    for name in ["refuses", "hangs", "garbage"] {
        let mut status = client.status_of(name).await;
        while status["phase"] != "failed" && Instant::now() < end {
            status = client.status_of(name).await;
        }
        assert_eq!(status["phase"], "failed", "{status}");
        assert!(status["reason"].as_str().is_some_and(|why| !why.is_empty()), "{status}");
        // It is tried again, with growing pauses.
        assert!(status["starts"].as_u64().unwrap() <= 10, "{status}");
    }
    client.end().await;
}

#[tokio::test]
async fn an_answer_that_never_comes_is_an_error_at_the_deadline() {
    let Some(mut setup) = Setup::new("never").await else { return };
    setup.upstream("slow", &[]);
    setup.settings(&format!("[timeouts]\ncall = \"1s\"\ncall_max = \"3s\"\n{ALLOW}"));
    let mut client = Client::legacy(&setup).await;
    client.text("mcp__slow__echo", json!({"message": "up"})).await;

    let begun = Instant::now();
    let response = client.call("mcp__slow__nap", json!({"ms": 600_000})).await;
    assert!(text_of(&response).contains("no answer within 1 s"), "{response}");
    let took = begun.elapsed();
    assert!(took >= Duration::from_secs(1) && took < Duration::from_secs(3), "{took:?}");
    let cancelled = || setup.received("slow", "notifications/cancelled") == 1;
    until("the server receives the cancellation", Duration::from_secs(5), cancelled).await;

    // A tool that ignores the cancellation answers late, and the answer is dropped.
    let id = client.send_call("mcp__slow__nap", json!({"ms": 1500, "deaf": true})).await;
    let response = client.response(id).await;
    assert!(text_of(&response).contains("no answer within 1 s"), "{response}");
    until("it answers late", Duration::from_secs(5), || setup.noted("slow", "late") == 1).await;
    assert_eq!(client.text("mcp__slow__echo", json!({"message": "next"})).await, "next");

    // Progress keeps a call alive, but not for ever.
    let begun = Instant::now();
    let params = json!({"name": "mcp__slow__advance", "arguments": {"ms": 100},
                        "_meta": {"progressToken": "p"}});
    let response = client.ask("tools/call", params).await;
    let took = begun.elapsed();
    assert!(text_of(&response).contains("no answer within 3 s"), "{response}");
    assert!(took >= Duration::from_secs(3) && took < Duration::from_secs(6), "{took:?}");
    let progress = client.received.iter().filter(|it| it["method"] == "notifications/progress");
    assert!(progress.count() > 5);
    assert_eq!(client.status_of("slow").await["in_flight"], 0);
    assert_eq!(setup.noted("slow", "start"), 1, "it is late, not dead");
    client.end().await;
}

#[tokio::test]
async fn noise_on_both_streams_is_survived() {
    let Some(mut setup) = Setup::new("noise").await else { return };
    setup.upstream("loud", &["--fault", "banner", "--stderr-bytes", "10485760"]);
    let mut client = Client::legacy(&setup).await;
    assert_eq!(client.text("mcp__loud__garbage", json!({})).await, "still here");
    assert_eq!(client.text("mcp__loud__chatter", json!({"bytes": 2 << 20})).await, "chattered");
    assert_eq!(client.text("mcp__loud__echo", json!({"message": "hi"})).await, "hi");
    let status = client.status_of("loud").await;
    assert_eq!(status["phase"], "ready", "{status}");
    let log = client.ask("resources/read", json!({"uri": "hobnob://logs/loud"})).await;
    let log = log["result"]["contents"][0]["text"].as_str().unwrap();
    assert!(log.contains("the last words"), "{log}");
    assert!(log.len() < 64 << 10, "{} bytes are kept", log.len());
    assert!(status["warnings"].to_string().contains("no messages"), "{status}");
    assert_eq!(setup.noted("loud", "start"), 1);
    client.end().await;
}

/// A server whose tool `say` answers with the text it was called with, unread.
const UNREADABLE: &str = r#"
import json, sys
def write(text):
    sys.stdout.write(text + "\n"); sys.stdout.flush()
for line in sys.stdin:
    asked = json.loads(line)
    ident, params = asked.get("id"), asked.get("params", {})
    if ident is None:
        continue
    if asked["method"] == "tools/call":
        given = params["arguments"]
        raw = given["raw"].replace("ID", str(ident)).replace("PAD", "x" * given.get("pad", 0))
        write(raw)
        continue
    result = {
        "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                       "serverInfo": {"name": "odd", "version": "1"}},
        "tools/list": {"tools": [{"name": "say", "inputSchema": {"type": "object"}}]},
        "ping": {},
    }.get(asked["method"])
    answer = {"result": result} if result is not None else {"error": {"code": -32601, "message": "no"}}
    write(json.dumps({"jsonrpc": "2.0", "id": ident, **answer}))
"#;

#[tokio::test]
async fn an_unreadable_answer_fails_its_call_at_once_and_only_that() {
    let Some(mut setup) = Setup::new("unreadable").await else { return };
    setup.script("odd", UNREADABLE);
    // Longer than a test may take: no answer here comes from a deadline.
    setup.settings(&format!("[timeouts]\ncall = \"10m\"\ncall_max = \"10m\"\n{ALLOW}"));
    let deep =
        format!(r#"{{"jsonrpc":"2.0","id":ID,"result":{}{}}}"#, "[".repeat(200), "]".repeat(200));
    let bad = [
        (r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[],"content":[]}}"#, "the same key twice"),
        (r#"{"result":{"content":[],"x":NaN},"jsonrpc":"2.0","id":ID}"#, "not valid JSON"),
        (&deep, "nested deeper"),
        (
            r#"{"result":{"content":[{"type":"text","text":"PAD"}]},"jsonrpc":"2.0","id":ID}"#,
            "longer than",
        ),
        (
            r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"PAD"}]}}"#,
            "longer than",
        ),
    ];
    let mut client = Client::legacy(&setup).await;
    for round in 0..2 {
        for (raw, why) in bad {
            let pad = if why == "longer than" { 17 << 20 } else { 0 };
            let response = client.call("mcp__odd__say", json!({"raw": raw, "pad": pad})).await;
            let text = text_of(&response);
            assert!(text.contains("cannot be read") && text.contains(why), "{round}: {text}");
        }
        let cut =
            r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"a\ud83dz"}]}}"#;
        let text = client.text("mcp__odd__say", json!({"raw": cut})).await;
        assert_eq!(text, "a\u{fffd}z");
    }
    let status = client.status_of("odd").await;
    assert_eq!((&status["phase"], &status["starts"]), (&json!("ready"), &json!(1)), "{status}");
    client.end().await;
}

#[tokio::test]
async fn a_half_closed_upstream_is_a_dead_one() {
    let Some(mut setup) = Setup::new("half").await else { return };
    setup.upstream("half", &[]);
    let mut client = Client::legacy(&setup).await;
    client.text("mcp__half__echo", json!({"message": "up"})).await;
    let begun = Instant::now();
    let response = client.call("mcp__half__half_close", json!({})).await;
    assert_eq!(response["result"]["isError"], true, "{response}");
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    assert_eq!(client.text("mcp__half__echo", json!({"message": "again"})).await, "again");
    assert_eq!(setup.noted("half", "start"), 2);
    // Supervisors come on top, so only the programs themselves count.
    let programs = || {
        let all = setup.processes();
        all.iter().filter(|it| !it.arguments.contains("__supervise")).count()
    };
    until("the old one is gone", Duration::from_secs(5), || programs() == 1).await;
    client.end().await;
}

/// Takes note of an answer, which must be the only one under its id.
fn note_answer(message: &Value, answered: &mut std::collections::BTreeSet<i64>) {
    if message["method"].is_null() {
        let id = message["id"].as_i64().expect("an id");
        assert!(answered.insert(id), "a second answer to {id}: {message}");
    }
}

#[tokio::test]
async fn a_cancelled_call_has_one_outcome_and_leaves_nothing() {
    let Some(mut setup) = Setup::new("races").await else { return };
    setup.upstream("one", &[]);
    let mut client = Client::legacy(&setup).await;
    client.text("mcp__one__echo", json!({"message": "up"})).await;
    let rounds = times(300, 5000);
    let mut answered = std::collections::BTreeSet::new();
    for round in 0..rounds {
        let id = if round % 2 == 0 {
            client.send_call("mcp__one__echo", json!({"message": "x"})).await
        } else {
            client.send_call("mcp__one__nap", json!({"ms": round % 7})).await
        };
        // Some are cancelled before they are read, some in between, some after their answer.
        if round % 10 == 9 {
            while !answered.contains(&id) {
                note_answer(&client.next().await, &mut answered);
            }
        }
        for _ in 0..round % 5 {
            tokio::task::yield_now().await;
        }
        let params = json!({"requestId": id, "reason": "race"});
        client.tell("notifications/cancelled", params).await;
        if round % 50 == 49 {
            let fence = client.send("ping", json!({})).await;
            loop {
                let message = client.next().await;
                if message["id"] == fence {
                    break;
                }
                note_answer(&message, &mut answered);
            }
        }
    }
    // Both ends of the race were seen: some answers came first, some cancellations did.
    assert!((1..rounds).contains(&answered.len()), "{} of {rounds}", answered.len());
    let end = Instant::now() + Duration::from_secs(20);
    while client.status_of("one").await["in_flight"] != 0 {
        assert!(Instant::now() < end, "something is still in flight");
    }
    assert_eq!(client.text("mcp__one__echo", json!({"message": "alive"})).await, "alive");
    assert_eq!(setup.noted("one", "start"), 1);
    client.end().await;
}

#[tokio::test]
async fn a_broken_list_is_no_list_only_until_it_is_whole() {
    let Some(mut setup) = Setup::new("lists").await else { return };
    setup.upstream("bad", &["--fault", "tools"]);
    let mut client = Client::legacy(&setup).await;
    assert!(!client.tools().await.iter().any(|name| name.starts_with("mcp__bad")));
    let status = client.status_of("bad").await;
    assert_eq!(status["phase"], "ready", "{status}");
    assert!(status["warnings"].to_string().contains("tools/list"), "{status}");
    client.end().await;
    // What was never read is not remembered as empty.
    let mut client = Client::legacy(&setup).await;
    // The first list does not wait for the server so soon again, but it is started.
    client.tools().await;
    until("its second start", SOON, || setup.noted("bad", "start") == 2).await;
    client.end().await;
}
