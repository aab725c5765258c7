//! `hobnob tasks …`: works on to-do lists with the `tasks_…` tools of the hub. They are not the tasks of
//! the MCP protocol. `main` runs it.
//!
//! What must stay true: every subcommand calls tools that clients have too, so both do the same.

mod show;

use super::service::{call_and_show, given, items, text_or_stdin, with_services};
use crate::context::CommandContext;
use clap::{Args, Subcommand, ValueEnum};
use hobnob_terminal::render;
use hobnob_terminal::render::Output;
use serde_json::{Value, json};

/// Tasks per page of a list.
const PAGE_SIZE: u16 = 200;
/// The most ready tasks in one answer, which has no pages.
const MAX_READY: u16 = 500;

#[derive(Debug, Args)]
pub(crate) struct TasksArgs {
    #[command(subcommand)]
    command: TasksCommand,

    /// The task list; the project's own by default.
    #[arg(long, value_name = "NAME", global = true)]
    list: Option<String>,
}

#[derive(Debug, Subcommand)]
enum TasksCommand {
    /// Add a new task.
    Add(AddArgs),
    /// List all tasks, or those that match.
    List(ListArgs),
    /// List tasks that are ready: not blocked, not claimed, most important first.
    Ready,
    /// Claim a task that is ready, and start it.
    Claim(ClaimArgs),
    /// Mark a task as completed, or as failed.
    Done(DoneArgs),
    /// Show one task with its history.
    Show(IdArgs),
    /// Show all tasks with their subtasks.
    Tree,
}

#[derive(Debug, Args)]
struct AddArgs {
    /// The description, or - to read it from standard input.
    description: String,

    /// The priority; normal by default.
    #[arg(short, long, value_enum)]
    priority: Option<PriorityName>,

    /// The task that this is a subtask of.
    #[arg(long, value_name = "ID")]
    parent: Option<String>,

    /// A task that must be completed first (may be repeated).
    #[arg(long = "after", value_name = "ID")]
    blockers: Vec<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum PriorityName {
    Low,
    Normal,
    High,
    Urgent,
}

impl PriorityName {
    fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
            Self::Urgent => "urgent",
        }
    }
}

#[derive(Debug, Args)]
struct ListArgs {
    /// List only tasks with this status.
    #[arg(short, long, value_enum)]
    status: Option<StatusName>,

    /// List only tasks that contain this text.
    #[arg(long, value_name = "TEXT")]
    contains: Option<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum StatusName {
    Pending,
    #[value(name = "in_progress", alias = "in-progress")]
    InProgress,
    Completed,
    Failed,
}

impl StatusName {
    fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Failed => "failed",
        }
    }
}

#[derive(Debug, Args)]
struct ClaimArgs {
    /// The id of the task; the first ready one by default.
    id: Option<String>,

    /// The name of the worker; $USER by default.
    #[arg(short, long, value_name = "NAME")]
    worker: Option<String>,

    /// How long the claim lasts, unless you renew it.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    lease: Option<u32>,
}

#[derive(Debug, Args)]
struct DoneArgs {
    /// The id of the task.
    id: String,

    /// The result of the task.
    #[arg(short, long, value_name = "TEXT")]
    result: Option<String>,

    /// Mark the task as failed instead of completed.
    #[arg(long)]
    failed: bool,

    /// The worker who claimed it; $USER by default.
    #[arg(short, long, value_name = "NAME")]
    worker: Option<String>,
}

#[derive(Debug, Args)]
struct IdArgs {
    /// The id of the task.
    id: String,
}

pub(crate) fn run(args: TasksArgs, context: &CommandContext) -> anyhow::Result<()> {
    let list = args.list;
    match args.command {
        TasksCommand::Add(args) => add(args, list, context),
        TasksCommand::List(args) => {
            let filter = given([
                ("status", args.status.map(StatusName::as_str).into()),
                ("contains", args.contains.into()),
                ("list", list.into()),
            ]);
            all(context, filter, show::list)
        }
        TasksCommand::Ready => {
            let filter = given([("list", list.into()), ("limit", MAX_READY.into())]);
            call_and_show(context, "tasks_ready", filter, |data| {
                show::ready(items(data, "tasks"), MAX_READY.into())
            })
        }
        TasksCommand::Claim(args) => {
            let worker = args.worker.or_else(|| std::env::var("USER").ok());
            let arguments = given([
                ("id", args.id.into()),
                ("worker", worker.into()),
                ("lease_seconds", args.lease.into()),
                ("list", list.into()),
            ]);
            call_and_show(context, "tasks_claim", arguments, show::claimed)
        }
        TasksCommand::Done(args) => {
            let status = if args.failed { "failed" } else { "completed" };
            let arguments = given([
                ("id", args.id.into()),
                ("status", status.into()),
                ("result", args.result.into()),
                ("worker", args.worker.or_else(|| std::env::var("USER").ok()).into()),
            ]);
            call_and_show(context, "tasks_update", arguments, show::changed)
        }
        TasksCommand::Show(args) => whole(&args.id, context),
        TasksCommand::Tree => all(context, given([("list", list.into())]), show::tree),
    }
}

fn add(args: AddArgs, list: Option<String>, context: &CommandContext) -> anyhow::Result<()> {
    let arguments = given([
        ("description", text_or_stdin(&args.description)?.into()),
        ("priority", args.priority.map(PriorityName::as_str).into()),
        ("parent", args.parent.into()),
        ("blockers", args.blockers.into()),
        ("list", list.into()),
    ]);
    call_and_show(context, "tasks_create", arguments, show::changed)
}

/// Shows every matching task, from all pages.
fn all(
    context: &CommandContext,
    filter: Value,
    show: fn(&[Value]) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    with_services(context, "tasks", async |services| {
        let tasks = services.every_page("tasks_list", "tasks", paged(filter)).await?;
        services.clear();
        match context.output {
            Output::Json => render::json(&json!({ "count": tasks.len(), "tasks": tasks })),
            Output::People => show(&tasks),
        }
    })
}

/// The request with the largest pages.
fn paged(mut request: Value) -> Value {
    request["limit"] = PAGE_SIZE.into();
    request
}

/// Shows one task with its subtasks and its history.
fn whole(id: &str, context: &CommandContext) -> anyhow::Result<()> {
    with_services(context, "tasks", async |services| {
        let one = || json!({ "id": id });
        let task = services.call("tasks_get", one()).await?;
        let children = services.every_page("tasks_children", "tasks", paged(one())).await?;
        let history = services.call("tasks_history", one()).await?;
        services.clear();
        let steps = items(&history, "steps");
        match context.output {
            Output::Json => render::json(&json!({
                "task": task, "children": children, "history": steps,
            })),
            Output::People => show::whole(&task, &children, steps),
        }
    })
}
