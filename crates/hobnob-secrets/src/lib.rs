//! Finds secrets and personal data in text: [`Scanner`] says what and where, never the value, and
//! [`Anonymiser`] puts tokens in the place of who and where somebody is.
//!
//! The memory and task services call the first for everything they store, the log service the second
//! for everything it shows. Trigger words are found in one
//! pass, and each rule then reads a bounded stretch around its word.

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
