//! `hobnob tasks …`: work that agents share, from the terminal.

mod show;

use super::service::{Desk, call_and_show, given, items, text_or_stdin, with_services};
use crate::context::{Context, Output};
use crate::render;
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};

/// Tasks on one page of a list.
const PAGE: u16 = 200;
/// The most that are ready in one answer; there are no pages of these.
const MOST_READY: u16 = 500;

/// What may be typed after it.
#[derive(Debug, Args)]
pub(crate) struct TasksArgs {
    #[command(subcommand)]
    command: TasksCommand,

    /// The list; the project's own if not given.
    #[arg(long, value_name = "NAME", global = true)]
    list: Option<String>,
}

#[derive(Debug, Subcommand)]
enum TasksCommand {
    /// Add a task.
    Add(AddArgs),
    /// List tasks.
    List(ListArgs),
    /// List what can be begun: not blocked, not claimed, most important first.
    Ready,
    /// Take a task that is ready, and start it.
    Claim(ClaimArgs),
    /// Mark a task as completed, or as failed.
    Done(DoneArgs),
    /// Show one task with its history.
    Show(IdArgs),
    /// Show tasks with their parts.
    Tree,
}

#[derive(Debug, Args)]
struct AddArgs {
    /// What is to be done, or - to read it from standard input.
    description: String,

    /// How much it matters.
    #[arg(short, long, value_enum)]
    priority: Option<PriorityName>,

    /// The task it is a part of.
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
    fn word(self) -> &'static str {
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
    /// Only those in this state.
    #[arg(short, long, value_enum)]
    status: Option<StatusName>,

    /// Only those with this text.
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
    fn word(self) -> &'static str {
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
    /// The task; the first that is ready if not given.
    id: Option<String>,

    /// Who takes it.
    #[arg(short, long, value_name = "NAME")]
    worker: Option<String>,

    /// For how many seconds, unless renewed.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    lease: Option<u32>,
}

#[derive(Debug, Args)]
struct DoneArgs {
    /// The task.
    id: String,

    /// What came of it.
    #[arg(short, long, value_name = "TEXT")]
    result: Option<String>,

    /// It was given up.
    #[arg(long)]
    failed: bool,

    /// Who had it.
    #[arg(short, long, value_name = "NAME")]
    worker: Option<String>,
}

#[derive(Debug, Args)]
struct IdArgs {
    /// The task.
    id: String,
}

/// Does it.
pub(crate) fn run(args: TasksArgs, context: &Context) -> anyhow::Result<()> {
    let list = args.list;
    match args.command {
        TasksCommand::Add(args) => add(args, list, context),
        TasksCommand::List(args) => {
            let filter = given([
                ("status", args.status.map(StatusName::word).into()),
                ("contains", args.contains.into()),
                ("list", list.into()),
            ]);
            all(context, filter, show::list)
        }
        TasksCommand::Ready => {
            let filter = given([("list", list.into()), ("limit", MOST_READY.into())]);
            call_and_show(context, "tasks_ready", filter, |data| {
                show::ready(items(data, "tasks"), MOST_READY.into())
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

fn add(args: AddArgs, list: Option<String>, context: &Context) -> anyhow::Result<()> {
    let arguments = given([
        ("description", text_or_stdin(&args.description)?.into()),
        ("priority", args.priority.map(PriorityName::word).into()),
        ("parent", args.parent.into()),
        ("blockers", args.blockers.into()),
        ("list", list.into()),
    ]);
    call_and_show(context, "tasks_create", arguments, show::changed)
}

/// Every task that fits, page after page.
fn all(
    context: &Context,
    filter: Value,
    show: fn(&[Value]) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    with_services(context, "tasks", async |desk| {
        let tasks = every_page(desk, "tasks_list", filter).await?;
        desk.clear();
        match context.output {
            Output::Json => render::json(&json!({ "count": tasks.len(), "tasks": tasks })),
            Output::People => show(&tasks),
        }
    })
}

/// What a tool that answers in pages has on all of them.
async fn every_page(desk: &Desk<'_>, tool: &str, filter: Value) -> anyhow::Result<Vec<Value>> {
    let mut tasks = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let mut page = filter.clone();
        page["limit"] = PAGE.into();
        if !cursor.is_null() {
            page["cursor"] = cursor;
        }
        let page = desk.call(tool, page).await?;
        tasks.extend_from_slice(items(&page, "tasks"));
        cursor = page.get("next_cursor").cloned().unwrap_or_default();
        if cursor.is_null() {
            return Ok(tasks);
        }
    }
}

/// One task with its parts and what happened to it.
fn whole(id: &str, context: &Context) -> anyhow::Result<()> {
    with_services(context, "tasks", async |desk| {
        let one = || json!({ "id": id });
        let task = desk.call("tasks_get", one()).await?;
        let children = every_page(desk, "tasks_children", one()).await?;
        let history = desk.call("tasks_history", one()).await?;
        desk.clear();
        let steps = items(&history, "steps");
        match context.output {
            Output::Json => render::json(&json!({
                "task": task, "children": children, "history": steps,
            })),
            Output::People => show::whole(&task, &children, steps),
        }
    })
}
