//! Finds secrets and personal data in text: [`Scanner`] says what and where, never the value.
//!
//! The memory and task services call it for everything they store. Trigger words are found in one
//! pass, and each rule then reads a bounded stretch around its word.

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

pub use finding::Finding;
pub use kind::{Family, FindingKind, PersonalData};
pub use scanner::Scanner;
pub use scope::ScanScope;
