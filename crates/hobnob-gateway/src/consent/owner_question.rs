//! A question in the queue of the hub's owner: what is stored of the call, and what the owner sees
//! of it. It is about another caller's call, or about a call of one of the owner's own clients.
//!
//! What must stay true: the owner can read every byte of the arguments, and the storage is bounded.

use super::asked_tool::{AskedTool, rule_for_tool};
use super::file::ArgumentsFile;
use hobnob_config::RuleText;
use hobnob_mcp_engine::Caller;
use hobnob_policy::{OwnerRule, RuleAction};
use hobnob_text::plain_line;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most bytes of arguments kept in memory; longer ones go to a file.
const MAX_TEXT_BYTES: usize = 4 << 10;

/// The most bytes of arguments that the owner can be asked about, per principal and so per call.
pub(super) const MAX_ARGUMENT_BYTES: usize = 16 << 20;

/// The most characters that are kept of what a client calls itself.
const MAX_CLIENT_NAME: usize = 100;

/// The owner's decision about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OwnerAnswer {
    /// It may run, once.
    Yes,
    /// It may not run.
    No,
    /// It may run, and a rule allows the tool from now on.
    Always,
    /// It may not run, and a rule denies the tool from now on.
    Never,
}

impl OwnerAnswer {
    /// Whether the call may run.
    #[must_use]
    pub fn agrees(self) -> bool {
        match self {
            Self::Yes | Self::Always => true,
            Self::No | Self::Never => false,
        }
    }

    /// What the rule does that this answer writes; `None` if it writes none.
    #[must_use]
    pub fn writes(self) -> Option<RuleAction> {
        match self {
            Self::Always => Some(RuleAction::Allow),
            Self::Never => Some(RuleAction::Deny),
            Self::Yes | Self::No => None,
        }
    }

    /// The same answer for this one call.
    pub(super) fn once(self) -> Self {
        if self.agrees() { Self::Yes } else { Self::No }
    }
}

/// What happens after the owner has agreed to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AfterYes {
    /// The call is open, and goes on at once; its client stops asking.
    Continues,
    /// The client asks too; the call runs when the client comes back with its own answer, unless
    /// that is a no.
    ClientReturns,
    /// The caller has to make the same call again.
    #[default]
    CallAgain,
}

/// Why the owner's answer has no effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NotAnswered {
    /// This hub has never asked a question with this number.
    Unknown,
    /// The question has expired, made room for a newer one, was answered in the caller's client, or
    /// its call has ended.
    Gone,
    /// The question already has this answer.
    Answered(OwnerAnswer),
    /// The answer has to be recorded and could not be.
    NotRecorded(String),
    /// The answer would write a rule, which no answer to this question may do: the rule would apply to
    /// the calls of others too.
    WritesNoRule,
    /// The answer counts for this one call, but its rule could not be written.
    RuleNotWritten(String),
}

/// A question as the owner sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnerQuestion {
    /// The number by which the owner answers it.
    pub number: u64,
    /// The principal who made the call; empty for a caller without a name.
    pub principal: String,
    /// Where the caller's connection comes from.
    pub address: Option<String>,
    /// The part of Hobnob that makes the call for the caller, such as a session with a model.
    pub via: Option<String>,
    /// What the caller's program calls itself, shortened.
    #[serde(default)]
    pub client: Option<String>,
    /// Whether one of the owner's own clients makes the call.
    #[serde(default)]
    pub own: bool,
    /// The server that offers the tool; `None` for a built-in.
    pub server: Option<String>,
    /// What the server calls the tool.
    pub tool: String,
    /// What the caller calls the tool.
    pub public: String,
    /// The arguments of the call.
    pub arguments: ShownArguments,
    /// The rule that requires the owner's answer.
    pub because: String,
    /// Seconds since the question was asked.
    pub age: u64,
    /// The answer it has, if any.
    pub answer: Option<OwnerAnswer>,
    /// The rule that [`OwnerAnswer::Always`] writes, in one line; `None` if that is no answer to this
    /// question, and neither is [`OwnerAnswer::Never`].
    #[serde(default)]
    pub always_writes: Option<String>,
    /// The rule that [`OwnerAnswer::Never`] writes.
    #[serde(default)]
    pub never_writes: Option<String>,
    /// What happens after a yes.
    #[serde(default)]
    pub after_yes: AfterYes,
}

