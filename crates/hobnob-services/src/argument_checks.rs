//! The checks of caller-supplied texts before a service stores them: length, emptiness and secrets.
//!
//! The services of tasks and trees call it. A refusal names the argument and the place, never the
//! secret.

use crate::presentation::{Failure, Presentation};
use hobnob_mcp_toolbox::{CallContext, ToolError};
use hobnob_secrets::{Finding, Scanner};

/// Longest name, in characters.
const MAX_NAME: usize = 200;

/// The checks, with the error shapes of one view.
pub(crate) struct ArgumentChecks<'a> {
    pub(crate) presentation: &'a Presentation,
    /// Finds secrets in new texts; without it, none are looked for.
    pub(crate) scanner: Option<Scanner>,
}

impl ArgumentChecks<'_> {
    /// Checks that a name is neither blank nor too long.
    pub(crate) fn name<'a>(&self, what: &str, raw: &'a str) -> Result<&'a str, ToolError> {
        let count = raw.chars().count();
        if raw.trim().is_empty() || MAX_NAME < count {
            let message = format!("{what}: {count} characters, it must have 1 to {MAX_NAME}");
            return Err(self.presentation.fail(Failure::Invalid, message));
        }
        self.refuse_secrets(what, raw)?;
        Ok(raw)
    }

    /// Checks that a text has at most `limit` bytes.
    pub(crate) fn text(&self, what: &str, text: String, limit: usize) -> Result<String, ToolError> {
        if limit < text.len() {
            let message = format!("{what}: {} bytes, at most {limit} are allowed", text.len());
            return Err(self.presentation.fail(Failure::Invalid, message));
        }
        self.refuse_secrets(what, &text)?;
        Ok(text)
    }

    fn refuse_secrets(&self, what: &str, text: &str) -> Result<(), ToolError> {
        let found = self.scanner.and_then(|scanner| scanner.scan(text).into_iter().next());
        match found {
            None => Ok(()),
            Some(Finding { kind, line, column, .. }) => {
                let kind = kind.label();
                let message = format!(
                    "Content blocked: {what}: {kind} at line {line}, column {column}. Remove it"
                );
                Err(self.presentation.fail(Failure::Blocked, message))
            }
        }
    }
}

/// The name of the caller's client, for callers that do not say who they are.
pub(crate) fn client_name(context: &CallContext) -> String {
    let name = context.caller().client.as_ref().map(|client| client.name.trim());
    let name = name.filter(|name| !name.is_empty()).unwrap_or("anonymous");
    name.chars().take(MAX_NAME).collect()
}
