//! Draws a part of a tree as lines of text.
//!
//! Only branches are indented, so a long conversation without branches stays narrow. Characters
//! that a terminal would act on or reorder are escaped, and no line is much wider than the
//! requested width.

#[cfg(test)]
mod tests;

use hobnob_store::trees::{
    LineBranches, NodeContent, NodePosition, OutlineLine, SHOWN_BRANCHES, TreeOutline,
};
use hobnob_text::{first_chars, safe_line};

/// Columns of indentation per level.
const LEVEL_WIDTH: usize = 3;
/// Columns that the text of a line gets at least.
const MIN_TEXT: usize = 16;

/// The lines of a part of a tree, at most `width` columns wide where possible.
pub(super) fn draw(outline: &TreeOutline, width: usize) -> String {
    let mut text = String::new();
    for line in &outline.lines {
        draw_line(&mut text, line, width);
    }
    text
}

fn draw_line(text: &mut String, line: &OutlineLine, width: usize) {
    let begin = text.len();
    draw_branches(text, &line.branches, width);
    text.push_str(match line.position {
        NodePosition::Only => "",
        NodePosition::Before => "├─ ",
        NodePosition::Last => "└─ ",
    });
    let id = line.node.shape.id.as_str();
    let used = text[begin..].chars().count() + id.len() + 1;
    text.push_str(id);
    text.push(' ');
    text.push_str(&one_line(&label(&line.node.content), width.saturating_sub(used).max(MIN_TEXT)));
    text.truncate(text.trim_end().len());
    text.push('\n');
}

/// Draws the bars of the branches that enclose a line; outer branches without room are counted.
fn draw_branches(text: &mut String, branches: &LineBranches, width: usize) {
    let levels = (width / 2 / LEVEL_WIDTH).clamp(1, SHOWN_BRANCHES);
    let skipped = branches.shown.len().saturating_sub(levels);
    let hidden = branches.hidden.saturating_add(skipped as u64);
    if 0 < hidden {
        text.push_str(&format!("…{hidden} "));
    }
    for position in &branches.shown[skipped..] {
        text.push_str(match position {
            NodePosition::Before => "│  ",
            NodePosition::Last | NodePosition::Only => "   ",
        });
    }
}

fn label(content: &NodeContent) -> String {
    match content {
        NodeContent::Text { role, text } => format!("{role}: {text}"),
        NodeContent::External(handle) => format!("→ {} {}", handle.source, handle.identifier),
    }
}

/// The text on one line, cut to `limit` characters.
fn one_line(text: &str, limit: usize) -> String {
    let safe = safe_line(text);
    match first_chars(&safe, limit).len() == safe.len() {
        true => safe,
        false => format!("{}…", first_chars(&safe, limit.saturating_sub(1))),
    }
}
