//! Answers the requests of servers and of the gateway: forms, pages to visit, roots.
//!
//! The client calls it as its `Host`. What must stay true: without a terminal, every question is
//! declined unasked.

use super::asker::Asker;
use super::form::{self, Filled};
use super::page;
use super::person::{Keyboard, Person};
use super::progress::Progress;
use crate::render::{self, is_interactive};
use hobnob_gateway::QuestionOrigin;
use hobnob_mcp_client::Host;
use hobnob_mcp_engine::{BoxFuture, Notes};
use hobnob_mcp_types::capabilities::{
    CapabilitySettings, ClientCapabilities, ElicitationCapability, RootsCapability,
};
use hobnob_mcp_types::elicitation::{ElicitAction, ElicitFormParams, ElicitParams, ElicitResult};
use hobnob_mcp_types::form::PrimitiveSchema;
use hobnob_mcp_types::input::InputRequest;
use hobnob_mcp_types::roots::{ListRootsResult, Root};
use hobnob_mcp_types::{ErrorCode, RpcError};
use serde::Serialize;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::{Mutex, OwnedMutexGuard, watch};

/// How long the cancellation after Ctrl-C may take to reach the questions that wait.
const INTERRUPT_TIMEOUT: Duration = Duration::from_secs(5);

/// The answer to the gateway's question whether a tool may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    /// The user answers at the terminal.
    Ask,
    /// Yes, this once: the user typed `--yes`.
    Once,
}

/// The user at the terminal, if there is one.
pub struct Terminal {
    project: PathBuf,
    consent: Consent,
    presence: Presence,
    progress: Progress,
    /// Whether the user refused a call.
    refused: Arc<AtomicBool>,
    /// The holder of this lock may ask. A question that is dropped while it waits is never asked.
    keyboard_lock: Arc<Mutex<()>>,
    /// How many questions wait for the keyboard.
    waiting: watch::Sender<usize>,
    /// Whether a question ended with Ctrl-C since a line was typed last.
    interrupted: Arc<AtomicBool>,
}

/// Whether there is a user to ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Presence {
    Attended,
    Unattended,
}

impl Terminal {
    /// Finds out whether a user is there; the spinner shows `message`.
    pub fn new(project: &Path, consent: Consent, message: &str) -> Self {
        Self {
            project: project.into(),
            consent,
            presence: match is_interactive() {
                true => Presence::Attended,
                false => Presence::Unattended,
            },
            progress: Progress::new(message),
            refused: Arc::default(),
            keyboard_lock: Arc::default(),
            waiting: watch::Sender::default(),
            interrupted: Arc::default(),
        }
    }

    /// Whether the user refused a call.
    pub fn has_refused(&self) -> bool {
        self.refused.load(Ordering::Relaxed)
    }

    /// Where a call's progress goes.
    pub fn notes(&self) -> Notes {
        self.progress.notes()
    }

    /// Does the work, and shows a spinner if it takes a while.
    pub async fn show_progress_of<T>(&self, work: impl Future<Output = T>) -> T {
        self.progress.show_while(work).await
    }

    /// Changes the message of the spinner.
    pub fn set_message(&self, message: &str) {
        self.progress.set_message(message);
    }

    /// Removes the spinner, before results are printed.
    pub fn clear(&self) {
        self.progress.clear();
    }

    /// Shows the spinner with this message, until it is hidden.
    pub fn show_spinner(&self, message: &str) {
        if self.presence == Presence::Attended {
            self.progress.wait_for(message);
        }
    }

    /// Removes the spinner; it may be shown again.
    pub fn hide_spinner(&self) {
        self.progress.hide();
    }

    /// Whether a question is open.
    pub fn is_asking(&self) -> bool {
        self.progress.is_asking()
    }

    /// Whether a spinner is shown.
    pub fn shows_spinner(&self) -> bool {
        self.progress.is_shown()
    }

    /// Prints a note on standard error.
    pub fn note(&self, text: &str) {
        self.progress.suspend(|| render::note(text));
    }

