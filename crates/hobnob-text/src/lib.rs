//! Text that people read: what is safe to show on a terminal, what leaves nothing unseen, bytes as
//! hexadecimal digits.
//!
//! Pure functions without dependencies, for every crate that shows text.

mod display_hazard;
mod display_safe;
pub mod hex;
mod json_safe;
mod visible;

pub use display_hazard::{DisplayHazard, display_hazard, is_display_hazard};
pub use display_safe::{SafePieces, display_safe};
pub use json_safe::{escape_utf16, json_safe};
pub use visible::{visible, visible_json};
