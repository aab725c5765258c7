//! A question that only the owner of the hub can answer: what is stored of the call, and what the
//! owner sees of it.
//!
//! What must stay true: the owner can read every byte of the arguments, and the storage is bounded.

use super::asked_tool::AskedTool;
use super::file::ArgumentsFile;
use hobnob_mcp_engine::Caller;
use hobnob_policy::OwnerRule;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most bytes of arguments kept in memory; longer ones go to a file.
const MAX_TEXT_BYTES: usize = 4 << 10;

/// The most bytes of arguments that the owner can be asked about, per principal and so per call.
pub(super) const MAX_ARGUMENT_BYTES: usize = 16 << 20;

/// The owner's decision about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OwnerAnswer {
    /// It may run, once.
    Yes,
    /// It may not run.
    No,
}

/// Why the owner's answer has no effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NotAnswered {
    /// This hub has never asked a question with this number.
    Unknown,
    /// The question has expired, made room for a newer one, or its call has run.
    Gone,
    /// The question already has this answer.
    Answered(OwnerAnswer),
    /// The answer has to be recorded and could not be.
    NotRecorded(String),
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

/// What is stored of a call until the owner has answered.
#[derive(Debug)]
pub(crate) struct AskedOwner {
    /// Without the client's description of itself, which has no size limit.
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
    /// Stores what the owner needs to see; a file, if one is needed, goes into `folder`.
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
