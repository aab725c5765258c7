//! The toolbox's side of the trace of the wire: which tools run, and which arguments do not fit.
//!
//! `call_tool` writes through here. Nothing is written unless the log's level says so, and no value
//! of an argument ever is.

use hobnob_mcp_engine::{ArgumentProblems, WIRE_TARGET, WireTrace};

/// A tool's handler is about to run.
#[inline]
pub(crate) fn handler(tool: &str) {
    tracing::debug!(target: WIRE_TARGET, tool, "handler");
}

/// Arguments did not fit a tool.
#[inline]
pub(crate) fn unfit(tool: &str, wrong: &ArgumentProblems) {
    WireTrace::ByLevel.unfit_arguments(tool, wrong);
}
