//! Why a wish is not granted, and what the person can type to grant it.
//!
//! A message repeats what the caller typed and nothing else: no folder, user or log that the caller
//! did not name. A line for the person is only offered if what it shows is what it does.

use hobnob_text::visible;

use crate::audit::{AuditDecision, Decision};
use crate::grants::access::MachineService;
use crate::grants::subject::GrantSubject;
use crate::verdict::DecidingRule;

/// Characters of the caller's input that a message repeats.
const SHOWN: usize = 200;

/// A wish that no grant covers; its message is for the caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{input}`: {reason}{}", in_words(.commands))]
pub struct NotGranted {
    input: Box<str>,
    reason: NotGrantedReason,
    commands: Vec<String>,
}

/// Why a wish is not granted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotGrantedReason {
    /// Only callers on this machine and named principals are answered.
    #[error("only callers on this machine may ask for it, or a principal it is granted to by name")]
    RemoteCaller,
    /// The service is off, or may only read.
    #[error("the service `{}` is {}", .service.as_str(), .state)]
    Service {
        /// The service that would have done it.
        service: MachineService,
        /// The word for its access: `disabled` or `read-only`.
        state: &'static str,
    },
    /// No grant covers it.
    #[error("nothing that is granted covers it")]
    NotCovered,
    /// It may be read, and not changed.
    #[error("it is granted for reading only")]
    ReadingOnly,
    /// More than one granted thing has this name.
    #[error("more than one granted folder has this name: write the absolute path")]
    Ambiguous,
    /// What is granted may be filled and emptied, but not itself moved, replaced or deleted.
    #[error("it is the granted folder itself, or a whole hive, and that is never changed")]
    GrantedItself,
    /// No grant can cover it, since it is not what the service works on.
    #[error("{0}")]
    BadInput(String),
}

impl NotGranted {
    pub(super) fn new(input: &str, reason: NotGrantedReason) -> Self {
        let input: String = visible(input).chars().take(SHOWN).collect();
        Self { input: input.into(), reason, commands: Vec::new() }
    }

    pub(super) fn bad_input(input: &str, problem: impl ToString) -> Self {
        Self::new(input, NotGrantedReason::BadInput(problem.to_string()))
    }

    /// The same, and a line that the person can type. Several are typed one after the other.
    pub(super) fn with_command(mut self, line: String) -> Self {
        self.commands.push(line);
        self
    }

    /// What the caller typed, made safe to show.
    #[must_use]
    pub fn input(&self) -> &str {
        &self.input
    }

    /// Why it is not granted, for callers that act on it.
    #[must_use]
    pub fn reason(&self) -> &NotGrantedReason {
        &self.reason
    }

    /// What the person types to allow it, in this order; empty where nothing would.
    #[must_use]
    pub fn commands(&self) -> &[String] {
        &self.commands
    }

    /// What the audit says of it.
    #[must_use]
    pub fn audit(&self) -> AuditDecision {
        AuditDecision::new(Decision::Deny, DecidingRule::Default)
    }
}

fn in_words(commands: &[String]) -> String {
    match commands.is_empty() {
        true => String::new(),
        false => format!("; to allow it, run `{}`", commands.join("` and then `")),
    }
}

/// A word for a line that the person types, in quotation marks where a shell needs them. None if
/// the line would not show what it does, or the word would be taken for an option.
pub(super) fn shell_word(text: &str) -> Option<String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./=:@%+,-".contains(&byte);
    if SHOWN < text.chars().count() || visible(text) != text {
        return None;
    }
    match !text.is_empty() && text.bytes().all(plain) {
        true => Some(text.into()),
        false => Some(format!("'{}'", text.replace('\'', r"'\''"))),
    }
}

/// Who a new grant would have to be for, as options of the line that makes it.
pub(super) fn for_option(who: GrantSubject<'_>) -> String {
    match who.principal {
        None => String::new(),
        Some(name) => {
            format!(" --for {}", shell_word(name).unwrap_or_else(|| "PRINCIPAL".into()))
        }
    }
}
