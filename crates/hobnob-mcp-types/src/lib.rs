//! The messages of the Model Context Protocol in all revisions, without any I/O.
//!
//! The envelope (what every message has in common) comes first, then one module per feature.

pub mod json;

pub mod encode;
pub mod envelope;
mod envelope_scan;
pub mod error;
pub mod id;
mod lookalike;
pub mod method;
pub mod params;
mod result_text;
pub mod revision;

mod choice;
mod presence;

pub mod annotations;
pub mod apps;
pub mod cache;
pub mod capabilities;
pub mod completion;
pub mod content;
pub mod elicitation;
pub mod entries;
pub mod form;
pub mod form_field;
pub mod hello;
pub mod input;
pub mod input_responses;
pub mod logging;
pub mod meta;
mod number;
pub mod page;
pub mod progress;
pub mod prompts;
pub mod resources;
pub mod result;
pub mod roots;
pub mod sampling;
pub mod subscriptions;
pub mod tasks;
pub mod tasks_ext;
pub mod tools;
pub mod trace_context;

#[cfg(test)]
mod envelope_tests;
#[cfg(test)]
mod tests;

pub use envelope::{Batch, Incoming, Message, Notification, Request, Response, Undecodable};
pub use envelope_scan::{EnvelopeParts, EnvelopeScanner, MessageKind};
pub use error::{ErrorCode, RpcError};
pub use id::{ProgressToken, RequestId};
pub use method::{Method, MethodName};
pub use params::Params;
pub use result_text::ResultText;
pub use revision::{Era, Revision};
