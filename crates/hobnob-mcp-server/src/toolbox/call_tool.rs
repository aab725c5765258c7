//! `tools/call`: find the tool, check what came, run it here or as a task.
//!
//! The arguments are parsed once, checked in place and moved into the handler's own type.

use super::context::{CallParts, TaskAccess};
use super::inventory::Inventory;
use super::mirror;
use super::reply::{failed, outcome};
use super::schema::absent;
use super::task_mode::{self, Plan};
use super::tool::RegisteredTool;
use crate::tasks::Tasks;
use hobnob_mcp_engine::{Answers, Call, CallError, Caller, Notes, Outcome};
use hobnob_mcp_types::{Params, Revision};
use serde_json::{Map, Value};
use std::sync::Arc;

pub(super) async fn call_tool(
    inventory: &Inventory,
    tasks: &Tasks,
    call: Call,
    notes: Notes,
) -> Result<Outcome, CallError> {
    let Call { params, caller, answers, task, mirrored, .. } = call;
    let tool = {
        let name = params.string("name")?;
        let unknown = || CallError::params(format!("Unknown tool: {name}"));
        inventory.tool(&name).ok_or_else(unknown)?
    };
    let plan = task_mode::plan(&tool.name, tool.tasks, task, inventory.tasks, caller.revision)?;
    let mut arguments = parse(&params)?;
    if let Some(headers) = &mirrored {
        mirror::check(&tool.mirrors, &arguments, headers)?;
    }
    if let Some(problem) = tool.input.problem(&arguments, "arguments") {
        // Some clients write what they leave out as null.
        match absent(tool.input.schema(), &arguments) {
            Some(rest) if tool.input.problem(&rest, "arguments").is_none() => arguments = rest,
            _ => return unfit(problem, caller.revision),
        }
    }
    let access = match plan {
        Plan::Task { owner, ttl_ms } => {
            let run = as_task(Arc::clone(tool), arguments, caller);
            return tasks.start(&tool.name, owner, ttl_ms, run).await.map(Outcome::Started);
        }
        Plan::Here => TaskAccess::Denied,
        Plan::HereOrTask { owner } => TaskAccess::Allowed { owner, tasks: tasks.clone() },
    };
    run(tool, arguments, caller, answers, (notes, access)).await
}

fn parse(params: &Params) -> Result<Value, CallError> {
    match params.get("arguments") {
        // Some clients write what they leave out as null.
        None | Some("null") => Ok(Value::Object(Map::new())),
        Some(text) if text.starts_with('{') => serde_json::from_str(text)
            .map_err(|error| CallError::params(format!("`params.arguments`: {error}"))),
        Some(_) => Err(CallError::params("`params.arguments` must be an object")),
    }
}

/// Arguments that do not fit are for the model to mend since 2025-11-25 (SEP-1303), and a
/// protocol error before.
fn unfit(problem: String, revision: Revision) -> Result<Outcome, CallError> {
    if revision >= Revision::V2025_11_25 {
        failed(problem).map(Outcome::Complete)
    } else {
        Err(CallError::params(problem))
    }
}

async fn run(
    tool: &RegisteredTool,
    arguments: Value,
    caller: Caller,
    answers: Answers,
    (notes, access): (Notes, TaskAccess),
) -> Result<Outcome, CallError> {
    let revision = caller.revision;
    let (name, output) = (Arc::clone(&tool.name), tool.output.clone());
    let parts = CallParts { name, caller, answers, notes, tasks: access, output };
    match (tool.run)(arguments, parts) {
        Ok(work) => {
            let ended = tool.polls.watch(&tool.name, work).await;
            outcome(ended, tool.output.as_deref(), &tool.name)
        }
        // The schema was written by hand and says less than the type does.
        Err(error) => unfit(format!("arguments: {error}"), revision),
    }
}

/// The same call as the work of a task, run again after each round of questions.
fn as_task(tool: Arc<RegisteredTool>, arguments: Value, caller: Caller) -> crate::tasks::Runner {
    Arc::new(move |answers| {
        let (tool, arguments, caller) = (Arc::clone(&tool), arguments.clone(), caller.clone());
        Box::pin(async move {
            // A task outlives the stream of its call: there is nobody left to hear notes.
            run(&tool, arguments, caller, answers, (Notes::silent(), TaskAccess::Denied)).await
        })
    })
}
