//! Parses the file that `reg export` writes: UTF-16, every value with every byte.
//!
//! The first key in it is the exported one; of the keys below, only its children's names are kept.
//! A text is parsed up to its quotation mark, so its lines never count as values.

use hobnob_policy::{RegistryValue, ValueName};

use super::problem::RegistryError;
use super::stored::{KeyContents, NamedValue, ReadFidelity, StoredData};

/// Parses the contents of the exported key.
pub(super) fn parse_export(bytes: &[u8]) -> Result<KeyContents, RegistryError> {
    let text = decode(bytes).ok_or(RegistryError::Unreadable)?;
    read_keys(&text).ok_or(RegistryError::Unreadable)
}

fn decode(bytes: &[u8]) -> Option<String> {
    let units = bytes.strip_prefix(&[0xff, 0xfe])?;
    utf16(units)
}

/// An unpaired surrogate, which no text should have, becomes the replacement character.
fn utf16(bytes: &[u8]) -> Option<String> {
    let units = bytes.chunks(2).map(|pair| <[u8; 2]>::try_from(pair).map(u16::from_le_bytes));
    let units: Vec<u16> = units.collect::<Result<_, _>>().ok()?;
    Some(String::from_utf16_lossy(&units))
}

fn read_keys(text: &str) -> Option<KeyContents> {
    let mut reader = Reader { rest: text };
    // The first line names the format.
    reader.line();
    let mut exported: Option<&str> = None;
    let (mut values, mut keys): (_, Vec<String>) = (Vec::new(), Vec::new());
    let mut below = false;
    while reader.skip_empty_lines() {
        if reader.rest.starts_with('[') {
            let key = reader.line().strip_prefix('[')?.strip_suffix(']')?;
            match exported {
                None => exported = Some(key),
                Some(top) => {
                    below = true;
                    let name = key.strip_prefix(top)?.strip_prefix('\\')?;
                    if !name.contains('\\') {
                        keys.push(name.to_owned());
                    }
                }
            }
        } else {
            let value = reader.value()?;
            match below {
                true => {}
                false => values.push(value),
            }
        }
    }
    exported?;
    Some(KeyContents { values, keys, fidelity: ReadFidelity::Exact })
}

/// The text that is not parsed yet.
struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    /// The rest of this line, without its line break.
    fn line(&mut self) -> &'a str {
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        line.strip_suffix('\r').unwrap_or(line)
    }

    /// Skips empty lines; returns whether any text is left.
    fn skip_empty_lines(&mut self) -> bool {
        self.rest = self.rest.trim_start_matches(['\r', '\n']);
        !self.rest.is_empty()
    }

    fn take(&mut self, word: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(word)?;
        Some(())
    }

    /// Parses one value: `@=…` for the value without a name, or `"name"=…`.
    fn value(&mut self) -> Option<NamedValue> {
        let name = match self.rest.strip_prefix('@') {
            Some(rest) => {
                self.rest = rest;
                ValueName::Default
            }
            None => ValueName::Named(self.quoted()?),
        };
        self.take("=")?;
        let data = match self.rest.starts_with('"') {
            true => StoredData::Known(RegistryValue::Text(self.quoted()?)),
            false => self.typed()?,
        };
        Some(NamedValue { name, data })
    }

    /// Parses a quoted text. Windows writes line breaks as they are, Wine as `\n` and `\r`.
    fn quoted(&mut self) -> Option<String> {
        self.take("\"")?;
        let mut text = String::new();
        let mut characters = self.rest.char_indices();
        loop {
            match characters.next()? {
                (at, '"') => {
                    self.rest = &self.rest[at + 1..];
                    return Some(text);
                }
                (_, '\\') => text.push(match characters.next()?.1 {
                    'n' => '\n',
                    'r' => '\r',
                    '0' => '\0',
                    other => other,
                }),
                (_, other) => text.push(other),
            }
        }
    }

    /// `dword:…`, `hex:…` or `hex(N):…`; the bytes may continue on further lines.
    fn typed(&mut self) -> Option<StoredData> {
        if let Some(digits) = self.rest.strip_prefix("dword:") {
            self.rest = digits;
            let number = u32::from_str_radix(self.line(), 16).ok()?;
            return Some(StoredData::Known(RegistryValue::Number32(number)));
        }
        self.take("hex")?;
        let kind = match self.rest.strip_prefix('(') {
            None => 3,
            Some(rest) => {
                let (kind, rest) = rest.split_once(')')?;
                self.rest = rest;
                u32::from_str_radix(kind, 16).ok()?
            }
        };
        self.take(":")?;
        Some(stored(kind, self.bytes()?))
    }

    fn bytes(&mut self) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        loop {
            let line = self.line().trim_start();
            let (line, goes_on) = match line.strip_suffix('\\') {
                Some(line) => (line, true),
                None => (line, false),
            };
            for digits in line.split(',').filter(|digits| !digits.is_empty()) {
                bytes.push(u8::from_str_radix(digits, 16).ok()?);
            }
            if !goes_on {
                return Some(bytes);
            }
        }
    }
}

/// Decodes bytes by the number of their type, as the system numbers types.
fn stored(kind: u32, bytes: Vec<u8>) -> StoredData {
    let known = match kind {
        1 => text(&bytes).map(RegistryValue::Text),
        2 => text(&bytes).map(RegistryValue::ExpandableText),
        3 => return StoredData::Known(RegistryValue::Bytes(bytes)),
        4 => bytes
            .as_slice()
            .try_into()
            .ok()
            .map(|it| RegistryValue::Number32(u32::from_le_bytes(it))),
        7 => utf16(&bytes).map(|text| {
            // The list ends with an empty text.
            let texts = text.split('\0').take_while(|text| !text.is_empty());
            RegistryValue::Texts(texts.map(Into::into).collect())
        }),
        11 => bytes
            .as_slice()
            .try_into()
            .ok()
            .map(|it| RegistryValue::Number64(u64::from_le_bytes(it))),
        _ => None,
    };
    let other = || StoredData::Other { type_name: type_name(kind), bytes: Some(bytes) };
    known.map_or_else(other, StoredData::Known)
}

/// Decodes a text, without the NUL at its end.
fn text(bytes: &[u8]) -> Option<String> {
    let text = utf16(bytes)?;
    Some(text.strip_suffix('\0').map_or_else(|| text.clone(), Into::into))
}

fn type_name(kind: u32) -> String {
    match kind {
        0 => "REG_NONE".into(),
        1 => "REG_SZ".into(),
        2 => "REG_EXPAND_SZ".into(),
        4 => "REG_DWORD".into(),
        5 => "REG_DWORD_BIG_ENDIAN".into(),
        6 => "REG_LINK".into(),
        7 => "REG_MULTI_SZ".into(),
        8 => "REG_RESOURCE_LIST".into(),
        9 => "REG_FULL_RESOURCE_DESCRIPTOR".into(),
        10 => "REG_RESOURCE_REQUIREMENTS_LIST".into(),
        11 => "REG_QWORD".into(),
        other => format!("0x{other:x}"),
    }
}

#[cfg(test)]
mod tests;
