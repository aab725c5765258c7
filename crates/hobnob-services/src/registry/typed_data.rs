//! Registry values as JSON, and back. A 64-bit number becomes a string, because many JSON parsers
//! round such numbers; bytes become hexadecimal digits.

use hobnob_machine::registry::StoredData;
use hobnob_policy::{RegistryValue, ValueName};
use hobnob_text::hex;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// The types that can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(inline)]
pub(super) enum TypeWord {
    #[serde(rename = "REG_SZ")]
    Text,
    #[serde(rename = "REG_EXPAND_SZ")]
    ExpandableText,
    #[serde(rename = "REG_MULTI_SZ")]
    Texts,
    #[serde(rename = "REG_DWORD")]
    Number32,
    #[serde(rename = "REG_QWORD")]
    Number64,
    #[serde(rename = "REG_BINARY")]
    Bytes,
}

impl TypeWord {
    const ALL: [(&'static str, Self); 6] = [
        ("SZ", Self::Text),
        ("EXPAND_SZ", Self::ExpandableText),
        ("MULTI_SZ", Self::Texts),
        ("DWORD", Self::Number32),
        ("QWORD", Self::Number64),
        ("BINARY", Self::Bytes),
    ];

    /// Parses a type name in any case, with or without the prefix `REG_`.
    pub(super) fn parse(word: &str) -> Option<Self> {
        let upper = word.to_ascii_uppercase();
        let bare = upper.strip_prefix("REG_").unwrap_or(&upper);
        Self::ALL.iter().find(|(name, _)| *name == bare).map(|(_, word)| *word)
    }

    /// The value, or an error that says which data the type needs.
    pub(super) fn value(self, data: &Value) -> Result<RegistryValue, &'static str> {
        match self {
            Self::Text => text(data).map(RegistryValue::Text).ok_or("REG_SZ needs a text"),
            Self::ExpandableText => {
                text(data).map(RegistryValue::ExpandableText).ok_or("REG_EXPAND_SZ needs a text")
            }
            Self::Texts => {
                let items = data.as_array().map(|items| items.iter().map(text).collect());
                items
                    .unwrap_or_else(|| text(data).map(|text| vec![text]))
                    .map(RegistryValue::Texts)
                    .ok_or("REG_MULTI_SZ needs a list of texts")
            }
            Self::Number32 => number(data)
                .and_then(|number| number.try_into().ok())
                .map(RegistryValue::Number32)
                .ok_or("REG_DWORD needs a whole number from 0 to 4294967295"),
            Self::Number64 => number(data).map(RegistryValue::Number64).ok_or(
                "REG_QWORD needs a whole number from 0 to 18446744073709551615, or it as a text",
            ),
            Self::Bytes => data
                .as_str()
                .and_then(hex::decode)
                .map(RegistryValue::Bytes)
                .ok_or("REG_BINARY needs pairs of hexadecimal digits"),
        }
    }
}

fn text(data: &Value) -> Option<String> {
    data.as_str().map(Into::into)
}

/// A number, or a string with a decimal number or with a hexadecimal one after `0x`.
fn number(data: &Value) -> Option<u64> {
    let of_text = |text: &str| match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    data.as_u64().or_else(|| data.as_str().and_then(of_text))
}

/// The name of a type, and the data as JSON; `None` if the data could not be read.
pub(super) fn shown(data: &StoredData) -> (&str, Option<Value>) {
    match data {
        StoredData::Known(value) => (value.type_name(), Some(known(value))),
        StoredData::Other { type_name, bytes } => {
            (type_name, bytes.as_deref().map(|bytes| Value::String(hex::encode(bytes))))
        }
    }
}

fn known(value: &RegistryValue) -> Value {
    match value {
        RegistryValue::Text(text) | RegistryValue::ExpandableText(text) => json!(text),
        RegistryValue::Texts(texts) => json!(texts),
        RegistryValue::Number32(number) => json!(number),
        RegistryValue::Number64(number) => json!(number.to_string()),
        RegistryValue::Bytes(bytes) => json!(hex::encode(bytes)),
    }
}

/// A value's name from a caller: the empty string is the value without a name.
pub(super) fn value_name(text: String) -> ValueName {
    match text.is_empty() {
        true => ValueName::Default,
        false => ValueName::Named(text),
    }
}

/// A value's name as callers see it.
pub(super) fn shown_name(name: &ValueName) -> &str {
    match name {
        ValueName::Default => "",
        ValueName::Named(name) => name,
    }
}

#[cfg(test)]
mod tests;
