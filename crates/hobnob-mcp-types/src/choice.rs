//! How the vocabulary writes "one of several": strings from an open set (`open_enum!`) and
//! objects distinguished by one key (`tagged_union!`). Every feature file uses these two.
//!
//! A value we do not know must survive a decode and an encode unchanged, and raw JSON inside a
//! variant must stay raw. serde's own internally tagged enums buffer their input and break the
//! second rule, which is why decoding is written here by hand.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeOwned, DeserializeSeed, Error, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// Declares an enum of wire strings that keeps strings it does not know.
macro_rules! open_enum {
    (
        $(#[$attribute:meta])*
        pub enum $name:ident {
            $($(#[$note:meta])* $variant:ident = $text:literal),+ $(,)?
        }
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$note])* $variant,)+
            /// A value this crate does not know, kept as it came.
            Other(Box<str>),
        }

        impl $name {
            /// The value as it travels on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)+
                    Self::Other(text) => text,
                }
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                match text {
                    $($text => Self::$variant,)+
                    other => Self::Other(other.into()),
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::choice::from_text(deserializer)
            }
        }
    };
}

/// Declares an enum of objects distinguished by the string under one key; the bodies do not hold
/// that key themselves. An object with another tag is kept as raw JSON.
macro_rules! tagged_union {
    (
        #[tag($tag:literal $(, default = $default:literal)?)]
        $(#[$attribute:meta])*
        pub enum $name:ident {
            $($(#[$note:meta])* $variant:ident($body:ty) = $text:literal),+ $(,)?
        }
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Clone)]
        pub enum $name {
            $($(#[$note])* $variant($body),)+
            /// A kind this crate does not know, kept as it came.
            Unknown(Box<serde_json::value::RawValue>),
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                #[derive(serde::Serialize)]
                #[serde(tag = $tag)]
                enum Tagged<'a> {
                    $(#[serde(rename = $text)] $variant(&'a $body),)+
                }
                match self {
                    $(Self::$variant(body) => Tagged::$variant(body).serialize(serializer),)+
                    Self::Unknown(raw) => raw.serialize(serializer),
                }
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let raw = Box::<serde_json::value::RawValue>::deserialize(deserializer)?;
                let tag = $crate::choice::tag(&raw, $tag)?;
                $(let tag = tag.or(Some(std::borrow::Cow::Borrowed($default)));)?
                match tag.as_deref() {
                    $(Some($text) => $crate::choice::exact(&raw).map(Self::$variant),)+
                    Some(_) => Ok(Self::Unknown(raw)),
                    None => Err(serde::de::Error::missing_field($tag)),
                }
            }
        }
    };
}

pub(crate) use {open_enum, tagged_union};

/// Reads a string and turns it into the value it names.
pub(crate) fn from_text<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: for<'a> From<&'a str>,
{
    struct Text<T>(PhantomData<T>);

    impl<T: for<'a> From<&'a str>> Visitor<'_> for Text<T> {
        type Value = T;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("a string")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
            Ok(T::from(text))
        }
    }

    deserializer.deserialize_str(Text(PhantomData))
}

/// Decodes raw JSON into exactly `T`, with serde_json's own words in the error.
pub(crate) fn exact<T: DeserializeOwned, E: Error>(raw: &RawValue) -> Result<T, E> {
    serde_json::from_str(raw.get()).map_err(E::custom)
}

/// The string under `key` in a raw object, or nothing when the key is absent or null.
pub(crate) fn tag<'raw, E: Error>(
    raw: &'raw RawValue,
    key: &str,
) -> Result<Option<Cow<'raw, str>>, E> {
    let mut deserializer = serde_json::Deserializer::from_str(raw.get());
    Find(key).deserialize(&mut deserializer).map_err(E::custom)
}

/// Walks an object and keeps only the value of one key.
struct Find<'key>(&'key str);

impl<'de> DeserializeSeed<'de> for Find<'_> {
    type Value = Option<Cow<'de, str>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Find<'_> {
    type Value = Option<Cow<'de, str>>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "an object with the key `{}`", self.0)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(Borrowed(key)) = map.next_key()? {
            if key == self.0 {
                found = map.next_value::<Option<Borrowed<'de>>>()?.map(|text| text.0);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

/// A string borrowed from the input where it has no escapes.
#[derive(Deserialize)]
struct Borrowed<'a>(#[serde(borrow)] Cow<'a, str>);
