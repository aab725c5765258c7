//! The steps that every call takes, whether a client, a poll or a tool of Hobnob's own makes it.
//!
//! `dispatch`, `watch` and `management` use these parts. `terms` refuses what a view takes away,
//! `contents` gets the permit for everything that is not a tool, `forward` makes the call, `trace`
//! gives it its spans, `record` writes it to the audit log and reports it and its `progress` to the
//! `observer`, `running` keeps it meanwhile, and `rule_uses` counts the rule that decided about it. None of them depends on who the caller is.

pub(crate) mod contents;
pub(crate) mod forward;
pub(crate) mod observer;
mod progress;
pub(crate) mod record;
pub(crate) mod rule_uses;
pub(crate) mod running;
pub(crate) mod terms;
mod trace;
pub(crate) mod written;
