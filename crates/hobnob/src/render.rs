//! What commands show: the only place besides the protocol that writes to standard output.
//!
//! Text of peers and files passes `safe` or `one_line` before a terminal gets it.

mod block;
mod confirm;
mod diff;
mod out;
mod safe;
mod table;
#[cfg(test)]
mod tests;
mod tone;

pub(crate) use block::Block;
pub(crate) use confirm::{Answer, choose, confirm, somebody_is_there};
pub(crate) use diff::{painted, unified};
pub(crate) use out::{complain, json, json_line, json_text, line, note, text, warn};
pub(crate) use safe::{one_line, safe};
pub(crate) use table::{Cell, Table};
pub(crate) use tone::{Tone, paint};
