//! The tools in Hobnob's own shape: `read`, `list`, `write`, `delete`.

use super::service::{KeyResult, PresentedRegistry, WishEffect};
use super::typed_data::{TypeWord, shown_name, value_name};
use super::views::{ChangedKey, KeysPage, OneValue, ValueView, ValuesPage, is_exact, is_saved};
use hobnob_machine::registry::KeyOutcome;
use hobnob_mcp_toolbox::{Context, ToolError, ToolReply};
use hobnob_policy::{KeyOperation, KeyView, KeyWish};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Entries on a page if the caller sets no limit.
const DEFAULT_LIMIT: usize = 200;
/// Most entries on a page.
const MAX_LIMIT: usize = 5_000;

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[schemars(inline)]
pub(super) enum ViewWord {
    #[serde(rename = "32")]
    Bits32,
    #[serde(rename = "64")]
    Bits64,
}

fn view(word: Option<ViewWord>) -> KeyView {
    match word {
        None => KeyView::Native,
        Some(ViewWord::Bits32) => KeyView::Bits32,
        Some(ViewWord::Bits64) => KeyView::Bits64,
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadKey {
    /// The key, such as HKCU\Software\Example
    key: String,
    /// Name of one value; an empty text is the value without a name; all values if not given
    value: Option<String>,
    /// The view of 32-bit or of 64-bit programs; that of the system if not given
    view: Option<ViewWord>,
    /// How many values at most, 200 if not given, 5000 at most
    limit: Option<usize>,
    /// How many values to leave out at the beginning
    offset: Option<usize>,
}

pub(super) async fn read(
    arguments: ReadKey,
    context: Context<PresentedRegistry>,
) -> Result<ToolReply, ToolError> {
    let presented = context.state();
    let value = arguments.value.map(value_name);
    let view = view(arguments.view);
    let wish = KeyWish { key: arguments.key, view, operation: KeyOperation::Read { value } };
    let KeyResult { key, outcome } = presented.perform(&context, WishEffect::Reads, wish).await?;
    match &outcome {
        KeyOutcome::Value(value, fidelity) => presented.presentation.reply(&OneValue {
            key: &key,
            value: ValueView::of(value),
            exact: is_exact(*fidelity),
        }),
        KeyOutcome::Contents(contents) => {
            let page = Page::of(&contents.values, arguments.limit, arguments.offset);
            presented.presentation.reply(&ValuesPage {
                key: &key,
                values: page.items.iter().map(ValueView::of).collect(),
                total: contents.values.len(),
                next_offset: page.next_offset,
                exact: is_exact(contents.fidelity),
            })
        }
        KeyOutcome::Changed(_) => Err(presented.invalid("nothing was read")),
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListKeys {
    /// The key, such as HKCU\Software
    key: String,
    /// The view of 32-bit or of 64-bit programs; that of the system if not given
    view: Option<ViewWord>,
    /// How many names at most, 200 if not given, 5000 at most
    limit: Option<usize>,
    /// How many names to leave out at the beginning
    offset: Option<usize>,
}

pub(super) async fn list(
    arguments: ListKeys,
    context: Context<PresentedRegistry>,
) -> Result<ToolReply, ToolError> {
    let presented = context.state();
    let view = view(arguments.view);
    let wish = KeyWish { key: arguments.key, view, operation: KeyOperation::List };
    let KeyResult { key, outcome } = presented.perform(&context, WishEffect::Reads, wish).await?;
    let KeyOutcome::Contents(contents) = &outcome else {
        return Err(presented.invalid("nothing was listed"));
    };
    let page = Page::of(&contents.keys, arguments.limit, arguments.offset);
    presented.presentation.reply(&KeysPage {
        key: &key,
        keys: page.items,
        total: contents.keys.len(),
        next_offset: page.next_offset,
        exact: is_exact(contents.fidelity),
    })
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WriteValue {
    /// The key, such as HKCU\Software\Example; it is made if it is missing
    key: String,
    /// Name of the value; an empty text is the value without a name
    value: String,
    /// The type of the value
    #[serde(rename = "type")]
    type_word: TypeWord,
    /// A text; a list of texts for REG_MULTI_SZ; a number for REG_DWORD and REG_QWORD; hexadecimal
    /// digits for REG_BINARY
    data: Value,
    /// The view of 32-bit or of 64-bit programs; that of the system if not given
    view: Option<ViewWord>,
}

pub(super) async fn write(
    arguments: WriteValue,
    context: Context<PresentedRegistry>,
) -> Result<ToolReply, ToolError> {
    let presented = context.state();
    let value = arguments.type_word.value(&arguments.data);
    let value = value.map_err(|problem| presented.invalid(format!("data: {problem}")))?;
    let name = value_name(arguments.value);
    let operation = KeyOperation::Write { name: name.clone(), value };
    let wish = KeyWish { key: arguments.key, view: view(arguments.view), operation };
    change(&context, wish, Some(shown_name(&name))).await
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DeleteKey {
    /// The key, such as HKCU\Software\Example
    key: String,
    /// Name of the value to delete; an empty text is the value without a name
    value: Option<String>,
    /// True to delete the key itself, with all values and all keys below it; not together with a
    /// value
    whole_key: Option<bool>,
    /// The view of 32-bit or of 64-bit programs; that of the system if not given
    view: Option<ViewWord>,
}

pub(super) async fn delete(
    arguments: DeleteKey,
    context: Context<PresentedRegistry>,
) -> Result<ToolReply, ToolError> {
    let presented = context.state();
    let name = arguments.value.map(value_name);
    let operation = match (&name, arguments.whole_key.unwrap_or_default()) {
        (Some(name), false) => KeyOperation::DeleteValue { name: name.clone() },
        (None, true) => KeyOperation::DeleteKey,
        (Some(_), true) | (None, false) => {
            let message =
                "give either value, or whole_key: true to delete the key and all below it";
            return Err(presented.invalid(message));
        }
    };
    let wish = KeyWish { key: arguments.key, view: view(arguments.view), operation };
    change(&context, wish, name.as_ref().map(shown_name)).await
}

async fn change(
    context: &Context<PresentedRegistry>,
    wish: KeyWish,
    name: Option<&str>,
) -> Result<ToolReply, ToolError> {
    let presented = context.state();
    let KeyResult { key, outcome } = presented.perform(context, WishEffect::Changes, wish).await?;
    match outcome {
        KeyOutcome::Changed(durability) => {
            let saved = is_saved(durability);
            presented.presentation.reply(&ChangedKey { key: &key, name, saved })
        }
        KeyOutcome::Value(..) | KeyOutcome::Contents(_) => {
            Err(presented.invalid("nothing was changed"))
        }
    }
}

/// One page of a list, and the offset of the next page.
struct Page<'a, T> {
    items: &'a [T],
    next_offset: Option<usize>,
}

impl<'a, T> Page<'a, T> {
    fn of(all: &'a [T], limit: Option<usize>, offset: Option<usize>) -> Self {
        let limit = limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
        let begin = offset.unwrap_or_default().min(all.len());
        let end = begin.saturating_add(limit).min(all.len());
        Self { items: &all[begin..end], next_offset: (end < all.len()).then_some(end) }
    }
}
