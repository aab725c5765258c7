//! Memories for people.

use crate::commands::service::{items, joined, text};
use crate::render::{self, Cell, Table, Tone};
use serde_json::Value;

/// What was captured.
pub(super) fn captured(data: &Value) -> anyhow::Result<()> {
    render::line(text(data, "urn"))?;
    if data.get("duplicate").is_some() {
        render::note("known already; nothing new was stored");
    }
    for near in items(data, "similar") {
        render::note(&format!("nearly the same is in {}", text(near, "urn")));
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
        true => &["SCORE", "ID", "NAMESPACE", "TAGS", "MEMORY"],
        false => &["ID", "NAMESPACE", "TAGS", "MEMORY"],
    };
    let mut table = Table::new(header);
    for memory in memories {
        let score = memory.get("score").and_then(Value::as_f64);
        let mut cells: Vec<Cell> = Vec::new();
        cells.extend(score.filter(|_| scored).map(|score| Cell::from(format!("{score:.2}"))));
        cells.push(Cell::toned(Tone::Dim, text(memory, "id")));
        cells.push(text(memory, "namespace").into());
        cells.push(joined(memory, "tags").into());
        cells.push(text(memory, "snippet").into());
        table.row(cells);
    }
    if !table.is_empty() {
        render::text(&table.to_text())?;
    }
    notes(data, memories.is_empty());
    Ok(())
}

/// Memories one under the other.
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
        "" if nothing => render::note("nothing is remembered"),
        "" => {}
        note => render::note(note),
    }
    if data.get("next_cursor").is_some() {
        render::note("there are more: raise --limit, or narrow it with --filter");
    }
}

/// One memory, all of it.
pub(super) fn whole(data: &Value) -> anyhow::Result<()> {
    render::line(text(data, "urn"))?;
    for (name, value) in [
        ("tags", joined(data, "tags")),
        ("source", text(data, "source").into()),
        ("project", text(data, "project").into()),
        ("status", text(data, "status").into()),
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

/// Every version of one.
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

/// What became of one.
pub(super) fn done(data: &Value) -> anyhow::Result<()> {
    render::line(&format!("{} is {}", text(data, "id"), text(data, "status")))
}

/// How much is remembered.
pub(super) fn status(data: &Value) -> anyhow::Result<()> {
    render::line(&format!("project: {}", text(data, "project")))?;
    let counts = data.get("memories").and_then(Value::as_object);
    for (scope, count) in counts.into_iter().flatten() {
        render::line(&format!("{scope}: {count} memories"))?;
    }
    let embeddings = data.get("embeddings").cloned().unwrap_or_default();
    let number = |name: &str| embeddings.get(name).and_then(Value::as_u64).unwrap_or_default();
    match text(&embeddings, "model") {
        "" => render::line("embeddings: none (hobnob embeddings install)"),
        model => {
            let (done, total) = (number("embedded"), number("total"));
            render::line(&format!("embeddings: {model}, {done} of {total}"))
        }
    }
}

/// What an exchange did.
pub(super) fn synced(data: &Value) -> anyhow::Result<()> {
    let number = |name: &str| data.get(name).and_then(Value::as_u64).unwrap_or_default();
    let (sent, taken, conflicts) = (number("sent"), number("taken"), number("conflicts"));
    render::line(&format!("sent {sent}, taken {taken}, conflicts {conflicts}"))?;
    left_behind(data).iter().for_each(|note| render::note(note));
    Ok(())
}

/// What was not exchanged, in words.
fn left_behind(data: &Value) -> Vec<String> {
    let kinds = [
        ("refused", "refused: they hold secrets, or are too long to be kept"),
        ("unreadable", "unreadable: files of the remote that make no sense here"),
    ];
    let count = |name: &str| data.get(name).and_then(Value::as_u64).filter(|count| 0 < *count);
    let told = |(name, words)| count(name).map(|count| format!("left out {count} {words}"));
    kinds.into_iter().filter_map(told).collect()
}

/// What was removed.
pub(super) fn cleaned(data: &Value) -> anyhow::Result<()> {
    let number = |name: &str| data.get(name).and_then(Value::as_u64).unwrap_or_default();
    render::line(&format!("expired {}, purged {}", number("expired"), number("purged")))
}

#[cfg(test)]
mod tests;
