//! Sessions with tools through the binary: a model's call gets what its caller's own call gets, is
//! in the audit log beside it, and the session goes on however a chat ends.

use std::time::Duration;

use serde_json::{Value, json};

use crate::cone_service::{chat_ends, end, piece};
use crate::faults_setup::{Setup, until};
use crate::memory_client::{Client, ClientAbilities, Era};
use crate::model_server::{LINES, ModelServer, Step};
use crate::program::within;

/// A server whose tool `held` is described differently once its file is there, and whose tool
/// `wait` waits for another file.
pub(crate) const SERVER: &str = r#"
import json, os, sys, time
def answer(ident, result):
    print(json.dumps({"jsonrpc": "2.0", "id": ident, "result": result}), flush=True)
def tool(name, description="a tool"):
    schema = {"type": "object", "properties": {"m": {"type": "string"}}, "required": ["m"]}
    return {"name": name, "description": description, "inputSchema": schema}
for line in sys.stdin:
    message = json.loads(line)
    method = message.get("method")
    if "id" not in message:
        continue
    if method == "initialize":
        answer(message["id"], {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                               "serverInfo": {"name": "one", "version": "1"}})
    elif method == "tools/list":
        held = tool("held", "changed" if os.path.exists(sys.argv[1]) else "as before")
        answer(message["id"], {"tools": [tool("say"), tool("ask"), tool("no"), tool("wait"), held]})
    elif method == "tools/call":
        said = message["params"]["arguments"].get("m")
        if message["params"]["name"] == "wait":
            open(sys.argv[1] + ".waits", "w").close()
            while not os.path.exists(sys.argv[1] + ".go"):
                time.sleep(0.01)
        failed = said == "fail"
        answer(message["id"], {"content": [{"type": "text", "text": f"said {said}"}],
                               "isError": failed})
    else:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"],
                          "error": {"code": -32601, "message": "no"}}), flush=True)
"#;

pub(crate) fn settings(provider: &ModelServer) -> String {
    let rule = |tool: &str, action: &str| {
        format!("[[permissions]]\ntool = \"mcp__one__{tool}\"\naction = \"{action}\"\n")
    };
    let rules = [rule("*", "allow"), rule("ask", "ask"), rule("no", "deny")].concat();
    format!(
        "[models]\ndefault = \"test/m\"\n[providers.test]\ndialect = \"ollama\"\nurl = \"{}\"\n\
         retries = 0\n{rules}",
        provider.url
    )
}

async fn setup(name: &str, provider: &ModelServer) -> Option<Setup> {
    let mut setup = Setup::new(name).await?;
    setup.settings(&settings(provider)).script("one", SERVER).write();
    Some(setup)
}

/// An answer that asks for these tools.
pub(crate) fn wants(calls: &[(&str, Value)]) -> Vec<Step> {
    let calls: Vec<Value> = calls
        .iter()
        .map(|(name, arguments)| json!({"function": {"name": name, "arguments": arguments}}))
        .collect();
    let line = json!({"model": "m", "message": {"content": "", "tool_calls": calls},
        "done": false});
    let line = Step::Piece(format!("{line}\n").into_bytes());
    [vec![Step::Head(LINES), line], end().to_vec()].concat()
}

pub(crate) fn says(text: &str) -> Vec<Step> {
    [vec![Step::Head(LINES), piece(text)], end().to_vec()].concat()
}

/// A person who is asked says yes, unless the question is about `please not`.
fn person() -> ClientAbilities {
    let answering = |method: &str, params: &Value| {
        assert_eq!(method, "elicitation/create");
        match params["message"].as_str().unwrap().contains("please not") {
            true => json!({"action": "decline"}),
            false => json!({"action": "accept", "content": {"answer": "once"}}),
        }
    };
    ClientAbilities::asked(json!({"elicitation": {}}), answering)
}

async fn client(setup: &Setup, era: Era) -> Client {
    Client::start(&mut setup.hobnob(&["serve"]), era, person()).await
}

/// What a response says in words, whether it is a result or an error.
fn words(response: &Value) -> String {
    let text = response["result"]["content"][0]["text"].as_str();
    text.or(response["error"]["message"].as_str()).unwrap_or_else(|| panic!("{response}")).into()
}

