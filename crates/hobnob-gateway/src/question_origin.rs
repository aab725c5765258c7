//! The origin of a question: Hobnob, or a server by its name.
//!
//! The gateway writes it into every question it sends, over anything that a server wrote there;
//! `hobnob_terminal` reads it. What must stay true: only this origin decides whether a question is
//! Hobnob's own, never its appearance.

use hobnob_mcp_engine::{Outcome, Questions};
use hobnob_mcp_types::elicitation::ElicitParams;
use hobnob_mcp_types::input::InputRequest;
use hobnob_mcp_types::json::{entries, object};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

#[cfg(test)]
mod tests;

/// The member of a question's `_meta` that contains the origin.
const META_KEY: &str = "hobnob/asked-by";

/// Who asks a question: Hobnob or a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "origin", rename_all = "lowercase")]
pub enum QuestionOrigin {
    /// Hobnob itself, for example about whether a tool may run.
    Hobnob,
    /// A server behind the gateway.
    Server {
        /// The server's name in the configuration.
        server: Box<str>,
    },
    /// Unknown: the question did not come from a gateway.
    #[serde(skip)]
    Unknown,
}

impl QuestionOrigin {
    /// A server, by its name in the configuration.
    pub fn server(name: &str) -> Self {
        Self::Server { server: name.into() }
    }

    /// Reads the origin. Only for questions from a gateway: other peers can write anything.
    pub fn of(question: &InputRequest) -> Self {
        #[derive(Deserialize)]
        struct Meta {
            #[serde(rename = "hobnob/asked-by")]
            asked_by: QuestionOrigin,
        }
        let meta = match question {
            InputRequest::Elicit(params) => match &**params {
                ElicitParams::Form(form) => form.meta.as_ref(),
                ElicitParams::Url(page) => page.meta.as_ref(),
                ElicitParams::Unknown(_) => None,
            },
            InputRequest::CreateMessage(params) => params.meta.as_ref(),
            InputRequest::ListRoots(params) => params.meta.as_ref(),
            InputRequest::Unknown(_) => None,
        };
        let read = meta.and_then(|meta| serde_json::from_str::<Meta>(meta.get()).ok());
        read.map_or(Self::Unknown, |meta| meta.asked_by)
    }

    /// Marks all questions with this origin and no other.
    pub(crate) fn asks(&self, questions: Questions) -> Questions {
        self.signs(questions, |_| true)
    }

    /// Marks the questions of an outcome with this origin.
    pub(crate) fn asks_in(&self, outcome: Outcome) -> Outcome {
        match outcome {
            Outcome::NeedsInput(questions) => Outcome::NeedsInput(self.asks(questions)),
            outcome @ (Outcome::Complete(_) | Outcome::Started(_)) => outcome,
        }
    }

    /// Marks the questions of a built-in as Hobnob's. Questions that it passes on from other calls
    /// keep the origin they have.
    pub(crate) fn of_built_in(outcome: Outcome) -> Outcome {
        let is_own = |question: &InputRequest| Self::of(question) == Self::Unknown;
        match outcome {
            Outcome::NeedsInput(questions) => {
                Outcome::NeedsInput(Self::Hobnob.signs(questions, is_own))
            }
            outcome @ (Outcome::Complete(_) | Outcome::Started(_)) => outcome,
        }
    }

    fn signs(&self, mut questions: Questions, which: impl Fn(&InputRequest) -> bool) -> Questions {
        let requests = std::mem::take(&mut questions.requests.0).into_iter();
        let signed = requests.map(|(key, mut question)| {
            if which(&question) {
                self.sign(&mut question);
            }
            (key, question)
        });
        questions.requests.0 = signed.collect();
        questions
    }

    fn sign(&self, question: &mut InputRequest) {
        let meta = match question {
            InputRequest::Elicit(params) => match &mut **params {
                ElicitParams::Form(form) => &mut form.meta,
                ElicitParams::Url(page) => &mut page.meta,
                ElicitParams::Unknown(_) => return,
            },
            InputRequest::CreateMessage(params) => &mut params.meta,
            // No person sees these requests.
            InputRequest::ListRoots(_) | InputRequest::Unknown(_) => return,
        };
        let before = meta.take();
        let written = object(|signed| {
            for (key, value) in entries(before.as_ref().map_or("{}", |meta| meta.get())) {
                if key != META_KEY {
                    signed.raw(&key, value);
                }
            }
            if let Ok(origin) = serde_json::to_string(self) {
                signed.raw(META_KEY, &origin);
            }
        });
        *meta = RawValue::from_string(written).ok();
    }
}
