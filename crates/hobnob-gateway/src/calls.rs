//! What every call goes through, whoever makes it: the caller of a view, a poll or a tool of ours.
//!
//! `dispatch`, `watch` and `management` use these parts. `terms` refuses what a view takes away,
//! `contents` gets the permit for what is no tool, `forward` makes the call, `record` writes it to
//! the audit log. None of them knows who asked.

pub(crate) mod contents;
pub(crate) mod forward;
pub(crate) mod record;
pub(crate) mod terms;
pub(crate) mod written;
