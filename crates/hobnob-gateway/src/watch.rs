//! Changes of resources: reported by their servers, or found by reading them again and again.
//!
//! `updates` subscribes at servers, `poller` reads what they do not report; `watches` is what both
//! remember. Either way the change reaches whoever watches as an ordinary notification. The files
//! are listed bottom up.

pub(crate) mod pace;
mod polled;
pub(crate) mod polls;
pub(crate) mod watches;

pub(crate) mod poll_task;

pub(crate) mod poller;

pub(crate) mod updates;
