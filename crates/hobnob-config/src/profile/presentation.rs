//! How Hobnob presents itself in a profile: its name, its failures, its memory.
//!
//! These are the tables `[server]`, `[errors]`, `[results]` and `[memory]`; the binary passes them
//! to the gateway and the services.

use std::num::NonZeroUsize;

use serde::{Deserialize, Deserializer, de};

/// The maximum number of characters of a name, a version or a prefix.
const MAX_CHARACTERS: usize = 128;

/// `[server]`: the server information and the capabilities that clients see.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerPresentation {
    /// The server name; Hobnob's if absent.
    #[serde(deserialize_with = "short")]
    pub name: Option<String>,
    /// The server version; Hobnob's if absent.
    #[serde(deserialize_with = "short")]
    pub version: Option<String>,
    /// Instructions for the model, instead of the usual ones.
    pub instructions: Option<String>,
    /// Whether changes of lists and resources are declared and announced.
    pub announce_changes: bool,
    /// Whether absent capabilities are written out: `listChanged: false` instead of nothing.
    pub explicit_capabilities: bool,
    /// Whether log messages are sent.
    pub logging: bool,
    /// How much of the legacy handshake clients must do.
    pub handshake: ProfileHandshake,
    /// Whether prompts are declared even while there are none.
    pub offer_prompts: bool,
    /// Entries on one page of a list; the number in the settings if absent.
    pub page: Option<NonZeroUsize>,
    /// Which calls have progress notifications.
    pub progress: ProfileProgress,
    /// The form of event ids of resumable streams over HTTP.
    pub event_ids: ProfileEventIds,
    /// When native calls are answered.
    pub native_calls: NativeCallAccess,
}

/// Which calls have progress notifications.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProfileProgress {
    /// Calls whose caller sends a `progressToken`.
    #[default]
    Requested,
    /// Also other calls, where a legacy session reads the answer as a stream.
    OnStreams,
}

/// The form of event ids of resumable streams over HTTP.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProfileEventIds {
    /// The stream and a number, such as `2-7`.
    #[default]
    StreamAndNumber,
    /// The number in the session, such as `evt-7`.
    Numbered,
}

/// When native calls are answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NativeCallAccess {
    /// At any time, even before the handshake.
    #[default]
    AnyTime,
    /// After the legacy handshake.
    AfterHandshake,
}

/// How much of the legacy handshake clients must do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProfileHandshake {
    /// All of it, as the specification requires.
    #[default]
    Strict,
    /// `initialize` with the client's name is enough.
    Lenient,
    /// All of it, and unknown revisions are refused.
    #[serde(rename = "known-revisions")]
    KnownRevisions,
}

/// The dialect of the machine's tools: their names and shapes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProfileDialect {
    /// Hobnob's own names and shapes.
    #[default]
    Native,
    /// The names and shapes of SysMCP, which lists its tools before anything is granted.
    SysMcp,
}

/// `[results]`: the form of tools' results.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ResultPresentation {
    /// Whether every result says `success`, with `data` or `error` beside it.
    pub envelope: bool,
    /// Whether the text of a result that is data has a line for each member.
    pub indent: bool,
}

impl Default for ServerPresentation {
    fn default() -> Self {
        Self {
            name: None,
            version: None,
            instructions: None,
            announce_changes: true,
            explicit_capabilities: false,
            logging: true,
            handshake: ProfileHandshake::Strict,
            offer_prompts: false,
            page: None,
            progress: ProfileProgress::Requested,
            event_ids: ProfileEventIds::StreamAndNumber,
            native_calls: NativeCallAccess::AnyTime,
        }
    }
}

/// `[errors]`: the form of failures of services.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ErrorPresentation {
    /// Failures that are errors of the protocol, with their codes.
    pub codes: ErrorCodes,
    /// The prefix of the text of a failed call.
    #[serde(deserialize_with = "short")]
    pub prefix: Option<String>,
    /// Whether successful results contain `isError: false`.
    pub explicit_success: bool,
    /// Which names of tools are malformed, rather than unknown.
    pub tool_names: ToolNameForm,
}

/// The form that the name of a called tool must have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolNameForm {
    /// Every name is well formed.
    #[default]
    Any,
    /// `service.method`; a name without a dot is an invalid parameter.
    Dotted,
}

/// A code for each kind of failure; a kind without one is reported as a result with `isError`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ErrorCodes {
    /// The memory, task or resource does not exist.
    pub not_found: Option<i32>,
    /// The content contains a secret or personal data.
    pub blocked: Option<i32>,
    /// No model could be asked, or the model failed.
    pub model: Option<i32>,
    /// The prompt does not exist.
    pub prompt_not_found: Option<i32>,
    /// An argument is invalid.
    pub invalid: Option<i32>,
    /// The store cannot be used, or a write failed.
    pub storage: Option<i32>,
    /// The remote side of a synchronisation failed.
    pub sync: Option<i32>,
    /// A person would have to grant it first.
    pub not_granted: Option<i32>,
}

/// `[memory]`: what this kind of client may do with memory.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MemoryPresentation {
    /// The only namespaces that exist; any if absent.
    pub namespaces: Option<Vec<String>>,
    /// Whether clients that have roots are asked for them, to find out their project.
    pub ask_roots: bool,
}

impl Default for MemoryPresentation {
    fn default() -> Self {
        Self { namespaces: None, ask_roots: true }
    }
}

/// Parses a short text that fits on one line.
pub(super) fn short<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.is_empty()
        || MAX_CHARACTERS < text.chars().count()
        || text.chars().any(char::is_control)
    {
        return Err(de::Error::custom(format!(
            "empty, too long or more than one line: use 1 to {MAX_CHARACTERS} characters"
        )));
    }
    Ok(Some(text))
}
