//! How an author offers typed tools, resources and prompts, in a few lines.
//!
//! A [`Kit`] is a named group of them; a [`Toolbox`] holds kits and answers as a
//! [`Service`](hobnob_mcp_engine::Service). Handlers get decoded arguments and a [`Context`].
//! Everything an author can get wrong is a [`KitError`] when the kit is made or added, never a
//! surprise when a tool is called.

mod error;
mod name;

mod schema;

mod context;
mod questions;
mod reply;

mod completion;
mod mirror;
mod prompt;
mod resource;
mod spec;
mod template;
mod tool;
mod uri_component;

mod inventory;
mod kit;
mod paged_list;

mod call_tool;
mod task_mode;

mod answering;
mod listing;
mod offer;

#[cfg(test)]
mod tests;

pub use answering::Toolbox;
pub use completion::Typing;
pub use context::Context;
pub use error::{KitError, ToolError};
pub use kit::Kit;
pub use listing::Listing;
pub use prompt::IntoPrompt;
pub use reply::{IntoToolResult, Structured, ToolReply};
pub use resource::{IntoContents, Matched};
pub use schema::NoArguments;
pub use spec::ToolSpec;
pub use task_mode::TaskMode;
pub use uri_component::encode_uri_component;
