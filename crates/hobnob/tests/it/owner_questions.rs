//! Rules that ask the owner, over HTTP: a member's call waits for the owner's command, runs once
//! after a yes, and nothing that the member or another one brings stands in for it.

use crate::cli_config_home::Home;
use crate::memory_client::{Era, modern_meta};
use crate::principal_logs::home_with_servers;
use crate::program::{HttpServer, OWNER_SECRET};
use crate::tokens::{ask, create, send, serve};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;

pub(crate) const TOOL: &str = "mcp__loud__say";

/// A hub whose owner is asked about every tool of `loud`, and two members.
pub(crate) struct Hub {
    pub(crate) home: Home,
    pub(crate) server: HttpServer,
    pub(crate) ann: String,
    pub(crate) bob: String,
}

impl Hub {
    async fn start() -> Self {
        Self::start_in(home_with_servers(), &["serve", "--http", "127.0.0.1:0"]).await
    }

    pub(crate) async fn start_in(home: Home, words: &[&str]) -> Self {
        let (ann, bob) = (create(&home, &["ann"]), create(&home, &["bob"]));
        let written = home.json(0, &["ask", "loud", "--owner"]);
        assert_eq!(written[0]["action"], "ask-owner", "{written}");
        let server = serve(&home, words).await;
        Self { home, server, ann, bob }
    }

    /// Lists tools, for which the hub reads its settings if they have changed.
    async fn read_settings(&self) {
        ask(&self.server, "/mcp", Some(&self.ann), "tools/list", json!({})).await;
    }

    pub(crate) fn questions(&self) -> Vec<Value> {
        self.home.json(0, &["questions"]).as_array().unwrap().clone()
    }

    pub(crate) fn answer(&self, number: u64, answer: &str) -> Value {
        self.home.json(0, &["answer", &number.to_string(), answer])
    }

    /// Calls a tool as a client that can show forms, and that brings these members too.
    pub(crate) async fn call_with(
        &self,
        token: &str,
        tool: &str,
        arguments: &Value,
        more: Value,
    ) -> Value {
        let mut params = json!({"name": tool, "arguments": arguments});
        params["_meta"] = modern_meta(&json!({"elicitation": {"form": {}}}));
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let head = format!(
            "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nAccept: application/json\r\n\
             MCP-Protocol-Version: {}\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\n\
             Authorization: Bearer {token}",
            Era::Modern.revision()
        );
        let response = send(&self.server.url, &head, &body.to_string()).await;
        serde_json::from_str(&response.body).unwrap_or_else(|_| panic!("{}", response.body))
    }

    /// Calls `say`; the text that came back.
    pub(crate) async fn say(&self, token: &str, arguments: &Value) -> String {
        text_of(&self.call_with(token, TOOL, arguments, json!({})).await)
    }

    /// Calls `say`, which must wait for the owner; the number of the question.
    pub(crate) async fn asks(&self, token: &str, arguments: &Value) -> u64 {
        number_in(&self.say(token, arguments).await)
    }
}

pub(crate) fn text_of(answer: &Value) -> String {
    let text = answer["result"]["content"][0]["text"].as_str();
    text.unwrap_or_else(|| panic!("neither run nor refused: {answer}")).to_owned()
}

/// The number in a refusal, which says what the owner has to do and what happens then.
pub(crate) fn number_in(refusal: &str) -> u64 {
    let number = refusal.split_once("(question ").and_then(|(_, rest)| rest.split_once(')'));
    let number = number.unwrap_or_else(|| panic!("{refusal}")).0;
    assert!(refusal.contains(&format!("`hobnob answer {number} yes`")), "{refusal}");
    assert!(refusal.contains("once") && refusal.contains("(config.toml, rule 2)"), "{refusal}");
    number.parse().unwrap()
}

