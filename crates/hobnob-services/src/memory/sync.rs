//! A project's memories in a git remote: one commit after the other on a notes ref, one file for
//! each memory. Nothing is ever forced, and what changed on both sides is kept twice.

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

pub(super) use tool::sync;