/// The arguments of a call as the owner can read them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ShownArguments {
    /// The call has none.
    Absent,
    /// The JSON text, byte for byte.
    Text(String),
    /// The arguments are too long to be shown; this file has them as long as the question is open.
    File {
        /// A file that only the owner can read.
        path: PathBuf,
        /// The length of the JSON text.
        bytes: u64,
    },
}

/// Whose call a question is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallOf {
    /// Another caller's: no answer may write a rule.
    Other,
    /// A call of one of the owner's own clients.
    Owner {
        /// Whether an answer may write a rule.
        may_write_rule: bool,
    },
}

/// What is stored of a call until the owner has answered.
#[derive(Debug)]
pub(crate) struct AskedOwner {
    /// Without the client's description of itself, which has no size limit.
    pub(crate) caller: Caller,
    client: Option<Box<str>>,
    of: CallOf,
    pub(crate) server: Option<Box<str>>,
    pub(crate) original: Box<str>,
    pub(crate) public: Box<str>,
    pub(crate) rule: OwnerRule,
    because: Box<str>,
    arguments: KeptArguments,
}

#[derive(Debug)]
enum KeptArguments {
    Absent,
    Text(Box<str>),
    File(ArgumentsFile),
}

impl AskedOwner {
    /// Stores what the owner needs to see; a file, if one is needed, goes into `folder`.
    pub(crate) fn new(
        caller: &Caller,
        tool: AskedTool<'_>,
        arguments: Option<&str>,
        (of, rule, because): (CallOf, OwnerRule, String),
        folder: &Path,
    ) -> io::Result<Self> {
        let arguments = match arguments {
            None => KeptArguments::Absent,
            Some(text) if text.len() <= MAX_TEXT_BYTES => KeptArguments::Text(text.into()),
            Some(text) if MAX_ARGUMENT_BYTES < text.len() => {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
            Some(text) => KeptArguments::File(ArgumentsFile::write(folder, text)?),
        };
        Ok(Self {
            caller: Caller { client: None, capabilities: Arc::default(), ..caller.clone() },
            client: caller.client.as_ref().map(|client| plain_line(&client.name, MAX_CLIENT_NAME)),
            of,
            server: tool.server().map(Into::into),
            original: tool.original().into(),
            public: tool.public.into(),
            rule,
            because: because.into(),
            arguments,
        })
    }

    /// The rule that an answer with this action writes; `None` if no answer to this question may.
    pub(crate) fn rule_for(&self, action: RuleAction) -> Option<RuleText> {
        let may_write = self.of == CallOf::Owner { may_write_rule: true };
        may_write.then(|| rule_for_tool(self.server.as_deref(), &self.original, action))
    }

    pub(super) fn principal(&self) -> &str {
        self.caller.principal.as_str()
    }

    /// Bytes of its arguments, in memory or on the disk.
    pub(super) fn bytes(&self) -> u64 {
        match &self.arguments {
            KeptArguments::Absent => 0,
            KeptArguments::Text(text) => text.len() as u64,
            KeptArguments::File(file) => file.bytes(),
        }
    }

    pub(super) fn shown(
        &self,
        number: u64,
        age: u64,
        answer: Option<OwnerAnswer>,
        after_yes: AfterYes,
    ) -> OwnerQuestion {
        let writes = |action| self.rule_for(action).map(|rule| rule.to_string());
        OwnerQuestion {
            number,
            principal: self.principal().into(),
            address: self.caller.client_id.address().map(|address| address.to_string()),
            via: self.caller.via.as_deref().map(Into::into),
            client: self.client.as_deref().map(Into::into),
            own: matches!(self.of, CallOf::Owner { .. }),
            server: self.server.as_deref().map(Into::into),
            tool: self.original.to_string(),
            public: self.public.to_string(),
            arguments: match &self.arguments {
                KeptArguments::Absent => ShownArguments::Absent,
                KeptArguments::Text(text) => ShownArguments::Text(text.to_string()),
                KeptArguments::File(file) => {
                    ShownArguments::File { path: file.path().into(), bytes: file.bytes() }
                }
            },
            because: self.because.to_string(),
            age,
            answer,
            always_writes: writes(RuleAction::Allow),
            never_writes: writes(RuleAction::Deny),
            after_yes,
        }
    }
}
