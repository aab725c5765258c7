//! The wire form of results in Hobnob's own shape. That of `sysmcp` is beside its handlers.

use super::typed_data::{shown, shown_name};
use hobnob_machine::registry::{NamedValue, ReadFidelity, WriteDurability};
use serde::Serialize;
use serde_json::Value;

/// One value; an empty name stands for the value without a name.
#[derive(Debug, Serialize)]
pub(super) struct ValueView<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    type_name: &'a str,
    /// `None` if the data could not be read.
    data: Option<Value>,
}

impl<'a> ValueView<'a> {
    pub(super) fn of(value: &'a NamedValue) -> Self {
        let (type_name, data) = shown(&value.data);
        Self { name: shown_name(&value.name), type_name, data }
    }
}

/// One value, with its key.
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

/// A page of the names of a key's subkeys.
#[derive(Debug, Serialize)]
pub(super) struct KeysPage<'a> {
    pub(super) key: &'a str,
    pub(super) keys: &'a [String],
    pub(super) total: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_offset: Option<usize>,
    pub(super) exact: bool,
}

/// What was changed. An unsaved change is lost if the machine crashes.
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
