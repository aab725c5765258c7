//! Chats through the real program, with a provider on this machine: the answer streams, the session
//! is a prompt, and `kill -9` leaves neither half a node nor a session that cannot go on.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::faults_setup::times;
use crate::memory_client::{Client, ClientAbilities, Era};
use crate::model_server::{LINES, ModelServer, Step, status};
use crate::program::within;
use crate::seed_wire::{Home, ServerTransport};

const PROGRESS: &str = "notifications/progress";

/// A folder whose settings name the provider.
pub(crate) fn home(label: &str, provider: &ModelServer) -> Home {
    let home = Home::new(label);
    let settings = format!(
        "[models]\ndefault = \"test/m\"\n[providers.test]\ndialect = \"ollama\"\nurl = \"{}\"\n",
        provider.url
    );
    std::fs::create_dir_all(home.0.join("config")).unwrap();
    std::fs::write(home.0.join("config/config.toml"), settings).unwrap();
    home
}

pub(crate) fn piece(text: &str) -> Step {
    let line = json!({"model": "m", "message": {"content": text}, "done": false});
    Step::Piece(format!("{line}\n").into_bytes())
}

pub(crate) fn end() -> [Step; 2] {
    let line = json!({"message": {"content": ""}, "done": true, "done_reason": "stop",
        "prompt_eval_count": 1, "eval_count": 2});
    [Step::Piece(format!("{line}\n").into_bytes()), Step::End]
}

/// The parameters of a chat whose client wants to see it stream.
fn chat(prompt: &str) -> Value {
    let arguments = json!({"name": "work", "prompt": prompt});
    json!({"name": "cone_chat", "arguments": arguments, "_meta": {"progressToken": token(prompt)}})
}

/// The first two words, since the token of each chat is another one and short.
fn token(prompt: &str) -> String {
    prompt.split(' ').take(2).collect::<Vec<_>>().join(" ")
}

/// Waits until the session `work` takes calls again: a chat keeps others out until its end.
pub(crate) async fn chat_ends(client: &mut Client) {
    client
        .until("the end of the chat", async |client| {
            let stay = json!({"name": "work", "node": "root"});
            let call = json!({"name": "cone_set_head", "arguments": stay});
            client.result("tools/call", call).await["isError"] != true
        })
        .await;
}

