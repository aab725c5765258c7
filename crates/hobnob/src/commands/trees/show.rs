//! Prints trees and nodes for people. `trees` calls it unless the user asks for JSON.
//!
//! What must stay true: the text of nodes is made safe for terminals.

use crate::commands::service::{items, text};
use hobnob_terminal::render::relative;
use hobnob_terminal::render::{self, Cell, Table, Tone};
use hobnob_text::ellipsize;
use serde_json::Value;

/// How many characters of a node's text a table shows.
const MAX_TEXT_CHARS: usize = 200;

/// A list of trees.
pub(super) fn list(trees: &[Value]) -> anyhow::Result<()> {
    if trees.is_empty() {
        render::note("no trees found");
        return Ok(());
    }
    let mut table = Table::new(&["ID", "NAME", "STATE", "NODES", "CLAIMED BY", "CHANGED"]);
    for tree in trees {
        let state = text(tree, "state");
        table.row([
            Cell::toned(Tone::Dim, text(tree, "tree_id")),
            text(tree, "name").into(),
            Cell::toned(tone(state), state),
            tree["nodes"].to_string().into(),
            claims(tree).into(),
            relative(text(tree, "updated_at")).into(),
        ]);
    }
    render::text(&table.to_text())
}

fn tone(state: &str) -> Tone {
    match state {
        "scheduled" => Tone::Warn,
        "archived" => Tone::Bad,
        _ => Tone::Plain,
    }
}

fn claims(tree: &Value) -> String {
    let claim = |claim: &Value| match claim["count"].as_u64() {
        Some(1) | None => text(claim, "owner_id").to_owned(),
        Some(count) => format!("{} ×{count}", text(claim, "owner_id")),
    };
    items(tree, "claims").iter().map(claim).collect::<Vec<_>>().join(", ")
}

/// The nodes that a search found.
pub(super) fn found(data: &Value) -> anyhow::Result<()> {
    let nodes = items(data, "nodes");
    if nodes.is_empty() {
        render::note("no nodes found");
        return Ok(());
    }
    let mut table = Table::new(&["TREE", "NODE", "ROLE", "TEXT"]);
    for hit in nodes {
        let tree = match text(hit, "tree_name") {
            "" => text(hit, "tree_id"),
            name => name,
        };
        let node = &hit["node"];
        let said = text(node, "content");
        table.row([
            tree.into(),
            Cell::toned(Tone::Dim, text(node, "node_id")),
            text(node, "role").into(),
            ellipsize(said, MAX_TEXT_CHARS).into_owned().into(),
        ]);
    }
    render::text(&table.to_text())?;
    if data["truncated"] == true {
        let count = nodes.len();
        render::note(&format!("these are the newest {count}; --limit or more words find others"));
    }
    Ok(())
}
