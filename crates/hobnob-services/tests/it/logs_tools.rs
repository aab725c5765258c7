//! The arguments and answers of each log tool, by caller and dialect.

use crate::logs_server::{LogServer, anonymiser, log_grants};
use hobnob_machine::logs::{LogControl, LogReader};
use hobnob_mcp_engine::Notes;
use hobnob_mcp_types::Method;
use hobnob_secrets::{AnonymiserKey, PersonalKind};
use hobnob_services::logs::{LazyAnonymiser, RevealedToken, reveal};
use hobnob_services::{BuiltInService as _, Dialect, GrantSource as _, KitChange};
use serde_json::{Value, json};
use std::io::Write as _;

const LINES: &str = "\
2024-02-10T10:30:01Z INFO [web] hello from 192.0.2.7
2024-02-10T10:30:02Z WARN [db] bob@example.org waits
2024-02-10T10:30:03Z ERROR [web] no file /home/alice/x
\tat a place
2024-02-10T10:30:04Z DEBUG [db] nothing personal
";

fn token(kind: PersonalKind, value: &str) -> String {
    AnonymiserKey::new(&[7; 32]).token(kind, value).to_string()
}

#[tokio::test]
async fn tools_follow_the_grants() {
    for (dialect, access, tools) in [
        (Dialect::Native, "disabled", vec![]),
        (Dialect::Native, "read-only", vec!["logs_list", "logs_query", "logs_tail"]),
        (Dialect::Native, "read-write", vec!["logs_list", "logs_query", "logs_tail"]),
        (Dialect::SysMcp, "disabled", vec!["logs_list_logs", "logs_query"]),
        (Dialect::SysMcp, "read-only", vec!["logs_list_logs", "logs_query"]),
    ] {
        let server = LogServer::new(dialect);
        server.grants.set(&log_grants(access, None));
        assert_eq!(server.tools().await, tools, "{dialect:?} {access}");
        assert_eq!(server.service.grants_changed(), KitChange::Changed);
    }
    let server = LogServer::new(Dialect::Native);
    let other = server.failure("logs_query", json!({"log": "/etc/passwd"})).await;
    assert!(other.contains("hobnob grant logs /etc"), "{other}");
    server.write("a.log", LINES);
    server.data("logs_query", json!({"log": "a.log"})).await;
    server.grants.set(&log_grants("read-only", None));
    let revoked = server.failure("logs_query", json!({"log": "a.log"})).await;
    assert!(revoked.contains("hobnob grant logs a.log"), "{revoked}");
    let none = server.failure("logs_list", json!({})).await;
    assert!(none.contains("hobnob grant logs LOG"), "{none}");
}

#[tokio::test]
async fn entries_are_listed_queried_and_anonymised() {
    let server = LogServer::new(Dialect::Native);
    server.write("a.log", LINES);
    let listed = server.data("logs_list", json!({})).await;
    let log = json!({"name": "a.log", "kind": "file", "bytes": LINES.len()});
    assert_eq!(listed, json!({"logs": [log], "count": 1}));
    let page = server.data("logs_query", json!({"log": "a.log", "limit": 2})).await;
    assert_eq!(page["total"], 4);
    assert_eq!(page["total_is_exact"], true);
    assert_eq!(page["next_offset"], 2);
    let home = token(PersonalKind::Path, "/home/alice");
    let mut entry = page["entries"][1].clone();
    assert!(entry["id"].take().is_u64());
    let expected = json!({
        "id": null, "log": "a.log", "level": "error", "source": "web", "event_id": 0,
        "message": format!("no file {home}/x\n\tat a place"),
        "timestamp": "2024-02-10T10:30:03Z",
    });
    assert_eq!(entry, expected);
    let cursor = json!({"log": "a.log", "cursor": page["next_cursor"]});
    let rest = server.data("logs_query", cursor).await;
    let (mail, ip) =
        (token(PersonalKind::Email, "bob@example.org"), token(PersonalKind::Ip, "192.0.2.7"));
    assert_eq!(rest["entries"][0]["message"], format!("{mail} waits"));
    assert_eq!(rest["entries"][1]["message"], format!("hello from {ip}"));
    assert!(rest.get("next_cursor").is_none() && rest.get("next_offset").is_none());
}

