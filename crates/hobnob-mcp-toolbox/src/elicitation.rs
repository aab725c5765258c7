//! Asks a person for typed data: the form is derived from the type of the answer.
//!
//! Handlers call these methods; `questions` has the rules of asking back.

use crate::context::CallContext;
use crate::error::ToolError;
use crate::schema::{FormOfType, absent};
use hobnob_mcp_engine::CallError;
use hobnob_mcp_types::elicitation::{ElicitAction, ElicitParams, ElicitResult};
use hobnob_mcp_types::input::InputRequests;
use hobnob_mcp_types::{ErrorCode, RpcError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// What a person did with a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Elicited<T> {
    /// The person filled it in, and the values match the form.
    Accepted(T),
    /// The person refused explicitly, rather than just closing the form.
    Declined,
    /// The person closed it without a decision.
    Cancelled,
}

impl CallContext {
    /// The data that the person filled in; asks for it if it is not known yet. The fields of `T`
    /// become the form: texts, numbers, booleans and choices.
    ///
    /// If the person declines or closes the form, the call fails and says so; use
    /// [`Self::elicit_outcome`] to continue in another way.
    ///
    /// ```
    /// # use hobnob_mcp_toolbox::{Context, Kit, ToolError};
    /// # use schemars::JsonSchema;
    /// # use serde::Deserialize;
    /// #[derive(Deserialize, JsonSchema)]
    /// struct Confirm {
    ///     /// The name of what will be deleted.
    ///     name: String,
    /// }
    ///
    /// async fn delete(context: Context) -> Result<&'static str, ToolError> {
    ///     let confirm: Confirm = context.elicit("confirm", "Type the name to delete it")?;
    ///     if confirm.name != "everything" {
    ///         return Err(ToolError::failed("nothing was deleted"));
    ///     }
    ///     Ok("deleted")
    /// }
    ///
    /// let kit = Kit::plain("k").asks::<Confirm>().tool("delete", "Deletes everything", delete);
    /// # kit.build().unwrap();
    /// ```
    pub fn elicit<T>(&self, key: &str, message: &str) -> Result<T, ToolError>
    where
        T: DeserializeOwned + JsonSchema,
    {
        match self.elicit_outcome(key, message)? {
            Elicited::Accepted(filled_in) => Ok(filled_in),
            Elicited::Declined => Err(ToolError::failed(format!("the person declined: {message}"))),
            Elicited::Cancelled => {
                Err(ToolError::failed(format!("the person gave no answer: {message}")))
            }
        }
    }

    /// The same for a handler that can continue without an answer.
    pub fn elicit_outcome<T>(&self, key: &str, message: &str) -> Result<Elicited<T>, ToolError>
    where
        T: DeserializeOwned + JsonSchema,
    {
        let form = FormOfType::new::<T>().map_err(not_a_form)?;
        let answer: ElicitResult = self.answered(key, || {
            let params = ElicitParams::form(message, form.schema.clone());
            InputRequests::new().elicit(key, params)
        })?;
        let filled_in = match answer.action {
            ElicitAction::Decline => return Ok(Elicited::Declined),
            ElicitAction::Cancel => return Ok(Elicited::Cancelled),
            ElicitAction::Accept => checked(&form, &answer),
        };
        let filled_in = filled_in.and_then(|value| {
            serde_json::from_value(value).map_err(|error| format!("content: {error}"))
        });
        let wrong = |problem| ToolError::params(format!("`inputResponses.{key}`: {problem}"));
        filled_in.map(Elicited::Accepted).map_err(wrong)
    }

    /// Whether the person agrees: a form with one checkbox, `confirmed`. A person who declines or
    /// closes the form does not agree.
    pub fn confirm(&self, key: &str, question: &str) -> Result<bool, ToolError> {
        let outcome = self.elicit_outcome(key, question)?;
        Ok(matches!(outcome, Elicited::Accepted(Confirmation { confirmed: true })))
    }

    /// What the person did with a question that is not a typed form: a page to visit, or a form
    /// written by hand.
    pub fn elicit_with(&self, key: &str, params: ElicitParams) -> Result<ElicitResult, ToolError> {
        self.answered(key, || InputRequests::new().elicit(key, params))
    }

    /// A typed form as one of several questions for [`Self::ask`]. Read its answer with
    /// [`Self::elicit`].
    pub fn form<T: JsonSchema>(&self, message: &str) -> Result<ElicitParams, ToolError> {
        let form = FormOfType::new::<T>().map_err(not_a_form)?;
        Ok(ElicitParams::form(message, form.schema))
    }
}

/// The form of [`CallContext::confirm`].
#[derive(Deserialize, JsonSchema)]
struct Confirmation {
    /// Whether to go ahead.
    confirmed: bool,
}

/// Checks the filled-in values against the form.
fn checked(form: &FormOfType, answer: &ElicitResult) -> Result<Value, String> {
    let value = match &answer.content {
        None => Value::Object(Map::new()),
        Some(content) => {
            serde_json::from_str(content.get()).map_err(|error| format!("content: {error}"))?
        }
    };
    match form.check.problem(&value, "content") {
        None => Ok(value),
        // Some clients write `null` for a field that was left empty.
        Some(problem) => absent(form.check.schema(), &value)
            .filter(|rest| form.check.problem(rest, "content").is_none())
            .ok_or(problem),
    }
}

/// Reports a mistake of the author; [`KitBuilder::asks`](crate::KitBuilder::asks) finds it earlier.
fn not_a_form(problem: String) -> ToolError {
    tracing::error!(problem, "a handler asks with a type that cannot be a form");
    ToolError::Protocol(CallError::Other(RpcError::new(ErrorCode::INTERNAL, problem)))
}
