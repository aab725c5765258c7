//! Text that people read: what is safe to print on a terminal, text with nothing invisible in it,
//! shortened text, words of a shell, and bytes as hexadecimal digits.
//!
//! Pure functions without dependencies, for every crate that shows text.

mod counted;
mod display_hazard;
mod display_safe;
pub mod hex;
mod json_safe;
mod shell_word;
mod shorten;
mod visible;

pub use counted::counted;
pub use display_hazard::{DisplayHazard, display_hazard, is_display_hazard};
pub use display_safe::{SafePieces, display_safe, safe_line};
pub use json_safe::{escape_utf16, json_safe};
pub use shell_word::shell_word;
pub use shorten::{ellipsize, escaped_start, first_chars, plain_line, single_spaced};
pub use visible::{quotable_name, visible, visible_json};
