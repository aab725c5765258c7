//! The requests of the private socket and their answers, as JSON lines.
//!
//! `control` reads and writes them on both sides. What must stay true: a hub of another build may
//! read them, so variants are added and never changed.

use crate::hub_description::HubDescription;
use hobnob_gateway::{NotAnswered, OwnerAnswer, OwnerQuestion};
use serde::{Deserialize, Serialize};

/// A person's request to a running hub.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ControlRequest {
    /// Stop this server and start it again.
    Restart {
        /// Its name in the configuration.
        server: String,
        /// The principal whose login has changed; `None` for the owner of the hub.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        principal: Option<String>,
    },
    /// List the questions to the owner. Answered by [`QuestionsAnswer`].
    Questions,
    /// Answer one of these questions for the owner. Answered by [`AnswerReceipt`].
    Answer {
        /// The number of the question.
        number: u64,
        /// The owner's answer to the question.
        answer: OwnerAnswer,
    },
    /// Make a one-time link to the hub's page. Answered by [`PageAnswer`].
    OpenPage,
    /// Describe the hub. Answered by [`DescriptionAnswer`].
    Describe,
    /// Stop the hub, if it is this process.
    Stop {
        /// The process id of the hub to stop.
        pid: u32,
    },
}

/// A hub's answer to [`ControlRequest::Describe`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DescriptionAnswer {
    /// How it was started, for which project, and how many clients it has.
    Description(HubDescription),
    /// The hub is too old to know the request.
    Failed(String),
}

/// The outcome of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ControlAnswer {
    /// It was done, or is being done.
    Done,
    /// The hub's configuration has no such server, or the hub is another process.
    Unknown(String),
    /// The hub tried and failed.
    Failed(String),
}

/// The questions to the owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuestionsAnswer {
    /// All questions that this hub keeps, the oldest first.
    Questions(Vec<OwnerQuestion>),
    /// This program may not see them, or the hub has none.
    Failed(String),
}

/// The outcome of an owner's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnswerReceipt {
    /// The answer counts for this question.
    Answered(Box<OwnerQuestion>),
    /// The answer does not count.
    NotAnswered(NotAnswered),
    /// The hub does not accept answers from this program, or none at all.
    Failed(String),
}

/// A hub's answer to [`ControlRequest::OpenPage`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PageAnswer {
    /// The page can be opened once at this address.
    Page {
        /// The address, with the one-time link as its fragment.
        url: String,
    },
    /// This program may not open it, the hub cannot show it, or it is too old to know the request.
    Failed(String),
}

/// What a hub answers to a request that it does not know, because it is older than the program that
/// asks.
pub(crate) const UNKNOWN_REQUEST: &str = "this `hobnob serve` does not know the request";
