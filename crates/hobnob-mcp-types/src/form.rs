//! The subset of JSON Schema that forms are made of: a flat object with simple fields.
//!
//! Fields keep their order, because a client shows them in that order. Several kinds of field have
//! the same `type`, so [`PrimitiveSchema`] looks at other keys to tell them apart.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::choice::exact;
use crate::entries::Entries;
use crate::form_field::{
    BooleanSchema, LegacyTitledEnumSchema, NumberSchema, StringSchema, TitledMultiSelectEnumSchema,
    TitledSingleSelectEnumSchema, UntitledMultiSelectEnumSchema, UntitledSingleSelectEnumSchema,
};
use crate::presence;

/// The form of an elicitation: one object whose members are the fields.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct FormSchema {
    /// The dialect of JSON Schema (since 2025-11-25).
    #[serde(rename = "$schema", skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// The `type` of the root, always `object`.
    #[serde(rename = "type")]
    pub kind: ObjectType,
    /// The fields, in the order in which the client shows them.
    pub properties: Entries<PrimitiveSchema>,
    /// The fields that must be filled in.
    #[serde(default, deserialize_with = "presence::list", skip_serializing_if = "Vec::is_empty")]
    pub required: Vec<String>,
}

impl FormSchema {
    /// A form without fields.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same form with one more field, which may be left empty.
    #[must_use]
    pub fn optional(mut self, name: impl Into<String>, field: impl Into<PrimitiveSchema>) -> Self {
        self.properties.insert(name, field.into());
        self
    }

    /// The same form with one more field, which must be filled in.
    #[must_use]
    pub fn required(mut self, name: impl Into<String>, field: impl Into<PrimitiveSchema>) -> Self {
        let name = name.into();
        self.required.push(name.clone());
        self.optional(name, field)
    }
}

/// The only type a form's root may have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ObjectType {
    /// `object`, the one legal value.
    #[default]
    Object,
}

/// One field of a form.
#[derive(Debug, Clone)]
pub enum PrimitiveSchema {
    /// Free text, possibly with a length or a format.
    String(StringSchema),
    /// A number or an integer, possibly within limits.
    Number(NumberSchema),
    /// A yes-or-no question, usually a checkbox.
    Boolean(BooleanSchema),
    /// One of several values.
    UntitledSingleSelect(UntitledSingleSelectEnumSchema),
    /// One of several values with names for people (since 2025-11-25).
    TitledSingleSelect(TitledSingleSelectEnumSchema),
    /// One of several values with names for people, as 2025-06-18 wrote it.
    LegacyTitled(LegacyTitledEnumSchema),
    /// Any of several values (since 2025-11-25).
    UntitledMultiSelect(UntitledMultiSelectEnumSchema),
    /// Any of several values with names for people (since 2025-11-25).
    TitledMultiSelect(TitledMultiSelectEnumSchema),
    /// A kind this crate does not know, kept as it came.
    Unknown(Box<RawValue>),
}

impl Serialize for PrimitiveSchema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::String(field) => field.serialize(serializer),
            Self::Number(field) => field.serialize(serializer),
            Self::Boolean(field) => field.serialize(serializer),
            Self::UntitledSingleSelect(field) => field.serialize(serializer),
            Self::TitledSingleSelect(field) => field.serialize(serializer),
            Self::LegacyTitled(field) => field.serialize(serializer),
            Self::UntitledMultiSelect(field) => field.serialize(serializer),
            Self::TitledMultiSelect(field) => field.serialize(serializer),
            Self::Unknown(raw) => raw.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for PrimitiveSchema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let signs: Signs<'_> = exact_borrowed(&raw)?;
        let has = |sign: Option<&RawValue>| sign.is_some();
        match signs.kind.as_deref() {
            Some("string") if has(signs.one_of) => exact(&raw).map(Self::TitledSingleSelect),
            Some("string") if has(signs.values) && has(signs.names) => {
                exact(&raw).map(Self::LegacyTitled)
            }
            Some("string") if has(signs.values) => exact(&raw).map(Self::UntitledSingleSelect),
            Some("string") => exact(&raw).map(Self::String),
            Some("number" | "integer") => exact(&raw).map(Self::Number),
            Some("boolean") => exact(&raw).map(Self::Boolean),
            Some("array") => match signs.items {
                Some(Items { any_of: Some(_) }) => exact(&raw).map(Self::TitledMultiSelect),
                _ => exact(&raw).map(Self::UntitledMultiSelect),
            },
            _ => Ok(Self::Unknown(raw)),
        }
    }
}

/// The keys that tell the kinds of field apart.
#[derive(Deserialize)]
struct Signs<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<std::borrow::Cow<'a, str>>,
    #[serde(rename = "oneOf", borrow)]
    one_of: Option<&'a RawValue>,
    #[serde(rename = "enum", borrow)]
    values: Option<&'a RawValue>,
    #[serde(rename = "enumNames", borrow)]
    names: Option<&'a RawValue>,
    #[serde(borrow)]
    items: Option<Items<'a>>,
}

/// The key of `items` that tells the two lists apart.
#[derive(Deserialize)]
struct Items<'a> {
    #[serde(rename = "anyOf", borrow)]
    any_of: Option<&'a RawValue>,
}

fn exact_borrowed<'raw, E: serde::de::Error>(raw: &'raw RawValue) -> Result<Signs<'raw>, E> {
    serde_json::from_str(raw.get()).map_err(E::custom)
}

/// Converts each kind of field into a [`PrimitiveSchema`].
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