/// The calls in the audit log, without the chat itself: by the client, and by the session.
async fn audited(setup: &Setup) -> (Vec<Value>, Vec<Value>) {
    let words = ["audit", "--json", "--limit", "500"];
    let log = within("the audit log", setup.hobnob(&words).output()).await.unwrap();
    let log = String::from_utf8(log.stdout).unwrap();
    let mut lines: Vec<Value> =
        log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    lines.retain(|line| {
        let tool = line["tool"].as_str().unwrap_or_default();
        line["method"] == "tools/call" && !tool.starts_with("cone_") && !tool.starts_with("arbor_")
    });
    let shown = |line: &Value| {
        json!([
            line["tool"],
            line["decision"],
            line["rule"],
            line["outcome"],
            line["code"],
            line["principal"],
            line["client"]
        ])
    };
    let (by_session, direct): (Vec<&Value>, Vec<&Value>) =
        lines.iter().partition(|line| line["via"] == "cone/work");
    (direct.into_iter().map(shown).collect(), by_session.into_iter().map(shown).collect())
}

#[tokio::test]
async fn a_session_gets_the_answers_that_its_caller_gets() {
    let cases = [
        ("mcp__one__say", json!({"m": "yes"}), "said yes"),
        ("mcp__one__say", json!({"m": "fail"}), "said fail"),
        ("mcp__one__no", json!({"m": "x"}), "denied by"),
        ("mcp__one__ask", json!({"m": "agreed"}), "said agreed"),
        ("mcp__one__ask", json!({"m": "please not"}), "refused by a person"),
        ("mcp__one__nothing", json!({"m": "x"}), "Unknown tool"),
        ("mcp__one__held", json!({"m": "x"}), "is held back"),
        ("memory_get", json!({}), "id"),
        ("memory_nothing", json!({}), "Unknown tool"),
    ];
    for era in Era::ALL {
        let scripts = cases
            .iter()
            .flat_map(|(tool, arguments, _)| [wants(&[(tool, arguments.clone())]), says("I see.")]);
        let provider = ModelServer::start(scripts.collect()).await;
        let Some(setup) = setup(&format!("tools{era:?}"), &provider).await else { return };
        // Its tools are approved as they are first seen.
        let mut first = client(&setup, era).await;
        first.result("tools/list", json!({})).await;
        first.end().await;
        std::fs::write(setup.file("script"), "").unwrap();

        let mut client = client(&setup, era).await;
        let tools = json!(["one/*", "memory_*"]);
        client.call("cone_create", json!({"name": "work", "tools": tools})).await;
        for (tool, arguments, expected) in &cases {
            let call = json!({"name": tool, "arguments": arguments});
            let direct = words(&client.ask("tools/call", call).await);
            assert!(direct.contains(expected), "{era:?} {tool}: {direct}");
            let chat = json!({"name": "work", "prompt": format!("Use {tool}")});
            let chat = json!({"name": "cone_chat", "arguments": chat});
            let result = client.result("tools/call", chat).await;
            assert_eq!(result["content"][0]["text"], "I see.", "{era:?} {tool}: {result}");
            let used = format!("[Tool: {tool}] {arguments}");
            assert_eq!(result["content"][1]["text"], used, "{era:?} {tool}");
            assert_ne!(result["isError"], true, "{result}");
            let seen = provider.seen();
            assert_eq!(seen.len(), 2, "{era:?} {tool}");
            let told = seen[1].body["messages"].as_array().unwrap().last().unwrap().clone();
            // This provider has no other way to say that a tool failed.
            let content = told["content"].as_str().unwrap();
            let content = content.strip_prefix("Error: ").unwrap_or(content);
            assert_eq!((&told["role"], content), (&json!("tool"), &*direct), "{era:?} {tool}");
            let offered = seen[0].body["tools"].to_string();
            assert!(offered.contains("mcp__one__say") && offered.contains("memory_capture"));
            assert!(!offered.contains("mcp__one__held") && !offered.contains("cone_"), "{offered}");
        }
        client.end().await;
        let (direct, by_session) = audited(&setup).await;
        assert_eq!(direct, by_session, "{era:?}");
        assert_eq!(cases.len(), direct.len(), "{direct:?}");
    }
}

