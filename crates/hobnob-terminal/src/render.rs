//! What commands print: the only code besides the protocol that writes to standard output.
//!
//! Every command uses it. What must stay true: text of peers and files passes `safe` or `one_line`
//! before it reaches a terminal.

mod block;
mod cards;
mod cell;
mod confirm;
mod diff;
mod keyboard_mode;
mod out;
mod output;
mod pastes;
mod quiet_keys;
mod relative_time;
mod safe;
mod select;
mod short_amounts;
mod span;
mod table;
#[cfg(test)]
mod tests;
mod tone;
mod wrap;

pub use block::Block;
pub use cell::Cell;
pub use confirm::{Confirmation, choose, confirm, is_interactive};
pub use diff::painted;
pub use hobnob_markdown::{signed_lines, unified};
pub use hobnob_text::counted;
pub use keyboard_mode::KeyboardMode;
pub use out::{error, error_piece, json, json_line, json_text, line, note, piece, text, warn};
pub use output::Output;
pub use pastes::{mark_pastes, unmark_pastes};
pub(crate) use quiet_keys::QuietKeys;
pub use relative_time::relative;
pub use safe::{one_line, safe};
pub use select::{moves_cursor, select};
pub use short_amounts::{short_count, short_duration};
pub use span::span;
pub use table::Table;
pub use tone::{Tone, paint};
pub use wrap::{WrapAt, wrapped};
