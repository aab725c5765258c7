//! The line editor of a chat: editing, history, completion, several lines.
//!
//! It wraps rustyline. What must stay true: the editor has the terminal only while the person types
//! a line, and no question has it then.

use super::completion::{ChatCompletion, ChatWords};
use super::screen::{PROMPT, Screen};
use super::typed_ahead::TypedAhead;
use anyhow::Context as _;
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::render::{self, KeyboardMode, unmark_pastes};
use hobnob_terminal::terminal::Keyboard;
use parking_lot::Mutex;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{
    Behavior, Cmd, CompletionType, ConditionalEventHandler, Config, EditMode, Editor, Event,
    EventContext, EventHandler, ExternalPrinter, KeyCode, KeyEvent, Modifiers, Movement,
    RepeatCount,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, SyncSender};
use std::thread;

/// Most lines that the history keeps.
const MAX_HISTORY: usize = 1_000;

/// The most texts that wait to be printed above a line.
const MAX_ABOVE_LINE: usize = 1_000;

/// The outcome of reading a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TypedInput {
    /// What was typed or pasted, perhaps several lines.
    Text(String),
    /// Nothing yet: a line that was typed ahead comes first.
    Ahead,
    /// Ctrl-C on an empty line; otherwise it clears the line.
    Interrupted,
    /// Ctrl-D on an empty line, or the terminal is gone.
    End,
}

type LineEditor = Editor<ChatCompletion, FileHistory>;

/// The editor, and where its history is.
pub(super) struct ChatEditor {
    editor: Arc<Mutex<LineEditor>>,
    history: PathBuf,
    screen: Arc<Screen>,
}

impl ChatEditor {
    /// Opens the editor with the history of this file.
    pub(super) fn open(
        history: &Path,
        words: ChatWords,
        screen: Arc<Screen>,
    ) -> anyhow::Result<Self> {
        let config = Config::builder()
            .max_history_size(MAX_HISTORY)?
            .history_ignore_space(true)
            .completion_type(CompletionType::List)
            .edit_mode(EditMode::Emacs)
            .behavior(Behavior::PreferTerm)
            .bracketed_paste(true)
            .build();
        let mut editor = LineEditor::with_config(config).context("the line editor cannot start")?;
        editor.set_helper(Some(ChatCompletion::new(words)));
        // Not Ctrl-J: Enter arrives as Ctrl-J if it is typed before the editor reads.
        let newline = EventHandler::Simple(Cmd::Newline);
        editor.bind_sequence(KeyEvent(KeyCode::Enter, Modifiers::ALT), newline);
        let clear = EventHandler::Conditional(Box::new(ClearsDraft));
        editor.bind_sequence(KeyEvent(KeyCode::Char('c'), Modifiers::CTRL), clear);
        // Before the first chat there is no history file.
        drop(editor.load_history(history));
        if let Ok(printer) = editor.create_external_printer() {
            screen.print_above_line(print_above_line(printer)?);
        }
        Ok(Self { editor: Arc::new(Mutex::new(editor)), history: history.into(), screen })
    }

    /// Adds a line that this editor did not read to the history.
    pub(super) fn remember(&self, line: &str) {
        let mut editor = self.editor.lock();
        remember(&mut editor, line, &self.history);
    }

    /// Reads what the person types next; the line begins with the draft that was typed ahead.
    pub(super) async fn read(
        &self,
        keyboard: &Keyboard,
        ahead: &TypedAhead,
    ) -> anyhow::Result<TypedInput> {
        let (editor, history) = (Arc::clone(&self.editor), self.history.clone());
        let mut guard = StoppedReading { keyboard: None, screen: &self.screen };
        // Otherwise a question that ends would change the terminal's mode while the editor reads.
        let typing = keyboard.for_typing().await;
        // The keys were watched until now, so only now is it known what was typed.
        if ahead.has_line() {
            return Ok(TypedInput::Ahead);
        }
        let draft = ahead.take_draft();
        guard.keyboard = Some(KeyboardMode::saved());
        self.screen.begin_line();
        let reading = tokio::task::spawn_blocking(move || {
            let _typing = typing;
            let mut editor = editor.lock();
            match editor.readline_with_initial(PROMPT, (&draft, "")) {
                Ok(text) => {
                    remember(&mut editor, &text, &history);
                    Ok(TypedInput::Text(text))
                }
                Err(ReadlineError::Interrupted) => Ok(TypedInput::Interrupted),
                Err(ReadlineError::Eof) => Ok(TypedInput::End),
                Err(error) => Err(Ended::new(Code::Failed, format!("the terminal: {error}"))),
            }
        });
        let typed = reading.await;
        // The editor has restored the keyboard itself.
        guard.keyboard = None;
        Ok(typed??)
    }
}

fn remember(editor: &mut LineEditor, line: &str, history: &Path) {
    let _remembered = editor.add_history_entry(line);
    if let Err(error) = editor.append_history(history) {
        tracing::debug!(%error, "the history cannot be written");
    }
}

/// Starts the thread that prints above the line; a thread, because the editor may block printing.
fn print_above_line(
    mut printer: impl ExternalPrinter + Send + 'static,
) -> anyhow::Result<SyncSender<String>> {
    let (sender, texts) = mpsc::sync_channel::<String>(MAX_ABOVE_LINE);
    let printing = move || {
        for text in texts {
            // A terminal that is gone is noticed when the line is read.
            drop(printer.print(text));
        }
    };
    thread::Builder::new().name("print-above-line".into()).spawn(printing)?;
    Ok(sender)
}

/// The handler of Ctrl-C: clears a line that has text, which Ctrl-Y brings back.
struct ClearsDraft;

impl ConditionalEventHandler for ClearsDraft {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, line: &EventContext<'_>) -> Option<Cmd> {
        Some(match line.line().is_empty() {
            true => Cmd::Interrupt,
            false => Cmd::Kill(Movement::WholeBuffer),
        })
    }
}

/// Restores the terminal if the future that waits for the editor is dropped.
struct StoppedReading<'a> {
    keyboard: Option<KeyboardMode>,
    screen: &'a Screen,
}

impl Drop for StoppedReading<'_> {
    fn drop(&mut self) {
        self.screen.end_line();
        if self.keyboard.take().is_some() {
            unmark_pastes();
            render::note("");
        }
    }
}
