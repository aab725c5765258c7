//! Consent from outside, in both eras: a person is shown what will be sent, and a yes is good for
//! one call with exactly these arguments.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::faults_client::{Client, MODERN, able, text_of};
use crate::faults_setup::{Setup, table_server};

const ERAS: [&str; 2] = ["2025-11-25", MODERN];

/// A server that writes down each call of its tool `say` as it came, byte for byte.
fn recorder() -> String {
    let tools = json!([{"name": "say", "inputSchema": {"type": "object"}}]);
    let said = json!([{"type": "text", "text": "said"}]);
    let results = json!({"tools/list": {"tools": tools}, "tools/call": {"content": said}});
    let record = r#"
    if message.get("method") == "tools/call":
        with open(sys.argv[1], "a", encoding="utf-8") as journal:
            journal.write(line)"#;
    table_server(&results, record)
}

async fn setup(name: &str) -> Option<Setup> {
    let mut setup = Setup::new(name).await?;
    setup.settings("").script("one", &recorder());
    Some(setup)
}

/// The calls that reached the upstream, as they came.
fn received(setup: &Setup) -> Vec<String> {
    let text = std::fs::read_to_string(setup.file("script")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// A call written out, so that nothing of its arguments is read and written again on the way.
fn line(id: i64, revision: &str, members: &str) -> String {
    let meta = match revision {
        MODERN => {
            let meta = json!({
                "io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientInfo": {"name": "it", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": able(),
            });
            format!(r#""_meta":{meta},"#)
        }
        _ => String::new(),
    };
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{{meta}"name":"mcp__one__say",{members}}}}}"#
    )
}

/// Sends a call as it is written; the response and what was asked meanwhile.
async fn call(client: &mut Client, id: i64, revision: &str, members: &str) -> Value {
    client.dialogue.write(line(id, revision, members).as_bytes()).await;
    client.response(id).await
}

