//! Expressions as the file has them, and which are near a vector.

use super::{DIMENSIONS, MAX_PHRASES, Phrases, digest, pack_phrase_vectors, read, signs, unpack};

/// A vector whose first `positive` components are positive, the others negative.
fn vector(positive: usize) -> Vec<f32> {
    (0..DIMENSIONS).map(|at| if at < positive { 1.0 } else { -1.0 }).collect()
}

#[test]
fn the_packed_file_belongs_to_the_expressions() {
    let built_in = Phrases::built_in();
    assert!(1_000 < built_in.phrases.len());
    assert_eq!(
        built_in.signs.len(),
        built_in.phrases.len(),
        "expressions changed: run `cargo xtask eval tools --phrases`"
    );
}

#[test]
fn expressions_of_several_words_are_read_once() {
    let phrases = read("# no\nput away, hide > archive\nput away > store, archive\na b, c\n");
    let shown: Vec<(&str, &[&str])> =
        phrases.iter().map(|phrase| (phrase.text, phrase.meant.as_slice())).collect();
    assert_eq!(shown, [("put away", &["archive", "store"][..]), ("a b", &["c"][..])]);
}

#[test]
fn a_file_for_other_expressions_is_left_aside() {
    let phrases = read("put away > archive\n");
    let mut bytes = digest(&phrases).to_le_bytes().to_vec();
    bytes.extend(signs(&vector(3)).into_iter().flat_map(u64::to_le_bytes));
    assert_eq!(unpack(&phrases, &bytes), Some(vec![signs(&vector(3))]));
    assert_eq!(unpack(&read("throw away > delete\n"), &bytes), None);
    assert_eq!(unpack(&phrases, &bytes[..bytes.len() - 8]), None);
    assert_eq!(unpack(&phrases, &bytes[..bytes.len() - 1]), None);
    assert_eq!(unpack(&phrases, &[]), None);
    // A packed file has the same layout.
    assert_eq!(pack_phrase_vectors(&[vector(3)])[8..], bytes[8..]);
}

#[test]
fn the_nearest_count_and_far_ones_do_not() {
    let phrases = read("put away > archive\nthrow away > delete\nlook up > find\n");
    let signs = [384, 288, 0].map(|positive| signs(&vector(positive))).to_vec();
    let phrases = Phrases { phrases, signs };
    let near = |asked: &[f32]| -> Vec<(&str, f32)> {
        phrases.nearest(asked).iter().map(|(phrase, weight)| (phrase.text, *weight)).collect()
    };
    let found = near(&vector(384));
    // A quarter of the signs differs: an eighth of a turn. The third vector is opposite.
    let expected = [("put away", 0.64), ("throw away", (0.5_f32.sqrt() - 0.2).powi(2))];
    assert_eq!(found.len(), expected.len());
    for ((text, weight), (wanted, share)) in found.iter().zip(expected) {
        assert!(*text == wanted && (weight - share).abs() < 1e-5, "{text} {weight}");
    }
    assert_eq!(near(&[1.0; 2]), [], "of another model");
    let many = Phrases::built_in().nearest(&vector(192));
    assert!(many.len() <= MAX_PHRASES);
}
