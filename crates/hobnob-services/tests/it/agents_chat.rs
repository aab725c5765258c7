//! Chats with agents as callers see them, with a program that speaks the documented stream.

use crate::agents_server::AgentServer;
use crate::calls::pipe;
use crate::shell_server::{
    LONG, Presence, SlowReader, Streamed, failure, mark, until_marked, with_mark,
};
use hobnob_mcp_client::EraHint;
use hobnob_mcp_engine::{Notes, Principal};
use hobnob_services::agents::{AgentNesting, AgentOptions};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Waits until an event of this kind has been sent.
async fn until_sent(streamed: &Streamed, kind: &str) {
    let mut looks = tokio::time::interval(Duration::from_millis(5));
    let sent = async {
        while !streamed.pieces().iter().any(|(sent, _)| sent == kind) {
            looks.tick().await;
        }
    };
    assert!(tokio::time::timeout(LONG, sent).await.is_ok(), "{kind}");
}

fn tools_of(server: &AgentServer) -> Vec<String> {
    let toolbox = server.server.toolbox().unwrap();
    toolbox.lists().tools().iter().map(|tool| tool.key.to_string()).collect()
}

#[tokio::test]
async fn nothing_is_listed_or_run_until_a_person_allows_it() {
    let server = AgentServer::with(AgentNesting::Outside);
    assert_eq!(tools_of(&server), [""; 0]);
    server.grant(&[], "read-only");
    assert_eq!(tools_of(&server), ["claudecode_get", "claudecode_list"]);
    server.grant(&[], "read-write");
    assert_eq!(tools_of(&server).len(), 6);
    let listed = server.server.toolbox().unwrap().lists().tools();
    let chat = listed.iter().find(|tool| &*tool.key == "claudecode_chat").unwrap();
    let chat: Value = serde_json::from_str(&chat.json).unwrap();
    let turns = &chat["inputSchema"]["properties"]["max_turns"];
    assert_eq!(turns["type"], json!(["integer", "null"]), "{chat}");
    let refused = server.failure("create", json!({"name": "one"})).await;
    assert!(refused.contains("hobnob grant claudecode claude --in FOLDER"), "{refused}");
    server.grant(&["claude"], "read-write");
    let outside = json!({"name": "one", "working_dir": "/"});
    let refused = server.failure("create", outside).await;
    assert!(refused.contains("hobnob grant claudecode claude --in /"), "{refused}");
    server.data("create", json!({"name": "one"})).await;
    server.grant(&[], "read-write");
    let chat = json!({"session_name": "one", "query": "hello"});
    let refused = server.failure("chat", chat).await;
    assert!(refused.contains("no grant covers it"), "{refused}");
    assert!(!server.own.join("words").exists(), "nothing may have run");
}

#[tokio::test]
async fn an_answer_comes_while_the_agent_works_and_the_next_chat_goes_on() {
    let server = AgentServer::granted();
    let below = server.in_folder("src");
    let made = server
        .data("create", json!({"name": "my-session", "working_dir": below, "model": "opus"}))
        .await;
    assert_eq!((&made["agent"], &made["chats"]), (&json!("claude"), &json!(0)), "{made}");
    let streamed = Arc::new(Streamed::default());
    let arguments = json!({"session_name": "my-session", "query": "wait here", "max_turns": 3});
    let chat = server.call("chat", arguments, streamed.notes());
    let reader = async {
        until_sent(&streamed, "content").await;
        assert!(!streamed.pieces().iter().any(|(kind, _)| kind == "complete"));
        server.go_on("lo").await;
    };
    let (result, ()) = tokio::join!(chat, reader);
    assert_eq!(result["content"], json!([{"type": "text", "text": "Hello"}]), "{result}");
    let kinds: Vec<String> = streamed.pieces().into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, ["start", "content", "complete"]);
    let done = &result["structuredContent"];
    assert_eq!(done["session_id"], "id-1");
    assert_eq!((&done["cost_usd"], &done["turns"]), (&json!(0.5), &json!(1)), "{done}");
    assert_eq!(done["usage"], json!({"output_tokens": 2}));
    assert_eq!(server.own_words(), ["--model=opus", "--max-turns=3"]);
    assert_eq!(server.written("query"), "wait here");
    assert_eq!(server.written("folder").trim(), below.to_str().unwrap());
    assert_eq!(server.chat("my-session", "hello").await, "Hello");
    assert_eq!(server.own_words(), ["--resume=id-1", "--model=opus"]);
    let session = server.data("get", json!({"name": "my-session"})).await;
    assert_eq!((&session["chats"], &session["session_id"]), (&json!(2), &json!("id-1")));
}

