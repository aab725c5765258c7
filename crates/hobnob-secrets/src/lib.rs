//! Finds secrets and personal data in text: [`Scanner`] reports kind and position, never the value,
//! and [`Anonymiser`] replaces names of people and machines by tokens.
//!
//! The memory and task services run the scanner on everything they store, the log service runs the
//! anonymiser on everything it shows. One pass finds trigger words; each rule then reads a bounded
//! part of the text around its word.

mod anonymise;
mod composition;
mod finding;
mod folded;
mod kind;
mod personal;
mod placeholder;
mod redaction;
mod rule_match;
mod scanner;
mod scope;
mod secret;
mod text;
mod trigger;

pub use anonymise::{
    Anonymiser, AnonymiserKey, BadToken, HiddenSpan, KnownNames, PersonalKind, PersonalToken,
};
pub use finding::Finding;
pub use kind::{Family, FindingKind, PersonalData};
pub use scanner::Scanner;
pub use scope::ScanScope;
