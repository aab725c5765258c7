//! The service `cone`: chats with a model, whose history is a path in a tree.
//!
//! The binary opens it as a `BuiltInService`. A question is on the disk before the model is asked,
//! and an answer is there whole or not at all; the session goes on from its head, which only a
//! complete answer, the result of a tool or `set_head` moves.

mod active_chats;
mod chat_settings;
mod tool_patterns;
mod views;

mod service;

mod session_tools;

mod answer;
mod path;
mod paused_chat;

mod chat_run;

mod chat;
mod prompts;
mod sessions;

mod tools;

mod kit;

pub use service::{ConeParts, ConeService};
