//! Which questions a caller may be asked, and how a legacy client is asked.

use super::given::caller;
use crate::{CallError, Questions, legacy_question};
use hobnob_mcp_types::Revision;
use hobnob_mcp_types::Revision::{V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};
use hobnob_mcp_types::input::InputRequest;

const FORM: &str = r#"{"method":"elicitation/create","params":{"message":"Who?","requestedSchema":{"type":"object","properties":{}}}}"#;
const URL: &str = r#"{"method":"elicitation/create","params":{"mode":"url","message":"Go","url":"https://a.example/"}}"#;
const SAMPLE: &str =
    r#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":9}}"#;
const SAMPLE_TOOLS: &str =
    r#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":9,"tools":[]}}"#;
const SAMPLE_CHOICE: &str = r#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":9,"toolChoice":{"mode":"none"}}}"#;
const ROOTS: &str = r#"{"method":"roots/list"}"#;
const UNKNOWN: &str = r#"{"method":"dreams/list","params":{}}"#;

fn request(text: &str) -> InputRequest {
    serde_json::from_str(text).expect(text)
}

fn questions(texts: &[&str]) -> Questions {
    let mut questions = Questions::default();
    for (number, text) in texts.iter().enumerate() {
        questions.requests.0.insert(number.to_string(), request(text));
    }
    questions
}

