//! Fills `{{…}}` in a line of the corpus, so the corpus holds patterns, never live-looking secrets.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use fastrand::Rng;

const DIGITS: &str = "0123456789";
const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// The line with every known `{{name:argument}}` filled in; unknown ones stay unchanged.
pub(crate) fn fill(line: &str, random: &mut Rng) -> String {
    let mut filled = String::new();
    let mut rest = line;
    while let Some((before, opened)) = rest.split_once("{{") {
        filled.push_str(before);
        let end = opened.find("}}").map(|end| (end, value(&opened[..end], random)));
        rest = match end {
            Some((end, Some(value))) => {
                filled.push_str(&value);
                &opened[end + 2..]
            }
            _ => {
                filled.push_str("{{");
                opened
            }
        };
    }
    filled + rest
}

fn value(template: &str, random: &mut Rng) -> Option<String> {
    let (name, argument) = template.split_once(':').unwrap_or((template, ""));
    let count = argument.parse().unwrap_or(0);
    let mut draw = |alphabet: &str| some(random, alphabet, count);
    let value = match name {
        "alnum" => draw(&[DIGITS, LOWER, UPPER].concat()),
        "upper" => draw(&[DIGITS, UPPER].concat()),
        "lower" => draw(&[DIGITS, LOWER].concat()),
        "digits" => draw(DIGITS).replacen('0', "7", 1),
        "hex" => draw("0123456789abcdef"),
        "HEX" => draw("0123456789ABCDEF"),
        "b64" => draw(&[DIGITS, LOWER, UPPER, "+/"].concat()),
        "aws" => draw(&[DIGITS, LOWER, UPPER, "+/"].concat()).replace(['+', '/'], "k"),
        "url" => draw(&[DIGITS, LOWER, UPPER, "-_"].concat()),
        "join" => argument.replace('|', ""),
        "base64" => STANDARD.encode(argument),
        "uuid" => uuid(random),
        "discord" => discord(random),
        "jwt" => jwt(random),
        "jwe" => jwe(random),
        "armour" => armour(random, argument, "\n"),
        "armour-escaped" => armour(random, argument, "\\n"),
        _ => return None,
    };
    Some(value)
}

fn some(random: &mut Rng, alphabet: &str, count: usize) -> String {
    let letters = alphabet.as_bytes();
    (0..count).map(|_| char::from(letters[random.usize(..letters.len())])).collect()
}

fn uuid(random: &mut Rng) -> String {
    let groups = [8, 4, 4, 4, 12].map(|count| some(random, "0123456789abcdef", count));
    groups.join("-")
}

fn url(random: &mut Rng, count: usize) -> String {
    some(random, &[DIGITS, LOWER, UPPER, "-_"].concat(), count)
}

fn discord(random: &mut Rng) -> String {
    let id = format!("1{}", some(random, DIGITS, 17));
    format!("{}.G{}.{}", URL_SAFE_NO_PAD.encode(id), url(random, 5), url(random, 38))
}

fn jwt(random: &mut Rng) -> String {
    let header = URL_SAFE_NO_PAD.encode(r#"{"alg":"HS256","typ":"JWT"}"#);
    let payload = format!(r#"{{"sub":"{}","iat":1715502600}}"#, some(random, DIGITS, 10));
    format!("{header}.{}.{}", URL_SAFE_NO_PAD.encode(payload), url(random, 43))
}

fn jwe(random: &mut Rng) -> String {
    let header = URL_SAFE_NO_PAD.encode(r#"{"alg":"RSA-OAEP","enc":"A256GCM"}"#);
    let parts = [342, 16, 80, 22].map(|count| url(random, count));
    format!("{header}.{}", parts.join("."))
}

fn armour(random: &mut Rng, title: &str, end: &str) -> String {
    let alphabet = [DIGITS, LOWER, UPPER, "+/"].concat();
    let body: String = (0..6).map(|_| some(random, &alphabet, 64) + end).collect();
    format!(
        "-----BEGIN {title}-----{end}{body}{}={end}-----END {title}-----",
        some(random, &alphabet, 23)
    )
}
