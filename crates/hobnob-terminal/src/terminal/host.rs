//! Answers the requests of servers and of the gateway: forms, pages to visit, roots.
//!
//! The client calls it as its `Host`. What must stay true: without a terminal, every question is
//! declined unasked.

use super::asker::Asker;
use super::form::{self, Filled};
use super::keyboard::Keyboard;
use super::page;
use super::person::Person;
use super::spinner::Spinner;
use crate::render::is_interactive;
use hobnob_gateway::QuestionOrigin;
use hobnob_mcp_client::Host;
use hobnob_mcp_engine::BoxFuture;
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
use std::sync::atomic::{AtomicBool, Ordering};

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
    /// What the user sees while a command works.
    pub spinner: Spinner,
    /// How the user answers.
    pub keyboard: Keyboard,
    /// Whether the user refused a call.
    refused: AtomicBool,
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
        let spinner = Spinner::new(message);
        Self {
            project: project.into(),
            consent,
            presence: match is_interactive() {
                true => Presence::Attended,
                false => Presence::Unattended,
            },
            keyboard: Keyboard::new(spinner.clone()),
            spinner,
            refused: AtomicBool::default(),
        }
    }

    /// Whether the user refused a call.
    pub fn has_refused(&self) -> bool {
        self.refused.load(Ordering::Relaxed)
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
            .keyboard
            .ask(move |person| match asks_permission {
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
                let action = self.keyboard.ask(visited).await?;
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
        let roots = Some(RootsCapability::default());
        ClientCapabilities { roots, elicitation, ..ClientCapabilities::default() }
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
