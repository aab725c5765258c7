//! JSON text as it travels: checked once, then handled as slices of the same text.
//!
//! The envelope decoder and the edges use this; feature types use `serde_json`.
//! A text that passed [`Cursor`] is valid JSON, has no object with the same key twice,
//! and is nested no deeper than [`MAX_DEPTH`].

mod cursor;
mod object;
mod plain;
mod span;
#[cfg(test)]
mod tests;

pub use cursor::{Cursor, JsonError, MAX_DEPTH, unescape};
pub(crate) use cursor::{is_half_pair, replace_lone_surrogates};
pub use object::{ObjectWriter, elements, entries, field, object, write_string};
pub(crate) use plain::plain_prefix;
pub use span::{Field, Span};
