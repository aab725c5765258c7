//! Finds secrets and personal data in text: [`Scanner`] says what and where, never the value.
//!
//! Words are found in one pass, and each rule then looks at a bounded stretch around its word.

mod finding;
mod folded;
mod kind;
mod personal;
mod placeholder;
mod scanner;
mod scope;
mod secret;
mod sighting;
mod text;
mod trigger;
mod wording;

pub use finding::Finding;
pub use kind::{Family, Kind};
pub use scanner::Scanner;
pub use scope::{Personal, Scope};
