//! Chat completions, as OpenAI and many other providers and servers speak them.

mod decode;
mod request;

pub(super) use decode::ChatDecoder;
pub(super) use request::write;
