//! What is about a person: addresses, and numbers found in one walk over the digits.

mod calling_code;
mod card;
mod cue;
pub(crate) mod digits;
mod domain;
pub(crate) mod email;
mod iban;
mod national;
mod phone;
