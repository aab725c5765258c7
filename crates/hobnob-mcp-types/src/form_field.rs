//! The kinds of field a form may have; [`crate::form::PrimitiveSchema`] is one of them.

use serde::{Deserialize, Serialize};

use crate::choice::open_enum;
use crate::presence;

/// Declares a kind of field: its type, and what all of them have before their own members.
macro_rules! field_schema {
    ($(#[$attribute:meta])* pub struct $name:ident $(<$items:ident>)?: $kind:ty { $($members:tt)* }) => {
        $(#[$attribute])*
        #[serde(rename_all = "camelCase")]
        pub struct $name $(<$items>)? {
            /// Its type on the wire.
            #[serde(rename = "type")]
            pub kind: $kind,
            /// A name for people.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub title: Option<String>,
            /// What to fill in.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub description: Option<String>,
            $($members)*
        }
    };
}

field_schema! {
    /// A field for free text.
    #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub struct StringSchema: StringType {
        /// The fewest characters allowed; absent means no lower limit.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub min_length: Option<u64>,
        /// The most characters allowed; absent means no upper limit.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub max_length: Option<u64>,
        /// What it must look like.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub format: Option<StringFormat>,
        /// What is filled in already (since 2025-11-25).
        #[serde(skip_serializing_if = "Option::is_none")]
        pub default: Option<String>,
    }
}

open_enum! {
    /// What a text field must look like.
    pub enum StringFormat {
        /// An e-mail address as in RFC 5321.
        Email = "email",
        /// A URI as in RFC 3986.
        Uri = "uri",
        /// A calendar day without a time, such as `2025-11-25`.
        Date = "date",
        /// A day and a time.
        DateTime = "date-time",
    }
}

field_schema! {
    /// A field for a number.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
    pub struct NumberSchema: NumberType {
        /// The smallest value allowed; absent means no lower limit.
        #[serde(default, with = "crate::number::optional", skip_serializing_if = "Option::is_none")]
        pub minimum: Option<f64>,
        /// The largest value allowed; absent means no upper limit.
        #[serde(default, with = "crate::number::optional", skip_serializing_if = "Option::is_none")]
        pub maximum: Option<f64>,
        /// What is filled in already (since 2025-11-25).
        #[serde(default, with = "crate::number::optional", skip_serializing_if = "Option::is_none")]
        pub default: Option<f64>,
    }
}

field_schema! {
    /// A yes-or-no question, usually a checkbox.
    #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub struct BooleanSchema: BooleanType {
        /// What is filled in already.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub default: Option<bool>,
    }
}

field_schema! {
    /// One of several values.
    #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub struct UntitledSingleSelectEnumSchema: StringType {
        /// The values to choose from; each is shown as it is.
        #[serde(rename = "enum")]
        pub values: Vec<String>,
        /// What is chosen already.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub default: Option<String>,
    }
}

field_schema! {
    /// One of several values with names for people.
    #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub struct TitledSingleSelectEnumSchema: StringType {
        /// The values and their names.
        pub one_of: Vec<TitledValue>,
        /// What is chosen already.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub default: Option<String>,
    }
}

field_schema! {
    /// One of several values with names for people, in two parallel lists.
    #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub struct LegacyTitledEnumSchema: StringType {
        /// The values to choose from, in the order of `enum_names`.
        #[serde(rename = "enum")]
        pub values: Vec<String>,
        /// Their names, in the same order.
        #[serde(default, deserialize_with = "presence::list")]
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub enum_names: Vec<String>,
        /// What is chosen already (since 2025-11-25).
        #[serde(skip_serializing_if = "Option::is_none")]
        pub default: Option<String>,
    }
}

field_schema! {
    /// Any of several values; `I` lists them.
    #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub struct MultiSelectSchema <I>: ArrayType {
        /// The fewest values the person may choose; absent means no lower limit.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub min_items: Option<u64>,
        /// The most values the person may choose; absent means no upper limit.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub max_items: Option<u64>,
        /// The values to choose from.
        pub items: I,
        /// What is chosen already.
        #[serde(default, deserialize_with = "presence::list")]
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub default: Vec<String>,
    }
}

/// Any of several values, which are shown as they are.
pub type UntitledMultiSelectEnumSchema = MultiSelectSchema<UntitledItems>;

/// The values of an [`UntitledMultiSelectEnumSchema`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UntitledItems {
    /// Its type on the wire.
    #[serde(rename = "type")]
    pub kind: StringType,
    /// The values to choose from; each is shown as it is.
    #[serde(rename = "enum")]
    pub values: Vec<String>,
}

/// Any of several values with names for people.
pub type TitledMultiSelectEnumSchema = MultiSelectSchema<TitledItems>;

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
    /// What the filled-in form holds when this one is chosen.
    #[serde(rename = "const")]
    pub value: String,
    /// What the person sees instead of the value.
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
    /// `string`, the one legal value.
    #[default]
    String,
}

/// The `type` of a field that is `boolean`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BooleanType {
    /// `boolean`, the one legal value.
    #[default]
    Boolean,
}

/// The `type` of a field that is `array`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ArrayType {
    /// `array`, the one legal value.
    #[default]
    Array,
}

/// The `type` of a field that is a number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NumberType {
    /// Any number, whole or not.
    #[default]
    Number,
    /// Whole numbers only; on the wire it is `integer`.
    Integer,
}
