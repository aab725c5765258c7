//! Registered prompts: their entry in the list, their handler, and `prompts/get`. Required arguments
//! are checked before a handler runs.

use super::context::Context;
use super::error::{KitError, ToolError};
use super::paged_list::Listed;
use super::reply::content_floor;
use hobnob_mcp_engine::{Answer, BoxFuture, CallError, Outcome};
use hobnob_mcp_types::Revision;
use hobnob_mcp_types::content::Content;
use hobnob_mcp_types::entries::Entries;
use hobnob_mcp_types::prompts::{GetPromptResult, Prompt, PromptMessage};
use std::future::Future;
use std::sync::Arc;

type PromptRun = BoxFuture<'static, Result<GetPromptResult, ToolError>>;

/// What a prompt's handler may return.
pub trait IntoPrompt: Send + 'static {
    /// Converts what the handler returned.
    fn into_prompt(self) -> GetPromptResult;
}

impl IntoPrompt for GetPromptResult {
    fn into_prompt(self) -> GetPromptResult {
        self
    }
}

impl IntoPrompt for Vec<PromptMessage> {
    fn into_prompt(self) -> GetPromptResult {
        GetPromptResult::new(self)
    }
}

impl IntoPrompt for String {
    fn into_prompt(self) -> GetPromptResult {
        vec![PromptMessage::user(Content::text(self))].into_prompt()
    }
}

impl IntoPrompt for &'static str {
    fn into_prompt(self) -> GetPromptResult {
        self.to_owned().into_prompt()
    }
}

/// A prompt, ready to be listed and filled in.
pub(super) struct RegisteredPrompt {
    pub(super) name: Arc<str>,
    listing: Box<str>,
    arguments: Vec<(Box<str>, Need)>,
    run: Box<dyn Fn(Entries<String>, Context) -> PromptRun + Send + Sync>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    Required,
    Optional,
}

impl RegisteredPrompt {
    pub(super) fn new<P, F, Work>(prompt: &Prompt, handler: F) -> Result<Self, KitError>
    where
        P: IntoPrompt,
        F: Fn(Entries<String>, Context) -> Work + Send + Sync + 'static,
        Work: Future<Output = Result<P, ToolError>> + Send + 'static,
    {
        let wrong = |text: &str| KitError::new(format!("prompt `{}`: {text}", prompt.name));
        if prompt.name.is_empty() {
            return Err(wrong("a name is required"));
        }
        if prompt.description.as_ref().is_none_or(|text| text.trim().is_empty()) {
            return Err(wrong("a description is required"));
        }
        let need = |required| if required { Need::Required } else { Need::Optional };
        let arguments = prompt.arguments.iter();
        let listing = serde_json::to_string(prompt);
        Ok(Self {
            name: Arc::from(prompt.name.as_str()),
            listing: listing.map_err(|error| wrong(&error.to_string()))?.into(),
            arguments: arguments
                .map(|one| (one.name.as_str().into(), need(one.required)))
                .collect(),
            run: Box::new(move |arguments, context| {
                let work = handler(arguments, context);
                Box::pin(async move { work.await.map(IntoPrompt::into_prompt) })
            }),
        })
    }

    /// Whether it has an argument of this name.
    pub(super) fn takes(&self, argument: &str) -> bool {
        self.arguments.iter().any(|(name, _)| &**name == argument)
    }

    /// Begins a run, if everything is there that must be.
    pub(super) fn run(
        &self,
        arguments: Entries<String>,
        context: Context,
    ) -> Result<PromptRun, CallError> {
        let missing = self
            .arguments
            .iter()
            .find(|(name, need)| *need == Need::Required && !arguments.contains(name));
        if let Some((name, _)) = missing {
            let message = format!("prompt `{}` needs the argument `{name}`", self.name);
            return Err(CallError::params(message));
        }
        Ok((self.run)(arguments, context))
    }
}

impl Listed for RegisteredPrompt {
    fn listing(&self) -> &str {
        &self.listing
    }
}

/// How a run ends for its caller.
pub(super) fn prompt_outcome(
    ended: Result<GetPromptResult, ToolError>,
) -> Result<Outcome, CallError> {
    match ended {
        Ok(mut result) => {
            let meta = result.meta.take();
            result.result_type = None;
            let floors = result.messages.iter().map(|message| content_floor(&message.content));
            let floor = floors.max().unwrap_or(Revision::V2024_11_05);
            Ok(Outcome::Complete(Answer { meta, ..Answer::new(&result)?.since(floor) }))
        }
        Err(ToolError::Questions(questions)) => Ok(Outcome::NeedsInput(*questions)),
        Err(error) => Err(error.into_call_error()),
    }
}
