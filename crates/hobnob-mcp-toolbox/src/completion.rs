//! Suggestions for an argument while someone is typing it: `completion/complete`. A kit registers
//! completers, the toolbox calls them.

use crate::context::{CallParts, ContextSource};
use crate::error::ToolError;
use crate::handler::KitHandler;
use hobnob_mcp_engine::{Answer, BoxFuture, CallError, Outcome};
use hobnob_mcp_types::completion::MAX_VALUES;
use hobnob_mcp_types::entries::Entries;
use serde::{Deserialize, Serialize};
use std::future::Future;
use std::sync::Arc;

/// What someone has typed.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct CompletionRequest {
    /// So far, into the argument in question.
    pub value: String,
    /// Before, into other arguments.
    pub arguments: Entries<String>,
}

impl CompletionRequest {
    /// Those of the words that begin with what was typed.
    pub fn matching<W>(&self, words: impl IntoIterator<Item = W>) -> Vec<String>
    where
        W: AsRef<str> + Into<String>,
    {
        let words = words.into_iter();
        words.filter(|word| word.as_ref().starts_with(&self.value)).map(Into::into).collect()
    }
}

/// What an argument belongs to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Completable {
    /// A prompt, by name.
    Prompt(Box<str>),
    /// A resource template, by its pattern.
    Template(Box<str>),
}

/// Gives all values that fit, best first.
pub(crate) type Completer = Box<
    dyn Fn(CompletionRequest, CallParts) -> BoxFuture<'static, Result<Vec<String>, ToolError>>
        + Send
        + Sync,
>;

/// Where suggestions come from: a list of words, or a handler.
///
/// A handler takes a [`CompletionRequest`], and a context if it needs one, and returns all values
/// that fit, best first.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot complete arguments in a kit whose state is `{S}`",
    label = "not a source of suggestions",
    note = "give a list of words, or an `async fn(CompletionRequest, Context<State>) -> \
            Result<Vec<String>, ToolError>`; the context may be left out"
)]
pub trait CompletionSource<S, Shape> {
    #[doc(hidden)]
    fn into_completer(self, state: Arc<S>) -> Completer;
}

impl<S, W, const N: usize> CompletionSource<S, WordList> for [W; N]
where
    W: Into<String>,
{
    fn into_completer(self, _: Arc<S>) -> Completer {
        word_list(self.into_iter().map(Into::into).collect())
    }
}

impl<S> CompletionSource<S, WordList> for Vec<String> {
    fn into_completer(self, _: Arc<S>) -> Completer {
        word_list(self)
    }
}

impl<S, Shape, H> CompletionSource<S, FromHandler<Shape>> for H
where
    S: Send + Sync + 'static,
    H: KitHandler<S, Shape, Arguments = CompletionRequest> + Send + Sync + 'static,
    H::Returned: Future<Output: IntoCompletions> + Send + 'static,
{
    fn into_completer(self, state: Arc<S>) -> Completer {
        Box::new(move |request, parts| {
            let mut running = None;
            let work = self.handle(request, ContextSource::new(parts, &state, &mut running));
            Box::pin(async move {
                let _running = running;
                work.await.into_completions()
            })
        })
    }
}

/// The shape of a source that is a list of words.
pub struct WordList;

/// The shape of a source that is a handler.
pub struct FromHandler<Shape>(std::marker::PhantomData<Shape>);

/// What the handler of a completion may return.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a list of suggestions",
    label = "this handler returns `{Self}`",
    note = "return `Vec<String>`, or a `Result` of it with `ToolError`"
)]
pub trait IntoCompletions: Send + 'static {
    /// Converts what the handler returned.
    fn into_completions(self) -> Result<Vec<String>, ToolError>;
}

impl IntoCompletions for Vec<String> {
    fn into_completions(self) -> Result<Vec<String>, ToolError> {
        Ok(self)
    }
}

impl IntoCompletions for Result<Vec<String>, ToolError> {
    fn into_completions(self) -> Result<Vec<String>, ToolError> {
        self
    }
}

/// Suggests those of the words that begin with what was typed.
pub(crate) fn word_list(words: Vec<String>) -> Completer {
    Box::new(move |request, _| {
        let found = request.matching(words.iter().map(String::as_str));
        Box::pin(std::future::ready(Ok(found)))
    })
}

/// The values as an answer: cut to what one may hold, with the count of all.
pub(crate) fn completion_outcome(values: Vec<String>) -> Result<Outcome, CallError> {
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
