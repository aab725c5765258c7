//! Changes of resources: reported by their servers, or found by polling.
//!
//! `updates` subscribes at servers, `poller` reads what they do not report; `watches` is the state
//! they share. Either way, watching clients get an ordinary notification. The files are listed
//! bottom up.

pub(crate) mod pace;
mod polled;
pub(crate) mod polls;
pub(crate) mod watches;

pub(crate) mod poll_task;

pub(crate) mod poller;

pub(crate) mod updates;
