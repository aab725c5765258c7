//! How Hobnob presents itself in a profile: its name, its failures, its memory.
//!
//! These are the tables `[server]`, `[errors]`, `[results]` and `[memory]`; the binary passes them to the
//! gateway and to the services.

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
    /// Entries on one page of a list; as the settings say if absent.
    pub page: Option<NonZeroUsize>,
    /// Which calls have progress notifications.
    pub progress: ProfileProgress,
    /// What events of resumable streams over HTTP are called.
    pub event_ids: ProfileEventIds,
    /// When native calls are answered.
    pub native_calls: NativeCallAccess,
}

/// Which calls have progress notifications.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProfileProgress {
    /// Those whose caller sends a `progressToken`.
    #[default]
    Requested,
    /// Also the others, where a legacy session reads the answer as a stream.
    OnStreams,
}

/// What events of resumable streams over HTTP are called.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProfileEventIds {
    /// By stream and number, such as `2-7`.
    #[default]
    StreamAndNumber,
    /// By their number in the session: `evt-7`.
    Numbered,
}

/// When native calls are answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NativeCallAccess {
    /// Whenever they come, before any handshake too.
    #[default]
    AnyTime,
    /// Once the legacy handshake is done.
    AfterHandshake,
}

/// How much of the legacy handshake clients must do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProfileHandshake {
    /// All of it, as the specification has it.
    #[default]
    Strict,
    /// `initialize` with the client's name is enough.
    Lenient,
    /// All of it, and unknown revisions are refused.
    #[serde(rename = "known-revisions")]
    KnownRevisions,
}

/// Whose names and shapes the tools of the machine have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProfileDialect {
    /// Those of Hobnob itself.
    #[default]
    Native,
    /// Those of SysMCP, which lists them before anything is granted.
    SysMcp,
}

/// `[results]`: the form of what tools return.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ResultPresentation {
    /// Whether every result says `success`, with `data` or `error` beside it.
    pub envelope: bool,
    /// Whether a text that is the result's data has a line for each member.
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
    /// What the text of a failed call begins with.
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
    /// `service.method`; a name without a dot is an error of the parameters.
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
    /// No model could be asked, or it failed.
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
    /// Whether a client that has roots is asked for them, to know its project.
    pub ask_roots: bool,
}

impl Default for MemoryPresentation {
    fn default() -> Self {
        Self { namespaces: None, ask_roots: true }
    }
}

/// Reads a short text that fits on one line.
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