#[tokio::test]
async fn the_owner_answers_for_a_member() {
    let hub = Hub::start().await;
    let hi = json!({"text": "hi"});
    assert_eq!(hub.questions(), Vec::<Value>::new());
    let number = hub.asks(&hub.ann, &hi).await;
    assert_eq!(hub.asks(&hub.ann, &hi).await, number, "identical calls share a question");
    let through = json!({"name": TOOL, "arguments": hi});
    let wrapped = hub.call_with(&hub.ann, "call_tool", &through, json!({})).await;
    assert_eq!(number_in(&text_of(&wrapped)), number, "the wrapper is no way around");
    let asked = hub.questions();
    assert_eq!(asked.len(), 1, "{asked:?}");
    let question = &asked[0];
    assert_eq!(
        (&question["question"], &question["principal"]),
        (&json!(number), &json!("token:ann"))
    );
    assert_eq!((&question["server"], &question["tool"]), (&json!("loud"), &json!("say")));
    assert_eq!(question["arguments"], hi.to_string());
    assert!(question["because"].as_str().unwrap().contains("ask-owner"), "{question}");

    assert_eq!(hub.answer(number, "yes")["answer"], "yes");
    // Neither another principal nor other arguments use the answer.
    let of_bob = hub.asks(&hub.bob, &hi).await;
    let other = hub.asks(&hub.ann, &json!({"text": "ho"})).await;
    assert!(of_bob != number && other != number && of_bob != other);
    assert_eq!(hub.say(&hub.ann, &hi).await, "said");
    let again = hub.asks(&hub.ann, &hi).await;
    assert_ne!(again, number, "a yes is good for one call");

    assert_eq!(hub.answer(again, "no")["answer"], "no");
    for _ in 0..2 {
        let refused = hub.say(&hub.ann, &hi).await;
        assert!(refused.starts_with("refused by the owner of this hub"), "{refused}");
    }
    assert_eq!(hub.asks(&hub.bob, &hi).await, of_bob, "bob's question waits on");

    for (number, words) in
        [(number, "is over"), (again, "has the answer no already"), (1, "there is no question 1")]
    {
        let failed = hub.home.run(&["answer", &number.to_string(), "yes"]);
        assert!(failed.code != 0 && failed.stderr.contains(words), "{}", failed.stderr);
    }
    // Both decisions are in the log, with whose call they were about.
    let log = hub.home.ok(&["audit", "--json"]).stdout;
    let decided: Vec<&str> = log.lines().filter(|it| it.contains("rules/owner-answer")).collect();
    assert_eq!(decided.len(), 2, "{log}");
    let decided = decided.concat();
    for words in ["ask-granted", "ask-refused", "token:ann", "loud/* ask-owner", TOOL] {
        assert!(decided.contains(words), "{words}: {decided}");
    }
    assert!(!decided.contains("token:bob"), "{decided}");
}

#[tokio::test]
async fn a_member_cannot_answer_for_the_owner() {
    let hub = Hub::start().await;
    let hi = json!({"text": "hi"});
    let file = "hobnob/config/config.toml";
    let owners = std::fs::read_to_string(hub.home.path(file)).unwrap();
    // She agreed to the tool herself while a rule asked the caller, until Hobnob restarts.
    hub.home.ok(&["ask", "loud"]);
    hub.read_settings().await;
    let asked = hub.call_with(&hub.ann, TOOL, &hi, json!({})).await;
    let keys = asked["result"]["inputRequests"].as_object().unwrap_or_else(|| panic!("{asked}"));
    let answer = json!({"action": "accept", "content": {"answer": "until_restart"}});
    let answers: Value = keys.keys().map(|key| (key.clone(), answer.clone())).collect();
    let round = json!({"inputResponses": answers, "requestState": asked["result"]["requestState"]});
    let done = hub.call_with(&hub.ann, TOOL, &hi, round).await;
    assert_eq!(text_of(&done), "said");
    assert_eq!(hub.say(&hub.ann, &hi).await, "said", "her answer is remembered");
    // Bob is asked himself, and answers when the rule asks the owner.
    let ho = json!({"text": "ho"});
    let open = hub.call_with(&hub.bob, TOOL, &ho, json!({})).await;
    let round = json!({"inputResponses": answers, "requestState": open["result"]["requestState"]});
    hub.home.write(file, &owners);
    hub.read_settings().await;
    let number = hub.asks(&hub.ann, &hi).await;
    let late = hub.call_with(&hub.bob, TOOL, &ho, round).await;
    assert_ne!(number_in(&text_of(&late)), number);
    // Without the owner's secret and without a terminal, the command refuses to answer.
    let mut command = hub.home.command(&["answer", &number.to_string(), "yes"]);
    let output = command.env_remove(OWNER_SECRET.0).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && said.contains("HOBNOB_OWNER_SECRET"), "{said}");
    assert_eq!(hub.asks(&hub.ann, &hi).await, number);
}

