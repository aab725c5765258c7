//! The services that Hobnob brings along. None knows another; each makes a kit for a face.

mod face;

pub mod health;
pub mod memory;
pub mod tasks;

pub use face::{Face, Failure, NamespaceRule, ProjectFrom, Success};
