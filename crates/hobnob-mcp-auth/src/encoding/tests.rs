//! Encodings, compared with the results of other implementations.

use super::{base64url, form, form_text, from_base64, random_text};

#[test]
fn forms_are_encoded_as_browsers_do() {
    assert_eq!(form([("a b", "c&d=é"), ("x", "1*-._~")]), "a+b=c%26d%3D%C3%A9&x=1*-._%7E");
    assert_eq!(form_text("https://a/b"), "https%3A%2F%2Fa%2Fb");
    assert_eq!(form([]), "");
}

#[test]
fn base64_has_no_padding_in_urls_and_line_breaks_in_pem() {
    assert_eq!(base64url(&[0xfb, 0xff]), "-_8");
    assert_eq!(from_base64("AA\nEC"), Some(vec![0, 1, 2]));
    assert_eq!(from_base64("!"), None);
}

#[test]
fn random_texts_differ_and_have_256_bits() {
    let (one, other) = (random_text().unwrap(), random_text().unwrap());
    assert_ne!(one, other);
    assert_eq!(one.len(), 43);
}
