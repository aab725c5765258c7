//! The view of an interactive chat: the model's text as it streams, calls, diffs and results.
//!
//! What must stay true: everything from models and tools is made safe, a spinner never shares a
//! line with text, and without colours the screen says the same.

mod calls;
mod page;

use super::text_view::{log_line, retry_line, sampling_line};
use calls::ShownCalls;
use hobnob_agent::{AgentEvent, AgentView, Speaker, TurnEnd};
use hobnob_terminal::render::{self, Tone, one_line, paint};
use hobnob_terminal::terminal::Spinner;
use page::{Page, RowLook};
use parking_lot::Mutex;
use std::path::Path;
use std::sync::mpsc::SyncSender;

/// The prompt before a typed line.
pub(super) const PROMPT: &str = "> ";
/// The most events that wait for the answer to a question; later ones are not shown.
const MAX_DURING_QUESTION: usize = 10_000;
/// Lines of an earlier question, and of earlier calls, that a resumed chat shows again.
const REPLAY_LINES: usize = 8;
/// Characters of an earlier call that a resumed chat shows again.
const REPLAY_CHARACTERS: usize = 100;
/// Rows that are shown of context that goes to the model with the question.
const CONTEXT_ROWS: usize = 24;
/// Characters of a server's text beside the spinner.
const STEP_WIDTH: usize = 40;

/// The screen of a chat.
pub(super) struct Screen(Mutex<ScreenState>);

struct ScreenState {
    page: Page,
    calls: ShownCalls,
    /// Whether the person wants to see what the model thinks.
    shows_thinking: bool,
    /// What was typed while the answer comes.
    draft: String,
    /// Events since a question was opened; they are shown below it.
    during_question: Vec<AgentEvent>,
}

impl Screen {
    pub(super) fn new(spinner: Spinner, project: &Path) -> Self {
        Self(Mutex::new(ScreenState {
            page: Page::new(spinner),
            calls: ShownCalls::new(project.into()),
            shows_thinking: false,
            draft: String::new(),
            during_question: Vec::new(),
        }))
    }

    /// Sets where to print while the person types a line.
    pub(super) fn print_above_line(&self, texts: SyncSender<String>) {
        self.0.lock().page.above_line = Some(texts);
    }

    /// The person types a line from now on; events of background agents go above it.
    pub(super) fn begin_line(&self) {
        let page = &mut self.0.lock().page;
        page.typing = true;
        page.spinner.hide();
    }

    /// The person has finished the line.
    pub(super) fn end_line(&self) {
        self.0.lock().page.typing = false;
    }

    /// Shows beside the spinner what was typed while the answer comes.
    pub(super) fn show_draft(&self, draft: String) {
        let mut state = self.0.lock();
        state.draft = draft;
        if state.page.spinner.is_shown() {
            state.page.spinner.set_message(&state.spinner_text());
        }
    }

    /// Toggles whether thinking is shown, and returns the new state.
    pub(super) fn toggle_thinking(&self) -> bool {
        let mut state = self.0.lock();
        state.shows_thinking = !state.shows_thinking;
        state.shows_thinking
    }

    /// Shows earlier text again, except results of tools and instructions.
    pub(super) fn replay(&self, speaker: Speaker, text: &str) {
        let page = &mut self.0.lock().page;
        match speaker {
            Speaker::System | Speaker::Tool => {}
            Speaker::Person => {
                for (at, line) in text.lines().take(REPLAY_LINES).enumerate() {
                    let mark = if at == 0 { PROMPT } else { "  " };
                    page.line(&format!("{mark}{}", render::safe(line)));
                }
                page.below_calls = false;
            }
            Speaker::Caller => {
                for line in text.lines().take(REPLAY_LINES) {
                    let line: String = one_line(line).chars().take(REPLAY_CHARACTERS).collect();
                    page.line(&paint(Tone::Dim, &line));
                }
            }
            Speaker::Assistant | Speaker::Summary => {
                page.say(text);
                page.end_speech();
            }
        }
    }
}

impl ScreenState {
    /// The text of the spinner: what the chat waits for, and the end of the draft.
    fn spinner_text(&self) -> String {
        let what = self.calls.awaited();
        let draft = one_line(&self.draft);
        match draft.char_indices().rev().nth(STEP_WIDTH) {
            _ if draft.is_empty() => what,
            Some((at, _)) => format!("{what} > …{}", &draft[at..]),
            None => format!("{what} > {draft}"),
        }
    }

