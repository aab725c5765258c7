//! Parses the output of `reg query`, of Windows and of Wine, in every language.
//!
//! Names and texts are printed unescaped, so a line break in one looks like the end of a value: the
//! result is [`ReadFidelity::Printed`], and only a fallback.

use hobnob_policy::{RegistryKey, RegistryValue, ValueName};
use hobnob_text::hex;

use super::problem::RegistryError;
use super::stored::{KeyContents, NamedValue, ReadFidelity, StoredData};

/// Separates the three columns, and comes before the first.
const COLUMN_GAP: &str = "    ";

/// Decodes the bytes of a console: UTF-8, or ASCII with all other letters unknown.
pub(super) fn decode_printed(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => {
            let known = |byte: &u8| match byte.is_ascii() {
                true => char::from(*byte),
                false => char::REPLACEMENT_CHARACTER,
            };
            bytes.iter().map(known).collect()
        }
    }
}

/// Parses a key's values and the keys below it. `unnamed` is printed for the unnamed value.
pub(super) fn parse_query(
    text: &str,
    key: &RegistryKey,
    unnamed: Option<&str>,
) -> Result<KeyContents, RegistryError> {
    let depth = key.names().len();
    let mut rows: Vec<Row<'_>> = Vec::new();
    let mut keys = Vec::new();
    for line in lines(text) {
        if let Some(row) = Row::parse(line) {
            rows.push(row);
        } else if let Some(names) = key_line(line) {
            match names.len().checked_sub(depth) {
                Some(0) => {}
                Some(1) => keys.extend(names.last().map(|name| (*name).to_owned())),
                Some(_) | None => return Err(RegistryError::Unreadable),
            }
        } else if let Some(row) = rows.last_mut() {
            // A text continues after its line break; an empty line is more likely the end.
            if !line.is_empty() {
                row.rest.push(line);
            }
        } else if !line.is_empty() {
            return Err(RegistryError::Unreadable);
        }
    }
    let values = rows.into_iter().map(|row| {
        let name = match Some(row.name) == unnamed {
            true => ValueName::Default,
            false => ValueName::Named(row.name.to_owned()),
        };
        NamedValue { name, data: row.data() }
    });
    Ok(KeyContents { values: values.collect(), keys, fidelity: ReadFidelity::Printed })
}

/// Parses the one requested value: everything after its type is its text.
pub(super) fn parse_one(text: &str, name: &ValueName) -> Result<NamedValue, RegistryError> {
    let mut lines = lines(text).skip_while(|line| Row::parse(line).is_none());
    let mut row = lines.next().and_then(Row::parse).ok_or(RegistryError::Unreadable)?;
    row.rest = lines.collect();
    // Each run ends with the line break of the value and an empty line.
    while row.rest.last().is_some_and(|line| line.is_empty()) {
        row.rest.pop();
    }
    Ok(NamedValue { name: name.clone(), data: row.data() })
}

/// The printed name of the value without one, from the output of a query for it.
pub(super) fn default_word(text: &str) -> Option<&str> {
    lines(text).find_map(Row::parse).map(|row| row.name)
}

/// If the output has `\r\n`, only that ends a line: a lone line feed is part of a text.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let end = match text.contains("\r\n") {
        true => "\r\n",
        false => "\n",
    };
    text.split(end)
}

fn key_line(line: &str) -> Option<Vec<&str>> {
    let mut parts = line.split('\\');
    let hive = parts.next()?;
    RegistryKey::parse(hive).is_ok().then(|| parts.collect())
}

struct Row<'a> {
    name: &'a str,
    type_name: &'a str,
    first: &'a str,
    rest: Vec<&'a str>,
}

impl<'a> Row<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let line = line.strip_prefix(COLUMN_GAP)?;
        let at = line.find("    REG_")?;
        let (name, typed) = (&line[..at], &line[at + COLUMN_GAP.len()..]);
        let (type_name, first) = typed.split_once(COLUMN_GAP).unwrap_or((typed, ""));
        let is_type = type_name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
        is_type.then(|| Self { name, type_name, first, rest: Vec::new() })
    }

    fn data(&self) -> StoredData {
        let text = || {
            let all: Vec<&str> =
                [self.first].into_iter().chain(self.rest.iter().copied()).collect();
            all.join("\r\n")
        };
        let known = match self.type_name {
            "REG_SZ" => Some(RegistryValue::Text(text())),
            "REG_EXPAND_SZ" => Some(RegistryValue::ExpandableText(text())),
            "REG_MULTI_SZ" => Some(RegistryValue::Texts(
                text().split(r"\0").filter(|it| !it.is_empty()).map(Into::into).collect(),
            )),
            "REG_DWORD" => {
                number(self.first).and_then(|it| it.try_into().ok()).map(RegistryValue::Number32)
            }
            "REG_QWORD" => number(self.first).map(RegistryValue::Number64),
            "REG_BINARY" => hex::decode(self.first).map(RegistryValue::Bytes),
            _ => None,
        };
        known.map_or_else(
            || StoredData::Other {
                type_name: self.type_name.to_owned(),
                bytes: hex::decode(self.first).filter(|_| !self.type_name.ends_with("WORD")),
            },
            StoredData::Known,
        )
    }
}

fn number(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

#[cfg(test)]
mod tests;