/// The capabilities that a caller lacks for these questions; `None` if it may be asked.
fn lacking(revision: Revision, capabilities: &str, texts: &[&str]) -> Option<String> {
    match questions(texts).check(&caller(revision, capabilities)) {
        Ok(()) => None,
        Err(CallError::Capability(needed)) => Some(serde_json::to_string(&needed).expect("JSON")),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn only_what_the_caller_declared_is_asked() {
    let form = Some(r#"{"elicitation":{}}"#);
    let url = Some(r#"{"elicitation":{"url":{}}}"#);
    let sampling = Some(r#"{"sampling":{}}"#);
    let sampling_tools = Some(r#"{"sampling":{"tools":{}}}"#);
    let all =
        r#"{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{},"context":{}},"roots":{}}"#;
    let cases: &[(Revision, &str, &str, Option<&str>)] = &[
        // Forms: an empty `elicitation` object has always meant them.
        (V2026_07_28, "{}", FORM, form),
        (V2026_07_28, r#"{"elicitation":{}}"#, FORM, None),
        (V2026_07_28, r#"{"elicitation":{"form":{}}}"#, FORM, None),
        (V2026_07_28, r#"{"elicitation":{"url":{}}}"#, FORM, form),
        (V2025_11_25, r#"{"elicitation":{}}"#, FORM, None),
        (V2025_06_18, r#"{"elicitation":{}}"#, FORM, None),
        (V2025_03_26, all, FORM, form),
        (V2024_11_05, all, FORM, form),
        // Pages must be declared by name; they came with 2025-11-25.
        (V2026_07_28, r#"{"elicitation":{}}"#, URL, url),
        (V2026_07_28, r#"{"elicitation":{"form":{}}}"#, URL, url),
        (V2026_07_28, r#"{"elicitation":{"url":{}}}"#, URL, None),
        (V2025_11_25, r#"{"elicitation":{"url":{}}}"#, URL, None),
        (V2025_06_18, all, URL, url),
        // Sampling is as old as the protocol; tools in sampling are newer.
        (V2026_07_28, "{}", SAMPLE, sampling),
        (V2026_07_28, r#"{"sampling":{}}"#, SAMPLE, None),
        (V2024_11_05, r#"{"sampling":{}}"#, SAMPLE, None),
        (V2026_07_28, r#"{"sampling":{}}"#, SAMPLE_TOOLS, sampling_tools),
        (V2026_07_28, r#"{"sampling":{}}"#, SAMPLE_CHOICE, sampling_tools),
        (V2026_07_28, "{}", SAMPLE_TOOLS, sampling_tools),
        (V2026_07_28, r#"{"sampling":{"tools":{}}}"#, SAMPLE_TOOLS, None),
        (V2025_11_25, r#"{"sampling":{"tools":{}}}"#, SAMPLE_CHOICE, None),
        (V2025_06_18, all, SAMPLE_TOOLS, sampling_tools),
        (V2025_06_18, all, SAMPLE_CHOICE, sampling_tools),
        (V2025_06_18, all, SAMPLE, None),
        // Roots.
        (V2026_07_28, "{}", ROOTS, Some(r#"{"roots":{}}"#)),
        (V2026_07_28, r#"{"roots":{}}"#, ROOTS, None),
        (V2024_11_05, r#"{"roots":{"listChanged":true}}"#, ROOTS, None),
        // A question of an unknown kind is never asked.
        (V2026_07_28, all, UNKNOWN, Some("{}")),
    ];
    for (revision, capabilities, text, expected) in cases {
        let found = lacking(*revision, capabilities, &[text]);
        assert_eq!(found.as_deref(), *expected, "{revision} {capabilities} {text}");
    }
}

#[test]
fn one_forbidden_question_forbids_them_all() {
    let capabilities = r#"{"sampling":{}}"#;
    assert_eq!(lacking(V2026_07_28, capabilities, &[SAMPLE, SAMPLE]), None);
    let needed = lacking(V2026_07_28, capabilities, &[SAMPLE, FORM, ROOTS]);
    assert_eq!(needed.as_deref(), Some(r#"{"elicitation":{}}"#));
    assert_eq!(lacking(V2026_07_28, "{}", &[]), None);
}

#[test]
fn what_may_not_be_asked_is_refused_by_key() {
    let caller = caller(V2026_07_28, r#"{"sampling":{}}"#);
    let mut answers = crate::Answers::default();
    answers.add(questions(&[FORM, SAMPLE, ROOTS, UNKNOWN]).refusals(&caller));
    let codes: Vec<_> =
        (0..4).map(|key| answers.refusal(&key.to_string()).map(|error| error.code.0)).collect();
    assert_eq!(codes, [Some(-32021), None, Some(-32021), Some(-32021)]);
    assert!(questions(&[SAMPLE]).refusals(&caller).is_empty());
    assert_eq!(questions(&[]).refusable, crate::Refusable::No, "nobody asks for this unknowingly");
}

#[test]
fn a_legacy_client_is_asked_in_its_own_terms() {
    let schema = r#""requestedSchema":{"type":"object","properties":{}}"#;
    let form = format!(r#"{{"message":"Who?",{schema}}}"#);
    let moded_form = format!(r#"{{"mode":"form","message":"Who?",{schema}}}"#);
    let page = r#"{"mode":"url","message":"Go","url":"https://a.example/","elicitationId":"e-1"}"#;
    let stale = URL.replace("\"url\":\"h", "\"elicitationId\":\"old\",\"url\":\"h");
    let cases: &[(Revision, &str, &str, &str)] = &[
        (V2025_06_18, FORM, "elicitation/create", &form),
        (V2025_11_25, FORM, "elicitation/create", &moded_form),
        (V2025_11_25, URL, "elicitation/create", page),
        (V2025_11_25, &stale, "elicitation/create", page),
        (V2025_06_18, SAMPLE, "sampling/createMessage", r#"{"messages":[],"maxTokens":9}"#),
        (V2024_11_05, ROOTS, "roots/list", "{}"),
    ];
    for (revision, text, method, params) in cases {
        let asked = legacy_question(&request(text), *revision, "e-1").expect(text);
        assert_eq!((asked.0.as_str(), asked.1.as_str()), (*method, *params), "{revision} {text}");
    }
    assert!(legacy_question(&request(UNKNOWN), V2025_11_25, "e-1").is_err());
}

#[test]
fn forms_are_reduced_to_what_an_older_client_can_show() {
    let titled = r#"{"method":"elicitation/create","params":{"message":"Which?","requestedSchema":{"type":"object","properties":{"color":{"type":"string","oneOf":[{"const":"r","title":"Red"},{"const":"g","title":"Green"}]},"name":{"type":"string"}}}}}"#;
    let asked = |revision| {
        let (_, params) = legacy_question(&request(titled), revision, "e").expect("can be asked");
        let params: serde_json::Value = serde_json::from_str(&params).expect("JSON");
        params["requestedSchema"]["properties"]["color"].clone()
    };
    let older = serde_json::json!({"type":"string","enum":["r","g"],"enumNames":["Red","Green"]});
    assert_eq!(asked(V2025_06_18), older);
    assert_eq!(asked(V2025_11_25)["oneOf"][1]["title"], "Green");

    let multi_select = r#"{"method":"elicitation/create","params":{"message":"Which?","requestedSchema":{"type":"object","properties":{"colors":{"type":"array","items":{"type":"string","enum":["r","g"]}}}}}}"#;
    let can_fill = r#"{"elicitation":{}}"#;
    assert!(lacking(V2025_06_18, can_fill, &[multi_select]).is_some());
    assert_eq!(lacking(V2025_11_25, can_fill, &[multi_select]), None);
}
