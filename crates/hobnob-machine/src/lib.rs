//! What the services of the machine do, below the protocol: files within the folders a person granted,
//! logs, and the keys of a registry.
//!
//! The built-in services use it; nothing here knows a connection, a tool or a profile. Everything needs
//! a permit and is reached through handles that were opened beneath a granted folder.

#[cfg(target_os = "linux")]
pub mod files;
pub mod logs;
pub mod registry;
