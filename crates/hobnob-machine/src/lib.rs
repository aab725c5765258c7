//! What the services of the machine do, below the protocol: files within the folders a person granted.
//!
//! The built-in services call this crate; nothing here knows a connection, a tool or a profile.
//! Everything is reached through handles that were opened beneath a granted folder.

#[cfg(target_os = "linux")]
pub mod files;
