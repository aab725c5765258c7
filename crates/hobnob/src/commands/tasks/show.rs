//! Prints the results of the task tools for people. `tasks` calls it unless the user asks for JSON.
//!
//! What must stay true: subtasks are shown to a bounded depth, so a loop in the data ends.

use crate::commands::service::{joined, text};
use hobnob_terminal::render::{self, Cell, Table, Tone};
use serde_json::Value;
use std::collections::BTreeSet;

/// How many levels of subtasks are shown.
const MAX_DEPTH: usize = 20;

/// A list of tasks.
pub(super) fn list(tasks: &[Value]) -> anyhow::Result<()> {
    if tasks.is_empty() {
        render::note("no tasks found");
        return Ok(());
    }
    let mut table = Table::new(&["ID", "STATUS", "PRIORITY", "WORKER", "WAITS FOR", "TASK"]);
    for task in tasks {
        let status = text(task, "status");
        table.row([
            Cell::toned(Tone::Dim, text(task, "id")),
            Cell::toned(tone(status), status),
            text(task, "priority").into(),
            text(task, "claimed_by").into(),
            joined(task, "open_blockers").into(),
            text(task, "description").into(),
        ]);
    }
    render::text(&table.to_text())
}

/// The ready tasks, and a note if there may be more.
pub(super) fn ready(tasks: &[Value], limit: usize) -> anyhow::Result<()> {
    list(tasks)?;
    if limit <= tasks.len() {
        render::note(&format!("these are the first {limit}; there may be more"));
    }
    Ok(())
}

fn tone(status: &str) -> Tone {
    match status {
        "completed" => Tone::Good,
        "failed" => Tone::Bad,
        "in_progress" => Tone::Warn,
        _ => Tone::Plain,
    }
}

/// The claimed task, or a note that none is ready.
pub(super) fn claimed(data: &Value) -> anyhow::Result<()> {
    match data.get("task").filter(|task| !task.is_null()) {
        Some(task) => {
            render::line(&format!("{}  {}", text(task, "id"), text(task, "description")))?;
            let until = text(task, "lease_until");
            render::note(&format!(
                "the task is yours until {until}; renew the claim to keep it longer"
            ));
            Ok(())
        }
        None => {
            render::note("no task is ready");
            Ok(())
        }
    }
}

/// A new or changed task in one line.
pub(super) fn changed(task: &Value) -> anyhow::Result<()> {
    let (id, status) = (text(task, "id"), text(task, "status"));
    render::line(&format!("{id}  {status}  {}", text(task, "description")))
}

/// One task with its subtasks and its history.
pub(super) fn whole(task: &Value, children: &[Value], steps: &[Value]) -> anyhow::Result<()> {
    for (name, value) in [
        ("id", text(task, "id").to_owned()),
        ("status", text(task, "status").into()),
        ("priority", text(task, "priority").into()),
        ("list", text(task, "list").into()),
        ("subtask of", text(task, "parent").into()),
        ("waits for", joined(task, "open_blockers")),
        ("worker", text(task, "claimed_by").into()),
        ("created", text(task, "created_at").into()),
        ("started", text(task, "started_at").into()),
        ("finished", text(task, "finished_at").into()),
        ("result", text(task, "result").into()),
    ] {
        if !value.is_empty() {
            render::line(&format!("{name}: {value}"))?;
        }
    }
    render::line(&format!("\n{}", text(task, "description")))?;
    if !children.is_empty() {
        render::line("\nsubtasks:")?;
        list(children)?;
    }
    let mut table = Table::new(&["WHEN", "WHAT", "WHO", "MORE"]);
    for step in steps {
        let cells = ["at", "action", "worker", "detail"].map(|name| text(step, name).into());
        table.row(cells);
    }
    render::line("\nhistory:")?;
    render::text(&table.to_text())
}

/// Tasks with their subtasks below them.
pub(super) fn tree(tasks: &[Value]) -> anyhow::Result<()> {
    if tasks.is_empty() {
        render::note("no tasks found");
        return Ok(());
    }
    let known: BTreeSet<&str> = tasks.iter().map(|task| text(task, "id")).collect();
    let mut lines = Vec::new();
    // A subtask of a task on another list is shown at the top level.
    for task in tasks.iter().filter(|task| !known.contains(text(task, "parent"))) {
        branch(tasks, task, 0, &mut lines);
    }
    lines.iter().try_for_each(|line| render::line(line))
}

fn branch(tasks: &[Value], task: &Value, depth: usize, lines: &mut Vec<String>) {
    let mark = match text(task, "status") {
        "completed" => "x",
        "failed" => "!",
        "in_progress" => ">",
        _ => " ",
    };
    let (id, words) = (text(task, "id"), text(task, "description"));
    lines.push(format!("{}[{mark}] {id}  {words}", "  ".repeat(depth)));
    for part in tasks.iter().filter(|part| text(part, "parent") == id) {
        if depth == MAX_DEPTH {
            lines.push(format!("{}…", "  ".repeat(depth + 1)));
            return;
        }
        branch(tasks, part, depth + 1, lines);
    }
}
