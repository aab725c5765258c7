//! What is measured, how it is tabulated, and how good we have to be.
//!
//! A new measurement or another target is a change here only: a kind, its columns, its jobs in the
//! file of what it is about.

mod kind;

mod columns;
mod effort;
mod job;

mod servers;

mod builtins;
mod gateways;
mod machine;
mod sources;
mod streams;
mod trees;

mod jobs;

pub(super) use columns::{
    Column, MEGABYTES_PER_SECOND, MILLISECONDS_EACH, PER_CALL, Shown, columns,
};
pub(super) use effort::{COUNT, FULL, QUICK};
pub(super) use job::{
    Era, Job, MachineTask, Over, SLEEPING, TOOLS_EACH, Target, Transport, UPSTREAMS, Work,
};
pub(super) use jobs::jobs;
pub(super) use kind::{Kind, Subject};
pub(super) use machine::NEEDLE;
