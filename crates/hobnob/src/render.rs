//! What commands print: the only code besides the protocol that writes to standard output.
//!
//! Every command uses it. What must stay true: text of peers and files passes `safe` or `one_line`
//! before it reaches a terminal.

mod block;
mod cards;
mod cell;
mod confirm;
mod counted;
mod diff;
mod keyboard_mode;
mod out;
mod output;
mod quiet_keys;
mod safe;
mod select;
mod table;
#[cfg(test)]
mod tests;
mod tone;
mod wrap;

pub(crate) use block::Block;
pub(crate) use cell::Cell;
pub(crate) use confirm::{Confirmation, choose, confirm, is_interactive};
pub(crate) use counted::counted;
pub(crate) use diff::painted;
pub(crate) use hobnob_markdown::{signed_lines, unified};
pub(crate) use keyboard_mode::KeyboardMode;
pub(crate) use out::{
    error, error_piece, json, json_line, json_text, line, note, piece, text, warn,
};
pub(crate) use output::Output;
pub(crate) use safe::{one_line, safe};
pub(crate) use select::{moves_cursor, select};
pub(crate) use table::Table;
pub(crate) use tone::{Tone, paint};
pub(crate) use wrap::{WrapAt, wrapped};
