//! Compares our one-pass reader with `serde_json` on what is valid JSON.
//!
//! They may differ on two things only: our reader refuses duplicate keys and deep nesting.
#![expect(clippy::expect_used, reason = "what one reader accepted, the other must read")]

use hobnob_mcp_types::json::{
    Cursor, JsonError, ObjectWriter, elements, entries, field, write_string,
};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::collections::HashSet;
use std::fmt;

/// Tests the input as a JSON text, and as a string to write as JSON.
pub fn json_cursor(data: &[u8]) {
    write_and_read(&String::from_utf8_lossy(data));
    let Ok(text) = std::str::from_utf8(data) else { return };
    compare(text);
    if scan(text).is_ok() {
        rewrite(text);
    }
}

fn scan(text: &str) -> Result<(), JsonError> {
    let mut cursor = Cursor::new(text);
    let span = cursor.value()?;
    let value = span.of(text);
    assert_eq!(value.trim(), value, "a value ends where it ends");
    cursor.finish()
}

fn compare(text: &str) {
    let theirs = serde_json::from_str::<Value>(text);
    match (scan(text), &theirs) {
        (Ok(()), Ok(_)) => assert!(!has_duplicate_keys(text), "equal keys were accepted"),
        (Ok(()), Err(error)) => {
            let error = error.to_string();
            // A `Value` also requires numbers in range, and nests a little less deep.
            let stricter = error.contains("out of range") || error.contains("recursion limit");
            assert!(stricter, "accepted what is no JSON: {error}");
            assert!(serde_json::from_str::<IgnoredAny>(text).is_ok());
        }
        (Err(JsonError::DuplicateKey(_)), Ok(_)) => {
            assert!(has_duplicate_keys(text), "there are no equal keys")
        }
        (Err(error @ (JsonError::Syntax(_) | JsonError::TooDeep(_))), Ok(_)) => {
            assert!(theirs.is_err(), "refused what is JSON: {error}");
        }
        (Err(_), Err(_)) => {}
    }
}

/// Takes members or elements apart and joins them again; the value must not change.
fn rewrite(text: &str) {
    let members = entries(text);
    let mut out = String::new();
    let mut writer = ObjectWriter::new(&mut out);
    for (key, value) in &members {
        assert_eq!(field(text, key), Some(*value));
        writer.raw(key, value);
    }
    writer.end();
    let items = elements(text);
    let again = match text.trim_ascii_start().as_bytes().first() {
        Some(b'{') => out,
        Some(b'[') => format!("[{}]", items.join(",")),
        _ => String::new(),
    };
    if again.is_empty() {
        assert!(members.is_empty() && items.is_empty(), "neither an object nor an array");
        return;
    }
    assert!(scan(&again).is_ok(), "rewritten as {again}");
    let (before, after) = (serde_json::from_str::<Value>(text), serde_json::from_str(&again));
    assert_eq!(before.ok(), after.ok(), "rewritten as {again}");
}

fn write_and_read(text: &str) {
    let mut written = String::new();
    write_string(&mut written, text);
    assert!(scan(&written).is_ok(), "{written}");
    assert_eq!(serde_json::from_str::<String>(&written).expect("a JSON string"), text);
}

/// Whether some object has a duplicate key, as `serde_json` reads the text.
fn has_duplicate_keys(text: &str) -> bool {
    serde_json::from_str::<HasDuplicates>(text).expect("read as JSON before").0
}

/// Whether two keys of one object are equal, at any depth.
struct HasDuplicates(bool);

impl<'de> Deserialize<'de> for HasDuplicates {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = HasDuplicates;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<HasDuplicates, A::Error> {
        let mut seen = HashSet::new();
        let mut found = false;
        while let Some((key, HasDuplicates(inside))) = map.next_entry::<String, HasDuplicates>()? {
            found |= inside | !seen.insert(key);
        }
        Ok(HasDuplicates(found))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<HasDuplicates, A::Error> {
        let mut found = false;
        while let Some(HasDuplicates(inside)) = items.next_element()? {
            found |= inside;
        }
        Ok(HasDuplicates(found))
    }

    fn visit_bool<E>(self, _: bool) -> Result<HasDuplicates, E> {
        Ok(HasDuplicates(false))
    }

    fn visit_i64<E>(self, _: i64) -> Result<HasDuplicates, E> {
        Ok(HasDuplicates(false))
    }

    fn visit_u64<E>(self, _: u64) -> Result<HasDuplicates, E> {
        Ok(HasDuplicates(false))
    }

    fn visit_f64<E>(self, _: f64) -> Result<HasDuplicates, E> {
        Ok(HasDuplicates(false))
    }

    fn visit_str<E>(self, _: &str) -> Result<HasDuplicates, E> {
        Ok(HasDuplicates(false))
    }

    fn visit_unit<E>(self) -> Result<HasDuplicates, E> {
        Ok(HasDuplicates(false))
    }
}
