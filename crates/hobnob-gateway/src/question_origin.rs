//! Who asks a question: Hobnob, or the server of this name.
//!
//! The gateway writes it into every question that leaves it, over whatever a server wrote in its place;
//! `hobnob_terminal` reads it. What must stay true: only the origin decides whether a question is ours,
//! never what it looks like.

use hobnob_mcp_engine::{Outcome, Questions};
use hobnob_mcp_types::elicitation::ElicitParams;
use hobnob_mcp_types::input::InputRequest;
use hobnob_mcp_types::json::{entries, object};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

#[cfg(test)]
mod tests;

/// The key in the `_meta` of a question.
const KEY: &str = "hobnob/asked-by";

/// Who asks a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "origin", rename_all = "lowercase")]
pub enum QuestionOrigin {
    /// Hobnob itself, such as whether a tool may run.
    Hobnob,
    /// A server behind the gateway.
    Server {
        /// Its name in the configuration.
        server: Box<str>,
    },
    /// Not known: the question did not come from a gateway.
    #[serde(skip)]
    Unknown,
}

impl QuestionOrigin {
    /// A server, by its name in the configuration.
    pub fn server(name: &str) -> Self {
        Self::Server { server: name.into() }
    }

    /// Reads who asks. Only for questions of a gateway: others write what they like.
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

    /// Questions with this origin and no other.
    pub(crate) fn asks(&self, questions: Questions) -> Questions {
        self.signs(questions, |_| true)
    }

    /// The same for the questions of an outcome.
    pub(crate) fn asks_in(&self, outcome: Outcome) -> Outcome {
        match outcome {
            Outcome::NeedsInput(questions) => Outcome::NeedsInput(self.asks(questions)),
            outcome @ (Outcome::Complete(_) | Outcome::Started(_)) => outcome,
        }
    }

    /// The questions of a built-in: its own are Hobnob's, those that it passes on from other calls say
    /// already who asks.
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
            // No person sees them.
            InputRequest::ListRoots(_) | InputRequest::Unknown(_) => return,
        };
        let before = meta.take();
        let written = object(|signed| {
            for (key, value) in entries(before.as_ref().map_or("{}", |meta| meta.get())) {
                if key != KEY {
                    signed.raw(&key, value);
                }
            }
            if let Ok(origin) = serde_json::to_string(self) {
                signed.raw(KEY, &origin);
            }
        });
        *meta = RawValue::from_string(written).ok();
    }
}