#[tokio::test]
async fn a_result_has_the_text_first_and_then_the_tools() {
    let server = AgentServer::granted();
    server.data("create", json!({"name": "one"})).await;
    let streamed = Arc::new(Streamed::default());
    let arguments = json!({"session_name": "one", "query": "tool", "max_turns": null});
    let result = server.call("chat", arguments, streamed.notes()).await;
    let texts: Vec<&Value> =
        result["content"].as_array().unwrap().iter().map(|it| &it["text"]).collect();
    assert_eq!(texts, ["I look.\n\nOne file.", "[Tool: Bash] {\"command\":\"ls\"}"]);
    assert_eq!(result["structuredContent"]["skipped_lines"], 1, "{result}");
    let pieces = streamed.pieces();
    assert!(pieces.contains(&("tool_use".into(), "Using tool: Bash".into())), "{pieces:?}");
}

#[tokio::test]
async fn forks_go_on_from_the_same_place_and_apart() {
    let server = AgentServer::granted();
    server.data("create", json!({"name": "old", "model": "m"})).await;
    server.chat("old", "hello").await;
    let forked = server.data("fork", json!({"name": "old", "new_name": "new"})).await;
    assert_eq!((&forked["session_id"], &forked["model"]), (&json!("id-1"), &json!("m")));
    for (session, words) in [
        ("old", &["--resume=id-1", "--fork-session", "--model=m"][..]),
        ("new", &["--resume=id-1", "--fork-session", "--model=m"]),
        ("old", &["--resume=id-2", "--model=m"]),
        ("new", &["--resume=id-3", "--model=m"]),
    ] {
        server.chat(session, "hello").await;
        assert_eq!(server.own_words(), words, "{session}");
    }
    let listed = server.data("list", json!({"limit": 1})).await;
    assert_eq!(listed["sessions"][0]["name"], "new");
    let rest = server.data("list", json!({"cursor": listed["next_cursor"]})).await;
    assert_eq!(rest["sessions"][0]["name"], "old");
    assert_eq!(rest.get("next_cursor"), None);
    let deleted = server.data("delete", json!({"name": "new"})).await;
    assert_eq!(deleted, json!({"name": "new", "deleted": true}));
    let gone = server.failure("delete", json!({"name": "new"})).await;
    assert_eq!(gone, "Session 'new' not found");
}

#[tokio::test]
async fn what_cannot_be_done_is_said() {
    let server = AgentServer::granted();
    server.data("create", json!({"name": "one"})).await;
    server.data("create", json!({"name": "two", "agent": "gemini"})).await;
    let long = "x".repeat(70_000);
    let cases = [
        (
            "chat",
            json!({"session_name": "my-session", "query": "Hello, world!"}),
            "Session 'my-session' not found",
        ),
        ("get", json!({"name": "my-session"}), "Session 'my-session' not found"),
        ("fork", json!({"name": "x\ny", "new_name": "z"}), "not found"),
        ("fork", json!({"name": "one", "new_name": "two"}), "Session 'two' exists already"),
        ("create", json!({"name": "one"}), "Session 'one' exists already"),
        ("create", json!({"name": "-x"}), "is no name for a session"),
        ("create", json!({"name": "a/../b"}), "is no name for a session"),
        ("create", json!({"name": "x", "agent": "rm"}), "known: claude, codex, gemini"),
        ("create", json!({"name": "x", "agent": "codex"}), "hobnob grant claudecode codex"),
        ("create", json!({"name": "x", "model": "--flag"}), "`model`"),
        ("create", json!({"name": "x", "system_prompt": long}), "`system_prompt`"),
        ("create", json!({"name": "x", "agent": "gemini", "system_prompt": "y"}), "leave it out"),
        ("chat", json!({"session_name": "one", "query": " "}), "`query` is empty"),
        ("chat", json!({"session_name": "one", "query": "x", "max_turns": 0}), "`max_turns`"),
        ("chat", json!({"session_name": "two", "query": "x", "max_turns": 1}), "leave it out"),
    ];
    for (tool, arguments, words) in cases {
        let refused = server.failure(tool, arguments.clone()).await;
        assert!(refused.contains(words), "{tool} {arguments:.100}: {refused}");
    }
    assert!(!server.own.join("words").exists(), "nothing may have run");
}

