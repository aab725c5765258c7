//! What the services of the machine do, below the protocol: files within the folders a person granted,
//! logs, and the keys of a registry.
//!
//! It is made for the built-in services, none of which uses it yet; nothing here knows a connection, a tool or a profile.
//! Everything is reached through handles that were opened beneath a granted folder.

#[cfg(target_os = "linux")]
pub mod files;
pub mod logs;
pub mod registry;
