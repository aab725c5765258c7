//! A client written out in raw lines, in any revision: what a test says is what is sent.

use serde_json::{Value, json};

use crate::dialogue::{Dialogue, next_round};
use crate::faults_setup::Setup;

/// The newest revision, which has no handshake.
pub(crate) const MODERN: &str = "2026-07-28";

/// Every revision.
pub(crate) const REVISIONS: [&str; 5] =
    ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", MODERN];

/// What a client can do that can do everything.
pub(crate) fn able() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}})
}

/// How a client answers a question: method and parameters to a result.
pub(crate) type AnswerQuestion = fn(&str, &Value) -> Value;

/// One client on the program's pipes.
pub(crate) struct Client {
    pub(crate) dialogue: Dialogue,
    revision: &'static str,
    capabilities: Value,
    last: i64,
    /// Notifications and questions in the order they came.
    pub(crate) received: Vec<Value>,
    /// Responses that arrived before the test waited for them.
    early: Vec<Value>,
    pub(crate) answering: AnswerQuestion,
}

impl Client {
    /// Starts the program on this stage and greets it.
    pub(crate) async fn begin(setup: &Setup, revision: &'static str, capabilities: Value) -> Self {
        setup.write();
        Self::with(Dialogue::with(&mut setup.hobnob(&["serve"])), revision, capabilities).await
    }

    /// The newest legacy revision, and every capability.
    pub(crate) async fn legacy(setup: &Setup) -> Self {
        Self::begin(setup, "2025-11-25", able()).await
    }

    /// The newest revision, and every capability.
    pub(crate) async fn modern(setup: &Setup) -> Self {
        Self::begin(setup, MODERN, able()).await
    }

    /// Greets a program that was started.
    pub(crate) async fn with(
        dialogue: Dialogue,
        revision: &'static str,
        capabilities: Value,
    ) -> Self {
        let answering: AnswerQuestion = usual_answer;
        let (received, early) = (Vec::new(), Vec::new());
        let mut client =
            Self { dialogue, revision, capabilities, last: 0, received, early, answering };
        if revision != MODERN {
            let capabilities = client.capabilities.clone();
            let hello = client
                .ask(
                    "initialize",
                    json!({"protocolVersion": revision, "capabilities": capabilities,
                           "clientInfo": {"name": "it", "version": "1"}}),
                )
                .await;
            assert_eq!(hello["result"]["protocolVersion"], revision, "{hello}");
            client.tell("notifications/initialized", json!({})).await;
        }
        client
    }

    /// The process of the program.
    pub(crate) fn process(&self) -> u32 {
        self.dialogue.child.id().unwrap()
    }

    /// Sends a notification.
    pub(crate) async fn tell(&mut self, method: &str, params: Value) {
        self.dialogue.send(json!({"jsonrpc": "2.0", "method": method, "params": params})).await;
    }

    /// Sends a request and does not wait.
    pub(crate) async fn send(&mut self, method: &str, mut params: Value) -> i64 {
        self.last += 1;
        if self.revision == MODERN {
            let meta = params["_meta"].take();
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientInfo": {"name": "it", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": self.capabilities,
            });
            for (key, value) in meta.as_object().into_iter().flatten() {
                params["_meta"][key] = value.clone();
            }
        }
        let request =
            json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params});
        self.dialogue.send(request).await;
        self.last
    }

    /// Sends the call of a tool and does not wait.
    pub(crate) async fn send_call(&mut self, tool: &str, arguments: Value) -> i64 {
        self.send("tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    /// The response to this request; questions meanwhile are answered, notes are kept.
    pub(crate) async fn response(&mut self, id: i64) -> Value {
        if let Some(at) = self.early.iter().position(|it| it["id"] == id) {
            return self.early.remove(at);
        }
        loop {
            let message = self.next().await;
            if message["method"].is_null() {
                if message["id"] == id {
                    return message;
                }
                self.early.push(message);
            }
        }
    }

    /// The next message of any kind. A question is answered at once.
    pub(crate) async fn next(&mut self) -> Value {
        let message = self.dialogue.receive().await.expect("the program goes on");
        if let Some(method) = message["method"].as_str() {
            if !message["id"].is_null() {
                let result = (self.answering)(method, &message["params"]);
                let id = &message["id"];
                self.dialogue.send(json!({"jsonrpc": "2.0", "id": id, "result": result})).await;
            }
            self.received.push(message.clone());
        }
        message
    }

    /// A request and its response; a modern server's questions are answered in rounds.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        let mut asked = params.clone();
        loop {
            let id = self.send(method, asked).await;
            let response = self.response(id).await;
            let next = next_round(&params, &response["result"], |question| {
                self.received.push(question.clone());
                (self.answering)(question["method"].as_str().unwrap(), &question["params"])
            });
            match next {
                Some(next) => asked = next,
                None => return response,
            }
        }
    }

    /// Calls a tool.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    /// Calls a tool and returns the text of its result.
    pub(crate) async fn text(&mut self, tool: &str, arguments: Value) -> String {
        let response = self.call(tool, arguments).await;
        assert_ne!(response["result"]["isError"], true, "{tool}: {response}");
        text_of(&response)
    }

    /// The names of all tools.
    pub(crate) async fn tools(&mut self) -> Vec<String> {
        let response = self.ask("tools/list", json!({})).await;
        let tools = response["result"]["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    /// The status of all servers.
    pub(crate) async fn status(&mut self) -> Value {
        let response = self.ask("resources/read", json!({"uri": "hobnob://status"})).await;
        let text = response["result"]["contents"][0]["text"].as_str().unwrap();
        serde_json::from_str(text).unwrap()
    }

    /// The status of one server.
    pub(crate) async fn status_of(&mut self, server: &str) -> Value {
        let status = self.status().await;
        let all = status["servers"].as_array().unwrap();
        all.iter().find(|it| it["name"] == server).unwrap_or_else(|| panic!("{status}")).clone()
    }

    /// Waits for a notification, or finds it among those that were received.
    pub(crate) async fn notified(&mut self, method: &str) -> Value {
        loop {
            if let Some(at) = self.received.iter().position(|it| it["method"] == method) {
                return self.received.remove(at);
            }
            let message = self.next().await;
            if message["method"].is_null() {
                self.early.push(message);
            }
        }
    }

    /// Ends the conversation; the program must end well.
    pub(crate) async fn end(mut self) {
        self.dialogue.close_stdin();
        while self.dialogue.receive().await.is_some() {}
        assert_eq!(self.dialogue.ended().await.code(), Some(0));
    }
}

/// The text of a result, or of the error.
pub(crate) fn text_of(response: &Value) -> String {
    let text = &response["result"]["content"][0]["text"];
    let text = if text.is_null() { &response["error"]["message"] } else { text };
    text.as_str().unwrap_or_else(|| panic!("no text in {response}")).to_owned()
}

/// Says yes to everything.
pub(crate) fn usual_answer(method: &str, params: &Value) -> Value {
    match method {
        "roots/list" => json!({"roots": [{"uri": "file:///of/the/client"}]}),
        "sampling/createMessage" => json!({
            "role": "assistant", "model": "m", "stopReason": "endTurn",
            "content": {"type": "text", "text": "sampled"}}),
        "elicitation/create" if params["mode"] == "url" => json!({"action": "accept"}),
        "elicitation/create" => {
            let permission = params["requestedSchema"]["properties"]["answer"].is_object();
            let content = if permission { json!({"answer": "once"}) } else { json!({"who": "me"}) };
            json!({"action": "accept", "content": content})
        }
        other => panic!("asked {other}"),
    }
}
