//! The service `cone`: chats with a model, whose history is a path in a tree.
//!
//! The binary opens it as a `BuiltInService`. What must stay true: a question is on disk before the
//! model is asked, and an answer is stored whole or not at all. A session continues from its head,
//! which only a complete answer, a tool's result or `set_head` moves.

mod active_chats;
mod chat_settings;
mod tool_patterns;
mod views;

mod service;

mod session_tools;

mod conversation;
mod paused_chat;

mod chat_run;

mod chat;
mod prompts;
mod sessions;

mod tools;

mod kit;

pub use service::{ConeParts, ConeService};