    /// The capabilities of a client that has agreed to our own questions before: forms, even
    /// without a user.
    pub fn capabilities_with_forms(&self) -> ClientCapabilities {
        let mut able = self.capabilities();
        let elicitation = able.elicitation.get_or_insert_default();
        elicitation.form.get_or_insert_default();
        able
    }

    /// The answer that agrees to one of our own questions, this once; `None` for a server's.
    pub fn agreed(question: &InputRequest) -> Option<Result<Box<RawValue>, RpcError>> {
        let InputRequest::Elicit(params) = question else { return None };
        let ElicitParams::Form(form) = &**params else { return None };
        let answer = agreement(&QuestionOrigin::of(question), form)?;
        Some(written(&json!({"action": "accept", "content": {"answer": answer}})))
    }

    /// Whether a user is there to answer.
    pub fn is_attended(&self) -> bool {
        self.presence == Presence::Attended
    }

    /// Waits until no question has the terminal; none is asked while the guard is held. A question
    /// whose call has ended keeps the terminal until it has restored mode and cursor.
    pub async fn for_typing(&self) -> OwnedMutexGuard<()> {
        let waiting = WaitingQuestion::new(&self.waiting);
        let keyboard_lock = self.keyboard_lock().await;
        drop(waiting);
        // A person who types again wants to go on.
        self.interrupted.store(false, Ordering::SeqCst);
        keyboard_lock
    }

    /// Waits for the lock of the keyboard.
    pub(super) async fn keyboard_lock(&self) -> OwnedMutexGuard<()> {
        Arc::clone(&self.keyboard_lock).lock_owned().await
    }

    /// How many questions wait for the keyboard, from now on.
    #[cfg(unix)]
    pub(super) fn waiting_questions(&self) -> watch::Receiver<usize> {
        self.waiting.subscribe()
    }

    /// Talks to the user on a thread that may block, one question after the other.
    pub(super) async fn with_person<T: Send + 'static>(
        &self,
        talk: impl FnOnce(&mut dyn Person) -> T + Send + 'static,
    ) -> Result<T, RpcError> {
        let (progress, interrupted) = (self.progress.clone(), Arc::clone(&self.interrupted));
        let waiting = WaitingQuestion::new(&self.waiting);
        let keyboard_lock = self.keyboard_lock().await;
        drop(waiting);
        if interrupted.load(Ordering::SeqCst) {
            // Ctrl-C at a question also means the questions behind it, up to the signal itself.
            // Their calls are usually cancelled during this wait; if not, they get this error.
            drop(keyboard_lock);
            tokio::time::sleep(INTERRUPT_TIMEOUT).await;
            return Err(RpcError::invalid_request("the person stopped before this was asked"));
        }
        let talking = tokio::task::spawn_blocking(move || {
            // Held until the terminal is free again, even if no caller waits for the answer.
            let _keyboard_lock = keyboard_lock;
            let mut keyboard = Keyboard::default();
            let said = progress.question(|| talk(&mut keyboard));
            if keyboard.was_interrupted {
                interrupted.store(true, Ordering::SeqCst);
            }
            said
        });
        talking.await.map_err(|_| RpcError::internal())
    }

    async fn form(
        &self,
        origin: &QuestionOrigin,
        form: &ElicitFormParams,
    ) -> Result<Box<RawValue>, RpcError> {
        let asks_permission = agreement(origin, form).is_some();
        if self.presence == Presence::Unattended {
            return written(&ElicitResult::bare(ElicitAction::Decline));
        }
        let (asker, asked) = (Asker::of(origin), form.clone());
        let filled = self
            .with_person(move |person| match asks_permission {
                true => form::permission(&asked, person),
                false => form::fill(&asker, &asked, person),
            })
            .await?;
        let refuses = |content: &serde_json::Map<_, _>| content.get("answer") == Some(&json!("no"));
        let said_no = match &filled {
            Filled::Sent(content) => refuses(content),
            Filled::Declined | Filled::Cancelled => true,
        };
        if asks_permission && said_no {
            self.refused.store(true, Ordering::Relaxed);
        }
        match filled {
            Filled::Sent(content) => written(&json!({"action": "accept", "content": content})),
            Filled::Declined => written(&ElicitResult::bare(ElicitAction::Decline)),
            Filled::Cancelled => written(&ElicitResult::bare(ElicitAction::Cancel)),
        }
    }

    async fn elicit(
        &self,
        origin: &QuestionOrigin,
        params: &ElicitParams,
    ) -> Result<Box<RawValue>, RpcError> {
        match params {
            ElicitParams::Form(form) => self.form(origin, form).await,
            ElicitParams::Url(_) if self.presence == Presence::Unattended => {
                written(&ElicitResult::bare(ElicitAction::Decline))
            }
            ElicitParams::Url(asked) => {
                let (asker, asked) = (Asker::of(origin), asked.clone());
                let visited = move |person: &mut dyn Person| page::visit(&asker, &asked, person);
                let action = self.with_person(visited).await?;
                written(&ElicitResult::bare(action))
            }
            ElicitParams::Unknown(_) => Err(unknown()),
        }
    }

    fn roots(&self) -> Result<Box<RawValue>, RpcError> {
        let name = self.project.file_name().map(|name| name.to_string_lossy().into_owned());
        let root = Root { name, ..Root::new(file_uri(&self.project)) };
        written(&ListRootsResult { roots: vec![root], meta: None })
    }
}

