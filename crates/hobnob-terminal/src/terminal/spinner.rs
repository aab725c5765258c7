//! A spinner on standard error, if that is a terminal, with the progress that a server reports.
//! Commands and the chat show it while they wait.
//!
//! What must stay true: standard output stays free for results, and only writers to the terminal
//! wait for an open question: changes of the spinner are postponed until its answer.

use crate::render::{self, is_interactive, moves_cursor, one_line};
use dialoguer::console::Term;
use hobnob_mcp_engine::{Note, NoteSink, Notes};
use hobnob_mcp_types::logging::LoggingLevel;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use parking_lot::Mutex;
use std::io::{self, IsTerminal as _};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long a command may take before the spinner appears.
const SPINNER_DELAY: Duration = Duration::from_millis(300);

/// How often the spinner turns.
const TICK_INTERVAL: Duration = Duration::from_millis(100);

/// The length of the progress bar in steps.
const BAR_LENGTH: u64 = 1000;

/// A spinner, shown or not. Cheap to clone.
#[derive(Clone)]
pub struct Spinner {
    bar: ProgressBar,
    message: Arc<str>,
    /// Whether a question is open.
    asking: Arc<AtomicBool>,
    /// The change of the spinner to make once the question is answered.
    postponed: Arc<Mutex<Option<SpinnerChange>>>,
}

/// A change of the spinner.
#[derive(Debug, Clone)]
enum SpinnerChange {
    Hide,
    WaitFor(String),
}

impl Spinner {
    /// A spinner with this message, not shown yet.
    pub(super) fn new(message: &str) -> Self {
        let (bar, asking, postponed) = (ProgressBar::hidden(), Arc::default(), Arc::default());
        Self { bar, message: message.into(), asking, postponed }
    }

    /// Does the work, and shows the spinner if it takes a while.
    pub async fn show_while<T>(&self, work: impl Future<Output = T>) -> T {
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
        self.bar.enable_steady_tick(TICK_INTERVAL);
    }

    /// Shows another message, unless a question is open.
    pub fn set_message(&self, message: &str) {
        if !self.is_asking() {
            self.bar.set_message(one_line(message));
        }
    }

    /// Whether a question is open.
    pub fn is_asking(&self) -> bool {
        self.asking.load(Ordering::SeqCst)
    }

    /// Postpones a change until the open question is answered; returns false if none is open.
    fn postpone(&self, change: impl FnOnce() -> SpinnerChange) -> bool {
        let mut postponed = self.postponed.lock();
        let is_asking = self.is_asking();
        if is_asking {
            *postponed = Some(change());
        }
        is_asking
    }

    /// Shows the spinner with this message and the time since this call, if a user is there.
    pub fn wait_for(&self, message: &str) {
        if !is_interactive()
            || !moves_cursor()
            || self.postpone(|| SpinnerChange::WaitFor(message.to_owned()))
        {
            return;
        }
        // A new draw target does not know of a line that the old one has drawn.
        self.hide();
        self.bar.reset();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
            self.bar.set_style(style);
        }
        self.bar.set_message(one_line(message));
        self.bar.set_draw_target(ProgressDrawTarget::stderr());
        self.bar.enable_steady_tick(TICK_INTERVAL);
    }

    /// Removes the spinner until it is shown again.
    pub fn hide(&self) {
        if self.postpone(|| SpinnerChange::Hide) {
            return;
        }
        self.bar.disable_steady_tick();
        self.bar.finish_and_clear();
        self.bar.set_draw_target(ProgressDrawTarget::hidden());
    }

    /// Whether the spinner is shown.
    pub fn is_shown(&self) -> bool {
        !self.is_asking() && !self.bar.is_finished()
    }

    /// Removes the spinner. An interrupted question has hidden the cursor, so it is shown again.
    pub fn clear(&self) {
        match self.is_asking() {
            // The question has the bar until the process ends.
            true if moves_cursor() => drop(Term::stderr().show_cursor()),
            true => {}
            false => self.bar.finish_and_clear(),
        }
    }

    /// Prints a note on standard error while the spinner is hidden.
    pub fn note(&self, text: &str) {
        self.bar.suspend(|| render::note(text));
    }

    /// Asks a question while the spinner is hidden; the question may be interrupted.
    pub(super) fn question<T>(&self, talk: impl FnOnce() -> T) -> T {
        self.asking.store(true, Ordering::SeqCst);
        let answer = self.bar.suspend(talk);
        // The time beside the spinner counts the work, not the wait for the answer.
        self.bar.reset_elapsed();
        let mut postponed = self.postponed.lock();
        self.asking.store(false, Ordering::SeqCst);
        let change = postponed.take();
        drop(postponed);
        match change {
            Some(SpinnerChange::Hide) => self.hide(),
            Some(SpinnerChange::WaitFor(message)) => self.wait_for(&message),
            None => {}
        }
        answer
    }

    /// The sink for a call's progress.
    pub fn notes(&self) -> Notes {
        Notes::new(Arc::new(self.clone()))
    }
}

impl NoteSink for Spinner {
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
                self.bar.set_length(BAR_LENGTH);
                let share = (progress / total).clamp(0.0, 1.0);
                self.bar.set_position((share * BAR_LENGTH as f64) as u64);
                self.bar.set_message(format!("{what} {message} {progress}/{total}"));
            }
            None => self.bar.set_message(format!("{what} {message} {progress}")),
        }
    }
}
