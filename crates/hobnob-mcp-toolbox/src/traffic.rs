//! The toolbox's side of the wire trace: which tools run, and which arguments are invalid.
//!
//! `call_tool` logs through it. It writes only if the log level enables it, and never the value of
//! an argument.

use hobnob_mcp_engine::{ArgumentProblems, WIRE_TARGET, WireTrace};

/// Traces that a tool's handler is about to run.
#[inline]
pub(crate) fn handler(tool: &str) {
    tracing::debug!(target: WIRE_TARGET, tool, "handler");
}

/// Traces which arguments of a call did not match the schema.
#[inline]
pub(crate) fn unfit(tool: &str, wrong: &ArgumentProblems) {
    WireTrace::ByLevel.unfit_arguments(tool, wrong);
}
