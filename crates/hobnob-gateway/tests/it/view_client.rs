//! One view of a gateway, called as an edge calls it, and the changes its clients would see.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use hobnob_gateway::GatewayService;
use hobnob_mcp_engine::{
    Answers, Call, Caller, Change, ChangeHub, ChangeSink, ClientId, Note, NoteSink, Notes, Outcome,
    Principal, Service, Subscription, TaskOffer,
};
use hobnob_mcp_server::Server;
use hobnob_mcp_types::capabilities::{ClientCapabilities, ElicitationCapability};
use hobnob_mcp_types::logging::LoggingLevel;
use hobnob_mcp_types::{Method, Params};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use tokio::sync::Notify;

/// The service of a view, with a recorder of its changes.
pub(crate) struct ViewClient {
    pub(crate) service: GatewayService,
    pub(crate) hub: ChangeHub,
    pub(crate) recorded: Recorded,
    /// Keeps the hub and the tasks alive.
    pub(crate) _server: Server,
}

impl ViewClient {
    /// Makes a request; returns the result, or code and message of the error.
    pub(crate) async fn ask(&self, method: Method, params: Value) -> Result<Value, (i64, String)> {
        let asked = call(&Principal::anonymous(), method, params, Answers::default());
        let caller = asked.caller.clone();
        match self.service.call(asked, Notes::silent()).await {
            Ok(Outcome::Complete(answer)) => Ok(serde_json::from_str(&answer.body).unwrap()),
            Ok(other) => panic!("{other:?}"),
            Err(error) => {
                let error = error.to_rpc(&caller);
                Err((error.code.0, error.message.to_string()))
            }
        }
    }

    /// Calls a tool; returns its result, or code and message of the error.
    pub(crate) async fn tool(&self, name: &str, arguments: Value) -> Result<Value, (i64, String)> {
        self.ask(Method::ToolsCall, json!({"name": name, "arguments": arguments})).await
    }

    /// Calls a tool as `who`; returns the text of its result.
    pub(crate) async fn call_as(&self, who: &Principal, tool: &str, arguments: Value) -> String {
        let params = json!({"name": tool, "arguments": arguments});
        let asked = call(who, Method::ToolsCall, params, Answers::default());
        match self.service.call(asked, Notes::silent()).await {
            Ok(outcome) => text_of(outcome),
            Err(error) => format!("error: {error}"),
        }
    }

    /// Calls a tool; returns its notes: progress as `…`, log messages as `logger: message`.
    pub(crate) async fn said_by(&self, tool: &str) -> Vec<String> {
        let params = json!({"name": tool, "arguments": {}});
        let nobody = Principal::anonymous();
        let asked = call(&nobody, Method::ToolsCall, params, Answers::default());
        let said: Arc<Said> = Arc::default();
        let notes = Notes::new(Arc::clone(&said) as Arc<dyn NoteSink>);
        text_of(self.service.call(asked, notes).await.unwrap());
        let said = said.0.lock();
        said.clone()
    }

    /// Calls a tool; if a person is asked, they answer `says`. Returns whether they were asked, and
    /// the text of the result.
    pub(crate) async fn call_asked(&self, tool: &str, says: &str) -> (bool, String) {
        match self.call_with(tool, Answers::default()).await {
            Some(text) => (false, text),
            None => {
                let answers = self.answers_to_call(tool, says).await;
                (true, self.call_with(tool, answers).await.unwrap())
            }
        }
    }

    /// Calls a tool with answers; returns its result's text, or `None` if a person is asked.
    pub(crate) async fn call_with(&self, tool: &str, answers: Answers) -> Option<String> {
        let params = json!({"name": tool, "arguments": {}});
        let asked = call(&Principal::anonymous(), Method::ToolsCall, params, answers);
        match self.service.call(asked, Notes::silent()).await.unwrap() {
            Outcome::NeedsInput(_) => None,
            outcome => Some(text_of(outcome)),
        }
    }

    /// The answers of a person who says `says` before a tool runs, as the next round brings them.
    pub(crate) async fn answers_to_call(&self, tool: &str, says: &str) -> Answers {
        let params = json!({"name": tool, "arguments": {}});
        let asked = call(&Principal::anonymous(), Method::ToolsCall, params, Answers::default());
        let outcome = self.service.call(asked, Notes::silent()).await.unwrap();
        let Outcome::NeedsInput(questions) = outcome else {
            panic!("nobody is asked: {outcome:?}")
        };
        let answer = json!({"action": "accept", "content": {"answer": says}});
        let keys = questions.requests.0.iter().map(|(key, _)| Box::from(key));
        let answer: BTreeMap<Box<str>, _> =
            keys.map(|key| (key, to_raw_value(&answer).unwrap())).collect();
        let mut answers = Answers::default();
        answers.end_round(questions.state);
        answers.add(answer);
        answers
    }

