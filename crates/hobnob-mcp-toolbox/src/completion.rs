//! `completion/complete`: suggestions for an argument while a person is typing it. A kit registers
//! completers, and the toolbox calls them.

use crate::context::{CallParts, ContextSource};
use crate::error::ToolError;
use crate::handler::KitHandler;
use hobnob_mcp_engine::{Answer, BoxFuture, CallError, Outcome};
use hobnob_mcp_types::completion::MAX_VALUES;
use hobnob_mcp_types::entries::Entries;
use serde::{Deserialize, Serialize};
use std::future::Future;
use std::sync::Arc;

/// What a person has typed when a client asks for suggestions.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct CompletionRequest {
    /// The text typed so far into this argument.
    pub value: String,
    /// The values of other arguments, as far as they are known.
    pub arguments: Entries<String>,
}

impl CompletionRequest {
    /// Those of `words` that begin with the typed text.
    pub fn matching<W>(&self, words: impl IntoIterator<Item = W>) -> Vec<String>
    where
        W: AsRef<str> + Into<String>,
    {
        let words = words.into_iter();
        words.filter(|word| word.as_ref().starts_with(&self.value)).map(Into::into).collect()
    }
}

/// The prompt or template that an argument belongs to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Completable {
    /// A prompt, identified by its name.
    Prompt(Box<str>),
    /// A resource template, identified by its URI template.
    Template(Box<str>),
}

/// Returns all suggestions, best first.
pub(crate) type Completer = Box<
    dyn Fn(CompletionRequest, CallParts) -> BoxFuture<'static, Result<Vec<String>, ToolError>>
        + Send
        + Sync,
>;

/// A source of suggestions: a list of words, or a handler.
///
/// A handler takes a [`CompletionRequest`], and a context if it needs one, and returns all
/// suggestions, best first.
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

/// What a completion handler may return.
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

/// Suggests the words that begin with the typed text.
pub(crate) fn word_list(words: Vec<String>) -> Completer {
    Box::new(move |request, _| {
        let found = request.matching(words.iter().map(String::as_str));
        Box::pin(std::future::ready(Ok(found)))
    })
}

/// The answer with the suggestions: cut to the protocol's maximum, with their total number.
pub(crate) fn completion_outcome(values: Vec<String>) -> Result<Outcome, CallError> {
    // Unlike the vocabulary's own type, this always writes `hasMore`, so no client has to know what
    // its absence means.
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
