//! JSON Schema for arguments and structured results: derived, simplified, bounded, compiled once.
//!
//! Registration passes in a type or a written schema; calls pass in a value to check.

mod closed_objects;
mod derive;
mod describe;
mod form;
mod plain;
mod text_fields;
mod walk;

pub use derive::NoArguments;
pub(crate) use derive::{input_schema_of, output_schema_of};
pub(crate) use form::FormOfType;
pub(crate) use hobnob_mcp_schema::CompiledSchema;
pub(crate) use plain::absent;
pub(crate) use text_fields::TextFields;