/// Each answer finds its call, and the model gets the results in the order of its calls.
#[tokio::test]
async fn several_tools_ask_at_once() {
    let calls = [
        ("mcp__one__ask", json!({"m": "agreed"})),
        ("mcp__one__ask", json!({"m": "please not"})),
        ("mcp__one__say", json!({"m": "yes"})),
    ];
    for era in Era::ALL {
        let provider = ModelServer::start(vec![wants(&calls), says("I see.")]).await;
        let Some(setup) = setup(&format!("tools-ask{era:?}"), &provider).await else { return };
        let mut client = client(&setup, era).await;
        client.call("cone_create", json!({"name": "work", "tools": ["one/*"]})).await;
        let chat = json!({"name": "cone_chat", "arguments": {"name": "work", "prompt": "Go"}});
        let result = client.result("tools/call", chat).await;
        assert_eq!(result["content"].as_array().map(Vec::len), Some(4), "{era:?}: {result}");
        assert_eq!(result["structuredContent"]["usage"]["output"], 4, "{era:?}: {result}");
        let seen = provider.seen();
        assert_eq!(seen.len(), 2, "{era:?}: the model is not asked again for a question");
        let said = seen[1].body["messages"].as_array().unwrap();
        let told: Vec<&str> = said[2..].iter().map(|it| it["content"].as_str().unwrap()).collect();
        assert_eq!(
            (told.len(), told[0], told[2]),
            (3, "said agreed", "said yes"),
            "{era:?}: {said:?}"
        );
        assert!(told[1].contains("refused by a person"), "{era:?}: {said:?}");
        client.end().await;
    }
}

/// Not even a session with all tools chats.
#[tokio::test]
async fn chats_do_not_begin_chats() {
    let again = json!({"name": "work", "prompt": "again"});
    let provider = ModelServer::start(vec![
        wants(&[("cone_chat", again), ("shell_run", json!({}))]),
        says("No."),
        says("Nothing."),
    ])
    .await;
    let Some(setup) = setup("tools-chats", &provider).await else { return };
    let mut client = client(&setup, Era::Modern).await;
    client.call("cone_create", json!({"name": "work", "tools": ["*_chat", "arbor_*"]})).await;
    let chat =
        |name: &str| json!({"name": "cone_chat", "arguments": {"name": name, "prompt": "Go"}});
    client.result("tools/call", chat("work")).await;
    let seen = provider.seen();
    let offered = seen[0].body["tools"].as_array().unwrap();
    let names = offered.iter().map(|tool| tool["function"]["name"].as_str().unwrap());
    assert!(names.clone().count() > 3, "{offered:?}");
    assert!(names.clone().all(|name| name.starts_with("arbor_")), "{offered:?}");
    let told = seen[1].body["messages"].to_string();
    assert!(told.contains("cone/work cannot start a chat"), "{told}");
    assert!(told.contains("tool `shell_run` is not among the tools of this session"), "{told}");
    // A session that was created without tools has none.
    client.call("cone_create", json!({"name": "bare"})).await;
    client.result("tools/call", chat("bare")).await;
    assert!(provider.seen()[0].body["tools"].is_null());
    client.end().await;
}

/// A session may have `call_tool` and still has no tool behind it that its patterns do not name.
#[tokio::test]
async fn call_tool_reaches_only_the_tools_of_the_session() {
    let call = |tool: &str| ("call_tool", json!({"name": tool, "arguments": {"m": "hi"}}));
    let nested = json!({"name": "call_tool", "arguments": {"name": "mcp__one__wait"}});
    let provider = ModelServer::start(vec![
        wants(&[call("mcp__one__say"), call("mcp__one__wait"), ("call_tool", nested)]),
        says("ok"),
    ])
    .await;
    let Some(setup) = setup("tools-through", &provider).await else { return };
    let mut client = client(&setup, Era::Modern).await;
    let tools = json!(["call_tool", "mcp__one__say"]);
    client.call("cone_create", json!({"name": "work", "tools": tools})).await;
    let chat = json!({"name": "cone_chat", "arguments": {"name": "work", "prompt": "Go"}});
    client.result("tools/call", chat).await;
    let told = provider.seen()[1].body["messages"].to_string();
    assert!(told.contains("said hi"), "{told}");
    let refused = "tool `mcp__one__wait` is not among the tools of this session";
    assert!(told.contains(refused), "{told}");
    assert!(told.contains("`call_tool` cannot call itself"), "{told}");
    client.end().await;
}

