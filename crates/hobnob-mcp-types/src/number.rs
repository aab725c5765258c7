//! JSON numbers that are held as `f64`: progress, priorities, form limits.
//!
//! A whole number leaves as it came (`3`, not `3.0`), since peers with integer types choke on the
//! second spelling. A number JSON cannot express is an error, never a `null`.

use serde::ser::Error;
use serde::{Deserialize, Deserializer, Serializer};

/// Up to here every whole `f64` is one integer and the other way round.
const EXACT: f64 = 9_007_199_254_740_992.0;

pub(crate) fn serialize<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if !number.is_finite() {
        return Err(S::Error::custom("a number on the wire must be finite"));
    }
    if number.fract() == 0.0 && number.abs() <= EXACT {
        return serializer.serialize_i64(*number as i64);
    }
    serializer.serialize_f64(*number)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    f64::deserialize(deserializer)
}

/// The same for a field that may be absent.
pub(crate) mod optional {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(
        number: &Option<f64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match number {
            Some(number) => super::serialize(number, serializer),
            None => serializer.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<f64>, D::Error> {
        Option::deserialize(deserializer)
    }
}
