//! Checks the sealed request state: only the exact sealed text opens, and only for the request it
//! was sealed for.
#![expect(clippy::expect_used, reason = "a fixed key and the system's randomness are there")]

use super::cut::small_number;
use hobnob_mcp_engine::{Answers, Binding, SealKey};
use hobnob_mcp_types::{Method, Params};
use serde_json::Value;
use std::sync::LazyLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const TTL: Duration = Duration::from_secs(60);

/// A state as a client carries it. Its text differs from run to run; the assertions hold for all.
struct Carried {
    key: SealKey,
    binding: Binding,
    text: String,
}

static CARRIED: LazyLock<Carried> = LazyLock::new(|| {
    let key = SealKey::from_bytes(&[7; 32]).expect("32 bytes are a key");
    let binding = Binding::new(Method::ToolsCall, &params(r#"{"name":"t"}"#), "ada");
    let mut answers = Answers::default();
    answers.end_round(Some("step 1".into()));
    let text = key.seal(&answers, &binding, now(), TTL).expect("randomness");
    Carried { key, binding, text }
});

/// Tests the input as a state, as edits to a real state, and as parameters to bind a state to.
pub fn request_state(data: &[u8]) {
    let carried = &*CARRIED;
    if let Ok(text) = std::str::from_utf8(data) {
        check(carried, text);
        if let Ok(params) = Params::from_json(text.to_owned()) {
            bound(carried, text, &params);
        }
    }
    check(carried, &changed(&carried.text, data));
    check(carried, &carried.text);
}

/// The text opens if and only if it is the sealed text.
fn check(carried: &Carried, text: &str) {
    let opened = carried.key.open(text, &carried.binding, now());
    assert_eq!(opened.is_some(), text == carried.text, "{text}");
    assert!(opened.is_none_or(|answers| answers.state() == Some("step 1")));
}

/// The sealed text after edits: three bytes each for the operation, the position and the new byte.
fn changed(text: &str, edits: &[u8]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for edit in edits.chunks_exact(3) {
        let (act, rest) = small_number(edit);
        let (at, byte) = (usize::from(rest[0]) % (bytes.len() + 1), rest[1] & 0x7f);
        match act % 4 {
            0 => bytes.insert(at, byte),
            1 if at < bytes.len() => bytes[at] = byte,
            2 => bytes.truncate(at),
            _ => bytes.rotate_left(at),
        }
    }
    String::from_utf8(bytes).unwrap_or_default()
}

/// A state that is bound to these parameters opens for them and for no others.
fn bound(carried: &Carried, text: &str, params: &Params) {
    let key = &carried.key;
    let bind = |params: &Params, principal| Binding::new(Method::PromptsGet, params, principal);
    let mut answers = Answers::default();
    drop(answers.add_from(params));
    answers.end_round(None);
    let Some(state) = key.seal(&answers, &bind(params, "ada"), now(), TTL) else {
        unreachable!("what was read can be sealed")
    };
    let opens = |binding: &Binding, moment| key.open(&state, binding, moment).is_some();
    assert!(opens(&bind(params, "ada"), now()));
    assert!(!opens(&bind(params, "ada"), now() + TTL));
    assert!(!opens(&bind(params, "bob"), now()));
    assert!(!opens(&Binding::new(Method::ToolsCall, params, "ada"), now()));
    assert!(!opens(&carried.binding, now()));
    let Ok(mut value) = serde_json::from_str::<Value>(text) else { return };
    let Some(object) = value.as_object_mut() else { return };
    if object.insert("\u{1}more".into(), Value::Null).is_some() {
        return;
    }
    assert!(!opens(&bind(&self::params(&value.to_string()), "ada"), now()), "one member more");
}

fn params(text: &str) -> Params {
    Params::from_json(text.to_owned()).expect("an object")
}

fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_800_000_000)
}