#[tokio::test]
async fn an_agent_that_fails_is_a_failed_call_and_the_session_stays() {
    let server = AgentServer::granted();
    server.data("create", json!({"name": "one"})).await;
    for (query, words) in [
        ("fail", "Not logged in"),
        ("die", "the agent ended without a result (exited with code 3): it broke"),
        ("nothing", "(exited with code 0): it wrote nothing about it"),
    ] {
        let chat = json!({"session_name": "one", "query": query});
        let refused = server.failure("chat", chat).await;
        assert!(refused.contains(words), "{query}: {refused}");
        let session = server.data("get", json!({"name": "one"})).await;
        assert_eq!((&session["chats"], session.get("session_id")), (&json!(0), None), "{query}");
    }
    // An answer without text: the completion itself is the text.
    assert!(server.chat("one", "silent").await.contains("\"session_id\": \"id-4\""));
}

#[tokio::test]
async fn one_chat_at_a_time_and_only_for_the_owner() {
    let server = AgentServer::granted();
    server.data("create", json!({"name": "one"})).await;
    let mut ann = pipe();
    ann.principal = Principal::named("ann");
    let seen = server.call_as(&ann, "get", json!({"name": "one"}), Notes::silent()).await;
    assert_eq!(failure(&seen), "Session 'one' not found");
    let streamed = Arc::new(Streamed::default());
    let arguments = json!({"session_name": "one", "query": "wait"});
    let chat = server.call("chat", arguments.clone(), streamed.notes());
    let others = async {
        until_sent(&streamed, "content").await;
        for (tool, arguments) in [
            ("chat", arguments),
            ("delete", json!({"name": "one"})),
            ("fork", json!({"name": "one", "new_name": "two"})),
        ] {
            let refused = server.failure(tool, arguments).await;
            assert!(refused.contains("Session 'one' is busy"), "{tool}: {refused}");
        }
        server.go_on("lo").await;
    };
    let (result, ()) = tokio::join!(chat, others);
    assert_eq!(result["isError"], false, "{result}");
    server.data("delete", json!({"name": "one"})).await;
}

#[tokio::test]
async fn a_cancelled_chat_leaves_nothing_and_is_not_forgotten() {
    let server = AgentServer::granted();
    for era in [EraHint::Legacy, EraHint::Modern] {
        let name = format!("{era:?}");
        server.data("create", json!({"name": name})).await;
        let client = server.client(era).await;
        let mark = mark();
        let arguments = json!({"session_name": name, "query": format!("hang {mark}")}).to_string();
        let silent = Notes::silent();
        let call = client.call_tool_text("claudecode_chat", Some(&arguments), &silent);
        let running = async {
            until_marked(&mark, Presence::There).await;
            // The answer has begun, so the conversation's id is known.
            let mut looks = tokio::time::interval(Duration::from_millis(10));
            while server.data("get", json!({"name": name})).await.get("session_id").is_none() {
                looks.tick().await;
            }
        };
        tokio::select! {
            done = call => panic!("{done:?}"),
            waited = tokio::time::timeout(LONG, running) => waited.unwrap(),
        }
        // The call was dropped, which cancels it.
        until_marked(&mark, Presence::Gone).await;
        client.close().await;
        let session = server.data("get", json!({"name": name})).await;
        assert_eq!(server.chat(&name, "hello").await, "Hello");
        let resumed = format!("--resume={}", session["session_id"].as_str().unwrap());
        assert_eq!(server.own_words(), [resumed]);
    }
}

