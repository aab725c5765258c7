//! Sealed states on their way through a client that may change anything about them.

use super::given::params;
use crate::{Answers, Binding, SealKey, random_bytes};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hobnob_mcp_types::Method;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const TTL: Duration = Duration::from_secs(60);
const PARAMS: &str = r#"{"name":"book","arguments":{"seats":[1,2],"to":"Oslo"}}"#;

fn key() -> SealKey {
    SealKey::from_bytes(&[7; 32]).expect("32 bytes are a key")
}

fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_800_000_000)
}

fn bind(method: Method, text: &str, principal: &str) -> Binding {
    Binding::new(method, &params(text), principal)
}

fn usual() -> Binding {
    bind(Method::ToolsCall, PARAMS, "ada")
}

/// The rounds of a call in which a person first gave a name and then a seat.
fn rounds() -> Answers {
    let mut answers = Answers::default();
    for round in [r#"{"inputResponses":{"name":{"n":1.10}}}"#, r#"{"inputResponses":{"seat":7}}"#] {
        answers.add_from(&params(round)).expect(round);
    }
    answers.end_round(Some("step 2".into()));
    answers
}

fn sealed() -> String {
    key().seal(&rounds(), &usual(), now(), TTL).expect("randomness")
}

#[test]
fn every_round_so_far_survives_the_journey() {
    let mut opened = key().open(&sealed(), &usual(), now()).expect("the same request");
    assert_eq!(opened.state(), Some("step 2"));
    opened.add_from(&params(r#"{"inputResponses":{"seat":8,"meal":"none"}}"#)).expect("a round");
    let answer_to = |name| opened.get(name).map(|answer| answer.get());
    assert_eq!(answer_to("name"), Some(r#"{"n":1.10}"#));
    assert_eq!(answer_to("seat"), Some("8"), "the newest answer counts");
    assert_eq!(answer_to("meal"), Some("\"none\""));
}

#[test]
fn equal_states_look_different() {
    assert_ne!(sealed(), sealed());
    assert!(!sealed().contains('='), "safe wherever text may go");
}

#[test]
fn no_changed_bit_and_no_other_length_opens() {
    let text = sealed();
    let bytes = URL_SAFE_NO_PAD.decode(&text).expect("our own encoding");
    for at in 0..bytes.len() * 8 {
        let mut changed = bytes.clone();
        changed[at / 8] ^= 1 << (at % 8);
        let changed = URL_SAFE_NO_PAD.encode(changed);
        assert!(key().open(&changed, &usual(), now()).is_none(), "bit {at} of the bytes");
    }
    for at in 0..text.len() * 8 {
        let mut changed = text.clone().into_bytes();
        changed[at / 8] ^= 1 << (at % 8);
        let Ok(changed) = String::from_utf8(changed) else { continue };
        assert!(key().open(&changed, &usual(), now()).is_none(), "bit {at} of the text");
    }
    for end in 0..text.len() {
        assert!(key().open(&text[..end], &usual(), now()).is_none(), "cut at {end}");
        assert!(key().open(&text[end + 1..], &usual(), now()).is_none(), "begun after {end}");
    }
    for more in ["-TAMPERED", "A", "=", "==", " ", "\n", "AAAA"] {
        assert!(key().open(&format!("{text}{more}"), &usual(), now()).is_none(), "{more:?} after");
        assert!(key().open(&format!("{more}{text}"), &usual(), now()).is_none(), "{more:?} before");
    }
    assert!(key().open(&text, &usual(), now()).is_some(), "the unchanged text still opens");
}

#[test]
fn a_state_is_good_for_one_request_only() {
    let text = sealed();
    let cases = [
        (Method::PromptsGet, PARAMS.to_owned(), "ada"),
        (Method::ToolsCall, PARAMS.to_owned(), "bob"),
        (Method::ToolsCall, PARAMS.to_owned(), ""),
        (Method::ToolsCall, PARAMS.replace("Oslo", "Bergen"), "ada"),
        (Method::ToolsCall, PARAMS.replace("book", "Book"), "ada"),
        (Method::ToolsCall, PARAMS.replace("[1,2]", "[2,1]"), "ada"),
        (Method::ToolsCall, PARAMS.replace("[1,2]", "[1,2,null]"), "ada"),
        (Method::ToolsCall, PARAMS.replace("[1,2]", "[\"1\",2]"), "ada"),
        (Method::ToolsCall, PARAMS.replace("\"name\"", "\"a\":1,\"name\""), "ada"),
        (Method::ToolsCall, "{}".to_owned(), "ada"),
    ];
    for (method, text_of_params, principal) in &cases {
        let other = bind(*method, text_of_params, principal);
        assert!(
            key().open(&text, &other, now()).is_none(),
            "{method:?} {text_of_params} {principal}"
        );
    }
    let other_key = SealKey::from_bytes(&[8; 32]).expect("a key");
    assert!(other_key.open(&text, &usual(), now()).is_none());
    let random = SealKey::random().expect("randomness");
    assert!(random.open(&text, &usual(), now()).is_none());
}

#[test]
fn the_spelling_of_the_same_parameters_does_not_matter() {
    let text = sealed();
    let same = [
        r#"{"arguments":{"to":"Oslo","seats":[1,2]},"name":"book"}"#,
        r#" { "name" : "book" , "arguments" : { "seats" : [ 1 , 2 ] , "to" : "Oslo" } } "#,
        r#"{"name":"b\u006fok","arguments":{"seats":[1,2],"\u0074o":"Oslo"}}"#,
        r#"{"name":"book","arguments":{"seats":[1,2],"to":"Oslo"},"requestState":"x"}"#,
        r#"{"_meta":{"progressToken":9},"name":"book","arguments":{"seats":[1,2],"to":"Oslo"},"inputResponses":{"a":1}}"#,
    ];
    for spelling in same {
        let binding = bind(Method::ToolsCall, spelling, "ada");
        assert!(key().open(&text, &binding, now()).is_some(), "{spelling}");
    }
}

#[test]
fn numbers_that_a_float_would_blur_stay_apart() {
    let cases = [
        ("18446744073709551616", "18446744073709551617"),
        ("0.1", "0.10000000000000000001"),
        ("9007199254740992", "9007199254740993"),
        ("1e400", "1e401"),
        ("-0", "0"),
        ("1.0", "1"),
    ];
    for (sealed_for, asked_for) in cases {
        let text = |number: &str| format!(r#"{{"name":"pay","arguments":{{"sum":{number}}}}}"#);
        let binding = bind(Method::ToolsCall, &text(sealed_for), "ada");
        let state = key().seal(&rounds(), &binding, now(), TTL).expect("randomness");
        assert!(key().open(&state, &binding, now()).is_some(), "{sealed_for}");
        let other = bind(Method::ToolsCall, &text(asked_for), "ada");
        assert!(key().open(&state, &other, now()).is_none(), "{sealed_for} for {asked_for}");
    }
}

#[test]
fn a_state_expires_on_the_second() {
    let text = sealed();
    let open = |moment| key().open(&text, &usual(), moment).is_some();
    assert!(open(now()));
    assert!(open(now() + TTL - Duration::from_secs(1)));
    assert!(!open(now() + TTL));
    assert!(!open(now() + TTL * 1000));
    let eternal = key().seal(&rounds(), &usual(), now(), Duration::MAX).expect("randomness");
    assert!(key().open(&eternal, &usual(), now() + TTL * 1000).is_some(), "no overflow");
}

#[test]
fn a_key_shows_itself_to_nobody() {
    assert_eq!(format!("{:?}", key()), "SealKey");
}

#[test]
fn a_stored_key_opens_what_it_sealed_before() {
    let bytes = random_bytes::<32>().expect("randomness");
    let again = || SealKey::from_bytes(&bytes).expect("a key");
    let state = again().seal(&rounds(), &usual(), now(), TTL).expect("randomness");
    assert!(again().open(&state, &usual(), now()).is_some());
    let other = random_bytes::<32>().expect("randomness");
    assert_ne!(other, bytes);
    let other = SealKey::from_bytes(&other).expect("a key");
    assert!(other.open(&state, &usual(), now()).is_none());
}
