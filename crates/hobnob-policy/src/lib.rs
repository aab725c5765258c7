//! Decides who may do what, and records it: rules and verdicts are pure data and pure functions.
//!
//! The gateway asks [`authorize`] and hands the [`Permit`] on. Only this crate can make a permit,
//! and the code that reaches an upstream or a built-in takes nothing else. Nothing here knows the
//! protocol's connections; the audit log has the only thread.

mod arguments;
pub mod audit;
mod consents;
mod decide;
mod glob;
mod grants;
mod path;
mod permit;
pub mod poison;
mod rule;
mod rule_callers;
mod rule_reach;
mod selector;
mod subject;
#[cfg(test)]
mod tests;
mod verdict;

pub use consents::{ConsentKey, ConsentScope, DefinitionDigest, RememberedConsents};
pub use decide::{decide, hidden};
pub use glob::{Glob, GlobError};
pub use grants::{
    AgentGrantSource, AgentWish, ArgvPattern, BadContentHash, BadRegistryKey, BadRelativePath,
    CallerPlace, CommandGrantSource, CommandText, CommandWish, ContentHash, ContentPattern,
    Deletion, DotFiles, EditMatches, EditRun, EntryKind, FileAction, FileGrantSource,
    FileOperation, FileRoot, FileSearch, FileWish, FolderSource, GrantError, GrantSet,
    GrantSources, GrantSubject, GrantedPath, HardLinks, HitCount, Hive, IgnoreFiles, KeyAction,
    KeyGrantSource, KeyOperation, KeyView, KeyWish, LetterCase, LogAction, LogFilter,
    LogGrantSource, LogLevel, LogListing, LogOperation, LogSource, LogStart, LogWish,
    MachineService, MemoryRole, MemoryRoleSource, MissingParents, MoveMode, NetworkRule,
    NotGranted, NotGrantedReason, PatternSyntax, ReadWindow, RegistryKey, RegistryValue,
    RelativePath, RootAccess, RootRule, RunCommand, SandboxFolder, SandboxRule, ServiceAccess,
    TextEdit, TreeWish, ValueName, WorkingFolder, WriteMode, is_dangerous_variable,
};
pub use permit::{
    Authorization, Denied, GrantedBy, OwnerRule, PendingConsent, Permit, RefusedBy, authorize,
};
pub use rule::{PermissionRule, RuleAction, RuleError, RuleProblem, RuleSet, RuleSource};
pub use rule_callers::{RuleGroup, SubjectCaller};
pub use rule_reach::{rules_naming, rules_reaching};
pub use subject::{PermissionRequest, Subject, SubjectKind};
pub use verdict::{DecidingRule, RuleVerdict, VerdictReason};
