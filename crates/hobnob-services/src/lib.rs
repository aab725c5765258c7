//! The services that Hobnob brings along. None knows another; each makes a kit for a face.

mod face;
mod programs;

pub mod health;
pub mod memory;
pub mod tasks;

pub use face::{Face, Failure, Masking, NamespaceRule, ProjectFrom, Success};
pub use programs::{NoProgramLog, ProgramExit, ProgramLog, ProgramRun};
