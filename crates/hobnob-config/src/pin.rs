//! The digests of an accepted tool definition, and the changes that hold the tool back.
//!
//! The gateway computes the digests; `approvals` stores them. Pins of the first form, a bare
//! digest, stay readable for ever, and are replaced when a definition that matches them is seen.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::digest::Digest;

/// The format version that is written. Another way to compute digests needs a new number.
const FORM: u32 = 2;

/// The accepted tools of a server, by name.
pub type Pins = BTreeMap<String, Pin>;

/// The digests of one tool's definition when it was accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pin {
    /// The digest that Hobnob used before it compared canonical definitions.
    FirstForm(Digest),
    /// The digests of the canonical definition.
    Canonical {
        /// The digest of everything in the definition.
        definition: Digest,
        /// The digest of its names and texts, which are what a model reads.
        texts: Digest,
    },
}

impl Serialize for Pin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::FirstForm(digest) => digest.serialize(serializer),
            Self::Canonical { definition, texts } => {
                let mut pin = serializer.serialize_struct("Pin", 3)?;
                pin.serialize_field("form", &FORM)?;
                pin.serialize_field("definition", definition)?;
                pin.serialize_field("texts", texts)?;
                pin.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Pin {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PinVisitor)
    }
}

struct PinVisitor;

impl<'de> Visitor<'de> for PinVisitor {
    type Value = Pin;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a digest, or an object with digests")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Pin, E> {
        text.parse().map(Pin::FirstForm).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Pin, A::Error> {
        let (mut form, mut definition, mut texts) = (None, None, None);
        while let Some(key) = members.next_key::<String>()? {
            match key.as_str() {
                "form" => form = Some(members.next_value::<u32>()?),
                "definition" => definition = Some(members.next_value::<Digest>()?),
                "texts" => texts = Some(members.next_value::<Digest>()?),
                other => return Err(de::Error::unknown_field(other, &["definition", "texts"])),
            }
        }
        match (form, definition, texts) {
            (Some(FORM), Some(definition), Some(texts)) => Ok(Pin::Canonical { definition, texts }),
            (Some(other), _, _) if other != FORM => Err(de::Error::custom(format!(
                "a pin of form {other}, which a newer Hobnob wrote: update Hobnob"
            ))),
            _ => Err(de::Error::custom("a pin needs `form`, `definition` and `texts`")),
        }
    }
}

/// Which changes of a tool's definition hold it back until a person approves them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PinMode {
    /// Every change of the canonical definition.
    Strict,
    /// Changes of names and texts, which a model reads. Schemas may become tighter or wider.
    Descriptions,
    /// No change holds a tool back.
    Off,
}

impl PinMode {
    /// The value in `config.toml`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Descriptions => "descriptions",
            Self::Off => "off",
        }
    }
}

impl<'de> Deserialize<'de> for PinMode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PinModeVisitor)
    }
}

struct PinModeVisitor;

impl Visitor<'_> for PinModeVisitor {
    type Value = PinMode;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("\"strict\", \"descriptions\" or \"off\"")
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<PinMode, E> {
        [PinMode::Strict, PinMode::Descriptions, PinMode::Off]
            .into_iter()
            .find(|mode| mode.as_str() == word)
            .ok_or_else(|| E::invalid_value(de::Unexpected::Str(word), &self))
    }

    /// The first version of the settings had only `true` and `false`.
    fn visit_bool<E: de::Error>(self, on: bool) -> Result<PinMode, E> {
        Ok(if on { PinMode::Strict } else { PinMode::Off })
    }
}
