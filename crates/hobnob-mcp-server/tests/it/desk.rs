//! A service as a gateway is one: it has a toolbox inside, and answers the rest by itself.

use crate::features::library_kit;
use hobnob_mcp_server::Server;
use hobnob_mcp_server::toolbox::Toolbox;
use mcp_engine::{
    Answer, BoxFuture, Call, CallError, Change, ChangeHub, Interest, InterestSink, Limits, Notes,
    Offer, Outcome, Questions, Refusable, Service,
};
use mcp_types::elicitation::ElicitParams;
use mcp_types::form::FormSchema;
use mcp_types::input::InputRequests;
use mcp_types::json::field;
use mcp_types::tools::CallToolResult;
use mcp_types::{ErrorCode, Method, RpcError};
use std::sync::{Arc, Mutex, Weak};

/// `level` and `who` say what is known of the caller, `watch` and `unwatch` subscribe it, and
/// `insist` asks until it has heard the end of both its questions.
pub(crate) struct Desk {
    pub(crate) hub: ChangeHub,
    toolbox: Toolbox,
    heard: Mutex<Vec<String>>,
}

/// A server with a desk.
pub(crate) fn desk(limits: Limits) -> (Server, Arc<Desk>) {
    let mut made = None;
    let server = Server::builder("probe", "1.0").limits(limits).build_with(|hub, tasks| {
        let toolbox = Toolbox::new(hub.clone(), tasks).with_page(2);
        toolbox.add(library_kit().expect("a kit")).expect("a free name");
        let desk = Arc::new(Desk { hub: hub.clone(), toolbox, heard: Mutex::default() });
        let sink: Arc<dyn InterestSink> = desk.clone();
        let weak: Weak<dyn InterestSink> = Arc::downgrade(&sink);
        hub.on_interest(weak);
        made = Some(Arc::clone(&desk));
        desk
    });
    (server.expect("a server"), made.expect("a desk"))
}

impl Desk {
    /// Does what a script says: publishes a change, or compares what it heard of interest since.
    pub(crate) fn act(&self, deed: &str) {
        match deed.split_once(' ') {
            Some(("touch", uri)) => self.hub.publish(&Change::Resource(uri.into())),
            Some(("heard", words)) => {
                let heard = std::mem::take(&mut *self.heard.lock().expect("unpoisoned"));
                assert_eq!(heard.join(" "), words.trim_matches('.'));
            }
            _ => panic!("nobody knows how to do {deed}"),
        }
    }

    async fn answer(&self, call: Call, notes: Notes) -> Result<Outcome, CallError> {
        let name = call.params.string("name").unwrap_or_default().into_owned();
        if call.method != Method::ToolsCall || self.toolbox.has_tool(&name) {
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
            "insist" => insist(&call),
            other => Err(CallError::Other(RpcError::new(ErrorCode(-4711), format!("no {other}")))),
        }
    }
}

/// Asks for what is still open; says what became of each question.
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
        return Ok(Outcome::NeedsInput(Questions { requests, state, refusable: Refusable::Yes }));
    }
    let told: Vec<String> = ends.into_iter().flatten().collect();
    text(format!("{}, {}", told.join(", "), call.answers.state().unwrap_or("nothing held")))
}

fn text(text: impl Into<String>) -> Result<Outcome, CallError> {
    Ok(Outcome::Complete(Answer::new(&CallToolResult::text(text))?))
}

impl Service for Desk {
    fn call<'a>(&'a self, call: Call, notes: Notes) -> BoxFuture<'a, Result<Outcome, CallError>> {
        Box::pin(self.answer(call, notes))
    }

    fn offer(&self) -> Offer {
        self.toolbox.offer()
    }
}

impl InterestSink for Desk {
    fn interest(&self, uri: &str, interest: Interest) {
        assert_eq!(self.hub.is_watched(uri), interest == Interest::Wanted);
        let mark = if interest == Interest::Wanted { '+' } else { '-' };
        self.heard.lock().expect("unpoisoned").push(format!("{mark}{uri}"));
        // As an upstream with news would: a lock held around this call would hang here.
        self.hub.publish(&Change::Resource("test://meanwhile".into()));
    }
}
