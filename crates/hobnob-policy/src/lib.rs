//! Who may do what, and the record of it: rules and verdicts are pure data and pure functions.
//!
//! The gateway's guard asks [`decide`] and hands the [`Permit`] on; only this crate can make one.
//! Nothing here knows the protocol's connections; the audit log has the only thread.

mod arguments;
pub mod audit;
mod decide;
mod glob;
mod grants;
mod naming;
mod path;
mod permit;
pub mod poison;
mod rule;
#[cfg(test)]
mod tests;
mod visible;

pub use decide::{Subject, SubjectKind, decide, hidden};
pub use glob::{Glob, GlobError};
pub use grants::{DefinitionDigest, GrantKey, Grants, Scope};
pub use permit::{Asked, Because, Denied, GrantedBy, Permit, RefusedBy, Settled, Verdict};
pub use rule::{Action, Rule, RuleError, RuleProblem, RuleText, Rules};
pub use visible::{visible, visible_json};
