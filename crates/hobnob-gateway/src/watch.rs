//! Changes of resources: reported by their servers, or found by reading them again and again.
//!
//! `update` subscribes at servers; `polling` reads what they do not report. Either way the
//! change reaches whoever watches as an ordinary notification.

pub(crate) mod pace;
pub(crate) mod polled;
pub(crate) mod polling;
pub(crate) mod polls;
mod update;
pub(crate) mod watches;
