//! Tests of the toolbox at its boundary: kits and calls go in, outcomes and changes come out.

mod arguments;
mod asking;
mod blocking;
mod forms;
mod headers;
mod listings;
mod lists;
mod names;
mod prompts;
mod resources;
mod results;
mod schemas;
mod slow_polls;
mod state;
mod task_modes;
mod templates;

use super::{IntoKit, Kit, KitBuilder, Toolbox};
use hobnob_mcp_engine::{
    Answers, Call, CallError, Caller, Change, ChangeHub, ChangeSink, ClientId, Limits, Notes,
    Outcome, Principal, Service as _, Subscription, TaskOffer,
};
use hobnob_mcp_tasks::Tasks;
use hobnob_mcp_types::{Method, Params, Revision};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::sync::Arc;

/// A toolbox with these kits, and the changes it has published since the last look.
struct Bench {
    toolbox: Toolbox,
    published: Arc<Published>,
    _listening: Subscription,
}

#[derive(Default)]
struct Published(Mutex<Vec<Change>>);

impl ChangeSink for Published {
    fn changed(&self, change: &Change) {
        self.0.lock().push(change.clone());
    }
}

impl Bench {
    fn new(kits: impl IntoIterator<Item = impl IntoKit>) -> Self {
        let hub = ChangeHub::default();
        let tasks = Tasks::new(hub.clone(), &Limits::default());
        let toolbox = Toolbox::new(hub.clone(), tasks);
        for kit in kits {
            toolbox.add(kit).unwrap();
        }
        let published = Arc::new(Published::default());
        let weak: std::sync::Weak<Published> = Arc::downgrade(&published);
        let _listening = hub.subscribe(Principal::anonymous(), weak);
        Self { toolbox, published, _listening }
    }

    fn changes(&self) -> Vec<Change> {
        std::mem::take(&mut *self.published.0.lock())
    }

    async fn ask(&self, method: Method, params: Value) -> Result<Outcome, CallError> {
        self.toolbox.call(call(method, params), Notes::silent()).await
    }

    /// The result, or the error as this caller would get it.
    async fn shown(&self, call: Call) -> Value {
        let caller = call.caller.clone();
        match self.toolbox.call(call, Notes::silent()).await {
            Ok(Outcome::Complete(answer)) => serde_json::from_str(&answer.body).unwrap(),
            Ok(Outcome::NeedsInput(questions)) => json!({"asks": questions.requests}),
            Ok(Outcome::Started(record)) => json!({"task": record.status.as_str()}),
            Err(error) => {
                let error = error.to_rpc(&caller);
                json!({"code": error.code.0, "message": error.message})
            }
        }
    }
}

fn caller(revision: Revision, capabilities: Value) -> Caller {
    Caller {
        revision,
        capabilities: Arc::new(serde_json::from_value(capabilities).unwrap()),
        ..Caller::new(ClientId::next(), Principal::anonymous())
    }
}

fn call(method: Method, params: Value) -> Call {
    Call {
        method,
        params: Arc::new(Params::from_json(params.to_string()).unwrap()),
        caller: caller(Revision::NEWEST, json!({})),
        answers: Answers::default(),
        task: TaskOffer::No,
        mirrored: None,
    }
}

fn call_of(tool: &str, arguments: Value) -> Call {
    call(Method::ToolsCall, json!({"name": tool, "arguments": arguments}))
}

/// A kit with tools that return their own names.
fn kit_of(name: &str, tools: &[&'static str]) -> KitBuilder {
    tools.iter().fold(Kit::plain(name), |kit, tool| {
        let tool = *tool;
        kit.tool(tool, "Says its name", move || async move { tool })
    })
}

/// The message of the error with which a kit is refused.
fn refusal(made: impl IntoKit) -> String {
    made.into_kit().expect_err("the kit must be refused").to_string()
}
