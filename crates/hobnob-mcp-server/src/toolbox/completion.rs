//! Suggestions for an argument while someone is typing it: `completion/complete`. A kit registers
//! completers, the toolbox calls them.

use super::context::Context;
use super::error::ToolError;
use hobnob_mcp_engine::{Answer, BoxFuture, CallError, Outcome};
use hobnob_mcp_types::completion::MAX_VALUES;
use hobnob_mcp_types::entries::Entries;
use serde::Serialize;
use std::future::Future;

/// What someone has typed.
#[derive(Debug, Clone, Default)]
pub struct Typing {
    /// So far, into the argument in question.
    pub value: String,
    /// Before, into other arguments.
    pub given: Entries<String>,
}

/// What an argument belongs to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
    /// A prompt, by name.
    Prompt(Box<str>),
    /// A resource template, by its pattern.
    Template(Box<str>),
}

/// Gives all values that fit, best first.
pub(super) type Completer = Box<
    dyn Fn(Typing, Context) -> BoxFuture<'static, Result<Vec<String>, ToolError>> + Send + Sync,
>;

/// A handler as a completer.
pub(super) fn completer<F, Work>(handler: F) -> Completer
where
    F: Fn(Typing, Context) -> Work + Send + Sync + 'static,
    Work: Future<Output = Result<Vec<String>, ToolError>> + Send + 'static,
{
    Box::new(move |typing, context| Box::pin(handler(typing, context)))
}

/// The values as an answer: cut to what one may hold, with the count of all.
pub(super) fn completion_outcome(values: Vec<String>) -> Result<Outcome, CallError> {
    // Unlike the vocabulary's own type this always says whether there is more: nobody has to guess
    // what an absent member means.
    #[derive(Serialize)]
    struct Body<'a> {
        completion: Suggestions<'a>,
    }
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Suggestions<'a> {
        values: &'a [String],
        total: usize,
        has_more: bool,
    }
    let shown = &values[..values.len().min(MAX_VALUES)];
    let has_more = shown.len() < values.len();
    let completion = Suggestions { values: shown, total: values.len(), has_more };
    Answer::new(&Body { completion }).map(Outcome::Complete)
}
