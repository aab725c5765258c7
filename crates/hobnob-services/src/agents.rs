//! The agents service, in reading order: agent descriptions as data, the meaning of their output
//! lines, one chat from its permit to its end, and the tools. Callers know it as `claudecode`.
//!
//! What must stay true: the current grants decide every run of a program, and its permit starts it.
//! No process of a run outlives the run, its caller or Hobnob.

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
