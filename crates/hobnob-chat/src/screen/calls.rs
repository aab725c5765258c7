//! The calls of a chat on its screen: how each begins and ends, and which of them run.
//!
//! What must stay true: everything from models and tools is made safe, and a result stands below
//! its call.

use super::page::{Page, RowLook, columns_behind};
use crate::edit_preview::{EditPreview, is_diff};
use hobnob_llm::{ToolOutcome, ToolUse};
use hobnob_terminal::render::{Tone, WrapAt, one_line, paint, wrapped};
use std::path::PathBuf;
use std::time::Duration;

/// Rows of a result that are shown.
const RESULT_ROWS: usize = 5;
/// Rows of a diff that are shown.
const DIFF_ROWS: usize = 40;
/// Rows of arguments that are shown. A question about the call shows all of them.
const ARGUMENT_ROWS: usize = 8;
/// Calls shorter than this are shown without their time.
const MIN_SHOWN_TIME: Duration = Duration::from_millis(100);

/// The calls of the turn that runs.
pub(super) struct ShownCalls {
    /// Where relative paths of edits begin.
    project: PathBuf,
    /// Running calls: the id of each, and its name for the spinner.
    running: Vec<(Box<str>, String)>,
    /// Calls whose changes were shown when they began.
    previewed: Vec<Box<str>>,
}

impl ShownCalls {
    pub(super) fn new(project: PathBuf) -> Self {
        Self { project, running: Vec::new(), previewed: Vec::new() }
    }

    /// Forgets all calls, at the end of a turn.
    pub(super) fn clear(&mut self) {
        self.running.clear();
        self.previewed.clear();
    }

    /// The name of a running call.
    pub(super) fn running_name(&self, id: &str) -> Option<&str> {
        let running = self.running.iter().find(|(running, _)| **running == *id);
        running.map(|(_, name)| name.as_str())
    }

    /// What the chat waits for, in words.
    pub(super) fn awaited(&self) -> String {
        match &self.running[..] {
            [] => "thinking".to_owned(),
            [(_, only)] => only.clone(),
            calls => format!("{} tools", calls.len()),
        }
    }

    pub(super) fn started(&mut self, page: &mut Page, agent: &str, call: &ToolUse) {
        let name = format!("{agent}{}", one_line(&call.name));
        let preview = EditPreview::of(call, &self.project);
        let arguments = preview.as_ref().map_or(call.input.as_str(), |it| &it.arguments);
        let whole = format!("{name} {}", one_line(arguments));
        let rows = wrapped(&whole, columns_behind("● "), WrapAt::Words);
        for (at, row) in rows.iter().take(ARGUMENT_ROWS).enumerate() {
            let mark = if at == 0 { paint(Tone::Good, "●") } else { " ".to_owned() };
            // The name is on the first row, unless it is longer than a row.
            let line = match row.strip_prefix(&*name).filter(|_| at == 0) {
                Some(rest) => format!("{mark} {name}{}", paint(Tone::Dim, rest)),
                None => format!("{mark} {}", paint(Tone::Dim, row)),
            };
            page.line(&line);
        }
        if ARGUMENT_ROWS < rows.len() {
            let bytes = call.input.as_str().len();
            page.line(&paint(Tone::Dim, &format!("  … {bytes} bytes of arguments")));
        }
        if let Some(EditPreview { lines, .. }) = preview {
            let left = page.rows(&lines, RowLook::Diff, DIFF_ROWS);
            if 0 < left {
                page.line(&paint(Tone::Dim, &format!("  └ … {left} more lines")));
            }
            self.previewed.push(call.id.clone());
        }
        self.running.push((call.id.clone(), name));
        page.last_call = Some(call.id.clone());
    }

    pub(super) fn ended(
        &mut self,
        page: &mut Page,
        agent: &str,
        call: &ToolUse,
        (text, outcome): (&str, ToolOutcome),
        took: Duration,
    ) {
        repeat_call(page, agent, call);
        self.running.retain(|(id, _)| *id != call.id);
        let was_previewed = self.previewed.contains(&call.id);
        self.previewed.retain(|id| *id != call.id);
        let lines: Vec<&str> = text.lines().collect();
        let (look, limit) = match outcome {
            ToolOutcome::Failed => (RowLook::Toned(Tone::Bad), RESULT_ROWS),
            // The change itself was shown already.
            ToolOutcome::Done if was_previewed && is_diff(text) => (RowLook::Toned(Tone::Dim), 1),
            ToolOutcome::Done if is_diff(text) => (RowLook::Diff, DIFF_ROWS),
            ToolOutcome::Done => (RowLook::Toned(Tone::Dim), RESULT_ROWS),
        };
        let left = page.rows(&lines, look, limit);
        let more = match left {
            0 => String::new(),
            _ if was_previewed => String::new(),
            1 => "… 1 more line".to_owned(),
            left => format!("… {left} more lines"),
        };
        let time = match MIN_SHOWN_TIME <= took {
            true => format!("{:.1} s", took.as_secs_f64()),
            false => String::new(),
        };
        let last = [more, time].into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>();
        if !last.is_empty() {
            page.line(&paint(Tone::Dim, &format!("  └ {}", last.join(", "))));
        }
    }
}

/// Repeats the call that a result belongs to, unless that call was written last.
fn repeat_call(page: &mut Page, agent: &str, call: &ToolUse) {
    if page.last_call.as_ref() == Some(&call.id) {
        return;
    }
    let whole = format!("{agent}{} {}", one_line(&call.name), one_line(call.input.as_str()));
    let rows = wrapped(&whole, columns_behind("○ …"), WrapAt::Anywhere);
    let more = if 1 < rows.len() { "…" } else { "" };
    let first = rows.into_iter().next().unwrap_or_default();
    page.line(&paint(Tone::Dim, &format!("○ {first}{more}")));
}
