//! Variables in texts: a table, and properties over many generated texts.

use std::cell::RefCell;

use hobnob_config::{Servers, expand};

use crate::support::{Scratch, TOKEN, variables};

#[test]
fn expansion() {
    for (written, value) in [
        ("", ""),
        ("plain", "plain"),
        ("${TOKEN}", TOKEN),
        ("Bearer ${TOKEN}!", "Bearer s3cret-value!"),
        ("${TOKEN}${TOKEN}", "s3cret-values3cret-value"),
        ("${EMPTY}", ""),
        ("${EMPTY:-full}", "full"),
        ("${NONE:-}", ""),
        ("${NONE:-a:-b}", "a:-b"),
        ("${NONE:-http://x:1/y}", "http://x:1/y"),
        ("${TOKEN:-other}", TOKEN),
        ("${NONE:-${TOKEN}}", "${TOKEN}"),
        ("$TOKEN", "$TOKEN"),
        ("$$", "$$"),
        ("$${TOKEN}", "$s3cret-value"),
        ("${", "${"),
        ("${}", "${}"),
        ("${TOKEN", "${TOKEN"),
        ("${1X}", "${1X}"),
        ("${a-b}", "${a-b}"),
        ("${input:key}", "${input:key}"),
        ("${ ${TOKEN}", "${ s3cret-value"),
        ("${größe}", "${größe}"),
        ("ü${TOKEN}ü", "üs3cret-valueü"),
    ] {
        let secret = expand(written, &variables).unwrap();
        assert_eq!(secret.expose(), value, "{written}");
        assert_eq!(secret.written(), written);
    }
}

#[test]
fn unset_variables_are_named() {
    let unset = expand("a ${NONE} b", &variables).unwrap_err();
    assert_eq!(unset.variable, "NONE");
    assert_eq!(
        unset.to_string(),
        "variable `NONE` is not set: set it, or write `${NONE:-default}`"
    );
}

#[test]
fn debug_names_variables_and_nothing_else() {
    for (written, shown) in [
        ("${TOKEN}", "Secret(${TOKEN})"),
        ("Bearer ${TOKEN}", "Secret(…${TOKEN})"),
        ("sk-literal", "Secret(…)"),
        ("${NONE:-fallback-key}", "Secret(${NONE})"),
        ("", "Secret()"),
    ] {
        assert_eq!(format!("{:?}", expand(written, &variables).unwrap()), shown);
    }
}

/// Random texts of pieces that matter to the grammar.
fn made_up_texts() -> Vec<String> {
    const PIECES: [&str; 14] =
        ["$", "{", "}", "${", ":-", "A", "B1", "_", "é", " ", "${A}", "${B:-x}", "1", "-"];
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 33).unwrap()
    };
    (0..20_000).map(|_| (0..next() % 9).map(|_| PIECES[next() % PIECES.len()]).collect()).collect()
}

#[test]
fn properties_of_expansion() {
    for text in made_up_texts() {
        // Without any values, either a variable of the text is named, or `$` is unused.
        let asked = RefCell::new(Vec::new());
        let nothing = |name: &str| {
            asked.borrow_mut().push(name.to_owned());
            None
        };
        match expand(&text, &nothing) {
            Err(unset) => assert!(text.contains(&format!("${{{}}}", unset.variable)), "{text}"),
            Ok(secret) if asked.borrow().is_empty() => assert_eq!(secret.expose(), text),
            Ok(_) => assert!(text.contains(":-"), "{text}"),
        }
        // The value of a variable is not expanded again.
        let nested = |_: &str| Some("${A}".to_owned());
        let once = expand(&text, &nested).unwrap();
        // A variable that holds its own spelling changes nothing, unless a default was written.
        let same = |name: &str| Some(format!("${{{name}}}"));
        if !text.contains(":-") {
            assert_eq!(expand(&text, &same).unwrap().expose(), text);
        }
        // `Debug` never shows the value.
        let loud = |_: &str| Some("LOUD".to_owned());
        assert!(!format!("{:?} {:?}", expand(&text, &loud).unwrap(), once).contains("LOUD"));
    }
}

#[test]
fn values_of_variables_are_not_shown_again() {
    let scratch = Scratch::new();
    let entry = r#"{"command": "${BIN}/run", "args": ["--key=${TOKEN}", "${SHORT}", "plain"],
        "env": {"E": "${LINES}"}, "cwd": "${BIN}", "deniedTools": []}"#;
    scratch.write("home/.mcp.json", &format!(r#"{{"mcpServers": {{"x": {entry}}}}}"#));
    let lookup = |name: &str| {
        Some(match name {
            "BIN" => "/opt/secret folder".to_owned(),
            "TOKEN" => "tok-12345".to_owned(),
            "SHORT" => "ab".to_owned(),
            "LINES" => "first line\nsecond line".to_owned(),
            _ => return None,
        })
    };
    let servers = Servers::load(&scratch.places(), &lookup);
    let spec = servers.get("x").unwrap().state.as_ref().unwrap();
    for (text, wanted) in [
        ("cannot start `/opt/secret folder/run`", "cannot start `${BIN}/run`"),
        ("no folder /opt/secret folder here", "no folder ${BIN} here"),
        ("bad --key=tok-12345, tok-12345!", "bad --key=${TOKEN}, ${TOKEN}!"),
        ("\"first line\\nsecond line\"", "\"${LINES}\""),
        ("it said: second line", "it said: ${LINES}"),
        ("at /opt/secret%20folder/x", "at ${BIN}/x"),
        ("crab plain", "crab plain"),
        ("", ""),
    ] {
        assert_eq!(spec.conceal(text), wanted, "{text}");
    }
}