/// Conditions see only masked text, so that callers cannot find out values by guessing.
#[tokio::test]
async fn conditions_look_at_tokens() {
    let server = LogServer::new(Dialect::Native);
    server.write("a.log", LINES);
    let ip = token(PersonalKind::Ip, "192.0.2.7");
    for (conditions, count) in [
        (json!({"contains": "192.0.2.7"}), 0),
        (json!({"contains": "bob@example.org"}), 0),
        (json!({"contains": ip}), 1),
        (json!({"contains": "HELLO"}), 1),
        (json!({"source": "WEB"}), 2),
        (json!({"min_level": "warning"}), 2),
        (json!({"since": "2024-02-10T10:30:03Z"}), 2),
        (json!({"until": "2024-02-10T11:30:02+01:00"}), 2),
        (json!({"offset": 3}), 1),
    ] {
        let mut arguments = conditions.clone();
        arguments["log"] = json!("a.log");
        assert_eq!(server.data("logs_query", arguments).await["count"], count, "{conditions}");
    }
    let open = LogServer::with(Dialect::Native, None);
    open.write("a.log", LINES);
    let page = open.data("logs_query", json!({"log": "a.log", "contains": "192.0.2.7"})).await;
    assert_eq!(page["entries"][0]["message"], "hello from 192.0.2.7");
}

#[tokio::test]
async fn what_cannot_be_is_said() {
    let server = LogServer::new(Dialect::Native);
    server.write("a.log", LINES);
    for (arguments, words) in [
        (json!({"log": "b.log"}), "there is no log `b.log`"),
        (json!({"log": "a.log", "limit": 10_001}), "limit"),
        (json!({"log": "a.log", "limit": 0}), "limit"),
        (json!({"log": "a.log", "anonymise": false}), "anonymise"),
        (json!({"log": "a.log", "offset": 1, "cursor": "x"}), "not both"),
        (json!({"log": "a.log", "cursor": "x"}), "the cursor does not fit"),
        (json!({"log": "a.log", "since": "yesterday"}), "since: it is no time of RFC 3339"),
        (json!({"log": "a.log", "contains": "x".repeat(2000)}), "contains: at most 1024"),
        (json!({"log": "a.log", "min_level": "loud"}), "min_level"),
    ] {
        let failure = server.failure("logs_query", arguments.clone()).await;
        assert!(failure.contains(words), "{arguments}: {failure}");
    }
    // Without the key of the anonymiser no log is shown.
    let broken = LazyAnonymiser::new(|| Err(std::io::Error::other("/secret/path")));
    let server = LogServer::with(Dialect::Native, Some(broken));
    server.write("a.log", LINES);
    let failure = server.failure("logs_query", json!({"log": "a.log"})).await;
    assert!(!failure.contains("hello") && !failure.contains("secret"), "{failure}");
}

#[tokio::test]
async fn sysmcp_has_its_own_shapes() {
    let server = LogServer::new(Dialect::SysMcp);
    server.write("System", LINES);
    assert_eq!(
        server.data("logs_list_logs", json!({})).await,
        json!({"logs": ["System"], "totalCount": 1})
    );
    let query = json!({"logName": "System", "limit": 1, "minLevel": "WARNING"});
    let mut page = server.data("logs_query", query).await;
    let id = page["entries"][0]["id"].take();
    assert!(id.is_u64(), "{id}");
    let home = token(PersonalKind::Path, "/home/alice");
    let expected = json!({
        "entries": [{
            "id": null, "logName": "System", "level": "ERROR", "source": "web", "eventId": 0,
            "message": format!("no file {home}/x\n\tat a place"),
            "timestamp": "2024-02-10T10:30:03Z",
        }],
        "totalCount": 2, "nextOffset": 1, "page": 1, "pageSize": 1,
    });
    assert_eq!(page, expected);
    for (arguments, page, size, levels) in [
        (json!({}), 1, 100, vec!["INFORMATION", "ERROR", "WARNING", "INFORMATION"]),
        (json!({"page": 2, "pageSize": 3}), 2, 3, vec!["INFORMATION"]),
        (json!({"offset": 2, "limit": 2}), 2, 2, vec!["WARNING", "INFORMATION"]),
        (
            json!({"minLevel": "INFORMATION"}),
            1,
            100,
            vec!["INFORMATION", "ERROR", "WARNING", "INFORMATION"],
        ),
        (json!({"source": "db"}), 1, 100, vec!["INFORMATION", "WARNING"]),
    ] {
        let mut query = arguments.clone();
        query["logName"] = json!("System");
        let found = server.data("logs_query", query).await;
        let shown: Vec<&str> = found["entries"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["level"].as_str().unwrap())
            .collect();
        assert_eq!(
            (&found["page"], &found["pageSize"]),
            (&json!(page), &json!(size)),
            "{arguments}"
        );
        assert_eq!(shown, levels, "{arguments}");
        assert_eq!(found.get("nextOffset"), None, "{arguments}");
    }
    for (arguments, words) in [
        (json!({"logName": "System", "limit": "invalid"}), "limit"),
        (json!({"logName": "System", "limit": 1.5}), "limit: it must be a whole number"),
        (json!({"logName": "System", "limit": 20_000}), "limit"),
        (json!({"logName": "System", "minLevel": "DEBUG"}), "minLevel"),
        (json!({"limit": 1}), "logName"),
        (json!({"logName": "System", "page": 1, "offset": 1}), "not both"),
    ] {
        let failure = server.refusal("logs_query", arguments.clone()).await;
        assert!(failure.contains(words), "{arguments}: {failure}");
    }
    server.grants.set(&log_grants("disabled", None));
    let before = server.failure("logs_query", json!({"logName": "System"})).await;
    assert!(before.contains("hobnob enable logs --read-only"), "{before}");
    assert!(before.contains("hobnob grant logs System"), "{before}");
}