#[tokio::test]
async fn a_model_that_never_ends_is_stopped() {
    let provider = ModelServer::start(vec![wants(&[("memory_status", json!({}))])]).await;
    let Some(setup) = setup("tools-turns", &provider).await else { return };
    let mut client = client(&setup, Era::Legacy).await;
    let session = json!({"name": "work", "tools": ["memory_*"], "max_turns": 3});
    client.call("cone_create", session).await;
    for (limit, turns) in [(Value::Null, 3), (json!(2), 2)] {
        let chat = json!({"name": "work", "prompt": "Go", "max_turns": limit});
        let said = client.result("tools/call", json!({"name": "cone_chat", "arguments": chat}));
        let said = said.await;
        assert_eq!(said["isError"], true, "{said}");
        let said = said["content"].to_string();
        let why = format!("still asks for tools after {turns} turns");
        assert!(said.contains(&why) && said.contains("behind what was done"), "{said}");
        assert_eq!(provider.seen().len(), turns);
    }
    client.end().await;
}

/// One result is stored, the other call still runs: killed there, the session goes on, and the
/// model learns what it cannot know.
#[tokio::test]
async fn a_kill_among_calls_leaves_a_session_that_goes_on() {
    let wait = [("mcp__one__wait", json!({"m": "x"})), ("memory_status", json!({}))];
    let provider = ModelServer::start(vec![wants(&wait), says("I see.")]).await;
    let Some(setup) = setup("tools-kill", &provider).await else { return };
    let mut client = client(&setup, Era::Legacy).await;
    let session = json!({"name": "work", "tools": ["*"]});
    let session = client.call("cone_create", session).await;
    let chat = |prompt: &str| json!({"name": "cone_chat", "arguments": {"name": "work", "prompt": prompt}});
    client.send("tools/call", chat("Go")).await;
    client
        .until("the first result", async |client| {
            let head = client.call("cone_get", json!({"name": "work"})).await["head"].clone();
            let node = json!({"tree_id": session["tree_id"], "node_id": head});
            client.call("arbor_node_get", node).await["role"] == "tool"
        })
        .await;
    until("the other call", Duration::from_secs(30), || {
        std::fs::exists(setup.file("script.waits")).unwrap()
    })
    .await;
    let child = client.child();
    child.start_kill().unwrap();
    within("its end", child.wait()).await.unwrap();
    provider.seen();

    client = self::client(&setup, Era::Legacy).await;
    let result = client.result("tools/call", chat("And now?")).await;
    assert_eq!(result["content"][0]["text"], "I see.", "{result}");
    let seen = provider.seen();
    let said = seen[0].body["messages"].as_array().unwrap();
    let roles: Vec<&str> = said.iter().map(|it| it["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "tool", "user"], "{said:?}");
    assert_eq!(said[1]["tool_calls"].as_array().map(Vec::len), Some(2), "{said:?}");
    assert!(said[2]["content"].as_str().unwrap().contains("interrupted"), "{said:?}");
    std::fs::write(setup.file("script.go"), "").unwrap();
    client.end().await;
}

/// Cancelling a chat cancels what it called.
#[tokio::test]
async fn cancelling_reaches_the_tools() {
    let provider = ModelServer::start(vec![wants(&[("mcp__one__wait", json!({"m": "x"}))])]).await;
    let Some(setup) = setup("tools-cancel", &provider).await else { return };
    let mut client = client(&setup, Era::Legacy).await;
    client.call("cone_create", json!({"name": "work", "tools": ["one/*"]})).await;
    let chat = json!({"name": "cone_chat", "arguments": {"name": "work", "prompt": "Go"}});
    let id = client.send("tools/call", chat).await;
    until("the call", Duration::from_secs(30), || {
        std::fs::exists(setup.file("script.waits")).unwrap()
    })
    .await;
    client.tell("notifications/cancelled", json!({"requestId": id})).await;
    // The session is free again once nothing of the chat is left.
    chat_ends(&mut client).await;
    std::fs::write(setup.file("script.go"), "").unwrap();
    client.end().await;
    let (_, by_session) = audited(&setup).await;
    assert_eq!(by_session.len(), 1, "{by_session:?}");
    assert_eq!(
        (&by_session[0][0], &by_session[0][3]),
        (&json!("mcp__one__wait"), &json!("cancelled"))
    );
}
