//! A chat on a screen: what the model says as it comes, calls and their results, what it takes.
//!
//! What must stay true: everything from models and tools is made safe, a spinner never shares a line
//! with text, and without colours the screen says the same.

use super::edit_preview::{EditPreview, is_diff};
use super::editor::PROMPT;
use super::text_view::{logged, retrying, sampled};
use dialoguer::console::{self, Term};
use hobnob_agent::{AgentEvent, AgentView, Speaker, TurnEnd};
use hobnob_llm::{ToolOutcome, ToolUse};
use hobnob_markdown::{Colour, MarkdownStream, Style};
use hobnob_terminal::render::{self, Tone, WrapAt, one_line, paint, wrapped};
use hobnob_terminal::terminal::Terminal;
use std::path::{Path, PathBuf};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// Rows of a result that are shown.
const RESULT_ROWS: usize = 5;
/// Rows of a diff that are shown.
const DIFF_ROWS: usize = 40;
/// Rows of arguments that are shown. A question about the call shows all of them.
const ARGUMENT_ROWS: usize = 8;
/// Lines of an earlier question, and of earlier calls, that are shown again.
const AGAIN_LINES: usize = 8;
/// Characters of an earlier call that are shown again.
const AGAIN_CHARACTERS: usize = 100;
/// Rows that are shown of what the model is told besides the question.
const CONTEXT_ROWS: usize = 24;
/// The least width that text is wrapped to.
const MIN_WIDTH: usize = 20;
/// Characters of a server's text beside the spinner.
const STEP_WIDTH: usize = 40;
/// Calls shorter than this are shown without their time.
const WORTH_MENTIONING: Duration = Duration::from_millis(100);

/// The screen of a chat.
pub(super) struct Screen {
    terminal: Arc<Terminal>,
    /// Where relative paths of edits begin.
    project: PathBuf,
    state: Mutex<ScreenState>,
    /// Takes what is to be written while a line is typed.
    above_line: OnceLock<SyncSender<String>>,
}

#[derive(Debug, Default)]
struct ScreenState {
    /// What the model says now, and may not have ended yet.
    speech: Option<MarkdownStream>,
    /// Calls that run, by what the spinner says of them.
    running: Vec<(Box<str>, String)>,
    /// Calls whose changes were shown when they began.
    previewed: Vec<Box<str>>,
    /// The call that was written last, if nothing came after it.
    headed: Option<Box<str>>,
    /// Whether the last line is one about calls.
    below_calls: bool,
    /// Whether the person wants to see what the model thinks.
    shows_thinking: bool,
    /// Whether thinking was written last, without a line break behind it.
    thinking: bool,
    /// Whether a line is typed: nothing else may change its row.
    typing: bool,
    /// What was typed while the answer comes.
    draft: String,
    /// What has happened since a question was opened, to be shown below it.
    during_question: Vec<AgentEvent>,
}

