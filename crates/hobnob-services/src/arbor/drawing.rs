//! Draws a part of a tree as lines of text.
//!
//! Only branches are indented: a conversation without any is as wide as one line, however long it
//! is. Nothing that a terminal would act on or reorder gets into a line, and no line is much wider
//! than asked for.

#[cfg(test)]
mod tests;

use hobnob_store::trees::{
    LineBranches, NodeContent, NodePosition, OutlineLine, SHOWN_BRANCHES, TreeOutline,
};
use hobnob_text::{first_chars, safe_line};

/// The columns that a level takes.
const LEVEL: usize = 3;
/// A text always has as many columns as this.
const MIN_TEXT: usize = 16;

/// The lines of a part of a tree, each as wide as this if it can be.
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
    text.push_str(&one_line(&said(&line.node.content), width.saturating_sub(used).max(MIN_TEXT)));
    text.truncate(text.trim_end().len());
    text.push('\n');
}

/// What stands before a line that is in these branches; what is further out is counted.
fn draw_branches(text: &mut String, branches: &LineBranches, width: usize) {
    let levels = (width / 2 / LEVEL).clamp(1, SHOWN_BRANCHES);
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

fn said(content: &NodeContent) -> String {
    match content {
        NodeContent::Text { role, text } => format!("{role}: {text}"),
        NodeContent::External(handle) => format!("→ {} {}", handle.source, handle.identifier),
    }
}

/// A text on one line, of at most so many characters.
fn one_line(text: &str, limit: usize) -> String {
    let safe = safe_line(text);
    match first_chars(&safe, limit).len() == safe.len() {
        true => safe,
        false => format!("{}…", first_chars(&safe, limit.saturating_sub(1))),
    }
}
