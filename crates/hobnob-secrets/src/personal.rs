//! Rules about personal data: e-mail addresses, and numbers found in one pass over the digits.
//!
//! `trigger` and the scanner run them.

mod calling_code;
mod card;
mod cue;
pub(crate) mod digits;
mod domain;
pub(crate) mod email;
mod iban;
mod national;
mod phone;
mod window;
