//! Why a wish is not granted, and what the person can type to grant it.
//!
//! A message repeats the caller's input and nothing else: no folder, user or log that the caller
//! did not name. A command is only offered if its text shows everything that it does.

use hobnob_text::visible;

use crate::audit::{AuditDecision, Decision};
use crate::grants::access::MachineService;
use crate::grants::subject::GrantSubject;
use crate::verdict::DecidingRule;

/// Maximum number of characters of the caller's input that a message repeats.
const MAX_INPUT_CHARS: usize = 200;

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
    /// Only callers on this machine and named principals get an answer.
    #[error("only callers on this machine, and principals that a grant names, may ask for it")]
    RemoteCaller,
    /// The service is off, or read-only.
    #[error("the service `{}` is {}", .service.as_str(), .state)]
    Service {
        /// The service that would have done it.
        service: MachineService,
        /// The service's access: `disabled` or `read-only`.
        state: &'static str,
    },
    /// No grant covers it.
    #[error("no grant covers it")]
    NotCovered,
    /// It may be read, but not changed.
    #[error("it is granted for reading only")]
    ReadingOnly,
    /// Several granted folders have this name.
    #[error("more than one granted folder has this name: write the absolute path")]
    Ambiguous,
    /// Only the content of a granted folder may change: it is never moved, replaced or deleted.
    #[error(
        "a granted folder or a whole hive is never changed, moved or deleted itself, only what is \
         in it"
    )]
    GrantedItself,
    /// No grant can cover it: the service does not work on such things.
    #[error("{0}")]
    BadInput(String),
}

impl NotGranted {
    pub(super) fn new(input: &str, reason: NotGrantedReason) -> Self {
        let input: String = visible(input).chars().take(MAX_INPUT_CHARS).collect();
        Self { input: input.into(), reason, commands: Vec::new() }
    }

    pub(super) fn bad_input(input: &str, problem: impl ToString) -> Self {
        Self::new(input, NotGrantedReason::BadInput(problem.to_string()))
    }

    /// Adds a command that the person can type. Several are typed one after the other.
    pub(super) fn with_command(mut self, line: String) -> Self {
        self.commands.push(line);
        self
    }

    /// The caller's input, made safe to print.
    #[must_use]
    pub fn input(&self) -> &str {
        &self.input
    }

    /// The reason, for callers that act on it.
    #[must_use]
    pub fn reason(&self) -> &NotGrantedReason {
        &self.reason
    }

    /// What the person types to allow it, in this order; empty if no command would.
    #[must_use]
    pub fn commands(&self) -> &[String] {
        &self.commands
    }

    /// What the audit says about it.
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

/// Quotes a word for a command that the person types, if a shell needs that. `None` if the command
/// would not show what it does, or the word would be taken for an option.
pub(super) fn shell_word(text: &str) -> Option<String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./=:@%+,-".contains(&byte);
    if MAX_INPUT_CHARS < text.chars().count() || visible(text) != text {
        return None;
    }
    match !text.is_empty() && text.bytes().all(plain) {
        true => Some(text.into()),
        false => Some(format!("'{}'", text.replace('\'', r"'\''"))),
    }
}

/// The option that names the principal of a new grant for this caller.
pub(super) fn for_option(who: GrantSubject<'_>) -> String {
    match who.principal {
        None => String::new(),
        Some(name) => {
            format!(" --for {}", shell_word(name).unwrap_or_else(|| "PRINCIPAL".into()))
        }
    }
}
