//! Tasks for people.

use crate::commands::service::{joined, text};
use crate::render::{self, Cell, Table, Tone};
use serde_json::Value;
use std::collections::BTreeSet;

/// Parts of parts that are shown.
const DEEPEST: usize = 20;

/// A list of tasks.
pub(super) fn list(tasks: &[Value]) -> anyhow::Result<()> {
    if tasks.is_empty() {
        render::note("there are no tasks");
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

/// What can be begun, and whether there may be more of it than was asked for.
pub(super) fn ready(tasks: &[Value], most: usize) -> anyhow::Result<()> {
    list(tasks)?;
    if most <= tasks.len() {
        render::note(&format!("these are the first {most}; there may be more"));
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

/// What was claimed, or that nothing was there.
pub(super) fn claimed(data: &Value) -> anyhow::Result<()> {
    match data.get("task").filter(|task| !task.is_null()) {
        Some(task) => {
            render::line(&format!("{}  {}", text(task, "id"), text(task, "description")))?;
            let until = text(task, "lease_until");
            render::note(&format!("yours until {until}, unless you renew it"));
            Ok(())
        }
        None => {
            render::note("nothing is ready");
            Ok(())
        }
    }
}

/// A task that was made or changed.
pub(super) fn changed(task: &Value) -> anyhow::Result<()> {
    let (id, status) = (text(task, "id"), text(task, "status"));
    render::line(&format!("{id}  {status}  {}", text(task, "description")))
}

/// One task with its parts and what happened to it.
pub(super) fn whole(task: &Value, children: &[Value], steps: &[Value]) -> anyhow::Result<()> {
    for (name, value) in [
        ("id", text(task, "id").to_owned()),
        ("status", text(task, "status").into()),
        ("priority", text(task, "priority").into()),
        ("list", text(task, "list").into()),
        ("part of", text(task, "parent").into()),
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
        render::line("\nparts:")?;
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

/// Tasks with their parts below them.
pub(super) fn tree(tasks: &[Value]) -> anyhow::Result<()> {
    if tasks.is_empty() {
        render::note("there are no tasks");
        return Ok(());
    }
    let known: BTreeSet<&str> = tasks.iter().map(|task| text(task, "id")).collect();
    let mut lines = Vec::new();
    // A part of something on another list stands by itself.
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
        if depth == DEEPEST {
            lines.push(format!("{}…", "  ".repeat(depth + 1)));
            return;
        }
        branch(tasks, part, depth + 1, lines);
    }
}