    /// Shows the spinner, unless the person types a line.
    fn wait(&self) {
        if !self.page.typing {
            self.page.spinner.wait_for(&self.spinner_text());
        }
    }

    /// Writes a line, which must be safe, between events of running calls.
    fn remark(&mut self, words: &str) {
        self.page.line(&paint(Tone::Dim, words));
        self.wait();
    }

    /// Shows the progress of a call beside the spinner.
    fn call_progressed(&self, id: &str, progress: f64, total: Option<f64>, message: Option<&str>) {
        let Some(name) = self.calls.running_name(id) else { return };
        let of = total.map(|total| format!("/{total}")).unwrap_or_default();
        let words: String =
            one_line(message.unwrap_or_default()).chars().take(STEP_WIDTH).collect();
        self.page.spinner.set_message(format!("{name} {progress}{of} {words}").trim_end());
    }

    fn turn_ended(&mut self, end: &TurnEnd) {
        self.calls.clear();
        (self.page.last_call, self.page.below_calls) = (None, false);
        let words = match end {
            TurnEnd::Complete => None,
            TurnEnd::Interrupted => Some("interrupted".to_owned()),
            TurnEnd::Failed(why) => Some(format!("failed: {why}")),
            TurnEnd::Limit(limit) => Some(format!("stopped: {limit}; say more to go on")),
        };
        match words {
            Some(words) => self.page.line(&paint(Tone::Warn, &render::safe(&words))),
            None => self.page.end_speech(),
        }
    }

    fn show_event(&mut self, agent: &str, event: &AgentEvent) {
        match event {
            AgentEvent::Asked => self.wait(),
            AgentEvent::Retrying { why, wait } => {
                self.remark(&format!("  {agent}{}", retry_line(why, *wait)));
            }
            // A sub-agent's text is not shown: its answer is the result of a call.
            AgentEvent::Text(text) if agent.is_empty() => self.page.say(text),
            AgentEvent::Thinking(text) if agent.is_empty() && self.shows_thinking => {
                self.page.think(text);
            }
            AgentEvent::CallStarted(call) => {
                self.calls.started(&mut self.page, agent, call);
                self.wait();
            }
            AgentEvent::CallEnded { call, text, outcome, took } => {
                self.calls.ended(&mut self.page, agent, call, (text, *outcome), *took);
                self.wait();
            }
            AgentEvent::CallProgress { id, progress, total, message } => {
                self.call_progressed(id, *progress, *total, message.as_deref());
            }
            AgentEvent::Logged { level, logger, text } => {
                let words = log_line(level, logger.as_deref(), text);
                self.remark(&format!("  {words}"));
            }
            AgentEvent::Sampled { by, usage, .. } => {
                self.remark(&format!("  {}", sampling_line(by, usage.as_ref())));
            }
            AgentEvent::ContextAdded(text) => {
                let lines: Vec<&str> = text.lines().collect();
                let look = RowLook::Toned(Tone::Dim);
                self.page.rows(&lines, look, CONTEXT_ROWS);
            }
            AgentEvent::Summarised(_) => {
                let words = "what was said before is a summary from here on";
                self.page.line(&paint(Tone::Dim, words));
            }
            AgentEvent::NotSummarised(why) => {
                self.remark(&format!("no summary could be made: {}", one_line(why)));
            }
            AgentEvent::TurnEnded(end) if agent.is_empty() => self.turn_ended(end),
            AgentEvent::OfAgent { agent, event } => {
                self.show_event(&format!("{} › ", one_line(agent)), event)
            }
            AgentEvent::Text(_)
            | AgentEvent::TurnEnded(_)
            | AgentEvent::Thinking(_)
            | AgentEvent::Answered { .. } => {}
        }
    }
}

impl AgentView for Screen {
    fn show(&self, event: &AgentEvent) {
        let mut state = self.0.lock();
        if state.page.spinner.is_asking() {
            // The call that asks ends after the answer, and that event shows these.
            // What a sub-agent says is not shown, and comes in the most pieces.
            let is_shown = !matches!(event, AgentEvent::OfAgent { event, .. }
                if matches!(**event, AgentEvent::Text(_) | AgentEvent::Thinking(_)));
            if is_shown && state.during_question.len() < MAX_DURING_QUESTION {
                state.during_question.push(event.clone());
            }
            return;
        }
        for earlier in std::mem::take(&mut state.during_question) {
            state.show_event("", &earlier);
        }
        state.show_event("", event);
    }
}
