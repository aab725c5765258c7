//! A service like a gateway: it answers from a toolbox inside it, and the rest by itself.

use crate::features::library_kit;
use hobnob_mcp_engine::{
    Answer, BoxFuture, Call, CallError, Change, ChangeHub, Held, Interest, InterestSink, Limits,
    Notes, Offer, Outcome, Questions, Refusable, Service, TaskOffer, Withdrawal,
};
use hobnob_mcp_server::Server;
use hobnob_mcp_tasks::{Runner, Tasks};
use hobnob_mcp_toolbox::Toolbox;
use hobnob_mcp_types::capabilities::CapabilitySettings;
use hobnob_mcp_types::elicitation::ElicitParams;
use hobnob_mcp_types::form::FormSchema;
use hobnob_mcp_types::input::InputRequests;
use hobnob_mcp_types::json::field;
use hobnob_mcp_types::tools::CallToolResult;
use hobnob_mcp_types::{ErrorCode, Method, RpcError, tasks_ext};
use parking_lot::Mutex;
use serde_json::value::RawValue;
use std::sync::{Arc, Weak};

/// `level` and `who` report what is known about the caller, `watch` and `unwatch` change its
/// subscriptions, and `insist` asks until both its questions have ended. `hold` keeps something
/// open for its only question, `often` asks fifty times in sequence.
pub(crate) struct ProbeService {
    pub(crate) hub: ChangeHub,
    toolbox: Toolbox,
    tasks: Tasks,
    me: Weak<ProbeService>,
    received: Arc<Mutex<Vec<String>>>,
    withdrawal: Mutex<Option<Withdrawal>>,
}

/// A server with a probe service.
pub(crate) fn probe(limits: Limits) -> (Server, Arc<ProbeService>) {
    let mut made = None;
    let server = Server::builder("probe", "1.0").limits(limits).build_with(|hub, tasks| {
        let toolbox = Toolbox::new(hub.clone(), tasks.clone()).with_page(2);
        toolbox.add(library_kit()).expect("a free name");
        let probe = Arc::new_cyclic(|me| ProbeService {
            me: me.clone(),
            hub: hub.clone(),
            toolbox,
            tasks: tasks.clone(),
            received: Arc::default(),
            withdrawal: Mutex::default(),
        });
        let sink: Arc<dyn InterestSink> = probe.clone();
        let weak: Weak<dyn InterestSink> = Arc::downgrade(&sink);
        hub.on_interest(weak);
        made = Some(Arc::clone(&probe));
        probe
    });
    (server.expect("a server"), made.expect("a probe"))
}

impl ProbeService {
    /// Runs a script's `do` line: publishes a change, or compares the notifications received since.
    pub(crate) fn act(&self, deed: &str) {
        match deed.split_once(' ') {
            Some(("touch", uri)) => self.hub.publish(&Change::Resource(uri.into())),
            Some(("withdraw", _)) => drop(self.withdrawal.lock().take()),
            Some(("received", words)) => {
                let received = std::mem::take(&mut *self.received.lock());
                assert_eq!(received.join(" "), words.trim_matches('.'));
            }
            _ => panic!("nobody knows how to do {deed}"),
        }
    }

    async fn answer(&self, call: Call, notes: Notes) -> Result<Outcome, CallError> {
        let name = call.params.string("name").unwrap_or_default().into_owned();
        if call.method != Method::ToolsCall || self.toolbox.lists().has_tool(&name) {
            return self.toolbox.call(call, notes).await;
        }
        let uri = || {
            let uri = field(call.params.get("arguments").unwrap_or_default(), "uri");
            serde_json::from_str::<String>(uri.expect("a uri")).expect("a string")
        };
        match name.as_str() {
            "level" => text(format!("{:?}", call.caller.log_level)),
            "who" => text(call.caller.principal.as_str()),
            "watch" => {
                notes.watch(&uri());
                text("watched")
            }
            "unwatch" => {
                notes.unwatch(&uri());
                text("unwatched")
            }
            "insist" => self.run(call, |_, call| insist(call)).await,
            "hold" => self.run(call, Self::hold).await,
            "labelled" => self.run(call, |_, _| labelled()).await,
            "wavering" => wavering(&call, &notes),
            "often" => often(&call),
            other => Err(CallError::Other(RpcError::new(ErrorCode(-4711), format!("no {other}")))),
        }
    }
}

impl ProbeService {
    /// Runs a tool at once, or as a task if the caller wants one.
    async fn run(
        &self,
        call: Call,
        tool: fn(&ProbeService, &Call) -> Result<Outcome, CallError>,
    ) -> Result<Outcome, CallError> {
        let owner = match &call.task {
            TaskOffer::Able { owner } | TaskOffer::Asked { owner, .. } => owner.clone(),
            TaskOffer::No | TaskOffer::NotAsked => return tool(self, &call),
        };
        let (probe, caller) = (self.me.upgrade().expect("a probe"), call.caller.clone());
        let name = call.params.string("name").unwrap_or_default().into_owned();
        let call = Arc::new(Mutex::new(call));
        let run: Runner = Arc::new(move |answers| {
            let (probe, call) = (Arc::clone(&probe), Arc::clone(&call));
            Box::pin(async move {
                let mut call = call.lock();
                call.answers = answers;
                tool(&probe, &call)
            })
        });
        self.tasks.start_for(&name, caller, owner, None, run).await.map(Outcome::Started)
    }

