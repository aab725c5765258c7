//! `hobnob chat`: an assistant in the terminal, over the tools of the hub.
//!
//! `hobnob-agent` has the loop; this crate has the tools that it calls (`hub_tools`), the decisions
//! about them (`chat_rules`, `call_host`, `sampling`), the system prompt (`instructions`), and the
//! views: a screen, plain text, JSON. What must stay true: every call goes through the hub, whose
//! rules, permits and audit log apply here as everywhere.

mod call_origin;
mod memory_offer;
mod sampling;
mod server_notes;
mod watched_resources;

mod call_host;
mod catalogue;
mod chat_rules;
mod command_hooks;
mod hub_tools;
mod instructions;
mod project_paths;

mod chat_sessions;
mod chosen_model;
mod json_view;
mod open;
mod set_up;
mod text_view;

mod run_turn;

mod one_shot;

mod command_table;
mod edit_preview;
mod mentions;
mod screen;
mod server_warnings;

mod conversing;

mod commands;
mod completion;
mod editor;
mod typed_ahead;

mod interactive;

pub use chat_rules::{ChatRules, PermissionMode};
pub use chat_sessions::SessionChoice;
pub use interactive::converse;
pub use one_shot::run_once;
pub use open::{ChatOptions, OpenChat};
