//! Anthropic's Messages API: what is sent, and the stream that comes back.

mod decode;
mod request;

pub(super) use decode::AnthropicDecoder;
pub(super) use request::write;