    /// The keys of a list, in order.
    pub(crate) async fn list(&self, method: Method) -> Vec<String> {
        let result = self.ask(method, json!({})).await.unwrap();
        let entries = result.as_object().unwrap().values().next().unwrap().as_array().unwrap();
        let key = |entry: &Value| {
            let key = ["uri", "uriTemplate", "name"].iter().find_map(|key| entry[key].as_str());
            key.unwrap().to_owned()
        };
        entries.iter().map(key).collect()
    }

    /// The entry of a list with this name or URI.
    pub(crate) async fn entry(&self, method: Method, name: &str) -> Value {
        let result = self.ask(method, json!({})).await.unwrap();
        let mut entries = result.as_object().unwrap().values().flat_map(|it| it.as_array());
        let entries = entries.next().unwrap();
        let found = entries.iter().find(|it| it["name"] == name || it["uri"] == name);
        found.unwrap_or_else(|| panic!("no {name} in {result}")).clone()
    }
}

/// The call that an edge would make for `who`.
pub(crate) fn call_of(who: &Principal, method: Method, params: Value) -> Call {
    call(who, method, params, Answers::default())
}

fn call(who: &Principal, method: Method, params: Value, answers: Answers) -> Call {
    let capabilities = ClientCapabilities {
        elicitation: Some(ElicitationCapability::default()),
        ..ClientCapabilities::default()
    };
    Call {
        method,
        params: Arc::new(Params::from_json(params.to_string()).unwrap()),
        caller: Caller {
            capabilities: Arc::new(capabilities),
            ..Caller::new(ClientId::next(), who.clone())
        },
        answers,
        task: TaskOffer::No,
        mirrored: None,
    }
}

fn text_of(outcome: Outcome) -> String {
    let Outcome::Complete(answer) = outcome else { panic!("{outcome:?}") };
    let result: Value = serde_json::from_str(&answer.body).unwrap();
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

/// The notes that a call sent.
#[derive(Default)]
struct Said(Mutex<Vec<String>>);

impl NoteSink for Said {
    fn wants_progress(&self) -> bool {
        true
    }

    fn wants_log(&self, level: LoggingLevel) -> bool {
        level >= LoggingLevel::Info
    }

    fn send(&self, note: Note) {
        let words = match note {
            Note::Progress { .. } => "…".to_owned(),
            Note::Log { logger, data, .. } => format!("{}: {}", logger.unwrap(), data.get()),
            other => panic!("{other:?}"),
        };
        self.0.lock().push(words);
    }
}

/// Records all changes that are published on a hub.
pub(crate) struct Recorded {
    recorder: Arc<ChangeRecorder>,
    _subscription: Subscription,
}

#[derive(Default)]
struct ChangeRecorder {
    all: Mutex<Vec<Change>>,
    more: Notify,
}

impl ChangeSink for ChangeRecorder {
    fn changed(&self, change: &Change) {
        self.all.lock().push(change.clone());
        self.more.notify_one();
    }
}

impl Recorded {
    /// Records changes for a listener without a name.
    pub(crate) fn on(hub: &ChangeHub) -> Self {
        Self::of(hub, Principal::anonymous())
    }

    /// Records changes for a listener with this principal.
    pub(crate) fn of(hub: &ChangeHub, who: Principal) -> Self {
        let recorder: Arc<ChangeRecorder> = Arc::default();
        let sink: Arc<dyn ChangeSink> = Arc::clone(&recorder) as _;
        let weak: Weak<dyn ChangeSink> = Arc::downgrade(&sink);
        Self { recorder, _subscription: hub.subscribe(who, weak) }
    }

    /// Takes the changes recorded since the last call.
    pub(crate) fn take(&self) -> Vec<Change> {
        std::mem::take(&mut *self.recorder.all.lock())
    }

    /// Waits until this change comes; earlier changes are dropped.
    pub(crate) async fn until(&self, wanted: &Change) {
        let notified = async {
            while !self.take().contains(wanted) {
                self.recorder.more.notified().await;
            }
        };
        let limit = std::time::Duration::from_secs(60);
        if tokio::time::timeout(limit, notified).await.is_err() {
            panic!("{wanted:?} was not notified");
        }
    }
}

/// The error for a call of a tool that does not exist.
pub(crate) fn unknown(tool: &str) -> Result<Value, (i64, String)> {
    Err((-32602, format!("Unknown tool: {tool}")))
}