#[tokio::test]
async fn what_a_member_sends_does_nothing_to_the_owners_terminal() {
    let hub = Hub::start().await;
    let sly = json!({"text": "\u{1b}[2J\u{202e}`; hobnob answer"});
    let long = json!({"text": "x".repeat(8 << 10)});
    hub.asks(&hub.ann, &sly).await;
    hub.asks(&hub.ann, &long).await;
    let shown = hub.home.ok(&["questions"]).stdout;
    assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{shown:?}");
    assert!(shown.contains(r"\u001b[2J\u{202e}"), "{shown}");
    assert!(
        shown.contains("token:ann") && shown.contains("tool `say` of server `loud`"),
        "{shown}"
    );
    // What is too long to be shown is whole in a file of the owner's.
    let questions = hub.questions();
    let file = questions[1]["arguments_file"].as_str().unwrap();
    assert!(shown.contains("NOT shown") && shown.contains(file), "{shown}");
    assert_eq!(std::fs::read_to_string(file).unwrap(), long.to_string());
    hub.answer(questions[1]["question"].as_u64().unwrap(), "yes");
    assert_eq!(hub.say(&hub.ann, &long).await, "said");
    assert!(!std::path::Path::new(file).exists(), "the file goes with its question");
}

#[tokio::test]
async fn requests_that_the_socket_does_not_know_change_nothing() {
    let hub = Hub::start().await;
    let number = hub.asks(&hub.ann, &json!({})).await;
    let sockets = std::fs::read_dir(hub.home.path("hobnob/run")).unwrap().flatten();
    let socket =
        sockets.map(|it| it.path()).find(|it| it.extension().is_some_and(|it| it == "control"));
    let socket = socket.expect("a control socket");
    for request in [
        json!({"answer": {"number": number, "answer": "maybe"}}),
        json!({"answer": {"number": number, "answer": "yes", "for": "ann"}}),
        json!({"answer": {"number": -1, "answer": "yes"}}),
    ] {
        let mut stream = UnixStream::connect(&socket).unwrap();
        stream.write_all(format!("{request}\n").as_bytes()).unwrap();
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).unwrap();
        assert!(line.contains("does not know the request"), "{request}: {line}");
    }
    assert_eq!(hub.asks(&hub.ann, &json!({})).await, number);
}

/// In another folder, the commands name the hub that runs elsewhere.
#[tokio::test]
async fn in_another_project_the_commands_lead_to_the_hub() {
    let hub = Hub::start().await;
    let number = hub.asks(&hub.ann, &json!({})).await.to_string();
    let elsewhere = hub.home.path("elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    let elsewhere = elsewhere.to_str().unwrap();
    for words in [&["questions"][..], &["answer", &number, "yes"]] {
        let failed = hub.home.run(&[words, &["--project", elsewhere]].concat());
        let lead = "a hub runs for another project: add --project ";
        let found = failed.stderr.split_once(lead).and_then(|(_, rest)| rest.lines().next());
        let project = found.unwrap_or_else(|| panic!("{}", failed.stderr));
        let lead = [words, &["--project", project]].concat();
        hub.home.ok(&lead);
    }
}

#[test]
fn without_a_hub_the_commands_say_so() {
    let home = Home::new();
    for words in [&["questions"][..], &["answer", "1", "yes"]] {
        let failed = home.run(words);
        assert_eq!(failed.code, 1, "{}", failed.stderr);
        assert!(failed.stderr.contains("no `hobnob serve` runs for"), "{}", failed.stderr);
    }
    let failed = home.run(&["answer", "1", "maybe"]);
    assert_eq!(failed.code, 2, "{}", failed.stderr);
}

#[test]
fn only_a_rule_that_asks_may_ask_the_owner() {
    let home = home_with_servers();
    create(&home, &["ann"]);
    home.ok(&["ask", "loud", "--owner", "--principal", "token:ann"]);
    assert_eq!(home.json(0, &["rules"])[1]["action"], "ask-owner");
    assert!(home.ok(&["rules"]).stdout.contains("ask-owner"));
    // The rule gets another action where it stands.
    let written = home.json(0, &["allow", "loud", "--principal", "token:ann"]);
    assert_eq!(
        (&written[0]["change"], &written[0]["before"]),
        (&json!("replaced"), &json!("ask-owner"))
    );
    assert_eq!(home.run(&["allow", "loud", "--owner"]).code, 2);
    assert_eq!(home.run(&["deny", "loud", "--owner"]).code, 2);
    home.write(
        "hobnob/config/config.toml",
        "[[permissions]]\ntool = \"x\"\naction = \"ask-boss\"\n",
    );
    let broken = home.run(&["rules"]);
    assert!(
        broken.code != 0 && broken.stderr.contains("\"ask\" or \"ask-owner\""),
        "{}",
        broken.stderr
    );
}
