//! OpenAI's Responses API: what is sent, and the stream that comes back.

mod decode;
mod request;

pub(super) use decode::ResponsesDecoder;
pub(super) use request::write;
