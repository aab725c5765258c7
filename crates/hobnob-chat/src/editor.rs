//! The line that the person types: editing, history, completion, several lines.
//!
//! The editor is rustyline's. What must stay true: it has the terminal only while a line is typed, and
//! no question has it then.

use super::completion::{ChatCompletion, ChatWords};
use anyhow::Context as _;
use dialoguer::console::Term;
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::render::{KeyboardMode, moves_cursor};
use hobnob_terminal::terminal::Terminal;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{
    Behavior, CompletionType, Config, EditMode, Editor, EventHandler, KeyCode, KeyEvent, Modifiers,
};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Pasted text is not marked any more.
const END_OF_PASTES: &str = "\u{1b}[?2004l";
/// Lines that are remembered.
const HISTORY: usize = 1_000;

/// What came of reading a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TypedInput {
    /// What was typed or pasted, perhaps several lines.
    Text(String),
    /// Ctrl-C, whatever was typed before.
    Interrupted,
    /// Ctrl-D on an empty line, or the terminal is gone.
    End,
}

type LineEditor = Editor<ChatCompletion, FileHistory>;

/// The editor, and where its history is.
pub(super) struct ChatEditor {
    editor: Arc<Mutex<LineEditor>>,
    history: PathBuf,
}

impl ChatEditor {
    /// Opens the editor with the history of this file.
    pub(super) fn open(history: &Path, words: ChatWords) -> anyhow::Result<Self> {
        let config = Config::builder()
            .max_history_size(HISTORY)?
            .history_ignore_space(true)
            .completion_type(CompletionType::List)
            .edit_mode(EditMode::Emacs)
            .behavior(Behavior::PreferTerm)
            .bracketed_paste(true)
            .build();
        let mut editor = LineEditor::with_config(config).context("the line editor cannot start")?;
        editor.set_helper(Some(ChatCompletion::new(words)));
        let newline = || EventHandler::Simple(rustyline::Cmd::Newline);
        editor.bind_sequence(KeyEvent(KeyCode::Enter, Modifiers::ALT), newline());
        editor.bind_sequence(KeyEvent(KeyCode::Char('j'), Modifiers::CTRL), newline());
        // There is none before the first chat.
        drop(editor.load_history(history));
        Ok(Self { editor: Arc::new(Mutex::new(editor)), history: history.into() })
    }

    /// Reads what the person types next; `begun` is already there.
    pub(super) async fn read(
        &self,
        terminal: &Terminal,
        begun: String,
    ) -> anyhow::Result<TypedInput> {
        let (editor, history) = (Arc::clone(&self.editor), self.history.clone());
        let mut reads = StoppedReading { keyboard: None };
        // Otherwise the end of a question would change the terminal under the editor's hands.
        let alone = terminal.for_typing().await;
        reads.keyboard = Some(KeyboardMode::saved());
        let reading = tokio::task::spawn_blocking(move || {
            let _alone = alone;
            let mut editor = editor.lock().unwrap_or_else(PoisonError::into_inner);
            match editor.readline_with_initial("> ", (&begun, "")) {
                Ok(text) => {
                    let _remembered = editor.add_history_entry(&text);
                    if let Err(error) = editor.append_history(&history) {
                        tracing::debug!(%error, "the history cannot be written");
                    }
                    Ok(TypedInput::Text(text))
                }
                Err(ReadlineError::Interrupted) => Ok(TypedInput::Interrupted),
                Err(ReadlineError::Eof) => Ok(TypedInput::End),
                Err(error) => Err(Ended::new(Code::Failed, format!("the terminal: {error}"))),
            }
        });
        let typed = reading.await;
        // The editor has done so itself.
        reads.keyboard = None;
        Ok(typed??)
    }
}

/// Puts the terminal back where nobody waits any more for what the editor reads.
struct StoppedReading {
    keyboard: Option<KeyboardMode>,
}

impl Drop for StoppedReading {
    fn drop(&mut self) {
        if self.keyboard.take().is_some() && moves_cursor() {
            drop(Term::stdout().write_line(END_OF_PASTES));
        }
    }
}