#[tokio::test]
async fn an_answer_streams_and_the_session_is_a_prompt() {
    let gate = Arc::new(Notify::new());
    let mut steps = vec![Step::Head(LINES), piece("Grüße "), Step::Wait(Arc::clone(&gate))];
    steps.push(piece("😀!"));
    steps.extend(end());
    let provider = ModelServer::start(vec![steps]).await;
    let home = home("cone", &provider);
    let mut client = Client::open(&home, ServerTransport::Stdio, Era::Legacy).await;
    let registry = client.call("cone_registry", json!({})).await;
    assert_eq!(registry["providers"], json!(["test"]));
    client.call("cone_create", json!({"name": "work", "system_prompt": "be brief"})).await;
    // It is there at once, not a moment later.
    client.result("prompts/get", json!({"name": "cone_work"})).await;
    let names = client.listed("prompts/list", "prompts", "name").await;
    assert!(names.contains(&"cone_work".to_owned()), "{names:?}");
    client.send("tools/call", chat("Hallo")).await;
    // The provider waits for this test, so the piece was passed on at once.
    client.notified(PROGRESS, |params| params["message"] == "Grüße ").await;
    gate.notify_one();
    client.notified(PROGRESS, |params| params["message"] == "😀!").await;
    // Until its result is on its way, the session takes nothing else.
    chat_ends(&mut client).await;
    gate.notify_one();
    let again = client.result("tools/call", chat("Und?")).await;
    assert_eq!(again["content"][0]["text"], "Grüße 😀!");
    let head = again["structuredContent"]["head"].clone();
    assert_eq!(client.call("cone_get", json!({"name": "work"})).await["head"], head);
    let prompt = client.result("prompts/get", json!({"name": "cone_work"})).await;
    let roles: Vec<&str> = prompt["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["user", "user", "assistant"], "{prompt}");
    let asked = provider.seen();
    let said = |at: usize| asked[at].body["messages"].as_array().unwrap().len();
    assert_eq!((said(0), said(1)), (2, 2), "the second chat began at the root again");
    client.end().await;
}

#[tokio::test]
async fn settings_that_cannot_be_used_are_an_error_with_their_place() {
    let home = Home::new("cone-settings");
    std::fs::create_dir_all(home.0.join("config")).unwrap();
    let settings = "[providers.test]\ndialect = \"ollama\"\nurl = \"nowhere\"\n";
    std::fs::write(home.0.join("config/config.toml"), settings).unwrap();
    let ended = within("the end", home.hobnob(&["serve"]).output()).await.unwrap();
    assert!(!ended.status.success());
    let said = String::from_utf8(ended.stderr).unwrap();
    assert!(said.contains("config.toml: providers.test.url: "), "{said}");
}

#[tokio::test]
async fn memory_asks_the_configured_model_where_the_client_lends_none() {
    let labels = r#"{"tags": ["database", "storage"], "context": "Where everything is kept."}"#;
    let merged = "The nightly backup runs at three and keeps seven or fourteen days.";
    let whole = |text: &str| [vec![Step::Head(LINES), piece(text)], end().to_vec()].concat();
    let broken = vec![Step::Head(LINES), Step::Piece(b"{\"error\":\"Busy\"}\n".to_vec())];
    let provider = ModelServer::start(vec![whole(labels), whole(merged), broken]).await;
    let home = home("cone-memory", &provider);
    let mut client = Client::open(&home, ServerTransport::Stdio, Era::Modern).await;
    let content = "Use PostgreSQL for the storage layer";
    let memory = json!({"content": content, "namespace": "decisions"});
    let id = client.call("memory_capture", memory).await["id"].clone();
    let enriched = client.call("memory_enrich", json!({"id": id})).await;
    assert_eq!(enriched["added_tags"], json!(["database", "storage"]), "{enriched}");
    let asked = &provider.seen()[0].body["messages"];
    assert_eq!(asked[1]["content"], format!("Suggest tags for: {content}"), "{asked}");
    for days in ["seven", "fourteen"] {
        let content = format!("The nightly backup runs at three and keeps {days} days.");
        let memory = json!({"content": content, "namespace": "context"});
        client.call("memory_capture", memory).await;
    }
    let consolidated = client.call("memory_consolidate", json!({})).await;
    let one = json!({"id": consolidated["groups"][0]["id"]});
    assert_eq!(client.call("memory_get", one).await["content"], merged, "{consolidated}");
    client.end().await;
    // What fails has the profile's own code.
    let mut command = home.hobnob(&["serve", "--profile", "subcog"]);
    let mut client = Client::start(&mut command, Era::Legacy, ClientAbilities::nothing()).await;
    let call = json!({"name": "subcog_enrich", "arguments": {"id": id}});
    let error = client.error("tools/call", call).await;
    assert_eq!(error["code"], -32606, "{error}");
    assert!(error["message"].as_str().unwrap().contains("Busy"), "{error}");
    client.end().await;
}

/// Each provider is judged by itself, by its list of models; a key is never shown.
#[tokio::test]
async fn doctor_looks_whether_providers_can_be_asked() {
    let good = ModelServer::start(vec![status(200, "", "{}")]).await;
    let refusing = ModelServer::start(vec![status(401, "", "{}")]).await;
    let home = home("cone-doctor", &good);
    let table = |name: &str, url: &str, key: &str| {
        format!("[providers.{name}]\ndialect = \"openai-chat\"\nurl = \"{url}\"\n{key}\n")
    };
    let secret = "sk-never-shown-anywhere";
    let key = format!("key = {{ command = [\"echo\", \"{secret}\"] }}");
    let settings = [
        table("good", &good.url, &key),
        table("gone", "http://127.0.0.1:1", &key),
        table("keyless", &good.url, "key = { variable = \"HOBNOB_TEST_NO_SUCH_KEY\" }"),
        table("refusing", &refusing.url, &key),
    ];
    std::fs::write(home.0.join("config/config.toml"), settings.concat()).unwrap();
    let run = within("its end", home.hobnob(&["--json", "doctor"]).output()).await.unwrap();
    let said = String::from_utf8(run.stdout).unwrap();
    assert!(!said.contains(secret) && !String::from_utf8_lossy(&run.stderr).contains(secret));
    let report: Value = serde_json::from_str(&said).unwrap();
    let checks = report["checks"].as_array().unwrap().iter();
    let found: Vec<(&str, &str)> = checks
        .filter(|check| check["what"] == "models")
        .map(|check| (check["verdict"].as_str().unwrap(), check["message"].as_str().unwrap()))
        .collect();
    let expected = [
        ("warning", "gone cannot be reached"),
        ("ok", "good lists its models"),
        ("warning", "keyless: "),
        ("warning", "refusing refuses the key (status 401)"),
    ];
    assert_eq!(found.len(), expected.len(), "{said}");
    for ((verdict, message), (wanted, begins)) in found.iter().zip(expected) {
        assert!(*verdict == wanted && message.starts_with(begins), "{verdict}: {message}");
    }
}

/// Off by default: there is no tool. By words or by a model where the settings say so.
#[tokio::test]
async fn what_a_prompt_asks_of_memory_is_told_where_it_is_switched_on() {
    let words = |text: &str| [vec![Step::Head(LINES), piece(text)], end().to_vec()].concat();
    let provider =
        ModelServer::start(vec![words("{\"intent\": \"recall\"}"), words("I cannot say")]).await;
    let home = home("cone-intent", &provider);
    let settings = std::fs::read_to_string(home.0.join("config/config.toml")).unwrap();
    let ask = json!({"prompt": "Remember that we deploy on Fridays"});
    for rule in ["", "off", "words", "model"] {
        let table = match rule {
            "" => String::new(),
            rule => format!("[memory]\nintent = \"{rule}\"\n"),
        };
        std::fs::write(home.0.join("config/config.toml"), table + &settings).unwrap();
        let mut client = Client::open(&home, ServerTransport::Stdio, Era::Modern).await;
        let tools = client.listed("tools/list", "tools", "name").await;
        let listed = tools.contains(&"memory_intent".to_owned());
        assert_eq!(listed, ["words", "model"].contains(&rule), "{rule}");
        match rule {
            "words" => {
                let told = client.call("memory_intent", ask.clone()).await;
                assert_eq!(told, json!({"intent": "remember", "by": "words"}));
                assert!(provider.seen().is_empty(), "no model is asked");
            }
            "model" => {
                let told = client.call("memory_intent", ask.clone()).await;
                assert_eq!(told, json!({"intent": "recall", "by": "model"}));
                let failure = client.failure("memory_intent", ask.clone()).await;
                assert!(failure.contains("is not `remember`, `recall` or `neither`"), "{failure}");
            }
            _ => {}
        }
        client.end().await;
    }
}

/// Every question that the model was asked, and every answer that arrived, is there afterwards; all
/// nodes are whole; and the session goes on from its head.
#[tokio::test]
async fn a_kill_while_an_answer_streams_leaves_no_half_node() {
    let pieces: Vec<String> = (0..100).map(|number| format!("{number} ü👋🏽 ")).collect();
    let mut steps = vec![Step::Head(LINES)];
    steps.extend(pieces.iter().map(|text| piece(text)));
    steps.extend(end());
    let answer = pieces.concat();
    let provider = ModelServer::start(vec![steps]).await;
    let home = home("cone-kill", &provider);
    let mut client = Client::open(&home, ServerTransport::Stdio, Era::Legacy).await;
    let session = client.call("cone_create", json!({"name": "work"})).await;
    // What was asked, of that what must be stored, and answers that arrived.
    let (mut asked, mut stored, mut heads) = (Vec::new(), Vec::new(), Vec::new());
    let head = |result: &Value| result["structuredContent"]["head"].as_str().unwrap().to_owned();
    for round in 0..times(10, 100) {
        let question = format!("question {round} ü👋🏽 ").repeat(50);
        asked.push(question.clone());
        match round % 3 {
            // At an unknown point of the chat.
            0 => drop(client.send("tools/call", chat(&question)).await),
            // In the middle of the answer: the question is stored by then.
            1 => {
                client.send("tools/call", chat(&question)).await;
                let of_this = |params: &Value| {
                    params["progressToken"] == token(&question) && params["message"].is_string()
                };
                client.notified(PROGRESS, of_this).await;
                stored.push(question);
            }
            // Right behind the answer.
            _ => {
                let done = client.result("tools/call", chat(&question)).await;
                heads.push(head(&done));
                stored.push(question);
            }
        }
        let child = client.child();
        child.start_kill().unwrap();
        within("its end", child.wait()).await.unwrap();
        client = Client::open(&home, ServerTransport::Stdio, Era::Legacy).await;
        // The session goes on, and its head is a whole answer or the root.
        let next = format!("next {round}");
        let done = client.result("tools/call", chat(&next)).await;
        assert_eq!(done["content"][0]["text"], answer, "{done}");
        heads.push(head(&done));
        asked.push(next.clone());
        stored.push(next);
    }
    let said = all_nodes(&mut client, &session["tree_id"]).await;
    for head in &heads {
        assert!(said.iter().any(|(id, _, _)| id == head), "{head} is gone");
    }
    for question in &stored {
        assert!(said.iter().any(|(_, _, text)| text == question), "gone: {question}");
    }
    for (id, role, text) in &said {
        let whole = match role.as_str() {
            "assistant" => *text == answer,
            "user" => asked.contains(text),
            _ => text.is_empty(),
        };
        assert!(whole, "{id} is half a node: {role}: {text}");
    }
    client.end().await;
}

/// Every node of a tree: its id, its role and what it says.
async fn all_nodes(client: &mut Client, tree: &Value) -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let page = json!({"tree_id": tree, "limit": 2_000, "cursor": cursor});
        let page = client.call("arbor_tree_skeleton", page).await;
        for node in page["nodes"].as_array().unwrap() {
            let one = json!({"tree_id": tree, "node_id": node["node_id"]});
            let node = client.call("arbor_node_get", one).await;
            let text = |name: &str| node[name].as_str().unwrap().to_owned();
            found.push((text("node_id"), text("role"), text("content")));
        }
        cursor = page["next_cursor"].clone();
        if cursor.is_null() {
            return found;
        }
    }
}
