//! Prints the results of the memory tools for people. `memory` calls it unless the user asks for
//! JSON.
//!
//! What must stay true: it decides nothing and shows only what the result contains.

use crate::commands::service::{items, joined, text};
use hobnob_terminal::render::{self, Cell, Table, Tone};
use serde_json::Value;

/// The result of `memory_capture`.
pub(super) fn captured(data: &Value) -> anyhow::Result<()> {
    render::line(text(data, "urn"))?;
    if data.get("duplicate").is_some() {
        render::note("already known; nothing new was stored");
    }
    for older in items(data, "replaces") {
        let urn = text(older, "urn");
        render::note(&format!(
            "replaces {urn}; to undo it: hobnob memory restore {}",
            text(older, "id")
        ));
    }
    for near in items(data, "similar") {
        render::note(&format!("similar memory: {}", text(near, "urn")));
    }
    let masked = joined(data, "redacted");
    if !masked.is_empty() {
        render::note(&format!("masked: {masked}"));
    }
    Ok(())
}

/// A list of memories.
pub(super) fn list(data: &Value) -> anyhow::Result<()> {
    let memories = items(data, "memories");
    let scored = memories.iter().any(|memory| memory.get("score").is_some());
    let header: &[&str] = match scored {
        true => &["SCORE", "DATE", "ID", "NAMESPACE", "TAGS", "MEMORY"],
        false => &["DATE", "ID", "NAMESPACE", "TAGS", "MEMORY"],
    };
    let mut table = Table::new(header);
    for memory in memories {
        let score = memory.get("score").and_then(Value::as_f64);
        let mut cells: Vec<Cell> = Vec::new();
        cells.extend(score.filter(|_| scored).map(|score| Cell::from(format!("{score:.2}"))));
        cells.push(day(memory, "created_at").into());
        cells.push(Cell::toned(Tone::Dim, text(memory, "id")));
        cells.push(text(memory, "namespace").into());
        cells.push(joined(memory, "tags").into());
        cells.push(format!("{}{}", remark(memory), text(memory, "snippet")).into());
        table.row(cells);
    }
    if !table.is_empty() {
        render::text(&table.to_text())?;
    }
    notes(data, memories.is_empty());
    Ok(())
}

/// The day of a time, which is enough in a list.
fn day<'a>(data: &'a Value, name: &str) -> &'a str {
    let time = text(data, name);
    time.split_once('T').map_or(time, |(day, _)| day)
}

/// What a list says of a memory before its text: whether it is outdated, and how often it is there.
fn remark(memory: &Value) -> String {
    let newer = memory.get("replaced_by").map(|newer| {
        format!("[replaced by {} ({})] ", text(newer, "id"), day(newer, "created_at"))
    });
    let copies = memory.get("copies").and_then(Value::as_u64);
    let copies = copies.map(|count| format!("[and {}] ", render::counted(count, "copy")));
    [newer, copies].into_iter().flatten().collect()
}

/// Memories with their full text.
pub(super) fn in_full(data: &Value) -> anyhow::Result<()> {
    let memories = items(data, "memories");
    for memory in memories {
        whole(memory)?;
        render::line("")?;
    }
    notes(data, memories.is_empty());
    Ok(())
}

fn notes(data: &Value, nothing: bool) {
    match text(data, "note") {
        "" if nothing => render::note("no memories found"),
        "" => {}
        note => render::note(note),
    }
    if data.get("next_cursor").is_some() {
        render::note("there are more; raise --limit, or narrow the search with --filter");
    }
}

/// One memory with all its members.
pub(super) fn whole(data: &Value) -> anyhow::Result<()> {
    render::line(text(data, "urn"))?;
    for (name, value) in [
        ("tags", joined(data, "tags")),
        ("source", text(data, "source").into()),
        ("project", text(data, "project").into()),
        ("status", text(data, "status").into()),
        ("replaced by", text(data, "superseded_by").into()),
        ("created", text(data, "created_at").into()),
        ("updated", text(data, "updated_at").into()),
        ("expires", text(data, "expires_at").into()),
    ] {
        if !value.is_empty() {
            render::line(&format!("{name}: {value}"))?;
        }
    }
    render::line("")?;
    for line in text(data, "content").lines() {
        render::line(line)?;
    }
    Ok(())
}

/// The versions of one memory.
pub(super) fn history(data: &Value) -> anyhow::Result<()> {
    let mut table = Table::new(&["VERSION", "WHEN", "WHAT", "NAMESPACE", "TAGS", "CONTENT"]);
    for past in items(data, "versions") {
        let version = past.get("version").and_then(Value::as_u64).unwrap_or_default();
        table.row([
            version.to_string().into(),
            text(past, "at").into(),
            text(past, "action").into(),
            text(past, "namespace").into(),
            joined(past, "tags").into(),
            text(past, "content").into(),
        ]);
    }
    render::text(&table.to_text())
}

/// The new status of one memory.
pub(super) fn done(data: &Value) -> anyhow::Result<()> {
    render::line(&format!("{} is {}", text(data, "id"), text(data, "status")))
}

/// The result of `memory_status`.
pub(super) fn status(data: &Value) -> anyhow::Result<()> {
    render::line(&format!("project: {}", text(data, "project")))?;
    let counts = data.get("memories").and_then(Value::as_object);
    for (scope, count) in counts.into_iter().flatten() {
        let count = render::counted(count.as_u64().unwrap_or_default(), "memory");
        render::line(&format!("{scope}: {count}"))?;
    }
    let embeddings = data.get("embeddings").cloned().unwrap_or_default();
    let number = |name: &str| embeddings.get(name).and_then(Value::as_u64).unwrap_or_default();
    match text(&embeddings, "model") {
        "" => render::line("embeddings: none (install a model with: hobnob embeddings install)"),
        model => {
            let (done, total) = (number("embedded"), number("total"));
            render::line(&format!("embeddings: {model}, {done} of {total}"))?;
            let beside = embeddings.get("beside").and_then(Value::as_array);
            beside.into_iter().flatten().try_for_each(|it| {
                let done = it.get("embedded").and_then(Value::as_u64).unwrap_or_default();
                render::line(&format!("embeddings: {}, {done} of {total}", text(it, "model")))
            })
        }
    }
}

/// The result of `memory_sync`.
pub(super) fn synced(data: &Value) -> anyhow::Result<()> {
    let number = |name: &str| data.get(name).and_then(Value::as_u64).unwrap_or_default();
    let (sent, taken, conflicts) = (number("sent"), number("taken"), number("conflicts"));
    render::line(&format!("sent {sent}, received {taken}, conflicts {conflicts}"))?;
    left_behind(data).iter().for_each(|note| render::note(note));
    Ok(())
}

/// A sentence for each kind of memory that was not synced.
fn left_behind(data: &Value) -> Vec<String> {
    let kinds = [
        ("refused", "memories that contain secrets or are too long"),
        ("unreadable", "files of the remote that Hobnob cannot read"),
    ];
    let count = |name: &str| data.get(name).and_then(Value::as_u64).filter(|count| 0 < *count);
    let sentence = |(name, words)| count(name).map(|count| format!("skipped {count} {words}"));
    kinds.into_iter().filter_map(sentence).collect()
}

/// The result of `memory_gc`.
pub(super) fn cleaned(data: &Value) -> anyhow::Result<()> {
    let number = |name: &str| data.get(name).and_then(Value::as_u64).unwrap_or_default();
    render::line(&format!("expired {}, purged {}", number("expired"), number("purged")))
}

#[cfg(test)]
mod tests;