/// The members of the round that answers the question in this response.
fn answered(members: &str, response: &Value, choice: &str) -> String {
    let result = &response["result"];
    assert_eq!(result["resultType"], "input_required", "{response}");
    let answer = json!({"action": "accept", "content": {"answer": choice}});
    let keys = result["inputRequests"].as_object().unwrap().keys();
    let answers: Value = keys.map(|key| (key.clone(), answer.clone())).collect();
    let state = &result["requestState"];
    format!(r#"{members},"inputResponses":{answers},"requestState":{state}"#)
}

fn message(question: &Value) -> String {
    question["params"]["message"].as_str().unwrap().to_owned()
}

/// Makes the call to its end, saying yes once; what was asked, and the response.
async fn agreed(client: &mut Client, id: i64, revision: &str, members: &str) -> (String, Value) {
    client.received.clear();
    let mut response = call(client, id, revision, members).await;
    if response["result"]["resultType"] == "input_required" {
        let questions = response["result"]["inputRequests"].as_object().unwrap();
        client.received.extend(questions.values().cloned());
        let members = answered(members, &response, "once");
        response = call(client, id + 1, revision, &members).await;
    }
    let asked = client.received.iter().find(|it| it["method"] == "elicitation/create");
    (asked.map(message).unwrap_or_default(), response)
}

#[tokio::test]
async fn a_person_sees_exactly_what_is_sent() {
    let long = format!(r#"{{"message":"{}; rm -rf /"}}"#, "x".repeat(9000));
    let keys: Vec<String> = (0..60).map(|key| format!(r#""key{key}":"value {key}""#)).collect();
    let keys = format!("{{{}}}", keys.join(","));
    let padded = format!(r#"{{"a":1,{}"message":"rm -rf /"}}"#, " ".repeat(3000));
    let spaces = format!(r#"{{"a":"{}rm -rf /"}}"#, " ".repeat(3000));
    let table: Vec<(&str, &str)> = vec![
        (r#"{"message":"rm -rf /","n":1e400}"#, r#"{"message":"rm -rf /","n":1e400}"#),
        (r#"{"n":123456789012345678901234567890}"#, r#"{"n":123456789012345678901234567890}"#),
        (r#"{"n":0.10000000000000000000001,"z":-0}"#, r#"{"n":0.10000000000000000000001,"z":-0}"#),
        (r#"{"\u006dessage":"\u202e\u0000"}"#, r#"{"\u006dessage":"\u202e\u0000"}"#),
        ("{\"a\":\"\u{202e}\u{200b}\u{9b}\u{ad}\"}", r#"{"a":"\u{202e}\u{200b}\u{9b}\u{ad}"}"#),
        ("{\"\u{200b}\":[ 1 , 2 ]}", r#"{"\u{200b}":[1,2]}"#),
        (&long, &long),
        (&keys, &keys),
        (&padded, r#"{"a":1,"message":"rm -rf /"}"#),
        (&spaces, r#"{"a":"\u{20×3000}rm -rf /"}"#),
    ];
    for revision in ERAS {
        let Some(setup) = setup(&format!("exact{revision}")).await else { return };
        let mut client = Client::begin(&setup, revision, able()).await;
        for (number, (arguments, shown)) in table.iter().enumerate() {
            let members = format!(r#""arguments":{arguments}"#);
            let id = 1000 + 10 * number as i64;
            let (asked, response) = agreed(&mut client, id, revision, &members).await;
            assert_eq!(text_of(&response), "said", "{revision} {arguments}: {response}");
            assert!(asked.ends_with(&format!("\n\n    {shown}")), "{revision}: {asked}");
            let calls = received(&setup);
            assert_eq!(calls.len(), number + 1);
            let sent = format!(r#""arguments":{arguments}"#);
            assert!(calls[number].contains(&sent), "{revision}: {}", calls[number]);
        }
        client.end().await;
    }
}

/// Where two readers could read two things, nothing runs.
#[tokio::test]
async fn arguments_that_could_be_read_in_two_ways_do_not_run() {
    for revision in ERAS {
        let Some(setup) = setup(&format!("twofold{revision}")).await else { return };
        let mut client = Client::begin(&setup, revision, able()).await;
        for (number, members) in [
            r#""arguments":{"m":"good","m":"evil"}"#,
            r#""arguments":{"m":"good","\u006d":"evil"}"#,
            r#""arguments":{"deep":[{"m":"good","\u006d":"evil"}]}"#,
            r#""arguments":{"m":"good"},"arguments":{"m":"evil"}"#,
            r#""arguments":{"m":"good"},"\u0061rguments":{"m":"evil"}"#,
            r#""arguments":{"m":"good"},"Arguments":{"m":"evil"}"#,
        ]
        .into_iter()
        .enumerate()
        {
            let id = 1000 + 10 * number as i64;
            let (_, response) = agreed(&mut client, id, revision, members).await;
            assert!(response["error"].is_object(), "{revision} {members}: {response}");
        }
        assert_eq!(received(&setup), [""; 0]);
        client.end().await;
    }
}

#[tokio::test]
async fn arguments_too_long_for_a_question_are_in_a_file_it_names() {
    let arguments = format!(r#"{{"message":"{}; rm -rf /"}}"#, "é".repeat(100_000));
    let members = format!(r#""arguments":{arguments}"#);
    for revision in ERAS {
        let Some(setup) = setup(&format!("longest{revision}")).await else { return };
        let mut client = Client::begin(&setup, revision, able()).await;
        client.answering = |_, params| {
            // While the question is open, the file has all of it.
            let file = params["_meta"]["hobnob/arguments"]["file"].as_str().unwrap();
            assert!(params["message"].as_str().unwrap().contains(file));
            let mode = std::fs::metadata(file).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o600);
            let text = std::fs::read_to_string(file).unwrap();
            assert!(text.ends_with("; rm -rf /\"}") && text.len() == 200_024, "{}", text.len());
            json!({"action": "accept", "content": {"answer": "once"}})
        };
        let response = match revision {
            MODERN => {
                let first = call(&mut client, 1000, revision, &members).await;
                let question = &first["result"]["inputRequests"]["hobnob-permission"];
                let answering = client.answering;
                answering("elicitation/create", &question["params"]);
                client.received.push(question.clone());
                call(&mut client, 1001, revision, &answered(&members, &first, "once")).await
            }
            _ => call(&mut client, 1000, revision, &members).await,
        };
        assert_eq!(text_of(&response), "said", "{revision}");
        let asked = client.received.iter().find(|it| it["method"] == "elicitation/create").unwrap();
        assert!(message(asked).contains("does NOT show all of them"), "{}", message(asked));
        assert!(message(asked).len() < 20_000);
        assert_eq!(std::fs::read_dir(setup.file("state/questions")).unwrap().count(), 0);
        client.end().await;
    }
}

#[tokio::test]
async fn this_once_cannot_be_replayed() {
    let Some(setup) = setup("replay").await else { return };
    let mut client = Client::modern(&setup).await;
    let members = r#""arguments":{"message":"hi","to":"you"}"#;
    let first = call(&mut client, 1000, MODERN, members).await;
    let second = answered(members, &first, "once");
    // Another order of keys is the same to a reader of JSON, but it is not what was shown.
    let turned = second.replace(r#"{"message":"hi","to":"you"}"#, r#"{"to":"you","message":"hi"}"#);
    let response = call(&mut client, 1001, MODERN, &turned).await;
    assert_eq!(response["result"]["resultType"], "input_required", "{response}");
    let response = call(&mut client, 1002, MODERN, &second).await;
    assert_eq!(response["result"]["resultType"], "input_required", "used up: {response}");
    assert_eq!(received(&setup).len(), 0);
    // Many at once: one runs, the others are asked again.
    let first = call(&mut client, 1003, MODERN, members).await;
    let second = answered(members, &first, "once");
    for id in 2000..2012 {
        client.dialogue.write(line(id, MODERN, &second).as_bytes()).await;
    }
    let mut ran = 0;
    for id in 2000..2012 {
        let response = client.response(id).await;
        match response["result"]["resultType"].as_str() {
            Some("input_required") => {}
            _ => {
                assert_eq!(text_of(&response), "said");
                ran += 1;
            }
        }
    }
    assert_eq!((ran, received(&setup).len()), (1, 1));
    // Another process opens the state, since the key is kept, and asks again all the same.
    let third = call(&mut client, 3000, MODERN, members).await;
    let unused = answered(members, &third, "once");
    client.end().await;
    let mut client = Client::modern(&setup).await;
    for members in [&second, &unused] {
        let response = call(&mut client, 4000, MODERN, members).await;
        assert_eq!(response["result"]["resultType"], "input_required", "{response}");
    }
    assert_eq!(received(&setup).len(), 1);
    client.end().await;
}

/// The owner's own call is asked about as ever, but no answer relaxes the rule for everybody.
#[tokio::test]
async fn no_answer_replaces_a_rule_that_asks_the_owner() {
    let Some(mut setup) = Setup::new("asksowner").await else { return };
    let rule = "[[permissions]]\nserver = \"one\"\naction = \"ask-owner\"\n";
    setup.settings(rule).script("one", &recorder());
    let mut client = Client::modern(&setup).await;
    let members = r#""arguments":{}"#;
    let first = call(&mut client, 1000, MODERN, members).await;
    let form = &first["result"]["inputRequests"]["hobnob-permission"]["params"];
    let choices = form["requestedSchema"]["properties"]["answer"]["oneOf"].as_array().unwrap();
    let choices: Vec<&Value> = choices.iter().map(|choice| &choice["const"]).collect();
    assert_eq!(choices, ["once", "until_restart", "no"]);
    // One that was not offered does not count.
    let response = call(&mut client, 1001, MODERN, &answered(members, &first, "always")).await;
    assert!(text_of(&response).starts_with("refused by a person"), "{response}");
    assert!(!setup.settings_text().contains("allow"));
    let first = call(&mut client, 1002, MODERN, members).await;
    let response = call(&mut client, 1003, MODERN, &answered(members, &first, "once")).await;
    assert_eq!(text_of(&response), "said");
    client.end().await;
}

/// The consent to a call counts through all its rounds, and no round can be played again.
#[tokio::test]
async fn a_consent_counts_in_every_round_of_its_call_and_in_no_other() {
    for (era, tasks, tool, said, count) in [
        ("legacy", "no", "twice", "me+me", 4),
        ("modern", "no", "twice", "me+me", 4),
        // The upstream goes on as a task, which the gateway follows.
        ("modern", "required", "elicit", "accept:me", 3),
    ] {
        let Some(mut setup) = Setup::new(&format!("rounds{era}{tasks}")).await else { return };
        setup.settings("").upstream("one", &["--era", era, "--tasks", tasks]);
        let mut client = Client::modern(&setup).await;
        let plain = json!({"name": format!("mcp__one__{tool}"), "arguments": {}});
        let mut rounds = vec![plain.clone()];
        let mut asked = 0;
        loop {
            let id = client.send("tools/call", rounds.last().unwrap().clone()).await;
            let response = client.response(id).await;
            let result = &response["result"];
            if result["resultType"] != "input_required" {
                assert_eq!(text_of(&response), said, "{era}");
                break;
            }
            let mut next = plain.clone();
            for (key, question) in result["inputRequests"].as_object().unwrap() {
                asked += usize::from(key == "hobnob-permission");
                let answering = client.answering;
                next["inputResponses"][key] =
                    answering(question["method"].as_str().unwrap(), &question["params"]);
            }
            next["requestState"] = result["requestState"].clone();
            rounds.push(next);
        }
        assert_eq!((asked, rounds.len()), (1, count), "{era} {tasks}");
        let ran = setup.noted("one", "call");
        for round in &rounds[1..] {
            let id = client.send("tools/call", round.clone()).await;
            let response = client.response(id).await;
            let questions = &response["result"]["inputRequests"];
            assert!(questions["hobnob-permission"].is_object(), "{era}: {response}");
        }
        assert_eq!(setup.noted("one", "call"), ran, "{era}");
        client.end().await;
    }
}
