//! The built-in services of Hobnob, one folder each. No service knows another.
//!
//! Each is a [`BuiltInService`], which makes a kit for a [`Presentation`]; the binary opens and
//! registers them. Nothing here reads configuration files or knows the gateway.

mod argument_checks;
mod view_tools;

mod presentation;
mod programs;
mod shown_page;
mod time_text;
mod tool_effect;

mod built_in;
#[cfg(target_os = "linux")]
pub mod commands;
mod listed_entries;
mod machine_access;
mod stream_result;

#[cfg(target_os = "linux")]
pub mod agents;
pub mod arbor;
pub mod cone;
pub mod echo;
#[cfg(target_os = "linux")]
pub mod files;
pub mod health;
pub mod logs;
pub mod memory;
pub mod registry;
#[cfg(target_os = "linux")]
pub mod shell;
pub mod tasks;

pub use built_in::{
    BuiltInService, KitChange, KitStaleness, ServiceEvent, ServiceEvents, ServiceVisibility,
};
pub use machine_access::{GrantSource, MachineAccess};
pub use presentation::{
    Dialect, Failure, ListedOwner, Masking, NamespaceRule, Presentation, ProjectFrom, Success,
};
pub use programs::{NoProgramLog, ProgramExit, ProgramLog, ProgramRun};
pub use stream_result::StreamResult;
pub use view_tools::{ViewTool, ViewToolCall, ViewTools, ViewToolsSlot};
