//! Typed tools, resources and prompts in a few lines.
//!
//! A [`Kit`] is a named group of them; a [`Toolbox`] holds kits and answers as a
//! [`Service`](hobnob_mcp_engine::Service). Handlers are plain functions that get decoded arguments
//! and a [`Context`]. An author's mistakes are compiler errors, or a [`KitError`] when the kit is
//! built or added; none waits for the first call.

mod error;
mod name;

mod schema;

mod context;
mod elicitation;
mod handler;
mod questions;
mod read_result;
mod reply;
mod slow_polls;

mod completion;
mod mirror;
mod prompt;
mod prompt_spec;
mod resource;
mod resource_spec;
mod spec;
mod spec_setters;
mod template;
mod tool;
mod uri_component;

mod inventory;
mod kit;
mod kit_builder;
mod paged_list;

mod call_tool;
mod task_mode;
mod traffic;

mod listing;
mod offer;

mod answering;

#[cfg(test)]
mod tests;

pub use answering::Toolbox;
pub use call_tool::ArgumentErrors;
pub use completion::{CompletionRequest, CompletionSource, IntoCompletions};
pub use context::{CallContext, Context};
pub use elicitation::Elicited;
pub use error::{KitError, ToolError};
pub use handler::KitHandler;
pub use kit::Kit;
pub use kit_builder::{IntoKit, KitBuilder};
pub use listing::{Listing, ToolboxLists};
pub use prompt::IntoPrompt;
pub use prompt_spec::PromptSpec;
pub use read_result::IntoContents;
pub use reply::{IntoToolResult, Structured, TextWithData, ToolReply};
pub use resource_spec::ResourceSpec;
pub use schema::NoArguments;
pub use spec::ToolSpec;
pub use task_mode::TaskMode;
pub use uri_component::encode_uri_component;
