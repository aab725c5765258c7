//! The kinds of field a form may have; [`crate::form::PrimitiveSchema`] is one of them.

use serde::{Deserialize, Serialize};

use crate::form::{PrimitiveSchema, StringFormat};

/// A text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StringSchema {
    /// Its type on the wire.
    #[serde(rename = "type")]
    pub kind: StringType,
    /// A name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What to fill in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The fewest characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_length: Option<u64>,
    /// The most characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u64>,
    /// What it must look like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<StringFormat>,
    /// What is filled in already (since 2025-11-25).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
}

/// A number.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NumberSchema {
    /// Its type on the wire.
    #[serde(rename = "type")]
    pub kind: NumberType,
    /// A name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What to fill in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The smallest allowed.
    #[serde(default, with = "crate::number::optional", skip_serializing_if = "Option::is_none")]
    pub minimum: Option<f64>,
    /// The largest allowed.
    #[serde(default, with = "crate::number::optional", skip_serializing_if = "Option::is_none")]
    pub maximum: Option<f64>,
    /// What is filled in already (since 2025-11-25).
    #[serde(default, with = "crate::number::optional", skip_serializing_if = "Option::is_none")]
    pub default: Option<f64>,
}

/// A yes or no.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BooleanSchema {
    /// Its type on the wire.
    #[serde(rename = "type")]
    pub kind: BooleanType,
    /// A name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What to fill in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What is filled in already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<bool>,
}

/// One of several values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UntitledSingleSelectEnumSchema {
    /// Its type on the wire.
    #[serde(rename = "type")]
    pub kind: StringType,
    /// A name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What to fill in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The values.
    #[serde(rename = "enum")]
    pub values: Vec<String>,
    /// What is chosen already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
}

/// One of several values with names for people.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TitledSingleSelectEnumSchema {
    /// Its type on the wire.
    #[serde(rename = "type")]
    pub kind: StringType,
    /// A name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What to fill in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The values and their names.
    pub one_of: Vec<TitledValue>,
    /// What is chosen already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
}

/// One of several values with names for people, in two lists that run side by side.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LegacyTitledEnumSchema {
    /// Its type on the wire.
    #[serde(rename = "type")]
    pub kind: StringType,
    /// A name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What to fill in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The values.
    #[serde(rename = "enum")]
    pub values: Vec<String>,
    /// Their names, in the same order.
    #[serde(
        default,
        deserialize_with = "crate::presence::list",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub enum_names: Vec<String>,
    /// What is chosen already (since 2025-11-25).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
}

/// Any of several values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UntitledMultiSelectEnumSchema {
    /// Its type on the wire.
    #[serde(rename = "type")]
    pub kind: ArrayType,
    /// A name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What to fill in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The fewest values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_items: Option<u64>,
    /// The most values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_items: Option<u64>,
    /// The values.
    pub items: UntitledItems,
    /// What is chosen already.
    #[serde(
        default,
        deserialize_with = "crate::presence::list",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub default: Vec<String>,
}

/// The values of an [`UntitledMultiSelectEnumSchema`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UntitledItems {
    /// Its type on the wire.
    #[serde(rename = "type")]
    pub kind: StringType,
    /// The values.
    #[serde(rename = "enum")]
    pub values: Vec<String>,
}

/// Any of several values with names for people.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TitledMultiSelectEnumSchema {
    /// Its type on the wire.
    #[serde(rename = "type")]
    pub kind: ArrayType,
    /// A name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What to fill in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The fewest values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_items: Option<u64>,
    /// The most values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_items: Option<u64>,
    /// The values and their names.
    pub items: TitledItems,
    /// What is chosen already.
    #[serde(
        default,
        deserialize_with = "crate::presence::list",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub default: Vec<String>,
}

/// The values of a [`TitledMultiSelectEnumSchema`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TitledItems {
    /// The values and their names.
    pub any_of: Vec<TitledValue>,
}

/// A value with a name for people.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TitledValue {
    /// The value.
    #[serde(rename = "const")]
    pub value: String,
    /// Its name.
    pub title: String,
}

impl TitledValue {
    /// A value and its name.
    pub fn new(value: impl Into<String>, title: impl Into<String>) -> Self {
        Self { value: value.into(), title: title.into() }
    }
}

/// The `type` of a field that is `string`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StringType {
    /// `string`.
    #[default]
    String,
}

/// The `type` of a field that is `boolean`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BooleanType {
    /// `boolean`.
    #[default]
    Boolean,
}

/// The `type` of a field that is `array`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ArrayType {
    /// `array`.
    #[default]
    Array,
}

/// The `type` of a field that is a number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NumberType {
    /// Any number.
    #[default]
    Number,
    /// A whole number.
    Integer,
}

/// Lets a form take each kind of field as it is.
macro_rules! fields {
    ($($body:ident => $variant:ident),+ $(,)?) => {$(
        impl From<$body> for PrimitiveSchema {
            fn from(field: $body) -> Self {
                Self::$variant(field)
            }
        }
    )+};
}

fields! {
    StringSchema => String,
    NumberSchema => Number,
    BooleanSchema => Boolean,
    UntitledSingleSelectEnumSchema => UntitledSingleSelect,
    TitledSingleSelectEnumSchema => TitledSingleSelect,
    LegacyTitledEnumSchema => LegacyTitled,
    UntitledMultiSelectEnumSchema => UntitledMultiSelect,
    TitledMultiSelectEnumSchema => TitledMultiSelect,
}
