//! Ollama's own chat API: what is sent, and the lines that come back.

mod decode;
mod request;

pub(super) use decode::OllamaDecoder;
pub(super) use request::write;
