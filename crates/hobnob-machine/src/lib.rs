//! The effects of the machine's services, below the protocol: files in granted folders, logs, and
//! keys of a registry.
//!
//! The built-in services use it; nothing here knows a connection, a tool or a profile. Every action
//! needs a permit; files are reached through handles that were opened in a granted folder.

#[cfg(target_os = "linux")]
pub mod files;
pub mod logs;
pub mod registry;
