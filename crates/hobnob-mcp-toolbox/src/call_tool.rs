//! `tools/call`: finds the tool, checks the arguments, runs the tool at once or as a task.
//!
//! The arguments are parsed once, checked in place and moved into the handler's own type.

use crate::context::{CallParts, TaskStart};
use crate::inventory::Inventory;
use crate::mirror;
use crate::reply::{failed, outcome};
use crate::schema::{CompiledSchema, absent};
use crate::task_mode::{self, TaskPlan};
use crate::tool::RegisteredTool;
use crate::traffic;
use hobnob_mcp_engine::{
    Answers, ArgumentProblem, ArgumentProblems, Call, CallError, Caller, Notes, Outcome,
};
use hobnob_mcp_tasks::Tasks;
use hobnob_mcp_types::{Params, Revision};
use serde_json::{Map, Value};
use std::sync::Arc;

/// How a call ends whose arguments do not match the tool's schema.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ArgumentErrors {
    /// As the caller's revision defines: since 2025-11-25 with a failed result, which the model can
    /// correct (SEP-1303), before that with a protocol error.
    #[default]
    ByRevision,
    /// With [`CallError::Arguments`] in every revision, for a service around the toolbox that
    /// writes the message itself.
    Raised,
}

pub(crate) async fn call_tool(
    inventory: &Inventory,
    (tasks, errors): (&Tasks, ArgumentErrors),
    call: Call,
    notes: Notes,
) -> Result<Outcome, CallError> {
    let Call { params, caller, answers, task, mirrored, .. } = call;
    let tool = {
        let name = params.string("name")?;
        let unknown = || CallError::UnknownTool(format!("Unknown tool: {name}").into());
        inventory.tool(&name).ok_or_else(unknown)?
    };
    let plan = task_mode::plan(&tool.name, tool.tasks, task, inventory.tasks, caller.revision)?;
    let mut arguments = parse(&params)?;
    if let Some(headers) = &mirrored {
        mirror::check(&tool.mirrors, &arguments, headers)?;
    }
    if let Some(problems) = argument_problems(&tool.input, &arguments) {
        // Some clients write `null` for a member that they mean to leave out.
        match absent(tool.input.schema(), &arguments) {
            Some(rest) if argument_problems(&tool.input, &rest).is_none() => arguments = rest,
            _ => {
                traffic::unfit(&tool.name, &problems);
                return unfit(problems, caller.revision, errors);
            }
        }
    }
    let access = match plan {
        TaskPlan::Task { owner, ttl_ms } => {
            let run = as_task(Arc::clone(tool), arguments, caller, errors);
            return tasks.start(&tool.name, owner, ttl_ms, run).await.map(Outcome::Started);
        }
        TaskPlan::Here => TaskStart::Denied,
        TaskPlan::HereOrTask { owner } => TaskStart::Allowed { owner, tasks: tasks.clone() },
    };
    run(tool, arguments, caller, answers, (notes, access), errors).await
}

fn argument_problems(schema: &CompiledSchema, arguments: &Value) -> Option<ArgumentProblems> {
    let wrong = schema.problems(arguments, "arguments")?;
    let problems = wrong.list.into_iter().map(|problem| ArgumentProblem {
        path: problem.path,
        expected: problem.expected,
        received: problem.received,
    });
    Some(ArgumentProblems { message: wrong.message, problems: problems.collect() })
}

fn parse(params: &Params) -> Result<Value, CallError> {
    match params.get("arguments") {
        // Some clients write `null` for a member that they mean to leave out.
        None | Some("null") => Ok(Value::Object(Map::new())),
        Some(text) if text.starts_with('{') => serde_json::from_str(text)
            .map_err(|error| CallError::params(format!("`params.arguments`: {error}"))),
        Some(text) => {
            let (path, expected) = ("arguments".to_owned(), "object".to_owned());
            let received = ArgumentProblem::type_of(text);
            let problem = ArgumentProblem { path, expected, received };
            let message = "`params.arguments` must be an object";
            Err(CallError::Arguments(Box::new(ArgumentProblems::one(message, problem))))
        }
    }
}

fn unfit(
    wrong: ArgumentProblems,
    revision: Revision,
    errors: ArgumentErrors,
) -> Result<Outcome, CallError> {
    match errors {
        ArgumentErrors::ByRevision if revision >= Revision::V2025_11_25 => {
            failed(wrong.message).map(Outcome::Complete)
        }
        ArgumentErrors::ByRevision | ArgumentErrors::Raised => {
            Err(CallError::Arguments(Box::new(wrong)))
        }
    }
}

async fn run(
    tool: &RegisteredTool,
    arguments: Value,
    caller: Caller,
    answers: Answers,
    (notes, access): (Notes, TaskStart),
    errors: ArgumentErrors,
) -> Result<Outcome, CallError> {
    let revision = caller.revision;
    let (name, output) = (Arc::clone(&tool.name), tool.output.clone());
    let parts = CallParts { name, caller, answers, notes, tasks: access, output };
    traffic::handler(&tool.name);
    match (tool.run)(arguments, parts) {
        Ok(work) => {
            let ended = tool.polls.watch(&tool.name, work).await;
            outcome(ended, tool.output.as_deref(), &tool.name)
        }
        // A schema written by hand may be less strict than the type.
        Err(error) => {
            let message = format!("arguments: {error}");
            unfit(ArgumentProblems { message, problems: Vec::new() }, revision, errors)
        }
    }
}

/// The same call as the work of a task, which runs again after each round of questions.
fn as_task(
    tool: Arc<RegisteredTool>,
    arguments: Value,
    caller: Caller,
    errors: ArgumentErrors,
) -> hobnob_mcp_tasks::Runner {
    Arc::new(move |answers| {
        let (tool, arguments, caller) = (Arc::clone(&tool), arguments.clone(), caller.clone());
        Box::pin(async move {
            // A task outlives the stream of its call, so it has no reader for notes.
            let alone = (Notes::silent(), TaskStart::Denied);
            run(&tool, arguments, caller, answers, alone, errors).await
        })
    })
}
