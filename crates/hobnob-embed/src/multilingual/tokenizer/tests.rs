//! A model of a few pieces, made byte by byte: the most probable pieces win, and damaged files are
//! errors.

use super::SentencePiece;

fn field(number: u8, content: &[u8]) -> Vec<u8> {
    let length = u8::try_from(content.len()).unwrap();
    assert!(length < 0x80);
    [&[number << 3 | 2, length], content].concat()
}

fn model(pieces: &[(&str, f32)]) -> Vec<u8> {
    let mut file = Vec::new();
    for (text, score) in pieces {
        let score = [&[2 << 3 | 5][..], &score.to_le_bytes()].concat();
        file.extend(field(1, &[field(1, text.as_bytes()), score].concat()));
    }
    // A trie of one unit without children, and no replacements.
    file.extend(field(3, &field(2, &[4, 0, 0, 0, 0, 0, 0, 0, 0])));
    file
}

fn small_model() -> Vec<u8> {
    model(&[
        ("<unk>", 0.0),
        ("<s>", 0.0),
        ("</s>", 0.0),
        ("▁", -3.0),
        ("▁ab", -4.0),
        ("a", -2.0),
        ("b", -2.5),
        ("abc", -5.0),
        ("c", -1.0),
        ("東", -6.0),
    ])
}

#[test]
fn the_most_probable_pieces_win() {
    let tokenizer = SentencePiece::read(&small_model()).unwrap();
    assert_eq!(tokenizer.len(), 10);
    for (text, expected) in [
        ("", &[1, 0, 2][..]),
        ("  ", &[1, 0, 2]),
        // −4 − 1 for ▁ab c is more than −3 − 5 for ▁ abc.
        ("abc", &[1, 4, 8, 2]),
        ("ba", &[1, 3, 6, 5, 2]),
        ("東x東", &[1, 3, 9, 0, 9, 2]),
        ("c abc", &[1, 3, 8, 4, 8, 2]),
    ] {
        assert_eq!(tokenizer.encode(text, 100), expected, "{text:?}");
    }
    assert_eq!(tokenizer.encode("c abc", 2), [1, 3, 8, 2], "no more than the limit");
}

#[test]
fn among_equals_the_earlier_start_wins() {
    let pieces =
        [("<unk>", 0.0), ("<s>", 0.0), ("</s>", 0.0), ("▁", -1.0), ("a", -1.0), ("aa", -2.0)];
    let tokenizer = SentencePiece::read(&model(&pieces)).unwrap();
    assert_eq!(tokenizer.encode("aa", 100), [1, 3, 5, 2]);
}

#[test]
fn a_damaged_file_is_an_error() {
    let whole = small_model();
    for length in 0..whole.len() {
        assert!(SentencePiece::read(&whole[..length]).is_err(), "{length} bytes");
    }
    assert!(SentencePiece::read(&model(&[("a", f32::NAN)])).is_err());
    assert!(SentencePiece::read(&model(&[("", 0.0)])).is_err());
    assert!(SentencePiece::read(&model(&[])).is_err());
}
