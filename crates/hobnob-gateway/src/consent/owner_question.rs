//! A question that only the owner of the hub answers: what is kept of a caller's call, and what the owner
//! is shown of it.
//!
//! What must stay true: the owner can read every byte of the arguments, and what is kept has a bound.

use super::asked_tool::AskedTool;
use super::file::ArgumentsFile;
use hobnob_mcp_engine::Caller;
use hobnob_policy::OwnerRule;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes of arguments that are kept in memory; longer ones are in a file.
const MAX_TEXT_BYTES: usize = 4 << 10;

/// Bytes of arguments that the owner can be asked about: what one principal's questions may have in all.
pub(super) const MAX_ARGUMENT_BYTES: usize = 16 << 20;

/// What the owner says about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OwnerAnswer {
    /// It may run, once.
    Yes,
    /// It may not run.
    No,
}

/// Why an answer of the owner does not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NotAnswered {
    /// This hub has never asked a question with the number.
    Unknown,
    /// It was asked, but has expired, made room for a newer one, or its call has run.
    Gone,
    /// It has this answer already.
    Answered(OwnerAnswer),
    /// The answer cannot be recorded, and it has to be.
    NotRecorded(String),
}

/// A question as the owner sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnerQuestion {
    /// By which the owner answers it.
    pub number: u64,
    /// Whose call it is; empty for a caller without a name.
    pub principal: String,
    /// Where the caller's connection comes from.
    pub address: Option<String>,
    /// What of Hobnob makes the call for the caller, such as a session with a model.
    pub via: Option<String>,
    /// The server whose tool it is; none for a built-in.
    pub server: Option<String>,
    /// What the server calls the tool.
    pub tool: String,
    /// What the caller calls the tool.
    pub public: String,
    /// What the tool would be called with.
    pub arguments: ShownArguments,
    /// The rule that asks.
    pub because: String,
    /// Seconds since it was asked.
    pub age: u64,
    /// The answer it has, if any.
    pub answer: Option<OwnerAnswer>,
}

/// The arguments of a call as the owner can read them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ShownArguments {
    /// The call has none.
    Absent,
    /// The JSON text, byte for byte.
    Text(String),
    /// They are too long to be shown, and in this file as long as the question is open.
    File {
        /// Only the owner can read it.
        path: PathBuf,
        /// How long the JSON text is.
        bytes: u64,
    },
}

/// What is kept of a call until its owner has answered.
#[derive(Debug)]
pub(crate) struct AskedOwner {
    /// Without what its client says about itself, which has no bound.
    pub(crate) caller: Caller,
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
    /// Keeps what the owner has to know; the file, if one is needed, goes into `folder`.
    pub(crate) fn new(
        caller: &Caller,
        tool: AskedTool<'_>,
        arguments: Option<&str>,
        (rule, because): (OwnerRule, String),
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
            server: tool.server().map(Into::into),
            original: tool.original().into(),
            public: tool.public.into(),
            rule,
            because: because.into(),
            arguments,
        })
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
    ) -> OwnerQuestion {
        OwnerQuestion {
            number,
            principal: self.principal().into(),
            address: self.caller.client_id.address().map(|address| address.to_string()),
            via: self.caller.via.as_deref().map(Into::into),
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
        }
    }
}
