//! The choice between the wire formats: their URLs, their key headers, their encoders and decoders.
//!
//! Settings name a dialect; the exchange encodes a request with it and gets its decoder.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::frame::{DecoderOptions, FrameDecoder};
use super::written::RequestContext;
use super::{anthropic, ollama, openai_chat, openai_responses};
use crate::error::ProviderError;
use crate::request::ModelRequest;

/// A wire format, which one or several providers speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProviderDialect {
    /// The Messages API of Anthropic, and of compatible servers.
    Anthropic,
    /// The Chat Completions API of OpenAI, and of most other providers and servers.
    OpenaiChat,
    /// The Responses API of OpenAI.
    OpenaiResponses,
    /// Ollama's own API, not the one that is compatible with OpenAI's.
    Ollama,
}

/// The header that carries a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyHeader {
    /// As the header `authorization`, after the word `Bearer`.
    Bearer,
    /// As the header `x-api-key`, by itself.
    ApiKey,
}

/// How the bytes are split into payloads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Server-sent events, with one payload each.
    Events,
    /// JSON Lines, with one value on each line.
    Lines,
}

impl ProviderDialect {
    /// The URL of the dialect's own vendor, without the path that is appended.
    pub fn default_url(self) -> &'static str {
        match self {
            Self::Anthropic => "https://api.anthropic.com",
            Self::OpenaiChat | Self::OpenaiResponses => "https://api.openai.com/v1",
            Self::Ollama => "http://127.0.0.1:11434",
        }
    }

    /// The model to ask if the user has not chosen one.
    pub fn usual_model(self) -> Option<&'static str> {
        match self {
            Self::Anthropic => Some("claude-sonnet-5-5"),
            Self::OpenaiChat | Self::OpenaiResponses => Some("gpt-6-sol"),
            Self::Ollama => None,
        }
    }

    /// The environment variable that usually holds the vendor's key, if the vendor wants one.
    pub fn usual_variable(self) -> Option<&'static str> {
        match self {
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::OpenaiChat | Self::OpenaiResponses => Some("OPENAI_API_KEY"),
            Self::Ollama => None,
        }
    }

    /// The path segments that are appended to the URL of the settings.
    pub(crate) fn path(self) -> &'static [&'static str] {
        match self {
            Self::Anthropic => &["v1", "messages"],
            Self::OpenaiChat => &["chat", "completions"],
            Self::OpenaiResponses => &["responses"],
            Self::Ollama => &["api", "chat"],
        }
    }

    /// The path segments that are appended instead for the list of models.
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

    /// The headers of every request, besides the key.
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

    /// Encodes a request in this format.
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

    /// Creates a decoder for one answer in this format.
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