/// A tail reports entries while it runs, and ends when its call is dropped.
#[tokio::test]
async fn a_tail_streams_and_returns() {
    let server = LogServer::new(Dialect::Native);
    server.write("a.log", LINES);
    let path = server.folder.join("a.log");
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let writing = std::sync::Arc::clone(&stop);
    let writer = tokio::task::spawn_blocking(move || {
        let mut file = std::fs::File::options().append(true).open(path).unwrap();
        let mut number = 0;
        while !writing.load(std::sync::atomic::Ordering::Relaxed) {
            number += 1;
            writeln!(file, "2024-02-10T10:31:00Z WARN [web] new {number} from 192.0.2.7").unwrap();
            std::thread::yield_now();
        }
    });
    let arguments = json!({"log": "a.log", "limit": 3, "seconds": 300, "contains": "new"});
    let tail = server.data("logs_tail", arguments).await;
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    writer.await.unwrap();
    assert_eq!((&tail["count"], &tail["ended"]), (&json!(3), &json!("limit")));
    let ip = token(PersonalKind::Ip, "192.0.2.7");
    for entry in tail["entries"].as_array().unwrap() {
        assert!(entry["message"].as_str().unwrap().ends_with(&ip), "{entry}");
    }
    let none = json!({"log": "a.log", "seconds": 1, "contains": "never"});
    let tail = server.data("logs_tail", none).await;
    assert_eq!((&tail["count"], &tail["ended"]), (&json!(0), &json!("time")));
}

#[tokio::test]
async fn a_change_of_the_grants_ends_tails() {
    let server = LogServer::new(Dialect::Native);
    server.write("a.log", LINES);
    let arguments = json!({"log": "a.log", "seconds": 300});
    let params = json!({"name": "logs_tail", "arguments": arguments});
    let tail = server.ask(Method::ToolsCall, params, Notes::silent());
    let change = async {
        // Repeated, since the test cannot observe the start of the tail.
        loop {
            server.service.grants_changed();
            tokio::task::yield_now().await;
        }
    };
    let result: Value = tokio::select! {
        result = tail => result,
        () = change => unreachable!(),
    };
    assert_eq!(result["structuredContent"]["ended"], "grants_changed", "{result}");
}

#[tokio::test]
async fn tokens_can_be_looked_up() {
    let server = LogServer::new(Dialect::Native);
    server.write("a.log", LINES);
    let reader = LogReader::new([], None);
    let control = LogControl::default();
    let look = |kind, value: &str| {
        let token = AnonymiserKey::new(&[7; 32]).token(kind, value);
        reveal(&server.grants.current(), &reader, &anonymiser(), &token, &control).unwrap()
    };
    let found = |value: &str, log: Option<&str>| {
        Some(RevealedToken { value: value.into(), log: log.map(str::to_owned) })
    };
    assert_eq!(look(PersonalKind::User, "alice"), found("alice", None));
    assert_eq!(look(PersonalKind::Ip, "192.0.2.7"), found("192.0.2.7", Some("a.log")));
    assert_eq!(look(PersonalKind::Path, "/home/alice"), found("/home/alice", Some("a.log")));
    assert_eq!(look(PersonalKind::Ip, "192.0.2.8"), None);
}
