//! Rounds of answers: which answer counts, and what a round may look like.

use super::given::{code, params};
use crate::{Answers, refusal_answer};
use hobnob_mcp_types::{ErrorCode, RpcError};

fn answered(rounds: &[&str]) -> Answers {
    let mut answers = Answers::default();
    for round in rounds {
        let text = format!(r#"{{"inputResponses":{round}}}"#);
        answers.add_from(&params(&text)).expect(round);
    }
    answers
}

#[test]
fn the_newest_answer_counts_and_older_ones_stay() {
    let cases: &[(&[&str], &str, Option<&str>)] = &[
        (&[], "a", None),
        (&[r#"{"a":1}"#], "a", Some("1")),
        (&[r#"{"a":1}"#], "b", None),
        (&[r#"{"a":1}"#, r#"{"b":2}"#], "a", Some("1")),
        (&[r#"{"a":1}"#, r#"{"a":2}"#], "a", Some("2")),
        (&[r#"{"a":1}"#, r#"{"a":2}"#, "{}"], "a", Some("2")),
        (&[r#"{"a":{"action":"accept","n":1.10}}"#], "a", Some(r#"{"action":"accept","n":1.10}"#)),
        (&[r#"{"a":null}"#], "a", Some("null")),
    ];
    for (rounds, key, expected) in cases {
        let answers = answered(rounds);
        assert_eq!(answers.get(key).map(|answer| answer.get()), *expected, "{rounds:?} {key}");
    }
}

#[test]
fn only_the_newest_round_is_fresh() {
    let mut answers = answered(&[r#"{"a":1,"b":1}"#, r#"{"c":3,"b":2}"#]);
    let fresh = |answers: &Answers| {
        let all: Vec<_> = answers.fresh().map(|(key, raw)| format!("{key}={raw}")).collect();
        all.join(" ")
    };
    assert_eq!(fresh(&answers), "b=2 c=3");
    answers.end_round(None);
    assert_eq!(fresh(&answers), "");
    assert_eq!(answers.get("c").map(|answer| answer.get()), Some("3"));
}

#[test]
fn only_a_refusal_of_ours_is_one() {
    let mut answers = answered(&[r#"{"a":{"action":"decline"},"b":null}"#]);
    let refusal = refusal_answer(&RpcError::new(ErrorCode(-7), "no \"thanks\"").with_data(&1));
    assert_eq!(refusal.get(), r#"{"hobnob/refused":{"code":-7,"message":"no \"thanks\""}}"#);
    answers.add([("c".into(), refusal)].into());
    let refused = |key: &str| answers.refusal(key).map(|error| (error.code.0, error.message));
    assert_eq!(refused("c"), Some((-7, "no \"thanks\"".into())));
    assert_eq!((refused("a"), refused("b"), refused("d")), (None, None, None));
}

#[test]
fn a_forged_refusal_is_refused_and_changes_nothing() {
    let forged = [r#"hobnob/refused"#, r#"hobnob\/refused"#, r#"hobno\u0062/refused"#];
    for key in forged {
        let mut answers = answered(&[r#"{"a":1}"#]);
        let text = format!(r#"{{"inputResponses":{{"a":{{}},"b":{{"{key}":{{"code":1}}}}}}}}"#);
        assert_eq!(code(answers.add_from(&params(&text))), -32602, "{key}");
        assert_eq!(answers.get("a").map(|answer| answer.get()), Some("1"), "{key}");
    }
    // A member of this name deeper inside an answer is not ours.
    let mut answers = Answers::default();
    let text =
        r#"{"inputResponses":{"a":{"content":{"hobnob/refused":{}}},"b":["hobnob/refused"]}}"#;
    assert_eq!(code(answers.add_from(&params(text))), 0);
    assert!(answers.refusal("a").is_none() && answers.refusal("b").is_none());
}

#[test]
fn the_state_is_that_of_the_last_round() {
    let mut answers = Answers::default();
    assert!(answers.is_empty() && answers.state().is_none());
    answers.end_round(Some("one".into()));
    assert!(!answers.is_empty());
    assert_eq!(answers.state(), Some("one"));
    answers.end_round(None);
    assert!(answers.is_empty() && answers.state().is_none());
    assert!(!answered(&[r#"{"a":1}"#]).is_empty());
}

#[test]
fn responses_that_are_no_object_are_refused_and_change_nothing() {
    for bad in ["null", "[]", "\"x\"", "7", "true"] {
        let mut answers = answered(&[r#"{"a":1}"#]);
        let text = format!(r#"{{"inputResponses":{bad}}}"#);
        assert_eq!(code(answers.add_from(&params(&text))), -32602, "{bad}");
        assert_eq!(answers.fresh().count(), 1, "{bad}");
    }
    let mut answers = answered(&[r#"{"a":1}"#]);
    assert_eq!(code(answers.add_from(&params("{}"))), 0);
    assert_eq!(answers.fresh().count(), 1, "no round came");
}

/// A callee that passes on others' questions prefixes their keys, and strips the prefix again.
#[test]
fn answers_below_a_beginning_are_one_callees_own() {
    let all = answered(&[r#"{"a/x":1,"b/x":2}"#, r#"{"a/y":3,"c":4}"#]);
    let below = all.below("a/", Some("state".into()));
    let got = |key: &str| below.get(key).map(|answer| answer.get().to_owned());
    assert_eq!((got("x"), got("y")), (Some("1".into()), Some("3".into())));
    assert_eq!((got("a/x"), got("c")), (None, None));
    let fresh: Vec<_> = below.fresh().map(|(key, _)| key.to_owned()).collect();
    assert_eq!(fresh, ["y"], "rounds stay apart");
    assert_eq!(below.state(), Some("state"));
    assert!(Answers::default().below("a/", None).is_empty());
}
