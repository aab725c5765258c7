//! The state that a client carries between the rounds of a call that needs consent: the token of
//! Hobnob's question or of the given consent, and the upstream's own state behind it.
//!
//! The server seals all of it before it leaves. An upstream's state that looks like Hobnob's gets a
//! mark, so that no upstream can forge Hobnob's.

use hobnob_mcp_engine::Answers;

const PREFIX: &str = "hobnob-permission:";
const QUESTION: &str = "question:";
const GRANTED: &str = "granted:";
const FOREIGN: &str = "foreign:";

/// The state that a client sent back with a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestState<'a> {
    /// The upstream's own state, if any.
    Foreign(Option<&'a str>),
    /// The token of Hobnob's question.
    Question(&'a str),
    /// An upstream's question in a call with consent; the token names the consent.
    Granted { token: &'a str, foreign: Option<&'a str> },
}

impl<'a> RequestState<'a> {
    /// Reads what [`write`](Self::write) wrote.
    pub(crate) fn of(answers: &'a Answers) -> Self {
        Self::read(answers.state())
    }

    pub(super) fn read(state: Option<&'a str>) -> Self {
        let Some(ours) = state.and_then(|state| state.strip_prefix(PREFIX)) else {
            return Self::Foreign(state);
        };
        if let Some(token) = ours.strip_prefix(QUESTION) {
            return Self::Question(token);
        }
        if let Some(granted) = ours.strip_prefix(GRANTED) {
            let (token, foreign) = match granted.split_once(':') {
                Some((token, foreign)) => (token, Some(foreign)),
                None => (granted, None),
            };
            return Self::Granted { token, foreign };
        }
        Self::Foreign(ours.strip_prefix(FOREIGN).or(state))
    }

    /// The text that [`of`](Self::of) reads.
    pub(crate) fn write(self) -> Option<String> {
        match self {
            Self::Foreign(Some(state)) if state.starts_with(PREFIX) => {
                Some(format!("{PREFIX}{FOREIGN}{state}"))
            }
            Self::Foreign(state) => state.map(Into::into),
            Self::Question(token) => Some(format!("{PREFIX}{QUESTION}{token}")),
            Self::Granted { token, foreign: None } => Some(format!("{PREFIX}{GRANTED}{token}")),
            Self::Granted { token, foreign: Some(state) } => {
                Some(format!("{PREFIX}{GRANTED}{token}:{state}"))
            }
        }
    }

    /// The answers that are meant for the upstream, with its own state.
    pub(crate) fn for_upstream(self, answers: &Answers) -> Answers {
        match self {
            // Hobnob's question came first: the upstream has not been called yet.
            Self::Question(_) => Answers::default(),
            Self::Foreign(state) if answers.state() == state => answers.clone(),
            Self::Foreign(state) | Self::Granted { foreign: state, .. } => {
                let mut own = answers.clone();
                own.replace_state(state.map(Into::into));
                own
            }
        }
    }
}
