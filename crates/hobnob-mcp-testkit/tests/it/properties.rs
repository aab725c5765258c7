//! Round trips over generated values, for the parsers that read untrusted input.
//!
//! The fuzz bodies mutate bytes and compare readers; here the input is well-formed by construction,
//! so that long and deeply structured cases are common. Every run sees the same cases.

mod json;
mod messages;
mod streams;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Map, Value};

/// Few enough cases to wait for in a debug build, and the same ones in every run.
fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 64,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x0005_EED0_FA11_F00D),
        ..ProptestConfig::default()
    }
}

/// Any JSON value except arrays and objects.
fn any_scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any_text().prop_map(Value::from),
    ]
}

/// Any JSON value, nested up to three levels deep.
fn any_json() -> impl Strategy<Value = Value> {
    any_scalar().prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((any_text(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// An object, sometimes with more members than the decoder compares by linear search (16).
fn any_object() -> impl Strategy<Value = Map<String, Value>> {
    object_with(any_text())
}

/// Like [`any_object`], with keys from `key`.
fn object_with(key: impl Strategy<Value = String>) -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::vec((key, any_scalar()), 0..24)
        .prop_map(|members| members.into_iter().collect())
}

/// Text with all characters that must be escaped, and with characters of every length in UTF-8.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z]{0,12}", "[\\x00-\\x1f\"\\\\/]{0,6}", "[aé€😀\u{2028}]{0,6}", "\\PC{0,16}"]
}

/// The bytes cut into pieces of these lengths, which repeat.
fn in_pieces<'a>(bytes: &'a [u8], lengths: &[usize]) -> Vec<&'a [u8]> {
    let mut rest = bytes;
    let mut pieces = Vec::new();
    for length in lengths.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (piece, later) = rest.split_at((*length).min(rest.len()));
        pieces.push(piece);
        rest = later;
    }
    pieces
}

/// Lengths of reads, from single bytes upwards.
fn read_lengths() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(1usize..40, 1..8)
}
