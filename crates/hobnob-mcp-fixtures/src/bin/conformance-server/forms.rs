//! Questions that several kits ask.

use hobnob_mcp_types::content::SamplingContent;
use hobnob_mcp_types::elicitation::{ElicitParams, ElicitResult};
use hobnob_mcp_types::form::FormSchema;
use hobnob_mcp_types::form_field::{BooleanSchema, StringSchema};
use hobnob_mcp_types::sampling::{CreateMessageParams, SamplingMessage};

/// A form with one text field.
pub(crate) fn text(message: &str, field: &str) -> ElicitParams {
    ElicitParams::form(message, FormSchema::new().required(field, StringSchema::default()))
}

/// A form with one yes-or-no field.
pub(crate) fn yes_or_no(message: &str, field: &str) -> ElicitParams {
    ElicitParams::form(message, FormSchema::new().required(field, BooleanSchema::default()))
}

/// Asks the client's model for a short text.
pub(crate) fn say(prompt: &str, max_tokens: u64) -> CreateMessageParams {
    let message = SamplingMessage::user(SamplingContent::text(prompt));
    CreateMessageParams::new(vec![message], max_tokens)
}

/// The text of one field of a filled-in form; empty if it has none.
pub(crate) fn field(answer: &ElicitResult, name: &str) -> String {
    let form = answer.form::<serde_json::Value>().ok().flatten().unwrap_or_default();
    form.get(name).and_then(|value| value.as_str()).unwrap_or_default().to_owned()
}