    /// Asks one question, and keeps something open for it.
    fn hold(&self, call: &Call) -> Result<Outcome, CallError> {
        if call.answers.state() == Some("kept") {
            let answered = call.answers.get("form").is_some();
            return text(if answered { "answered" } else { "went on without you" });
        }
        let received = Arc::clone(&self.received);
        let held = Held::new(move || received.lock().push("gone".into()));
        *self.withdrawal.lock() = Some(held.withdrawal());
        Ok(Outcome::NeedsInput(Questions {
            requests: InputRequests::new()
                .elicit("form", ElicitParams::form("Who?", FormSchema::new())),
            state: Some("kept".into()),
            refusable: Refusable::Yes,
            held: Some(held),
        }))
    }
}

fn labelled() -> Result<Outcome, CallError> {
    let mut answer = Answer::new(&CallToolResult::text("ours"))?;
    answer.meta = RawValue::from_string(r#"{"a.example/label":7}"#.into()).ok();
    Ok(Outcome::Complete(answer))
}

/// Reports progress, not always increasing, before and after a question.
fn wavering(call: &Call, notes: &Notes) -> Result<Outcome, CallError> {
    if call.answers.get("roots").is_some() {
        [1.0, 3.0, 4.0].iter().for_each(|progress| notes.progress(*progress, None, None));
        return text("done");
    }
    let said = [1.0, 3.0, 2.0, 3.0, f64::NAN];
    said.iter().for_each(|progress| notes.progress(*progress, None, None));
    let requests = InputRequests::new().list_roots("roots");
    Ok(Outcome::NeedsInput(Questions { requests, ..Questions::default() }))
}

/// Asks again and again, as an upstream server may.
fn often(call: &Call) -> Result<Outcome, CallError> {
    let asked = call.answers.state().map_or(0, |state| state.parse::<u32>().expect("a number"));
    if asked == 50 {
        return text("enough");
    }
    Ok(Outcome::NeedsInput(Questions {
        requests: InputRequests::new().list_roots(format!("roots-{asked}")),
        state: Some((asked + 1).to_string()),
        refusable: Refusable::Yes,
        held: None,
    }))
}

/// Asks the questions that are still open, and reports how each one ended.
fn insist(call: &Call) -> Result<Outcome, CallError> {
    let ends =
        ["form", "roots"].map(|key| match (call.answers.get(key), call.answers.refusal(key)) {
            (None, _) => Err(key),
            (Some(_), Some(error)) => Ok(format!("{key}: {} {}", error.code.0, error.message)),
            (Some(_), None) => Ok(format!("{key}: answered")),
        });
    let mut requests = InputRequests::new();
    for open in ends.iter().filter_map(|end| end.as_ref().err()) {
        requests = match *open {
            "form" => requests.elicit("form", ElicitParams::form("Who?", FormSchema::new())),
            other => requests.list_roots(other),
        };
    }
    if !requests.0.is_empty() {
        let state = Some("held".to_owned());
        return Ok(Outcome::NeedsInput(Questions {
            requests,
            state,
            refusable: Refusable::Yes,
            held: None,
        }));
    }
    let outcomes: Vec<String> = ends.into_iter().flatten().collect();
    text(format!("{}, {}", outcomes.join(", "), call.answers.state().unwrap_or("nothing held")))
}

fn text(text: impl Into<String>) -> Result<Outcome, CallError> {
    Ok(Outcome::Complete(Answer::new(&CallToolResult::text(text))?))
}

impl Service for ProbeService {
    fn call<'a>(&'a self, call: Call, notes: Notes) -> BoxFuture<'a, Result<Outcome, CallError>> {
        Box::pin(self.answer(call, notes))
    }

    fn offer(&self) -> Offer {
        let mut offer = self.toolbox.offer();
        offer.capabilities.extensions.insert(tasks_ext::EXTENSION, CapabilitySettings::default());
        offer.capabilities.tasks = serde_json::from_str("{}").ok();
        offer
    }
}

impl InterestSink for ProbeService {
    fn interest(&self, uri: &str, interest: Interest) {
        assert_eq!(self.hub.is_watched(uri), interest == Interest::Wanted);
        let mark = if interest == Interest::Wanted { '+' } else { '-' };
        self.received.lock().push(format!("{mark}{uri}"));
        // Like an upstream server with an update: a lock held around this call would hang here.
        self.hub.publish(&Change::Resource("test://meanwhile".into()));
    }
}
