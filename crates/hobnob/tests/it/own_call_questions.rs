//! Questions about calls of the owner's own clients, in the client and in the owner's queue at once:
//! the first answer counts, the other place stops asking, and the answer to a client without forms
//! names the question.

use crate::faults_client::{Client, MODERN, able, text_of};
use crate::faults_setup::{Setup, until};
use crate::program::TIMEOUT;
use serde_json::{Value, json};

const COUNT: &str = "mcp__up__count";

async fn setup(name: &str) -> Option<Setup> {
    let mut setup = Setup::new(&format!("own-{name}")).await?;
    setup.settings("").upstream("up", &["--only", "count"]);
    Some(setup)
}

/// Runs a command; its exit code and what it printed.
fn run(setup: &Setup, words: &[&str]) -> (i32, String, String) {
    let output = setup.hobnob(words).as_std_mut().output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn questions(setup: &Setup) -> Vec<Value> {
    let (code, stdout, stderr) = run(setup, &["--json", "questions"]);
    assert_eq!(code, 0, "{stderr}");
    serde_json::from_str(&stdout).unwrap()
}

/// The only question.
fn question(setup: &Setup) -> (String, Value) {
    let all = questions(setup);
    assert_eq!(all.len(), 1, "{all:?}");
    (all[0]["question"].to_string(), all[0].clone())
}

fn answer(setup: &Setup, number: &str, answer: &str) -> String {
    let (code, stdout, stderr) = run(setup, &["answer", number, answer]);
    assert_eq!(code, 0, "{stderr}");
    stdout
}

/// The next message with this method, or without one.
async fn receive(client: &mut Client, method: Option<&str>) -> Value {
    loop {
        let message = client.dialogue.receive().await.expect("the hub goes on");
        if message["method"].as_str() == method {
            return message;
        }
    }
}

/// Makes a call whose client shows a form; the id of the call, and the form's request.
async fn asked(client: &mut Client) -> (i64, Value) {
    let id = client.send_call(COUNT, json!({"to": "you"})).await;
    (id, receive(client, Some("elicitation/create")).await)
}

#[tokio::test]
async fn a_form_and_the_owners_queue_ask_the_same_question() {
    for revision in ["2025-06-18", "2025-11-25"] {
        let Some(setup) = setup(&format!("form{revision}")).await else { return };
        let mut client = Client::begin(&setup, revision, able()).await;
        let mut ran = 0;
        for (words, runs) in [("yes", true), ("no", false), ("yes", true)] {
            let (id, form) = asked(&mut client).await;
            let (number, question) = question(&setup);
            assert_eq!((&question["public"], &question["own"]), (&json!(COUNT), &json!(true)));
            assert_eq!(question["arguments"], json!({"to": "you"}).to_string());
            assert_eq!(
                (&question["client"], &question["after_yes"]),
                (&json!("it"), &json!("continues"))
            );
            answer(&setup, &number, words);
            let cancelled = receive(&mut client, Some("notifications/cancelled")).await;
            assert_eq!(cancelled["params"]["requestId"], form["id"], "{cancelled}");
            let ended = receive(&mut client, None).await;
            ran += usize::from(runs);
            let text = text_of(&ended);
            assert_eq!(ended["id"], id);
            assert_eq!(text == ran.to_string(), runs, "{text}");
            assert!(runs || text.starts_with("refused by the owner"), "{text}");
            until("the end of the question", TIMEOUT, || questions(&setup).is_empty()).await;
            // A late answer in the client changes nothing.
            let late = json!({"action": "accept", "content": {"answer": "once"}});
            let late = json!({"jsonrpc": "2.0", "id": form["id"], "result": late});
            client.dialogue.send(late).await;
        }
        // The client answers first.
        let (_, form) = asked(&mut client).await;
        let (number, _) = question(&setup);
        let once = json!({"action": "accept", "content": {"answer": "once"}});
        client.dialogue.send(json!({"jsonrpc": "2.0", "id": form["id"], "result": once})).await;
        assert_eq!(text_of(&receive(&mut client, None).await), "3");
        assert!(questions(&setup).is_empty());
        let (code, _, stderr) = run(&setup, &["answer", &number, "yes"]);
        assert!(code == 1 && stderr.contains("is over"), "{stderr}");
        // The call is cancelled.
        let (id, _) = asked(&mut client).await;
        question(&setup);
        client.tell("notifications/cancelled", json!({"requestId": id})).await;
        until("the end of the question", TIMEOUT, || questions(&setup).is_empty()).await;
        assert_eq!(setup.noted("up", "call"), 3);
        client.end().await;
    }
}

#[tokio::test]
async fn a_modern_client_comes_back_and_its_own_no_refuses() {
    let Some(setup) = setup("modern").await else { return };
    let mut client = Client::modern(&setup).await;
    let params = json!({"name": COUNT, "arguments": {}});
    // What the owner says on the command line, then the person at the client.
    for (owner, says, runs) in [
        ("yes", "once", true),
        ("yes", "no", false),
        ("no", "once", false),
        ("always", "no", false),
    ] {
        let id = client.send("tools/call", params.clone()).await;
        let first = client.response(id).await;
        assert_eq!(first["result"]["resultType"], "input_required", "{first}");
        let (number, question) = question(&setup);
        assert_eq!(question["after_yes"], "client-returns");
        answer(&setup, &number, owner);
        let content = json!({"action": "accept", "content": {"answer": says}});
        let mut round = params.clone();
        round["inputResponses"] = json!({"hobnob-permission": content});
        round["requestState"] = first["result"]["requestState"].clone();
        let id = client.send("tools/call", round.clone()).await;
        let ended = client.response(id).await;
        let text = text_of(&ended);
        assert_eq!(text == "1", runs, "{owner} {says}: {text}");
        assert!(runs || text.starts_with("refused by "), "{owner} {says}: {text}");
        assert!(questions(&setup).is_empty());
        if owner != "always" {
            let id = client.send("tools/call", round).await;
            let again = client.response(id).await;
            assert_eq!(again["result"]["resultType"], "input_required", "used up: {again}");
            let (number, _) = self::question(&setup);
            answer(&setup, &number, "no");
            let mut end = params.clone();
            end["requestState"] = again["result"]["requestState"].clone();
            let id = client.send("tools/call", end).await;
            let refused = client.response(id).await;
            assert!(text_of(&refused).starts_with("refused by the owner"), "{refused}");
        }
    }
    assert_eq!(setup.noted("up", "call"), 1);
    client.end().await;
}

#[tokio::test]
async fn a_client_without_forms_waits_in_the_queue_and_always_writes_a_rule() {
    let Some(setup) = setup("formless").await else { return };
    let mut client = Client::begin(&setup, MODERN, json!({})).await;
    let told = text_of(&client.call(COUNT, json!({})).await);
    let (number, question) = question(&setup);
    for words in [&*format!("`hobnob answer {number} yes`"), "`hobnob ui`", "once"] {
        assert!(told.starts_with("not run yet") && told.contains(words), "{words}: {told}");
    }
    // A command without a terminal prints the same, and its exit code says that nothing ran.
    let (code, _, stderr) = run(&setup, &["call", "up/count", "{}"]);
    assert!(code == 4 && stderr.contains("not run yet"), "{code}: {stderr}");
    assert!(stderr.contains("hobnob allow up/count"), "{stderr}");
    assert_eq!(question["always_writes"], "up/count allow");
    let shown = run(&setup, &["questions"]).1;
    assert!(shown.contains("up/count deny") && shown.contains("your client `it`"), "{shown}");

    assert!(answer(&setup, &number, "yes").contains("make the call again"));
    assert_eq!(client.text(COUNT, json!({})).await, "1");
    let told = text_of(&client.call(COUNT, json!({})).await);
    assert!(told.starts_with("not run yet"), "a yes is for one call: {told}");
    let (number, _) = self::question(&setup);
    assert!(answer(&setup, &number, "always").contains("up/count allow"));
    assert!(setup.settings_text().contains("action = \"allow\""), "{}", setup.settings_text());
    for count in 2..5 {
        let rule_is_read = async {
            while text_of(&client.call(COUNT, json!({"n": count})).await) != count.to_string() {
                client.tools().await;
            }
        };
        rule_is_read.await;
    }
    client.end().await;
}
