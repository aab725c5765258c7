//! The service of agents, in reading order: the agents as data, what their lines mean, one chat from its
//! permit to its end, and the tools. Its tools are those of `claudecode`.
//!
//! Every run of a program is decided by the grants of the moment and started from its permit. Nothing
//! of one survives its end, its caller's end or ours.

mod limits;
mod names;

mod line_shape;

mod catalog;
mod description;

mod command_words;

mod event;
mod text_flow;

mod interpreter;
mod json_lines;

mod line_receiver;
mod session_lock;

mod service;

mod chat;
mod session_tools;

mod kit;
mod tools;

pub use catalog::{AgentCatalog, BadAgentDescription};
pub use description::AgentDescription;
pub use limits::{AgentNesting, AgentOptions};
pub use service::AgentService;
