//! Synchronises a project's memories with its git remote: a linear history on a notes ref, with one
//! file per memory. It never force-pushes, and a conflict keeps both versions.

mod consent;
mod entry;
mod exchange;
mod git;
mod merge;
mod remote;
mod repository;
mod tool;

#[cfg(test)]
mod tests;

pub(super) use tool::{MemorySync, SyncTool};