#[tokio::test]
async fn a_grant_that_is_taken_back_ends_the_agent() {
    let server = AgentServer::granted();
    server.data("create", json!({"name": "one"})).await;
    let mark = mark();
    let arguments = json!({"session_name": "one", "query": format!("hang {mark}")});
    let chat = server.call("chat", arguments, Notes::silent());
    let revoke = async {
        until_marked(&mark, Presence::There).await;
        server.grant(&[], "read-write");
    };
    let (result, ()) = tokio::join!(chat, revoke);
    let texts = result["content"].to_string();
    assert_eq!(result["isError"], true, "{result}");
    assert!(texts.contains("a person took back what granted it"), "{result}");
    assert_eq!(with_mark(&mark), [0; 0]);
}

#[tokio::test]
async fn a_reader_that_needs_every_event_holds_the_agent_up() {
    let server = AgentServer::granted();
    server.data("create", json!({"name": "one"})).await;
    let reader = Arc::new(SlowReader::default());
    let arguments = json!({"session_name": "one", "query": "flood"});
    let chat = server.call("chat", arguments, Notes::new(reader.clone()));
    let reading = async {
        let mut looks = tokio::time::interval(Duration::from_millis(1));
        loop {
            looks.tick().await;
            assert!(reader.waiting() <= SlowReader::ROOM, "{}", reader.waiting());
            reader.take_one();
        }
    };
    let result = tokio::select! {
        result = chat => result,
        () = reading => unreachable!("it never ends"),
    };
    assert_eq!(result["content"][0]["text"], "x".repeat(1000));
    let (bytes, last) = reader.all();
    assert_eq!(bytes, 1000);
    assert!(last.starts_with("{\"type\":\"complete\""), "{last}");
}

#[tokio::test]
async fn an_agent_that_takes_too_long_is_ended() {
    let short = Duration::from_millis(300);
    let server = AgentServer::with_options(|usual| AgentOptions { longest_chat: short, ..usual });
    server.grant(&["claude"], "read-write");
    server.data("create", json!({"name": "one"})).await;
    let mark = mark();
    let arguments = json!({"session_name": "one", "query": format!("hang {mark}")});
    let result = server.call("chat", arguments, Notes::silent()).await;
    assert_eq!(result["isError"], true, "{result}");
    assert!(result["content"].to_string().contains("a chat may take no longer"), "{result}");
    assert_eq!(with_mark(&mark), [0; 0]);
}

#[tokio::test]
async fn an_agent_that_does_not_end_after_its_answer_is_ended() {
    let short = Duration::from_millis(100);
    let server = AgentServer::with_options(|usual| AgentOptions { linger: short, ..usual });
    server.grant(&["claude"], "read-write");
    server.data("create", json!({"name": "one"})).await;
    let mark = mark();
    assert_eq!(server.chat("one", &format!("linger {mark}")).await, "Hello");
    assert_eq!(with_mark(&mark), [0; 0]);
}

#[tokio::test]
async fn an_agent_has_its_home_and_nothing_of_our_environment() {
    let server = AgentServer::granted();
    server.data("create", json!({"name": "one"})).await;
    let home = std::env::home_dir().unwrap();
    let seen = server.chat("one", "environment").await;
    assert_eq!(seen, format!("{}  none", home.display()));
    let nested = AgentServer::with(AgentNesting::InsideAgent);
    nested.grant(&["claude"], "read-write");
    let refused = nested.failure("create", json!({"name": "one"})).await;
    assert!(refused.contains("an agent cannot start another one"), "{refused}");
}
