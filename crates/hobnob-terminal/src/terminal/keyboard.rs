//! The keyboard of the user: one question at a time, and the lines that the user types between them.
//!
//! `host` asks the questions of servers, the chat its own. What must stay true: a question keeps the
//! keyboard until its end, and a secret is not shown while it is typed.

use super::person::{Person, TypingPerson};
use super::spinner::Spinner;
use hobnob_mcp_types::RpcError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::{Mutex, OwnedMutexGuard, watch};

/// How long the cancellation after Ctrl-C may take to reach the questions that wait.
const INTERRUPT_TIMEOUT: Duration = Duration::from_secs(5);

/// Decides who may read keys: a question, the line editor or the watcher of keys.
pub struct Keyboard {
    /// A question hides it.
    spinner: Spinner,
    /// The holder of this lock may ask. A question that is dropped while it waits is never asked.
    lock: Arc<Mutex<()>>,
    /// How many questions wait for the keyboard.
    pub(super) waiting: watch::Sender<usize>,
    /// Whether a question ended with Ctrl-C since a line was typed last.
    interrupted: Arc<AtomicBool>,
}

impl Keyboard {
    pub(super) fn new(spinner: Spinner) -> Self {
        let (lock, interrupted) = (Arc::default(), Arc::default());
        Self { spinner, lock, waiting: watch::Sender::default(), interrupted }
    }

    /// Waits until no question has the terminal; none is asked while the guard is held. A question
    /// whose call has ended keeps the terminal until it has restored mode and cursor.
    pub async fn for_typing(&self) -> OwnedMutexGuard<()> {
        let waiting = WaitingQuestion::new(&self.waiting);
        let lock = self.lock().await;
        drop(waiting);
        // A person who types again wants to go on.
        self.interrupted.store(false, Ordering::SeqCst);
        lock
    }

    /// Waits for the lock of the keyboard.
    pub(super) async fn lock(&self) -> OwnedMutexGuard<()> {
        Arc::clone(&self.lock).lock_owned().await
    }

    /// Talks to the user on a thread that may block, one question after the other.
    pub(super) async fn ask<T: Send + 'static>(
        &self,
        talk: impl FnOnce(&mut dyn Person) -> T + Send + 'static,
    ) -> Result<T, RpcError> {
        let (spinner, interrupted) = (self.spinner.clone(), Arc::clone(&self.interrupted));
        let waiting = WaitingQuestion::new(&self.waiting);
        let lock = self.lock().await;
        drop(waiting);
        if interrupted.load(Ordering::SeqCst) {
            // Ctrl-C at a question also means the questions behind it, up to the signal itself.
            // Their calls are usually cancelled during this wait; if not, they get this error.
            drop(lock);
            tokio::time::sleep(INTERRUPT_TIMEOUT).await;
            return Err(RpcError::invalid_request("the person stopped before this was asked"));
        }
        let talking = tokio::task::spawn_blocking(move || {
            // Held until the terminal is free again, even if no caller waits for the answer.
            let _lock = lock;
            let mut person = TypingPerson::default();
            let said = spinner.question(|| talk(&mut person));
            if person.was_interrupted {
                interrupted.store(true, Ordering::SeqCst);
            }
            said
        });
        talking.await.map_err(|_| RpcError::internal())
    }

    /// Asks for a line; `None` if the person cancels.
    pub async fn ask_line(&self, question: &str) -> Option<String> {
        let question = question.to_owned();
        self.ask(move |person| person.text(&question, None)).await.ok()?
    }

    /// Asks for a line that is not shown while it is typed; `None` if the person cancels.
    pub async fn ask_secret(&self, question: &str) -> Option<String> {
        let question = question.to_owned();
        self.ask(move |person| person.secret(&question)).await.ok()?
    }

    /// Asks for one of several answers, which must be safe; returns its index, `None` if cancelled.
    pub async fn ask_choice(&self, question: &str, answers: Vec<String>) -> Option<usize> {
        let question = question.to_owned();
        self.ask(move |person| person.one_of(&question, &answers, 0)).await.ok()?
    }
}

/// Counts a question that waits for the keyboard, so that `watch_keys` releases it.
struct WaitingQuestion<'a>(&'a watch::Sender<usize>);

impl<'a> WaitingQuestion<'a> {
    fn new(waiting: &'a watch::Sender<usize>) -> Self {
        waiting.send_modify(|count| *count += 1);
        Self(waiting)
    }
}

impl Drop for WaitingQuestion<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}
