//! Draws a part of a tree as lines of text.
//!
//! Only branches are indented: a conversation without any is as wide as one line, however long it
//! is. Nothing that a terminal would act on or reorder gets into a line, and no line is much wider
//! than asked for.

#[cfg(test)]
mod tests;

use hobnob_policy::poison::display_safe;
use hobnob_store::trees::{NodeContent, NodePosition, OpenBranch, OutlineLine, TreeOutline};

/// The levels of branches that a line shows at most; what is further out is counted.
const MAX_LEVELS: usize = 20;
/// The columns that a level takes.
const LEVEL: usize = 3;
/// A text always has as many columns as this.
const MIN_TEXT: usize = 16;

/// The lines of a part of a tree, each as wide as this if it can be.
pub(super) fn draw(outline: &TreeOutline, width: usize) -> String {
    let mut drawing = Drawing { open: outline.above.clone(), width, text: String::new() };
    for line in &outline.lines {
        drawing.add(line);
    }
    drawing.text
}

struct Drawing {
    /// The branches that the next line may be in, outermost first.
    open: Vec<OpenBranch>,
    width: usize,
    text: String,
}

impl Drawing {
    fn add(&mut self, line: &OutlineLine) {
        let depth = line.node.shape.depth;
        while self.open.last().is_some_and(|branch| depth <= branch.depth) {
            self.open.pop();
        }
        let mut prefix = self.prefix();
        match line.position {
            NodePosition::Only => {}
            NodePosition::Before => prefix.push_str("├─ "),
            NodePosition::Last => prefix.push_str("└─ "),
        }
        let used = prefix.chars().count() + line.node.shape.id.as_str().len() + 1;
        let room = self.width.saturating_sub(used).max(MIN_TEXT);
        let said = one_line(&said(&line.node.content), room);
        let id = &line.node.shape.id;
        self.text.push_str(format!("{prefix}{id} {said}").trim_end());
        self.text.push('\n');
        if line.position != NodePosition::Only {
            self.open.push(OpenBranch { depth, position: line.position });
        }
    }

    /// What stands before a line that is in all open branches.
    fn prefix(&self) -> String {
        let levels = (self.width / 2 / LEVEL).clamp(1, MAX_LEVELS);
        let hidden = self.open.len().saturating_sub(levels);
        let mut prefix = match hidden {
            0 => String::new(),
            hidden => format!("…{hidden} "),
        };
        for branch in &self.open[hidden..] {
            prefix.push_str(match branch.position {
                NodePosition::Before => "│  ",
                NodePosition::Last | NodePosition::Only => "   ",
            });
        }
        prefix
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
    let words: Vec<&str> = text.split_whitespace().collect();
    let safe = display_safe(&words.join(" ")).into_owned();
    match safe.char_indices().nth(limit) {
        None => safe,
        Some(_) => {
            let kept: String = safe.chars().take(limit.saturating_sub(1)).collect();
            format!("{kept}…")
        }
    }
}
