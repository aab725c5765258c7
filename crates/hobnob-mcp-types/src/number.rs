//! JSON numbers that are held as `f64`: progress, priorities, form limits.
//!
//! A whole number is written without a fraction (`3`, not `3.0`), because peers with integer types
//! reject the second spelling. A number JSON cannot express is an error, never a `null`.

use serde::ser::Error;
use serde::{Deserialize, Deserializer, Serializer};

/// 2^53: up to here every integer has an `f64` of its own.
const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;

pub(crate) fn serialize<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if !number.is_finite() {
        return Err(S::Error::custom("a number on the wire must be finite"));
    }
    if number.fract() == 0.0 && number.abs() <= MAX_EXACT_INTEGER {
        return serializer.serialize_i64(*number as i64);
    }
    serializer.serialize_f64(*number)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    f64::deserialize(deserializer)
}

/// The same functions for a field that may be absent.
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
