//! The view of an interactive chat: the model's text as it streams, calls, diffs and results.
//!
//! What must stay true: everything from models and tools is made safe, a spinner never shares a
//! line with text, and without colours the screen says the same.

use super::edit_preview::{EditPreview, is_diff};
use super::text_view::{log_line, retry_line, sampling_line};
use dialoguer::console::{self, Term};
use hobnob_agent::{AgentEvent, AgentView, Speaker, TurnEnd};
use hobnob_llm::{ToolOutcome, ToolUse};
use hobnob_markdown::{Colour, MarkdownStream, Style};
use hobnob_terminal::render::{self, Tone, WrapAt, one_line, paint, wrapped};
use hobnob_terminal::terminal::Terminal;
use parking_lot::{Mutex, MutexGuard};
use std::path::{Path, PathBuf};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The prompt before a typed line.
pub(super) const PROMPT: &str = "> ";
/// The most events that wait for the answer to a question; later ones are not shown.
const MAX_DURING_QUESTION: usize = 10_000;
/// Rows of a result that are shown.
const RESULT_ROWS: usize = 5;
/// Rows of a diff that are shown.
const DIFF_ROWS: usize = 40;
/// Rows of arguments that are shown. A question about the call shows all of them.
const ARGUMENT_ROWS: usize = 8;
/// Lines of an earlier question, and of earlier calls, that a resumed chat shows again.
const REPLAY_LINES: usize = 8;
/// Characters of an earlier call that a resumed chat shows again.
const REPLAY_CHARACTERS: usize = 100;
/// Rows that are shown of context that goes to the model with the question.
const CONTEXT_ROWS: usize = 24;
/// The narrowest width that text is wrapped to.
const MIN_WIDTH: usize = 20;
/// Characters of a server's text beside the spinner.
const STEP_WIDTH: usize = 40;
/// Calls shorter than this are shown without their time.
const MIN_SHOWN_TIME: Duration = Duration::from_millis(100);

/// The screen of a chat.
pub(super) struct Screen {
    terminal: Arc<Terminal>,
    /// Where relative paths of edits begin.
    project: PathBuf,
    state: Mutex<ScreenState>,
    /// Takes text to print above the line while the person types.
    above_line: OnceLock<SyncSender<String>>,
}

#[derive(Debug, Default)]
struct ScreenState {
    /// The model's text that is being streamed, if any.
    speech: Option<MarkdownStream>,
    /// Running calls: the id of each, and its name for the spinner.
    running: Vec<(Box<str>, String)>,
    /// Calls whose changes were shown when they began.
    previewed: Vec<Box<str>>,
    /// The call that was written last, if nothing came after it.
    last_call: Option<Box<str>>,
    /// Whether the last line on the screen is about calls.
    below_calls: bool,
    /// Whether the person wants to see what the model thinks.
    shows_thinking: bool,
    /// Whether thinking was written last, without a line break behind it.
    thinking: bool,
    /// Whether the person types a line, whose row nothing else may change.
    typing: bool,
    /// What was typed while the answer comes.
    draft: String,
    /// Events since a question was opened; they are shown below it.
    during_question: Vec<AgentEvent>,
}

impl ScreenState {
    /// The text of the spinner: what the chat waits for, and the end of the draft.
    fn spinner_text(&self) -> String {
        let what = match &self.running[..] {
            [] => "thinking".to_owned(),
            [(_, only)] => only.clone(),
            calls => format!("{} tools", calls.len()),
        };
        let draft = one_line(&self.draft);
        match draft.char_indices().rev().nth(STEP_WIDTH) {
            _ if draft.is_empty() => what,
            Some((at, _)) => format!("{what} > …{}", &draft[at..]),
            None => format!("{what} > {draft}"),
        }
    }
}

impl Screen {
    pub(super) fn new(terminal: Arc<Terminal>, project: &Path) -> Self {
        let (project, above_line) = (project.into(), OnceLock::new());
        Self { terminal, project, state: Mutex::default(), above_line }
    }

    /// Sets where to print while the person types a line.
    pub(super) fn print_above_line(&self, texts: SyncSender<String>) {
        // Only the one editor of the chat calls this.
        drop(self.above_line.set(texts));
    }

