//! What the gateway answers an upstream that asks outside of any call, and what it hears.
//!
//! Questions inside a call never come here: they go to whoever made the call.

use crate::upstream::pool::Above;
use hobnob_mcp_client::{EventHandler, Host, ServerEvent};
use hobnob_mcp_engine::BoxFuture;
use hobnob_mcp_types::capabilities::{
    CapabilitySettings, ClientCapabilities, ElicitationCapability, RootsCapability,
    SamplingCapability,
};
use hobnob_mcp_types::input::InputRequest;
use hobnob_mcp_types::json::{object, write_string};
use hobnob_mcp_types::{ErrorCode, RpcError};
use serde_json::value::RawValue;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Passes on what is asked during a call; knows only the configured roots itself.
#[derive(Debug)]
pub(crate) struct PassThrough {
    pub(crate) roots: Vec<PathBuf>,
}

impl Host for PassThrough {
    /// Everything a caller might be able to answer. A caller that cannot is not asked, and the
    /// upstream hears why.
    fn capabilities(&self) -> ClientCapabilities {
        let yes = || Some(CapabilitySettings::default());
        ClientCapabilities {
            roots: Some(RootsCapability::default()),
            sampling: Some(SamplingCapability { context: None, tools: yes() }),
            elicitation: Some(ElicitationCapability { form: yes(), url: yes() }),
            ..ClientCapabilities::default()
        }
    }

    /// Configured roots are the same for every caller.
    fn knows(&self, question: &InputRequest) -> bool {
        matches!(question, InputRequest::ListRoots(_)) && !self.roots.is_empty()
    }

    fn answer<'a>(
        &'a self,
        question: &'a InputRequest,
    ) -> BoxFuture<'a, Result<Box<RawValue>, RpcError>> {
        let answer = match question {
            InputRequest::ListRoots(_) => {
                RawValue::from_string(self.roots_text()).map_err(|_| RpcError::internal())
            }
            _ => Err(RpcError::new(
                ErrorCode::METHOD_NOT_FOUND,
                "nobody can be asked: no call is running that this could belong to",
            )),
        };
        Box::pin(std::future::ready(answer))
    }
}

impl PassThrough {
    fn roots_text(&self) -> String {
        object(|result| {
            let list = result.key("roots");
            list.push('[');
            for (index, root) in self.roots.iter().enumerate() {
                if index > 0 {
                    list.push(',');
                }
                list.push_str("{\"uri\":");
                write_string(list, &file_uri(root));
                list.push('}');
            }
            list.push(']');
        })
    }
}

/// A path as a `file:` URI.
fn file_uri(path: &std::path::Path) -> String {
    let mut uri = String::from("file://");
    for byte in path.to_string_lossy().bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

const TOOLS: u8 = 1;
const PROMPTS: u8 = 2;
const RESOURCES: u8 = 4;

/// Something about one resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told<'a> {
    /// It changed.
    Updated(&'a str),
    /// The server will not tell of its changes.
    Unwatched(&'a str),
}

/// What one connection has told and nobody has acted on yet.
pub(crate) struct Hearing {
    stale: AtomicU8,
    pub(crate) wake: Notify,
    pub(crate) ended: CancellationToken,
    why: OnceLock<Box<str>>,
    garbage: AtomicU64,
    above: Arc<dyn Above>,
    name: Box<str>,
}

impl Hearing {
    /// Nothing heard yet.
    pub(crate) fn new(name: &str, above: Arc<dyn Above>) -> Self {
        Self {
            stale: AtomicU8::new(0),
            wake: Notify::new(),
            ended: CancellationToken::new(),
            why: OnceLock::new(),
            garbage: AtomicU64::new(0),
            above,
            name: name.into(),
        }
    }

    /// Whether any list changed since this was last asked.
    pub(crate) fn take_stale(&self) -> bool {
        self.stale.swap(0, Ordering::AcqRel) != 0
    }

    /// Why the connection ended, once it has.
    pub(crate) fn why(&self) -> &str {
        self.why.get().map_or("it was closed", |why| why)
    }

    /// Things it said that are no messages.
    pub(crate) fn garbage(&self) -> u64 {
        self.garbage.load(Ordering::Relaxed)
    }

    fn stale(&self, which: u8) {
        self.stale.fetch_or(which, Ordering::AcqRel);
        self.wake.notify_one();
    }
}

impl EventHandler for Hearing {
    fn on_event(&self, event: ServerEvent) {
        match event {
            ServerEvent::ToolsChanged => self.stale(TOOLS),
            ServerEvent::PromptsChanged => self.stale(PROMPTS),
            ServerEvent::ResourcesChanged => self.stale(RESOURCES),
            ServerEvent::ResourceUpdated(uri) => self.above.told(&self.name, Told::Updated(&uri)),
            ServerEvent::SubscriptionRefused(uri) => {
                self.above.told(&self.name, Told::Unwatched(&uri))
            }
            // A page is waited for by the call that asked for it.
            ServerEvent::ElicitationComplete(_) => {}
            ServerEvent::LogMessage(message) => {
                tracing::debug!(server = %self.name, level = ?message.level, "log message without a call");
            }
            ServerEvent::InvalidMessage(_) => {
                // The first is worth a word; a program that prints its log to stdout is not
                // worth a thousand.
                if self.garbage.fetch_add(1, Ordering::Relaxed) == 0 {
                    tracing::warn!(server = %self.name, "it prints things that are no messages; they are skipped");
                }
            }
            ServerEvent::Ended(why) => {
                let _first = self.why.set(why);
                self.ended.cancel();
            }
        }
    }
}

impl std::fmt::Debug for Hearing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Hearing({})", self.name)
    }
}
