//! Values as PostgreSQL takes them, each with its exact type, so that no statement depends on what
//! the server infers; and the form of a text that contains NUL, which PostgreSQL does not store.
//!
//! Every statement of this crate gets its values from here. What must stay true: [`escape`] and
//! [`unescape`] undo each other for every text.

use bytes::BytesMut;
use hobnob_store::{Owner, Time};
use std::borrow::Cow;
use std::error::Error;
use tokio_postgres::types::{Format, IsNull, ToSql, Type};

/// Stands for NUL; Unicode reserves it for uses inside a program.
const NUL: char = '\u{FDD0}';
/// Stands before a character that means itself.
const LITERAL: char = '\u{FDD1}';

/// A value of a placeholder.
#[derive(Debug, Clone)]
pub(crate) enum SqlValue {
    Text(Option<String>),
    Integer(Option<i64>),
    Real(f64),
    Flag(bool),
    Bytes(Vec<u8>),
    Texts(Vec<String>),
    OptionalTexts(Vec<Option<String>>),
    Integers(Vec<i64>),
}

impl SqlValue {
    /// The type that the statement is prepared with.
    pub(crate) fn kind(&self) -> Type {
        match self {
            Self::Text(_) => Type::TEXT,
            Self::Integer(_) => Type::INT8,
            Self::Real(_) => Type::FLOAT8,
            Self::Flag(_) => Type::BOOL,
            Self::Bytes(_) => Type::BYTEA,
            Self::Texts(_) | Self::OptionalTexts(_) => Type::TEXT_ARRAY,
            Self::Integers(_) => Type::INT8_ARRAY,
        }
    }

    /// An array of texts.
    pub(crate) fn texts<'t>(texts: impl Iterator<Item = &'t str>) -> Self {
        Self::Texts(texts.map(|text| escape(text).into_owned()).collect())
    }
}

impl SqlValue {
    /// An array in which `None` is NULL.
    pub(crate) fn optional_texts<'t>(texts: impl Iterator<Item = Option<&'t str>>) -> Self {
        Self::OptionalTexts(texts.map(|text| Some(escape(text?).into_owned())).collect())
    }
}

impl ToSql for SqlValue {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Text(text) => text.to_sql(kind, out),
            Self::Integer(number) => number.to_sql(kind, out),
            Self::Real(number) => number.to_sql(kind, out),
            Self::Flag(flag) => flag.to_sql(kind, out),
            Self::Bytes(bytes) => bytes.to_sql(kind, out),
            Self::Texts(texts) => texts.to_sql(kind, out),
            Self::OptionalTexts(texts) => texts.to_sql(kind, out),
            Self::Integers(numbers) => numbers.to_sql(kind, out),
        }
    }

    fn accepts(_kind: &Type) -> bool {
        true
    }

    fn to_sql_checked(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match *kind == self.kind() {
            true => self.to_sql(kind, out),
            false => Err(format!("a value for {kind} is given as {}", self.kind()).into()),
        }
    }

    fn encode_format(&self, _kind: &Type) -> Format {
        Format::Binary
    }
}

/// The text with another character in the place of NUL.
pub(crate) fn escape(text: &str) -> Cow<'_, str> {
    if !text.contains(['\0', NUL, LITERAL]) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        match letter {
            '\0' => escaped.push(NUL),
            NUL | LITERAL => escaped.extend([LITERAL, letter]),
            other => escaped.push(other),
        }
    }
    Cow::Owned(escaped)
}

/// What [`escape`] was given.
pub(crate) fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains([NUL, LITERAL]) {
        return Cow::Borrowed(text);
    }
    let mut letters = text.chars();
    let mut plain = String::with_capacity(text.len());
    while let Some(letter) = letters.next() {
        match letter {
            NUL => plain.push('\0'),
            // A text that was cut may end here.
            LITERAL => plain.extend(letters.next()),
            other => plain.push(other),
        }
    }
    Cow::Owned(plain)
}

/// Conversions from what records hold.
macro_rules! converted {
    ($($from:ty => |$value:ident| $into:expr),+ $(,)?) => {
        $(impl From<$from> for SqlValue {
            fn from($value: $from) -> Self {
                $into
            }
        })+
    };
}

converted! {
    &str => |text| Self::Text(Some(escape(text).into_owned())),
    &String => |text| Self::from(text.as_str()),
    String => |text| Self::from(text.as_str()),
    Option<&str> => |text| Self::Text(text.map(|text| escape(text).into_owned())),
    &Option<String> => |text| Self::from(text.as_deref()),
    Option<String> => |text| Self::from(text.as_deref()),
    &Owner => |owner| Self::from(owner.as_str()),
    i64 => |number| Self::Integer(Some(number)),
    u32 => |number| Self::Integer(Some(number.into())),
    u64 => |number| Self::from(i64::try_from(number).unwrap_or(i64::MAX)),
    usize => |number| Self::from(i64::try_from(number).unwrap_or(i64::MAX)),
    Option<i64> => |number| Self::Integer(number),
    Time => |time| Self::from(time.millis()),
    Option<Time> => |time| Self::Integer(time.map(Time::millis)),
    f64 => |number| Self::Real(number),
    bool => |flag| Self::Flag(flag),
    &[u8] => |bytes| Self::Bytes(bytes.to_vec()),
    Vec<u8> => |bytes| Self::Bytes(bytes),
    Vec<i64> => |numbers| Self::Integers(numbers),
    &[i64] => |numbers| Self::Integers(numbers.to_vec()),
}

/// The values of a statement's placeholders, in order.
macro_rules! values {
    ($($value:expr),* $(,)?) => {
        $crate::value::array([$($crate::value::SqlValue::from($value)),*])
    };
}
pub(crate) use values;

/// Gives an empty array its type, too.
pub(crate) fn array<const COUNT: usize>(values: [SqlValue; COUNT]) -> [SqlValue; COUNT] {
    values
}

#[cfg(test)]
mod tests {
    use super::{escape, unescape};

    #[test]
    fn every_text_comes_back() {
        let texts = ["", "plain", "a\0b", "\u{FDD0}", "\u{FDD1}\0\u{FDD0}\u{FDD1}", "ends in \0"];
        for text in texts {
            assert!(!escape(text).contains('\0'));
            assert_eq!(unescape(&escape(text)), text);
        }
        assert_eq!(unescape("cut\u{FDD1}"), "cut");
    }
}
