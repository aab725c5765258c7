//! Sessions with agents through the binary: a person grants a program, clients chat with it,
//! answers come while it works, and nothing of it survives Hobnob.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::memory_client::{Client, ClientAbilities, Era};
use crate::program::within;
use crate::seed_wire::{Home, ServerTransport};
use crate::shell_service::{mark, person, until_count};

/// Speaks the documented stream of `claude`; the first word of its query says what it does.
const STAND_IN: &str = r#"#!/bin/sh
own=$(dirname "$0")
printf '%s\n' "$@" > "$own/words"
query=$(cat)
echo '{"type":"system","subtype":"init","session_id":"id-1","model":"stand-in"}'
piece() { echo '{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":"'"$1"'"}}}'; }
set -- $query
case "$1" in
    hello) piece 'Hello! '; piece 'How can I help you today?' ;;
    wait) piece Hel; read go < "$own/fifo"; piece "$go" ;;
    hang) piece Hel; trap '' TERM HUP; setsid sleep $2 </dev/null >/dev/null 2>&1 & while :; do sleep $2; done ;;
    grant) "$2" grant files /usr > "$own/granted" 2>&1; piece done ;;
esac
echo '{"type":"result","subtype":"success","is_error":false,"num_turns":1,"session_id":"id-1","total_cost_usd":0.01}'
"#;

/// A home with a program that stands in for `claude`, and the folder that it works in.
pub(crate) fn home(label: &str) -> (Home, PathBuf, PathBuf) {
    let home = Home::new(label);
    let above = home.0.canonicalize().unwrap();
    let [own, folder] = ["own", "granted"].map(|name| above.join(name));
    for path in [&own, &folder] {
        std::fs::create_dir(path).unwrap();
    }
    let program = own.join("claude");
    std::fs::write(&program, STAND_IN).unwrap();
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    let fifo = std::process::Command::new("mkfifo").arg(own.join("fifo")).status();
    assert!(fifo.unwrap().success());
    (home, own, folder)
}

pub(crate) async fn grant(home: &Home, own: &Path, folder: &Path) {
    let (program, folder) = (own.join("claude"), folder.to_str().unwrap());
    let program = program.to_str().unwrap();
    person(home, &["enable", "claudecode"]).await;
    person(home, &["grant", "claudecode", "claude", "--in", folder, "--program", program]).await;
}

#[tokio::test]
async fn a_session_goes_on_whichever_way_in_is_used() {
    let (home, own, folder) = home("agents");
    let mut client = Client::open(&home, ServerTransport::Stdio, Era::Legacy).await;
    let listed = client.listed("tools/list", "tools", "name").await;
    assert!(!listed.iter().any(|name| name.starts_with("claudecode")), "{listed:?}");
    client.end().await;
    grant(&home, &own, &folder).await;
    let mut words = vec![];
    for way in ServerTransport::ALL {
        for era in Era::ALL {
            let mut client = Client::open(&home, way, era).await;
            let chat = json!({"session_name": "my-session", "query": "hello"});
            if words.is_empty() {
                let missing = client.failure("claudecode_chat", chat.clone()).await;
                assert_eq!(missing, "Session 'my-session' not found");
                client.call("claudecode_create", json!({"name": "my-session"})).await;
            }
            let asked = json!({"name": "claudecode_chat", "arguments": chat});
            let result = client.result("tools/call", asked).await;
            assert_eq!(result["isError"], false, "{way:?} {era:?}: {result}");
            let text = &result["content"][0]["text"];
            assert_eq!(text, "Hello! How can I help you today?", "{way:?} {era:?}");
            assert_eq!(result["structuredContent"]["session_id"], "id-1");
            words.push(std::fs::read_to_string(own.join("words")).unwrap());
        }
    }
    assert!(!words[0].contains("--resume"), "{words:?}");
    assert!(words[1..].iter().all(|words| words.contains("--resume=id-1\n")), "{words:?}");
}

#[tokio::test]
async fn an_answer_comes_before_the_agent_has_ended() {
    let (home, own, folder) = home("agents-streamed");
    grant(&home, &own, &folder).await;
    let mut serve = home.hobnob(&["serve"]);
    let mut client = Client::start(&mut serve, Era::Legacy, ClientAbilities::nothing()).await;
    client.call("claudecode_create", json!({"name": "one"})).await;
    let chat = json!({"session_name": "one", "query": "wait", "max_turns": null});
    let asked =
        json!({"name": "claudecode_chat", "arguments": chat, "_meta": {"progressToken": "t"}});
    let id = client.send("tools/call", asked).await;
    client.notified("notifications/progress", |it| it["message"] == "Hel").await;
    let fifo = own.join("fifo");
    let go_on = tokio::task::spawn_blocking(move || std::fs::write(fifo, "lo\n"));
    within("the agent to go on", go_on).await.unwrap().unwrap();
    client.notified("notifications/progress", |it| it["message"] == "lo").await;
    // The next answer after this one's.
    let session = client.call("claudecode_get", json!({"name": "one"})).await;
    assert!(session["chats"].is_number(), "{id}: {session}");
    client.end().await;
}

#[tokio::test]
async fn nothing_survives_when_hobnob_is_killed_and_the_session_goes_on() {
    let (home, own, folder) = home("agents-killed");
    grant(&home, &own, &folder).await;
    let mark = mark();
    let mut serve = home.hobnob(&["serve"]);
    let mut client = Client::start(&mut serve, Era::Modern, ClientAbilities::nothing()).await;
    client.call("claudecode_create", json!({"name": "one"})).await;
    let chat = json!({"session_name": "one", "query": format!("hang {mark}")});
    client.send("tools/call", json!({"name": "claudecode_chat", "arguments": chat})).await;
    until_count(&mark, |count| count >= 2).await;
    // The answer has begun, so the conversation is written down.
    let known = async {
        while client.call("claudecode_get", json!({"name": "one"})).await["session_id"].is_null() {}
    };
    within("the conversation to be known", known).await;
    client.child().kill().await.unwrap();
    until_count(&mark, |count| count == 0).await;
    let mut serve = home.hobnob(&["serve"]);
    let mut client = Client::start(&mut serve, Era::Modern, ClientAbilities::nothing()).await;
    let chat = json!({"session_name": "one", "query": "hello"});
    let asked = json!({"name": "claudecode_chat", "arguments": chat});
    let result = client.result("tools/call", asked).await;
    assert_eq!(result["isError"], false, "{result}");
    let words = std::fs::read_to_string(own.join("words")).unwrap();
    assert!(words.contains("--resume=id-1\n"), "{words}");
    client.end().await;
}

/// An agent has no sandbox, but Hobnob's own commands know who runs them.
#[tokio::test]
async fn an_agent_cannot_grant_itself_anything() {
    let (home, own, folder) = home("agents-grants");
    grant(&home, &own, &folder).await;
    let mut serve = home.hobnob(&["serve"]);
    let mut client = Client::start(&mut serve, Era::Modern, ClientAbilities::nothing()).await;
    client.call("claudecode_create", json!({"name": "one"})).await;
    let query = format!("grant {}", env!("CARGO_BIN_EXE_hobnob"));
    let chat = json!({"session_name": "one", "query": query});
    let asked = json!({"name": "claudecode_chat", "arguments": chat});
    let result = client.result("tools/call", asked).await;
    assert_eq!(result["content"][0]["text"], "done", "{result}");
    let said = std::fs::read_to_string(own.join("granted")).unwrap();
    assert!(said.contains("grants are changed by a person"), "{said}");
    client.end().await;
}