impl Host for Terminal {
    /// Without a user, elicitation is not offered: the gateway then names the rule that asks, and
    /// what to do about it.
    fn capabilities(&self) -> ClientCapabilities {
        let able = || Some(CapabilitySettings::default());
        let elicitation = match (self.presence, self.consent) {
            (Presence::Attended, _) => Some(ElicitationCapability { form: able(), url: able() }),
            (Presence::Unattended, Consent::Once) => {
                Some(ElicitationCapability { form: able(), url: None })
            }
            (Presence::Unattended, Consent::Ask) => None,
        };
        ClientCapabilities {
            roots: Some(RootsCapability::default()),
            elicitation,
            ..ClientCapabilities::default()
        }
    }

    fn answer<'a>(
        &'a self,
        question: &'a InputRequest,
    ) -> BoxFuture<'a, Result<Box<RawValue>, RpcError>> {
        Box::pin(async move {
            if self.consent == Consent::Once
                && let Some(agreed) = Self::agreed(question)
            {
                return agreed;
            }
            match question {
                InputRequest::Elicit(params) => {
                    self.elicit(&QuestionOrigin::of(question), params).await
                }
                InputRequest::ListRoots(_) => self.roots(),
                InputRequest::CreateMessage(_) => Err(RpcError::new(
                    ErrorCode::METHOD_NOT_FOUND,
                    "sampling is not supported: no model is configured",
                )),
                InputRequest::Unknown(_) => Err(unknown()),
            }
        })
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

/// The answer that agrees to one of our own questions: whether a tool may run, or memories may be
/// synced. Only the origin says that a question is ours: a server may copy its form.
fn agreement(origin: &QuestionOrigin, form: &ElicitFormParams) -> Option<&'static str> {
    match origin {
        QuestionOrigin::Hobnob => {}
        QuestionOrigin::Server { .. } | QuestionOrigin::Unknown => return None,
    }
    let fields: Vec<_> = form.requested_schema.properties.iter().collect();
    match fields[..] {
        [("answer", PrimitiveSchema::TitledSingleSelect(field))] => {
            let values: Vec<&str> = field.one_of.iter().map(|choice| &*choice.value).collect();
            match values[..] {
                ["once", .., "no"] | ["once", .., "no", "never"] => Some("once"),
                ["sync", "no"] => Some("sync"),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The `file:` URI of a path.
fn file_uri(path: &Path) -> String {
    let mut uri = String::from("file://");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(*byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

fn written(answer: &impl Serialize) -> Result<Box<RawValue>, RpcError> {
    to_raw_value(answer).map_err(|_| RpcError::internal())
}

fn unknown() -> RpcError {
    RpcError::new(ErrorCode::METHOD_NOT_FOUND, "a terminal cannot answer this request")
}
