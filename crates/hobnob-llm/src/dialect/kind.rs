//! The choice between the wire forms: where each is spoken, how a key is sent, and who writes and
//! reads it.
//!
//! Settings name a form; the exchange asks it for bytes and a decoder.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::frame::{DecoderOptions, FrameDecoder};
use super::written::RequestContext;
use super::{anthropic, ollama, openai_chat, openai_responses};
use crate::error::ProviderError;
use crate::request::ModelRequest;

/// A wire form, which one provider or many speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProviderDialect {
    /// The Messages API of Anthropic, and of servers like it.
    Anthropic,
    /// Chat completions, as OpenAI and most other providers and servers have them.
    OpenaiChat,
    /// The Responses API of OpenAI.
    OpenaiResponses,
    /// The API of Ollama itself, not the one that imitates OpenAI's.
    Ollama,
}

/// How a key travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyHeader {
    /// As the header `authorization`, after the word `Bearer`.
    Bearer,
    /// As the header `x-api-key`, by itself.
    ApiKey,
}

/// How payloads are cut from the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// As server-sent events, one payload to each.
    Events,
    /// JSON, one value to a line.
    Lines,
}

impl ProviderDialect {
    /// Where the form's own provider is, without the path that is appended.
    pub fn default_url(self) -> &'static str {
        match self {
            Self::Anthropic => "https://api.anthropic.com",
            Self::OpenaiChat | Self::OpenaiResponses => "https://api.openai.com/v1",
            Self::Ollama => "http://127.0.0.1:11434",
        }
    }

    /// The model to ask where nobody has chosen one.
    pub fn usual_model(self) -> Option<&'static str> {
        match self {
            Self::Anthropic => Some("claude-sonnet-5-5"),
            Self::OpenaiChat | Self::OpenaiResponses => Some("gpt-6-sol"),
            Self::Ollama => None,
        }
    }

    /// The variable that people usually have the key in, if the provider wants one.
    pub fn usual_variable(self) -> Option<&'static str> {
        match self {
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::OpenaiChat | Self::OpenaiResponses => Some("OPENAI_API_KEY"),
            Self::Ollama => None,
        }
    }

    /// What is appended to the address of the settings.
    pub(crate) fn path(self) -> &'static [&'static str] {
        match self {
            Self::Anthropic => &["v1", "messages"],
            Self::OpenaiChat => &["chat", "completions"],
            Self::OpenaiResponses => &["responses"],
            Self::Ollama => &["api", "chat"],
        }
    }

    /// What is appended in its place for the list of models.
    pub(crate) fn list_path(self) -> &'static [&'static str] {
        match self {
            Self::Anthropic => &["v1", "models"],
            Self::OpenaiChat | Self::OpenaiResponses => &["models"],
            Self::Ollama => &["api", "tags"],
        }
    }

    pub(crate) fn key_header(self) -> KeyHeader {
        match self {
            Self::Anthropic => KeyHeader::ApiKey,
            Self::OpenaiChat | Self::OpenaiResponses | Self::Ollama => KeyHeader::Bearer,
        }
    }

    /// Headers that every request has.
    pub(crate) fn headers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Anthropic => &[("anthropic-version", "2023-06-01")],
            Self::OpenaiChat | Self::OpenaiResponses | Self::Ollama => &[],
        }
    }

    pub(crate) fn framing(self) -> Framing {
        match self {
            Self::Anthropic | Self::OpenaiChat | Self::OpenaiResponses => Framing::Events,
            Self::Ollama => Framing::Lines,
        }
    }

    /// The request in this form.
    pub(crate) fn write(
        self,
        request: &ModelRequest,
        context: &RequestContext,
    ) -> Result<Value, ProviderError> {
        match self {
            Self::Anthropic => anthropic::write(request, context),
            Self::OpenaiChat => Ok(openai_chat::write(request, context)),
            Self::OpenaiResponses => openai_responses::write(request, context),
            Self::Ollama => Ok(ollama::write(request, context)),
        }
    }

    /// A decoder for one answer in this form.
    pub(super) fn decoder(self, options: &DecoderOptions) -> Box<dyn FrameDecoder> {
        match self {
            Self::Anthropic => Box::new(anthropic::AnthropicDecoder::new(options.clone())),
            Self::OpenaiChat => Box::new(openai_chat::ChatDecoder::new(options.clone())),
            Self::OpenaiResponses => {
                Box::new(openai_responses::ResponsesDecoder::new(options.clone()))
            }
            Self::Ollama => Box::new(ollama::OllamaDecoder::new(options.clone())),
        }
    }
}
