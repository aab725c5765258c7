//! Registered prompts: their list entry, their handler, and `prompts/get`. Arguments are checked
//! and decoded before a handler runs.

use crate::context::CallParts;
use crate::error::ToolError;
use crate::handler::{Run, RunHandler};
use crate::paged_list::Listed;
use crate::prompt_spec::PromptSpec;
use crate::reply::content_floor;
use crate::schema::TextFields;
use crate::slow_polls::SlowPolls;
use hobnob_mcp_engine::{Answer, CallError, Outcome};
use hobnob_mcp_types::Revision;
use hobnob_mcp_types::content::Content;
use hobnob_mcp_types::entries::Entries;
use hobnob_mcp_types::prompts::{GetPromptResult, Prompt, PromptArgument, PromptMessage};
use std::sync::Arc;

/// What a prompt's handler may return.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a prompt",
    label = "this handler returns `{Self}`",
    note = "return a text, `Vec<PromptMessage>` or `GetPromptResult`; or a `Result` of one of them \
            with `ToolError`"
)]
pub trait IntoPrompt: Send + 'static {
    /// Converts what the handler returned.
    fn into_prompt(self) -> Result<GetPromptResult, ToolError>;
}

impl<P: IntoPrompt> IntoPrompt for Result<P, ToolError> {
    fn into_prompt(self) -> Result<GetPromptResult, ToolError> {
        self?.into_prompt()
    }
}

impl IntoPrompt for GetPromptResult {
    fn into_prompt(self) -> Result<GetPromptResult, ToolError> {
        Ok(self)
    }
}

impl IntoPrompt for Vec<PromptMessage> {
    fn into_prompt(self) -> Result<GetPromptResult, ToolError> {
        Ok(GetPromptResult::new(self))
    }
}

impl IntoPrompt for String {
    fn into_prompt(self) -> Result<GetPromptResult, ToolError> {
        vec![PromptMessage::user(Content::text(self))].into_prompt()
    }
}

impl IntoPrompt for &'static str {
    fn into_prompt(self) -> Result<GetPromptResult, ToolError> {
        self.to_owned().into_prompt()
    }
}

/// A prompt that is ready to be listed and rendered.
pub(crate) struct RegisteredPrompt {
    pub(crate) name: Arc<str>,
    listing: Box<str>,
    arguments: Vec<(Box<str>, Need)>,
    pub(crate) fields: TextFields,
    run: RunHandler<GetPromptResult>,
    pub(crate) polls: SlowPolls,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    Required,
    Optional,
}

impl RegisteredPrompt {
    /// Registers a prompt whose arguments are `fields`; fails with a message for the author.
    pub(crate) fn new(
        name: String,
        spec: PromptSpec,
        fields: Result<TextFields, String>,
        run: RunHandler<GetPromptResult>,
    ) -> Result<Self, String> {
        let mut prompt = spec.into_prompt(name);
        let fields = merge_arguments(&mut prompt, fields)
            .map_err(|problem| format!("prompt `{}`: {problem}", prompt.name))?;
        let listing = serde_json::to_string(&prompt).map_err(|error| error.to_string())?;
        let need = |required| if required { Need::Required } else { Need::Optional };
        let arguments = prompt.arguments.iter();
        Ok(Self {
            name: Arc::from(prompt.name.as_str()),
            listing: listing.into(),
            arguments: arguments
                .map(|one| (one.name.as_str().into(), need(one.required)))
                .collect(),
            fields,
            run,
            polls: SlowPolls::default(),
        })
    }

    /// Whether the prompt has an argument of this name.
    pub(crate) fn takes(&self, argument: &str) -> bool {
        self.arguments.iter().any(|(name, _)| &**name == argument)
    }

    /// Starts a run, unless an argument is missing or invalid.
    pub(crate) fn run(
        &self,
        arguments: Entries<String>,
        parts: CallParts,
    ) -> Result<Run<GetPromptResult>, CallError> {
        let missing = self
            .arguments
            .iter()
            .find(|(name, need)| *need == Need::Required && !arguments.contains(name));
        if let Some((name, _)) = missing {
            let message = format!("prompt `{}` needs the argument `{name}`", self.name);
            return Err(CallError::params(message));
        }
        let arguments = self.fields.read(arguments, "arguments").map_err(CallError::params)?;
        (self.run)(arguments, parts)
            .map_err(|error| CallError::params(format!("arguments: {error}")))
    }
}

/// Adds the arguments to the list entry, and checks the entry.
fn merge_arguments(
    prompt: &mut Prompt,
    fields: Result<TextFields, String>,
) -> Result<TextFields, String> {
    if prompt.name.is_empty() {
        return Err("a name is required".into());
    }
    if prompt.description.as_ref().is_none_or(|text| text.trim().is_empty()) {
        return Err("a description is required".into());
    }
    if prompt.meta.as_ref().is_some_and(|meta| !meta.get().starts_with('{')) {
        return Err("`_meta` must be an object".into());
    }
    let fields = fields?;
    if !prompt.arguments.is_empty() && !fields.is_open() {
        let why = "the spec must not declare arguments: they come from the type of the handler";
        return Err(why.into());
    }
    prompt.arguments.extend(fields.iter().map(|field| PromptArgument {
        name: field.name.to_string(),
        title: None,
        description: field.description.clone(),
        required: field.is_required,
    }));
    // Some clients let a person type the arguments by position, without names.
    let mut optional = None;
    for argument in &prompt.arguments {
        match (argument.required, optional) {
            (true, Some(before)) => {
                return Err(format!(
                    "the required argument `{}` comes after the optional `{before}`",
                    argument.name
                ));
            }
            (true, None) => {}
            (false, _) => optional = Some(&argument.name),
        }
    }
    Ok(fields)
}

impl Listed for RegisteredPrompt {
    fn listing(&self) -> &str {
        &self.listing
    }
}

/// Converts the end of a run to an outcome.
pub(crate) fn prompt_outcome(
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
