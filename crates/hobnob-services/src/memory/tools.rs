//! What can be called: one file for each kind of work.

mod capture;
mod carry;
mod change;
mod consolidate;
mod enrich;
mod look;
mod model;
mod prompts;
mod recall;
mod similar;

mod kit;

pub(super) use kit::with_tools;