impl ScreenState {
    /// What is waited for, and the end of what was typed meanwhile.
    fn waits_for(&self) -> String {
        let what = match &self.running[..] {
            [] => "thinking".to_owned(),
            [(_, only)] => only.clone(),
            several => format!("{} tools", several.len()),
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

    /// Where to write while a line is typed.
    pub(super) fn print_above_line(&self, texts: SyncSender<String>) {
        // There is one editor.
        drop(self.above_line.set(texts));
    }

    /// A line is typed from now on: what background agents do is written above it.
    pub(super) fn begin_line(&self) {
        let mut state = self.state();
        state.typing = true;
        self.terminal.hide_spinner();
    }

    /// The line is complete.
    pub(super) fn end_line(&self) {
        self.state().typing = false;
    }

    /// Shows beside the spinner what was typed while the answer comes.
    pub(super) fn show_draft(&self, draft: String) {
        let mut state = self.state();
        state.draft = draft;
        if self.terminal.shows_spinner() {
            self.terminal.set_message(&state.waits_for());
        }
    }

    fn write(&self, state: &ScreenState, text: String) {
        match self.above_line.get().filter(|_| state.typing) {
            // If too much waits there, the newest is left out.
            Some(above) => drop(above.try_send(text)),
            // A terminal that is gone is noticed when the next line is read.
            None => drop(render::piece(&text)),
        }
    }

    fn state(&self) -> MutexGuard<'_, ScreenState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether thinking is shown from now on: the other way than before.
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
        state.headed = None;
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

    /// Shows what was said before. Results of tools and instructions are left out.
    pub(super) fn show_again(&self, speaker: Speaker, text: &str) {
        let mut state = self.state();
        match speaker {
            Speaker::System | Speaker::Tool => {}
            Speaker::Person => {
                for (at, line) in text.lines().take(AGAIN_LINES).enumerate() {
                    let mark = if at == 0 { PROMPT } else { "  " };
                    self.line(&mut state, &format!("{mark}{}", render::safe(line)));
                }
                state.below_calls = false;
            }
            Speaker::Caller => {
                for line in text.lines().take(AGAIN_LINES) {
                    let line: String = one_line(line).chars().take(AGAIN_CHARACTERS).collect();
                    self.line(&mut state, &paint(Tone::Dim, &line));
                }
            }
            Speaker::Assistant | Speaker::Summary => {
                self.say(&mut state, text);
                self.end_speech(&mut state);
            }
        }
    }

    /// Writes a line of its own, which must be safe.
    fn line(&self, state: &mut ScreenState, line: &str) {
        self.end_speech(state);
        (state.headed, state.below_calls) = (None, true);
        self.write(state, format!("{line}\n"));
    }

    /// Says what is waited for.
    fn wait(&self, state: &ScreenState) {
        if !state.typing {
            self.terminal.show_spinner(&state.waits_for());
        }
    }

    fn started(&self, agent: &str, call: &ToolUse) {
        let mut state = self.state();
        let name = format!("{agent}{}", one_line(&call.name));
        let preview = EditPreview::of(call, &self.project);
        let arguments = preview.as_ref().map_or(call.input.as_str(), |it| &it.arguments);
        let whole = format!("{name} {}", one_line(arguments));
        let rows = wrapped(&whole, columns_behind("● "), WrapAt::Words);
        for (at, row) in rows.iter().take(ARGUMENT_ROWS).enumerate() {
            let mark = if at == 0 { paint(Tone::Good, "●") } else { " ".to_owned() };
            // The name is on the first row, unless somebody made it longer than that.
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
        state.headed = Some(call.id.clone());
        self.wait(&state);
    }

    /// Says again which call a result belongs to, unless that call is what was written last.
    fn head_of_result(&self, state: &mut ScreenState, agent: &str, call: &ToolUse) {
        if state.headed.as_ref() == Some(&call.id) {
            return;
        }
        let whole = format!("{agent}{} {}", one_line(&call.name), one_line(call.input.as_str()));
        let rows = wrapped(&whole, columns_behind("○ …"), WrapAt::Anywhere);
        let more = if 1 < rows.len() { "…" } else { "" };
        let first = rows.into_iter().next().unwrap_or_default();
        self.line(state, &paint(Tone::Dim, &format!("○ {first}{more}")));
    }

    fn ended(&self, agent: &str, ended: &EndedCall<'_>) {
        let EndedCall { call, text, outcome, took } = *ended;
        let mut state = self.state();
        self.head_of_result(&mut state, agent, call);
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
        let time = match WORTH_MENTIONING <= took {
            true => format!("{:.1} s", took.as_secs_f64()),
            false => String::new(),
        };
        let last = [more, time].into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>();
        if !last.is_empty() {
            self.line(&mut state, &paint(Tone::Dim, &format!("  └ {}", last.join(", "))));
        }
        self.wait(&state);
    }

    /// Writes a line beside what runs, made safe already.
    fn remark(&self, words: &str) {
        let mut state = self.state();
        self.line(&mut state, &paint(Tone::Dim, words));
        self.wait(&state);
    }

    /// Says beside the spinner how far a call is.
    fn progressed(&self, id: &str, progress: f64, total: Option<f64>, message: Option<&str>) {
        let state = self.state();
        let Some((_, name)) = state.running.iter().find(|(running, _)| **running == *id) else {
            return;
        };
        let of = total.map(|total| format!("/{total}")).unwrap_or_default();
        let words: String =
            one_line(message.unwrap_or_default()).chars().take(STEP_WIDTH).collect();
        self.terminal.set_message(format!("{name} {progress}{of} {words}").trim_end());
    }

    /// Writes lines of a stranger, made safe, each row behind a mark of ours: none of them can look
    /// like something that the chat itself says. How many lines are not shown, or not to their end.
    fn rows(
        &self,
        state: &mut ScreenState,
        lines: &[impl AsRef<str>],
        look: RowLook,
        limit: usize,
    ) -> usize {
        let (columns, mut room) = (columns_behind("  │ "), limit);
        for (at, line) in lines.iter().enumerate() {
            // No more of a long line is looked at than could be shown.
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
        (state.headed, state.below_calls) = (None, false);
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

    fn of(&self, agent: &str, event: &AgentEvent) {
        match event {
            AgentEvent::Asked => self.wait(&self.state()),
            AgentEvent::Retrying { why, wait } => {
                self.remark(&format!("  {agent}{}", retrying(why, *wait)));
            }
            // Of a sub-agent only its calls are shown: its answer is the result of a call.
            AgentEvent::Text(text) if agent.is_empty() => self.say(&mut self.state(), text),
            AgentEvent::Thinking(text) if agent.is_empty() => self.think(&mut self.state(), text),
            AgentEvent::CallStarted(call) => self.started(agent, call),
            AgentEvent::CallEnded { call, text, outcome, took } => {
                let (outcome, took) = (*outcome, *took);
                self.ended(agent, &EndedCall { call, text, outcome, took });
            }
            AgentEvent::CallProgress { id, progress, total, message } => {
                self.progressed(id, *progress, *total, message.as_deref());
            }
            AgentEvent::Logged { level, logger, text } => {
                let words = logged(level, logger.as_deref(), text);
                self.remark(&format!("  {words}"));
            }
            AgentEvent::Sampled { by, usage, .. } => {
                self.remark(&format!("  {}", sampled(by, usage.as_ref())));
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
                self.of(&format!("{} › ", one_line(agent)), event)
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
            // The answer to the question is an event as well, so this waits no longer than for that.
            self.state().during_question.push(event.clone());
            return;
        }
        for earlier in std::mem::take(&mut self.state().during_question) {
            self.of("", &earlier);
        }
        self.of("", event);
    }
}

/// A call that has its result.
#[derive(Clone, Copy)]
struct EndedCall<'a> {
    call: &'a ToolUse,
    text: &'a str,
    outcome: ToolOutcome,
    took: Duration,
}

/// How rows of a stranger look.
#[derive(Debug, Clone, Copy)]
enum RowLook {
    Toned(Tone),
    /// Each in the colour of its sign.
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

/// The columns that are left behind this beginning of a row.
fn columns_behind(begin: &str) -> usize {
    let columns = usize::from(Term::stdout().size().1);
    // The last column stays free: some terminals go to the next row once it is taken.
    columns.saturating_sub(begin.chars().count() + 1).max(MIN_WIDTH)
}

/// As wide as the terminal is now, and with colours if it has them.
fn style() -> Style {
    let term = Term::stdout();
    let colour = if console::colors_enabled() { Colour::On } else { Colour::Off };
    Style::Terminal { width: term.size().1, colour }
}
