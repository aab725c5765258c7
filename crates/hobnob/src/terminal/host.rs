//! Answers what servers and the gateway ask: forms, pages to visit, roots.

use super::form::{self, Filled};
use super::page;
use super::person::{Keyboard, Person};
use super::progress::Progress;
use crate::render::{self, somebody_is_there};
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

/// What is answered to the gateway's question whether a tool may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Consent {
    /// Whatever the person says.
    Ask,
    /// Yes, this once: the person said so when typing the command.
    Once,
}

/// The person at the terminal, or nobody.
pub(crate) struct Terminal {
    project: PathBuf,
    consent: Consent,
    presence: Presence,
    progress: Progress,
    /// The person said no to a tool.
    refused: Arc<AtomicBool>,
}

/// Whether somebody can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Presence {
    Somebody,
    Nobody,
}

impl Terminal {
    /// Whoever sits there, with these words for the time they wait.
    pub(crate) fn new(project: &Path, consent: Consent, words: &str) -> Self {
        Self {
            project: project.into(),
            consent,
            presence: match somebody_is_there() {
                true => Presence::Somebody,
                false => Presence::Nobody,
            },
            progress: Progress::new(words),
            refused: Arc::default(),
        }
    }

    /// Whether the person said no to a tool.
    pub(crate) fn said_no(&self) -> bool {
        self.refused.load(Ordering::Relaxed)
    }

    /// Where a call's progress goes.
    pub(crate) fn notes(&self) -> Notes {
        self.progress.notes()
    }

    /// Does the work, and shows that it goes on if it takes a while.
    pub(crate) async fn show_progress_of<T>(&self, work: impl Future<Output = T>) -> T {
        self.progress.show_while(work).await
    }

    /// Says what is waited for now, where a person sees it.
    pub(crate) fn say(&self, words: &str) {
        self.progress.say(words);
    }

    /// Shows nothing more of that: results follow.
    pub(crate) fn clear(&self) {
        self.progress.clear();
    }

    /// Tells the person something beside the result.
    pub(crate) fn note(&self, words: &str) {
        self.progress.aside(|| render::note(words));
    }

    /// Does something with the keyboard on a thread of its own.
    async fn with_person<T: Send + 'static>(
        &self,
        talk: impl FnOnce(&mut dyn Person) -> T + Send + 'static,
    ) -> Result<T, RpcError> {
        let progress = self.progress.clone();
        let talking =
            tokio::task::spawn_blocking(move || progress.question(|| talk(&mut Keyboard)));
        talking.await.map_err(|_| RpcError::internal())
    }

    async fn form(&self, form: &ElicitFormParams) -> Result<Box<RawValue>, RpcError> {
        let agreement = agreement(form);
        let asks_permission = agreement.is_some();
        if self.consent == Consent::Once
            && let Some(answer) = agreement
        {
            return written(&json!({"action": "accept", "content": {"answer": answer}}));
        }
        if self.presence == Presence::Nobody {
            return written(&ElicitResult::bare(ElicitAction::Decline));
        }
        let asked = form.clone();
        let filled = self
            .with_person(move |person| match asks_permission {
                true => form::permission(&asked, person),
                false => form::fill(&asked, person),
            })
            .await?;
        let refuses = |content: &serde_json::Map<_, _>| content.get("answer") == Some(&json!("no"));
        let said_no = match &filled {
            Filled::Sent(content) => refuses(content),
            Filled::Declined | Filled::GivenUp => true,
        };
        if asks_permission && said_no {
            self.refused.store(true, Ordering::Relaxed);
        }
        match filled {
            Filled::Sent(content) => written(&json!({"action": "accept", "content": content})),
            Filled::Declined => written(&ElicitResult::bare(ElicitAction::Decline)),
            Filled::GivenUp => written(&ElicitResult::bare(ElicitAction::Cancel)),
        }
    }

    async fn elicit(&self, params: &ElicitParams) -> Result<Box<RawValue>, RpcError> {
        match params {
            ElicitParams::Form(form) => self.form(form).await,
            ElicitParams::Url(_) if self.presence == Presence::Nobody => {
                written(&ElicitResult::bare(ElicitAction::Decline))
            }
            ElicitParams::Url(asked) => {
                let asked = asked.clone();
                let action = self.with_person(move |person| page::visit(&asked, person)).await?;
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
    /// Where nobody can be asked, nothing says so more clearly than not offering it: the gateway
    /// then names the rule that asked and what to do about it.
    fn capabilities(&self) -> ClientCapabilities {
        let able = || Some(CapabilitySettings::default());
        let elicitation = match (self.presence, self.consent) {
            (Presence::Somebody, _) => Some(ElicitationCapability { form: able(), url: able() }),
            (Presence::Nobody, Consent::Once) => {
                Some(ElicitationCapability { form: able(), url: None })
            }
            (Presence::Nobody, Consent::Ask) => None,
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
            match question {
                InputRequest::Elicit(params) => self.elicit(params).await,
                InputRequest::ListRoots(_) => self.roots(),
                InputRequest::CreateMessage(_) => Err(RpcError::new(
                    ErrorCode::METHOD_NOT_FOUND,
                    "no model is configured, so nothing can be sampled",
                )),
                InputRequest::Unknown(_) => Err(unknown()),
            }
        })
    }
}

/// What agrees to a question of our own: whether a tool may run, or memories may be exchanged. A
/// server that asks the same way gets its answer and nothing else: only what we asked ourselves
/// permits anything.
fn agreement(form: &ElicitFormParams) -> Option<&'static str> {
    let fields: Vec<_> = form.requested_schema.properties.iter().collect();
    match fields[..] {
        [("answer", PrimitiveSchema::TitledSingleSelect(field))] => {
            let values: Vec<&str> = field.one_of.iter().map(|choice| &*choice.value).collect();
            match values[..] {
                ["once", "always", "no"] => Some("once"),
                ["sync", "no"] => Some("sync"),
                _ => None,
            }
        }
        _ => None,
    }
}

/// A path as an address.
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
    RpcError::new(ErrorCode::METHOD_NOT_FOUND, "that cannot be asked at a terminal")
}
