//! A spinner on standard error, if that is a terminal, with the progress that a server reports.
//! `host` shows it while a command waits.
//!
//! What must stay true: standard output stays free for results.

use crate::render::{moves_cursor, one_line};
use dialoguer::console::Term;
use hobnob_mcp_engine::{Note, NoteSink, Notes};
use hobnob_mcp_types::logging::LoggingLevel;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal as _};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long a command may take before the spinner appears.
const SPINNER_DELAY: Duration = Duration::from_millis(300);

/// How often the spinner turns.
const TURN: Duration = Duration::from_millis(100);

/// Steps of the bar.
const STEPS: u64 = 1000;

/// A spinner, shown or not. Cheap to clone.
#[derive(Clone)]
pub(super) struct Progress {
    bar: ProgressBar,
    message: Arc<str>,
    /// Whether a question is open.
    asking: Arc<AtomicBool>,
}

impl Progress {
    /// A spinner with this message, not shown yet.
    pub(super) fn new(message: &str) -> Self {
        Self { bar: ProgressBar::hidden(), message: message.into(), asking: Arc::default() }
    }

    /// Does the work, and shows the spinner if it takes a while.
    pub(super) async fn show_while<T>(&self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        if io::stderr().is_terminal() && moves_cursor() {
            tokio::select! {
                biased;
                done = &mut work => return done,
                () = tokio::time::sleep(SPINNER_DELAY) => self.show(),
            }
        }
        work.await
    }

    fn show(&self) {
        if self.bar.is_finished() {
            return;
        }
        self.bar.set_draw_target(ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
            self.bar.set_style(style);
        }
        if self.bar.message().is_empty() {
            self.bar.set_message(self.message.to_string());
        }
        self.bar.enable_steady_tick(TURN);
    }

    pub(super) fn set_message(&self, message: &str) {
        // An open question has the bar, and whoever wants to change it would wait for the answer.
        if !self.asking.load(Ordering::Relaxed) {
            self.bar.set_message(one_line(message));
        }
    }

    /// Shows the spinner with this message and the time since then.
    pub(super) fn wait_for(&self, message: &str) {
        if !moves_cursor() {
            return;
        }
        // A target that is new knows nothing of a line that is there already.
        self.hide();
        self.bar.reset();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
            self.bar.set_style(style);
        }
        self.bar.set_message(one_line(message));
        self.bar.set_draw_target(ProgressDrawTarget::stderr());
        self.bar.enable_steady_tick(TURN);
    }

    /// Removes the spinner until it is shown again.
    pub(super) fn hide(&self) {
        self.bar.disable_steady_tick();
        self.bar.finish_and_clear();
        self.bar.set_draw_target(ProgressDrawTarget::hidden());
    }

    /// Removes the spinner. An interrupted question has hidden the cursor, so it is shown again.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
        if self.asking.swap(false, Ordering::Relaxed) && moves_cursor() {
            drop(Term::stderr().show_cursor());
        }
    }

    /// Writes to the terminal while the spinner is hidden.
    pub(super) fn suspend<T>(&self, talk: impl FnOnce() -> T) -> T {
        self.bar.suspend(talk)
    }

    /// Asks a question while the spinner is hidden; the question may be interrupted.
    pub(super) fn question<T>(&self, talk: impl FnOnce() -> T) -> T {
        self.asking.store(true, Ordering::Relaxed);
        let answer = self.suspend(talk);
        self.asking.store(false, Ordering::Relaxed);
        answer
    }

    /// Where a call's progress goes.
    pub(super) fn notes(&self) -> Notes {
        Notes::new(Arc::new(self.clone()))
    }
}

impl NoteSink for Progress {
    fn wants_progress(&self) -> bool {
        true
    }

    fn wants_log(&self, _level: LoggingLevel) -> bool {
        false
    }

    fn send(&self, note: Note) {
        let Note::Progress { progress, total, message } = note else { return };
        let message = message.map(|message| one_line(&message)).unwrap_or_default();
        tracing::info!(progress, total, message, "progress");
        if self.bar.is_hidden() {
            return;
        }
        let what = &self.message;
        match total.filter(|total| *total > 0.0) {
            Some(total) => {
                let template = "{spinner} {msg} [{bar:24}]";
                if let Ok(style) = ProgressStyle::with_template(template) {
                    self.bar.set_style(style);
                }
                self.bar.set_length(STEPS);
                let share = (progress / total).clamp(0.0, 1.0);
                self.bar.set_position((share * STEPS as f64) as u64);
                self.bar.set_message(format!("{what} {message} {progress}/{total}"));
            }
            None => self.bar.set_message(format!("{what} {message} {progress}")),
        }
    }
}
