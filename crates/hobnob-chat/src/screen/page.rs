//! Writes a chat's output to the terminal: the model's text while it streams, separate lines, and rows
//! of untrusted text. It keeps no lines, only what the next text has to follow.
//!
//! `screen` and `screen::calls` write through it. What must stay true: a spinner never shares a line
//! with text, and while the person types, all text goes above their line.

use dialoguer::console::{self, Term};
use hobnob_markdown::{Colour, MarkdownStream, Style};
use hobnob_terminal::render::{self, Tone, WrapAt, paint, wrapped};
use hobnob_terminal::terminal::Spinner;
use std::sync::mpsc::SyncSender;

/// The narrowest width that text is wrapped to.
const MIN_WIDTH: usize = 20;

/// What was written last, and how the next text follows it.
pub(super) struct Page {
    pub(super) spinner: Spinner,
    /// Takes text to print above the line while the person types.
    pub(super) above_line: Option<SyncSender<String>>,
    /// Whether the person types a line, whose row nothing else may change.
    pub(super) typing: bool,
    /// The model's text that is being streamed, if any.
    speech: Option<MarkdownStream>,
    /// Whether thinking was written last, without a line break behind it.
    thinking: bool,
    /// The call that was written last, if nothing came after it.
    pub(super) last_call: Option<Box<str>>,
    /// Whether the last line on the screen is about calls.
    pub(super) below_calls: bool,
}

impl Page {
    pub(super) fn new(spinner: Spinner) -> Self {
        let (above_line, speech, last_call) = (None, None, None);
        let (typing, thinking, below_calls) = (false, false, false);
        Self { spinner, above_line, typing, speech, thinking, last_call, below_calls }
    }

    fn write(&self, text: String) {
        match self.above_line.as_ref().filter(|_| self.typing) {
            // A full queue drops the newest text.
            Some(above) => drop(above.try_send(text)),
            // If the terminal is gone, reading the next line reports it.
            None => drop(render::piece(&text)),
        }
    }

    /// Writes the next piece of what the model thinks.
    pub(super) fn think(&mut self, piece: &str) {
        self.spinner.hide();
        self.thinking = true;
        self.write(paint(Tone::Dim, &render::safe(piece)));
    }

    fn end_thinking(&mut self) {
        if std::mem::take(&mut self.thinking) {
            self.write("\n\n".to_owned());
        }
    }

    /// Writes the next piece of what the model says.
    pub(super) fn say(&mut self, piece: &str) {
        self.spinner.hide();
        self.end_thinking();
        self.last_call = None;
        if std::mem::take(&mut self.below_calls) {
            self.write("\n".to_owned());
        }
        let speech = self.speech.get_or_insert_with(|| MarkdownStream::new(style()));
        let text = speech.push(piece);
        self.write(text);
    }

    /// Ends what the model says, so that something else can be written.
    pub(super) fn end_speech(&mut self) {
        self.spinner.hide();
        self.end_thinking();
        if let Some(speech) = self.speech.take() {
            self.write(speech.finish());
        }
    }

    /// Writes a separate line, which must be safe.
    pub(super) fn line(&mut self, line: &str) {
        self.end_speech();
        (self.last_call, self.below_calls) = (None, true);
        self.write(format!("{line}\n"));
    }

    /// Writes untrusted lines, made safe, each row behind a mark of ours, so that none can pass for
    /// the chat's own text. Returns how many lines are not shown completely.
    pub(super) fn rows(&mut self, lines: &[impl AsRef<str>], look: RowLook, limit: usize) -> usize {
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
                self.line(&format!("  {} {row}", paint(Tone::Dim, "│")));
            }
            room -= shown;
            if shown < rows.len() || cut {
                return lines.len() - at;
            }
        }
        0
    }
}

/// The colour and wrapping of untrusted rows.
#[derive(Debug, Clone, Copy)]
pub(super) enum RowLook {
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
pub(super) fn columns_behind(begin: &str) -> usize {
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
