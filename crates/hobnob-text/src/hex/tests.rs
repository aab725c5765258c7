//! Digits that decode and digits that do not, and every byte encoded and decoded again.

use super::*;

#[test]
fn every_byte_comes_back() {
    let bytes: Vec<u8> = (0..=u8::MAX).collect();
    let digits = encode(&bytes);
    assert!(digits.starts_with("000102") && digits.ends_with("fdfeff"), "{digits}");
    assert_eq!(digits, HexDigits(&bytes).to_string());
    assert_eq!(decode(&digits).as_deref(), Some(&*bytes));
    assert_eq!(decode(&digits.to_uppercase()).as_deref(), Some(&*bytes));
}

#[test]
fn anything_but_pairs_of_digits_is_refused() {
    assert_eq!(decode("").as_deref(), Some(&[][..]));
    for text in ["a", "abc", "0x", "+1", " 1", "1 ", "gg", "ä", "äa"] {
        assert_eq!(decode(text), None, "{text}");
    }
    assert_eq!(decode_array("00ff"), Some([0, 255]));
    assert_eq!(decode_array::<2>("00ff00"), None);
    assert_eq!(decode_array::<2>("00"), None);
}
