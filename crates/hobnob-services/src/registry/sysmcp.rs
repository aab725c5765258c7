//! The tools in the shape of the profile `sysmcp`: `read` and `write`, with camel-case names.

use super::service::{KeyResult, PresentedRegistry, WishEffect};
use super::typed_data::{TypeWord, shown, shown_name, value_name};
use super::views::{ValueView, is_saved};
use hobnob_machine::registry::KeyOutcome;
use hobnob_mcp_toolbox::{Context, ToolError, ToolReply};
use hobnob_policy::{KeyOperation, KeyView, KeyWish};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReadArguments {
    /// Registry key (HKLM\Software\Example, HKEY_CURRENT_USER\Environment, etc.)
    key: Option<String>,
    /// The same as key
    path: Option<String>,
    /// Value name; empty for the default value; all values if not given
    value_name: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct OneEntry<'a> {
    key: &'a str,
    value_name: &'a str,
    #[serde(rename = "type")]
    type_name: &'a str,
    data: Option<Value>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct KeyEntries<'a> {
    key: &'a str,
    values: Vec<ValueView<'a>>,
    sub_keys: &'a [String],
}

pub(super) async fn read(
    arguments: ReadArguments,
    context: Context<PresentedRegistry>,
) -> Result<ToolReply, ToolError> {
    let presented = context.state();
    let key = one_key(presented, arguments.key, arguments.path)?;
    let operation = KeyOperation::Read { value: arguments.value_name.map(value_name) };
    let wish = KeyWish { key, view: KeyView::Native, operation };
    let KeyResult { key, outcome } = presented.perform(&context, WishEffect::Reads, wish).await?;
    match &outcome {
        KeyOutcome::Value(value, _) => {
            let (type_name, data) = shown(&value.data);
            let value_name = shown_name(&value.name);
            presented.presentation.reply(&OneEntry { key: &key, value_name, type_name, data })
        }
        KeyOutcome::Contents(contents) => presented.presentation.reply(&KeyEntries {
            key: &key,
            values: contents.values.iter().map(ValueView::of).collect(),
            sub_keys: &contents.keys,
        }),
        KeyOutcome::Changed(_) => Err(presented.invalid("nothing was read")),
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct WriteArguments {
    /// Registry key (HKCU\Software\Example, etc.); it is created if it is missing
    key: Option<String>,
    /// The same as key
    path: Option<String>,
    /// Value name; the default value if not given
    value_name: Option<String>,
    /// Value type (REG_SZ, REG_EXPAND_SZ, REG_MULTI_SZ, REG_DWORD, REG_QWORD, REG_BINARY; default:
    /// REG_SZ)
    #[serde(rename = "type")]
    type_word: Option<String>,
    /// Value data: string, number, array of strings or hexadecimal digits, as the type asks for
    data: Value,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct WrittenEntry<'a> {
    key: &'a str,
    value_name: &'a str,
    #[serde(rename = "type")]
    type_name: &'a str,
    saved: bool,
}

pub(super) async fn write(
    arguments: WriteArguments,
    context: Context<PresentedRegistry>,
) -> Result<ToolReply, ToolError> {
    let presented = context.state();
    let key = one_key(presented, arguments.key, arguments.path)?;
    let word = arguments.type_word.as_deref().map_or(Some(TypeWord::Text), TypeWord::parse);
    let word = word.ok_or_else(|| {
        presented.invalid(
            "type: expected REG_SZ, REG_EXPAND_SZ, REG_MULTI_SZ, REG_DWORD, REG_QWORD or REG_BINARY",
        )
    })?;
    let value = word.value(&arguments.data);
    let value = value.map_err(|problem| presented.invalid(format!("data: {problem}")))?;
    let (name, type_name) =
        (value_name(arguments.value_name.unwrap_or_default()), value.type_name());
    let operation = KeyOperation::Write { name: name.clone(), value };
    let wish = KeyWish { key, view: KeyView::Native, operation };
    let KeyResult { key, outcome } = presented.perform(&context, WishEffect::Changes, wish).await?;
    match outcome {
        KeyOutcome::Changed(durability) => {
            let (value_name, saved) = (shown_name(&name), is_saved(durability));
            presented.presentation.reply(&WrittenEntry { key: &key, value_name, type_name, saved })
        }
        KeyOutcome::Value(..) | KeyOutcome::Contents(_) => {
            Err(presented.invalid("nothing was written"))
        }
    }
}

/// The key, given under either of its two names.
fn one_key(
    presented: &PresentedRegistry,
    key: Option<String>,
    path: Option<String>,
) -> Result<String, ToolError> {
    match (key, path) {
        (Some(key), None) | (None, Some(key)) => Ok(key),
        (None, None) => Err(presented.invalid("key: it is missing")),
        (Some(_), Some(_)) => Err(presented.invalid("key: give it once, as key or as path")),
    }
}
