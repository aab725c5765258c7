//! The services that Hobnob brings along. None knows another; each makes a kit for a presentation.

mod presentation;
mod programs;

pub mod health;
pub mod memory;
pub mod tasks;

pub use presentation::{Failure, Masking, NamespaceRule, Presentation, ProjectFrom, Success};
pub use programs::{NoProgramLog, ProgramExit, ProgramLog, ProgramRun};
