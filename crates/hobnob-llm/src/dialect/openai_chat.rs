//! OpenAI's Chat Completions API, which many other providers and servers speak too.

mod decode;
mod request;

pub(super) use decode::ChatDecoder;
pub(super) use request::write;
