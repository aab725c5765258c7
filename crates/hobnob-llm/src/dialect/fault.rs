//! Errors that providers report, in HTTP answers and in streams.
//!
//! The decoders and the attempts read them. What must stay true: every error of a provider becomes
//! one short line, and only this file knows which kinds of errors are transient.

use hobnob_web_client::one_line;
use serde_json::Value;

use crate::error::ProviderError;

#[cfg(test)]
mod tests;

/// The kinds of errors that may be gone at the next attempt, in the words of all providers.
const TRANSIENT_KINDS: [&str; 9] = [
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

/// The kinds of errors that look like a rate limit but last until the user pays.
const PERMANENT_KINDS: [&str; 4] = [
    "billing_hard_limit_reached",
    "enforced_spend_limit_reached",
    "insufficient_quota",
    "usage_limit_reached",
];

/// The kinds of errors, of all providers, for a request that exceeds the model's context.
const TOO_LONG_KINDS: [&str; 3] =
    ["context_length_exceeded", "exceed_context_size_error", "request_too_large"];

/// The same error in messages of providers that have no kind for it, in lower case.
const TOO_LONG_PHRASES: [&str; 6] = [
    "prompt is too long",
    "exceed context limit",
    "exceeds the context window",
    "exceeds the available context size",
    "exceeds the maximum number of tokens",
    "maximum context length",
];

/// An error as a provider reported it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProviderFault {
    /// The provider's own names for the kind of error, the most specific first.
    kinds: Vec<Box<str>>,
    message: Box<str>,
}

impl ProviderFault {
    /// Reads an error in any shape that the providers and compatible servers use:
    /// `{"error":{"type","code","message"}}`, `{"error":"…"}`, `{"message":"…"}`, or plain text.
    pub(crate) fn read(text: &str) -> Self {
        match serde_json::from_str::<Value>(text) {
            Ok(value) => Self::of_value(&value, text),
            Err(_) => Self { kinds: Vec::new(), message: one_line(text) },
        }
    }

    /// Reads an error from JSON that is decoded already; `text` is its source.
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

    /// Whether the same request may succeed a little later.
    pub(crate) fn is_transient(&self) -> bool {
        self.is_of_kind(&TRANSIENT_KINDS) && !self.is_permanent()
    }

    /// Whether the error is permanent although its HTTP status looks like a transient one.
    pub(crate) fn is_permanent(&self) -> bool {
        self.is_of_kind(&PERMANENT_KINDS)
    }

    /// Whether the request exceeds the model's context.
    pub(crate) fn is_too_long(&self) -> bool {
        let message = self.message.to_lowercase();
        self.is_of_kind(&TOO_LONG_KINDS)
            || TOO_LONG_PHRASES.iter().any(|said| message.contains(said))
    }

    fn is_of_kind(&self, words: &[&str]) -> bool {
        self.kinds.iter().any(|kind| words.contains(&&**kind))
    }

    /// The error as one line: its kind, if there is one, and the provider's message.
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
    /// The provider reported an error.
    Reported(ProviderFault),
    /// The stream ended before the answer was complete.
    Cut(Box<str>),
    /// The stream does not follow the provider's documentation.
    Garbled(Box<str>),
}

impl StreamFault {
    pub(crate) fn garbled(what: impl AsRef<str>) -> Self {
        Self::Garbled(one_line(what.as_ref()))
    }

    /// The error that the caller of the provider gets.
    pub(crate) fn into_error(self) -> ProviderError {
        match self {
            Self::Reported(fault) if fault.is_too_long() => ProviderError::TooLong(fault.line()),
            Self::Reported(fault) => ProviderError::Failed(fault.line()),
            Self::Cut(what) => ProviderError::Cut(what),
            Self::Garbled(what) => ProviderError::Garbled(what),
        }
    }
}
