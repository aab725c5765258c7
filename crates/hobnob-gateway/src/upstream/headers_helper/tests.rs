//! Which commands need a shell, and what counts as headers.

use super::{headers, words};

#[test]
fn a_shell_runs_only_what_needs_one() {
    let cases: [(&str, &[&str]); 6] = [
        ("/opt/headers.sh", &["/opt/headers.sh"]),
        ("  get-headers   --for  'a b' ", &["get-headers", "--for", "a b"]),
        ("get \"x y\"z ''", &["get", "x yz", ""]),
        ("get | jq .", &["/bin/sh", "-c", "get | jq ."]),
        ("get $HOME", &["/bin/sh", "-c", "get $HOME"]),
        ("get a\\ b", &["/bin/sh", "-c", "get a\\ b"]),
    ];
    for (command, expected) in cases {
        assert_eq!(words(command).unwrap(), expected, "{command}");
    }
    for bad in ["get 'x", "", "  "] {
        assert!(words(bad).is_err(), "{bad}");
    }
}

#[test]
fn only_an_object_of_strings_is_taken_and_nothing_is_quoted() {
    assert_eq!(
        headers(br#"{"X-Key":"v","Authorization":"Bearer t"}"#).unwrap(),
        [("Authorization".into(), "Bearer t".into()), ("X-Key".into(), "v".into())]
    );
    for bad in ["", "[]", "canary", r#"{"a":1}"#, r#"{"a":{"b":"canary"}}"#] {
        let why = headers(bad.as_bytes()).unwrap_err();
        assert!(!why.contains("canary"), "{why}");
    }
}
