//! Errors of providers, as their answers and their streams have them.
//!
//! The decoders and the exchange read them. What must stay true: whatever a provider sends as its
//! error becomes one short line, and whether it may pass is decided here only.

use hobnob_web_client::one_line;
use serde_json::Value;

use crate::error::ProviderError;

#[cfg(test)]
mod tests;

/// Errors that may be gone with the next try, by the words of all providers.
const PASSING: [&str; 9] = [
    "api_error",
    "internal_error",
    "internal_server_error",
    "overloaded_error",
    "rate_limit_error",
    "rate_limit_exceeded",
    "server_error",
    "service_unavailable",
    "timeout_error",
];

/// Errors that look like a rate limit and last until somebody pays.
const LASTING: [&str; 4] = [
    "billing_hard_limit_reached",
    "enforced_spend_limit_reached",
    "insufficient_quota",
    "usage_limit_reached",
];

/// Errors of a request that is longer than the model takes, by the words of all providers.
const TOO_LONG: [&str; 3] =
    ["context_length_exceeded", "exceed_context_size_error", "request_too_large"];

/// The same, where the provider has no word of its own for it: what its message says, in lower case.
const SAYS_TOO_LONG: [&str; 6] = [
    "prompt is too long",
    "exceed context limit",
    "exceeds the context window",
    "exceeds the available context size",
    "exceeds the maximum number of tokens",
    "maximum context length",
];

/// What a provider said of an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProviderFault {
    /// The provider's own words for it, the most exact first.
    kinds: Vec<Box<str>>,
    message: Box<str>,
}

impl ProviderFault {
    /// Reads an error in any form that the providers and the servers like them use:
    /// `{"error":{"type","code","message"}}`, `{"error":"…"}`, `{"message":"…"}`, or no JSON at all.
    pub(crate) fn read(text: &str) -> Self {
        match serde_json::from_str::<Value>(text) {
            Ok(value) => Self::of_value(&value, text),
            Err(_) => Self { kinds: Vec::new(), message: one_line(text) },
        }
    }

    /// The same, of JSON that is decoded already.
    fn of_value(value: &Value, text: &str) -> Self {
        let inner = value.get("error").filter(|error| !error.is_null()).unwrap_or(value);
        let word = |pointer: &str| inner.pointer(pointer).and_then(Value::as_str);
        let kinds = ["/details/error_code", "/code", "/type"].map(word);
        let said = [inner.as_str(), word("/message"), word("/detail")];
        let message = said.into_iter().flatten().find(|said| !said.trim().is_empty());
        Self {
            kinds: kinds.into_iter().flatten().map(one_line).collect(),
            message: one_line(message.unwrap_or(text)),
        }
    }

    /// Whether the same request may have an answer a little later.
    pub(crate) fn may_pass(&self) -> bool {
        self.is_one_of(&PASSING) && !self.lasts()
    }

    /// Whether it lasts although its status looks as if it would pass.
    pub(crate) fn lasts(&self) -> bool {
        self.is_one_of(&LASTING)
    }

    /// Whether the request is longer than the model takes.
    pub(crate) fn is_too_long(&self) -> bool {
        let message = self.message.to_lowercase();
        self.is_one_of(&TOO_LONG) || SAYS_TOO_LONG.iter().any(|said| message.contains(said))
    }

    fn is_one_of(&self, words: &[&str]) -> bool {
        self.kinds.iter().any(|kind| words.contains(&&**kind))
    }

    /// The provider's word for it, if there is one, and what it said.
    pub(crate) fn line(&self) -> Box<str> {
        match self.kinds.first() {
            Some(kind) if !self.message.is_empty() => format!("{kind}: {}", self.message).into(),
            Some(kind) => kind.clone(),
            None if self.message.is_empty() => "it did not say why".into(),
            None => self.message.clone(),
        }
    }
}

/// Why a stream cannot be read to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StreamFault {
    /// The provider says so.
    Reported(ProviderFault),
    /// It is over, and the answer is not.
    Cut(Box<str>),
    /// It is not what the provider's documentation says.
    Garbled(Box<str>),
}

impl StreamFault {
    pub(crate) fn garbled(what: impl AsRef<str>) -> Self {
        Self::Garbled(one_line(what.as_ref()))
    }

    /// The error for whoever asked.
    pub(crate) fn into_error(self) -> ProviderError {
        match self {
            Self::Reported(fault) if fault.is_too_long() => ProviderError::TooLong(fault.line()),
            Self::Reported(fault) => ProviderError::Failed(fault.line()),
            Self::Cut(what) => ProviderError::Cut(what),
            Self::Garbled(what) => ProviderError::Garbled(what),
        }
    }
}