    /// The person types a line from now on; events of background agents go above it.
    pub(super) fn begin_line(&self) {
        let mut state = self.state();
        state.typing = true;
        self.terminal.hide_spinner();
    }

    /// The person has finished the line.
    pub(super) fn end_line(&self) {
        self.state().typing = false;
    }

    /// Shows beside the spinner what was typed while the answer comes.
    pub(super) fn show_draft(&self, draft: String) {
        let mut state = self.state();
        state.draft = draft;
        if self.terminal.shows_spinner() {
            self.terminal.set_message(&state.spinner_text());
        }
    }

    fn write(&self, state: &ScreenState, text: String) {
        match self.above_line.get().filter(|_| state.typing) {
            // A full queue drops the newest text.
            Some(above) => drop(above.try_send(text)),
            // If the terminal is gone, reading the next line reports it.
            None => drop(render::piece(&text)),
        }
    }

    fn state(&self) -> MutexGuard<'_, ScreenState> {
        self.state.lock()
    }

    /// Toggles whether thinking is shown, and returns the new state.
    pub(super) fn toggle_thinking(&self) -> bool {
        let mut state = self.state();
        state.shows_thinking = !state.shows_thinking;
        state.shows_thinking
    }

    /// Writes the next piece of what the model thinks, if the person wants to see it.
    fn think(&self, state: &mut ScreenState, piece: &str) {
        if state.shows_thinking {
            self.terminal.hide_spinner();
            state.thinking = true;
            self.write(state, paint(Tone::Dim, &render::safe(piece)));
        }
    }

    fn end_thinking(&self, state: &mut ScreenState) {
        if std::mem::take(&mut state.thinking) {
            self.write(state, "\n\n".to_owned());
        }
    }

    /// Writes the next piece of what the model says.
    fn say(&self, state: &mut ScreenState, piece: &str) {
        self.terminal.hide_spinner();
        self.end_thinking(state);
        state.last_call = None;
        if std::mem::take(&mut state.below_calls) {
            self.write(state, "\n".to_owned());
        }
        let speech = state.speech.get_or_insert_with(|| MarkdownStream::new(style()));
        let text = speech.push(piece);
        self.write(state, text);
    }

    /// Ends what the model says, so that something else can be written.
    fn end_speech(&self, state: &mut ScreenState) {
        self.terminal.hide_spinner();
        self.end_thinking(state);
        if let Some(speech) = state.speech.take() {
            self.write(state, speech.finish());
        }
    }

    /// Shows earlier text again, except results of tools and instructions.
    pub(super) fn replay(&self, speaker: Speaker, text: &str) {
        let mut state = self.state();
        match speaker {
            Speaker::System | Speaker::Tool => {}
            Speaker::Person => {
                for (at, line) in text.lines().take(REPLAY_LINES).enumerate() {
                    let mark = if at == 0 { PROMPT } else { "  " };
                    self.line(&mut state, &format!("{mark}{}", render::safe(line)));
                }
                state.below_calls = false;
            }
            Speaker::Caller => {
                for line in text.lines().take(REPLAY_LINES) {
                    let line: String = one_line(line).chars().take(REPLAY_CHARACTERS).collect();
                    self.line(&mut state, &paint(Tone::Dim, &line));
                }
            }
            Speaker::Assistant | Speaker::Summary => {
                self.say(&mut state, text);
                self.end_speech(&mut state);
            }
        }
    }

    /// Writes a separate line, which must be safe.
    fn line(&self, state: &mut ScreenState, line: &str) {
        self.end_speech(state);
        (state.last_call, state.below_calls) = (None, true);
        self.write(state, format!("{line}\n"));
    }

    /// Shows the spinner, unless the person types a line.
    fn wait(&self, state: &ScreenState) {
        if !state.typing {
            self.terminal.show_spinner(&state.spinner_text());
        }
    }

    fn call_started(&self, agent: &str, call: &ToolUse) {
        let mut state = self.state();
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
            self.line(&mut state, &line);
        }
        if ARGUMENT_ROWS < rows.len() {
            let bytes = call.input.as_str().len();
            self.line(&mut state, &paint(Tone::Dim, &format!("  … {bytes} bytes of arguments")));
        }
        if let Some(EditPreview { lines, .. }) = preview {
            let left = self.rows(&mut state, &lines, RowLook::Diff, DIFF_ROWS);
            if 0 < left {
                self.line(&mut state, &paint(Tone::Dim, &format!("  └ … {left} more lines")));
            }
            state.previewed.push(call.id.clone());
        }
        state.running.push((call.id.clone(), name));
        state.last_call = Some(call.id.clone());
        self.wait(&state);
    }

    /// Repeats the call that a result belongs to, unless that call was written last.
    fn repeat_call(&self, state: &mut ScreenState, agent: &str, call: &ToolUse) {
        if state.last_call.as_ref() == Some(&call.id) {
            return;
        }
        let whole = format!("{agent}{} {}", one_line(&call.name), one_line(call.input.as_str()));
        let rows = wrapped(&whole, columns_behind("○ …"), WrapAt::Anywhere);
        let more = if 1 < rows.len() { "…" } else { "" };
        let first = rows.into_iter().next().unwrap_or_default();
        self.line(state, &paint(Tone::Dim, &format!("○ {first}{more}")));
    }

    fn call_ended(&self, agent: &str, ended: &EndedCall<'_>) {
        let EndedCall { call, text, outcome, took } = *ended;
        let mut state = self.state();
        self.repeat_call(&mut state, agent, call);
        state.running.retain(|(id, _)| *id != call.id);
        let was_previewed = state.previewed.contains(&call.id);
        state.previewed.retain(|id| *id != call.id);
        let lines: Vec<&str> = text.lines().collect();
        let (look, limit) = match outcome {
            ToolOutcome::Failed => (RowLook::Toned(Tone::Bad), RESULT_ROWS),
            // The change itself was shown already.
            ToolOutcome::Done if was_previewed && is_diff(text) => (RowLook::Toned(Tone::Dim), 1),
            ToolOutcome::Done if is_diff(text) => (RowLook::Diff, DIFF_ROWS),
            ToolOutcome::Done => (RowLook::Toned(Tone::Dim), RESULT_ROWS),
        };
        let left = self.rows(&mut state, &lines, look, limit);
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
            self.line(&mut state, &paint(Tone::Dim, &format!("  └ {}", last.join(", "))));
        }
        self.wait(&state);
    }

    /// Writes a line, which must be safe, between events of running calls.
    fn remark(&self, words: &str) {
        let mut state = self.state();
        self.line(&mut state, &paint(Tone::Dim, words));
        self.wait(&state);
    }

    /// Shows the progress of a call beside the spinner.
    fn call_progressed(&self, id: &str, progress: f64, total: Option<f64>, message: Option<&str>) {
        let state = self.state();
        let Some((_, name)) = state.running.iter().find(|(running, _)| **running == *id) else {
            return;
        };
        let of = total.map(|total| format!("/{total}")).unwrap_or_default();
        let words: String =
            one_line(message.unwrap_or_default()).chars().take(STEP_WIDTH).collect();
        self.terminal.set_message(format!("{name} {progress}{of} {words}").trim_end());
    }

    /// Writes untrusted lines, made safe, each row behind a mark of ours, so that none can pass for
    /// the chat's own text. Returns how many lines are not shown completely.
    fn rows(
        &self,
        state: &mut ScreenState,
        lines: &[impl AsRef<str>],
        look: RowLook,
        limit: usize,
    ) -> usize {
        let (columns, mut room) = (columns_behind("  │ "), limit);
        for (at, line) in lines.iter().enumerate() {
            // Reads no more of a long line than could be shown.
            let beginning: String = line.as_ref().chars().take(limit * columns).collect();
            let cut = beginning.len() < line.as_ref().len();
            let line = render::safe(&beginning).replace('\t', "    ");
            let rows = match line.is_empty() {
                true => vec![String::new()],
                false => wrapped(&line, columns, look.wrap()),
            };
            let shown = rows.len().min(room);
            for row in &rows[..shown] {
                let row = match look {
                    RowLook::Toned(tone) => paint(tone, row),
                    RowLook::Diff => paint(diff_tone(&line), row),
                };
                self.line(state, &format!("  {} {row}", paint(Tone::Dim, "│")));
            }
            room -= shown;
            if shown < rows.len() || cut {
                return lines.len() - at;
            }
        }
        0
    }

    fn turn_ended(&self, end: &TurnEnd) {
        let mut state = self.state();
        state.running.clear();
        state.previewed.clear();
        (state.last_call, state.below_calls) = (None, false);
        let words = match end {
            TurnEnd::Complete => None,
            TurnEnd::Interrupted => Some("interrupted".to_owned()),
            TurnEnd::Failed(why) => Some(format!("failed: {why}")),
            TurnEnd::Limit(limit) => Some(format!("stopped: {limit}; say more to go on")),
        };
        match words {
            Some(words) => self.line(&mut state, &paint(Tone::Warn, &render::safe(&words))),
            None => self.end_speech(&mut state),
        }
    }

    fn show_event(&self, agent: &str, event: &AgentEvent) {
        match event {
            AgentEvent::Asked => self.wait(&self.state()),
            AgentEvent::Retrying { why, wait } => {
                self.remark(&format!("  {agent}{}", retry_line(why, *wait)));
            }
            // A sub-agent's text is not shown: its answer is the result of a call.
            AgentEvent::Text(text) if agent.is_empty() => self.say(&mut self.state(), text),
            AgentEvent::Thinking(text) if agent.is_empty() => self.think(&mut self.state(), text),
            AgentEvent::CallStarted(call) => self.call_started(agent, call),
            AgentEvent::CallEnded { call, text, outcome, took } => {
                let (outcome, took) = (*outcome, *took);
                self.call_ended(agent, &EndedCall { call, text, outcome, took });
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
                self.rows(&mut self.state(), &lines, look, CONTEXT_ROWS);
            }
            AgentEvent::Summarised(_) => {
                let words = "what was said before is a summary from here on";
                self.line(&mut self.state(), &paint(Tone::Dim, words));
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
        if self.terminal.is_asking() {
            // The call that asks ends after the answer, and that event shows these.
            // What a sub-agent says is not shown, and comes in the most pieces.
            let is_shown = !matches!(event, AgentEvent::OfAgent { event, .. }
                if matches!(**event, AgentEvent::Text(_) | AgentEvent::Thinking(_)));
            let waiting = &mut self.state().during_question;
            if is_shown && waiting.len() < MAX_DURING_QUESTION {
                waiting.push(event.clone());
            }
            return;
        }
        for earlier in std::mem::take(&mut self.state().during_question) {
            self.show_event("", &earlier);
        }
        self.show_event("", event);
    }
}

/// A call with its result.
#[derive(Clone, Copy)]
struct EndedCall<'a> {
    call: &'a ToolUse,
    text: &'a str,
    outcome: ToolOutcome,
    took: Duration,
}

/// The colour and wrapping of untrusted rows.
#[derive(Debug, Clone, Copy)]
enum RowLook {
    Toned(Tone),
    /// Each row in the colour of its sign.
    Diff,
}

impl RowLook {
    fn wrap(self) -> WrapAt {
        match self {
            Self::Toned(_) => WrapAt::Words,
            Self::Diff => WrapAt::Anywhere,
        }
    }
}

fn diff_tone(line: &str) -> Tone {
    match line.as_bytes().first() {
        Some(b'+') => Tone::Good,
        Some(b'-') => Tone::Bad,
        _ => Tone::Dim,
    }
}

/// The columns that remain after the beginning of a row.
fn columns_behind(begin: &str) -> usize {
    let columns = usize::from(Term::stdout().size().1);
    // The last column stays free: some terminals go to the next row once it is taken.
    columns.saturating_sub(begin.chars().count() + 1).max(MIN_WIDTH)
}

/// The Markdown style for the terminal's present width, with colours if it has them.
fn style() -> Style {
    let term = Term::stdout();
    let colour = if console::colors_enabled() { Colour::On } else { Colour::Off };
    Style::Terminal { width: term.size().1, colour }
}
