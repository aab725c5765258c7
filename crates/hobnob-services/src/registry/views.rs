//! What the tools answer, in our own shapes. The other dialect has its own beside its handlers.

use super::typed_data::{shown, shown_name};
use hobnob_machine::registry::{NamedValue, ReadFidelity, WriteDurability};
use serde::Serialize;
use serde_json::Value;

/// One value; a name without letters is that of the value without a name.
#[derive(Debug, Serialize)]
pub(super) struct ValueView<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    type_name: &'a str,
    /// None if only something unreadable could be had.
    data: Option<Value>,
}

impl<'a> ValueView<'a> {
    pub(super) fn of(value: &'a NamedValue) -> Self {
        let (type_name, data) = shown(&value.data);
        Self { name: shown_name(&value.name), type_name, data }
    }
}

/// One value, and the key it is in.
#[derive(Debug, Serialize)]
pub(super) struct OneValue<'a> {
    pub(super) key: &'a str,
    pub(super) value: ValueView<'a>,
    pub(super) exact: bool,
}

/// A page of the values of a key.
#[derive(Debug, Serialize)]
pub(super) struct ValuesPage<'a> {
    pub(super) key: &'a str,
    pub(super) values: Vec<ValueView<'a>>,
    pub(super) total: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_offset: Option<usize>,
    pub(super) exact: bool,
}

/// A page of the names of the keys below one.
#[derive(Debug, Serialize)]
pub(super) struct KeysPage<'a> {
    pub(super) key: &'a str,
    pub(super) keys: &'a [String],
    pub(super) total: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_offset: Option<usize>,
    pub(super) exact: bool,
}

/// What was changed. What is not saved yet is lost if the machine crashes.
#[derive(Debug, Serialize)]
pub(super) struct ChangedKey<'a> {
    pub(super) key: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<&'a str>,
    pub(super) saved: bool,
}

pub(super) fn is_exact(fidelity: ReadFidelity) -> bool {
    match fidelity {
        ReadFidelity::Exact => true,
        ReadFidelity::Printed => false,
    }
}

pub(super) fn is_saved(durability: WriteDurability) -> bool {
    match durability {
        WriteDurability::Saved => true,
        WriteDurability::SavedLater => false,
    }
}
