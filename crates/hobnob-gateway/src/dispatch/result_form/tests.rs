//! How each setting of a profile changes a result.

use super::ResultForm;
use hobnob_mcp_engine::{Answer, CallError, Outcome};
use hobnob_mcp_types::Revision;
use serde_json::{Value, json};

const SPELLED: ResultForm = ResultForm { explicit_success: true, indent: false };
const INDENTED: ResultForm = ResultForm { explicit_success: false, indent: true };

fn formed(form: ResultForm, body: &Value) -> Value {
    let floor = Revision::V2024_11_05;
    let answer = Answer { body: body.to_string(), meta: None, cache: None, floor };
    match form.of(Ok(Outcome::Complete(answer))) {
        Ok(Outcome::Complete(answer)) => serde_json::from_str(&answer.body).expect("JSON"),
        other => panic!("no result: {other:?}"),
    }
}

fn text(text: &str) -> Value {
    json!([{"type": "text", "text": text}])
}

#[test]
fn a_success_says_so_where_a_profile_wants_it() {
    for (given, expected) in [
        (json!({"content": []}), json!({"content": [], "isError": false})),
        (json!({"content": [], "isError": true}), json!({"content": [], "isError": true})),
        (json!({"content": [], "isError": false}), json!({"content": [], "isError": false})),
    ] {
        assert_eq!(formed(SPELLED, &given), expected);
        assert_eq!(formed(ResultForm::default(), &given), given);
    }
    assert!(ResultForm::default().is_usual() && !SPELLED.is_usual() && !INDENTED.is_usual());
}

#[test]
fn only_a_text_that_is_the_data_is_indented() {
    let data = json!({"a": [1], "b": "x"});
    let compact = json!({"content": text(&data.to_string()), "structuredContent": data});
    let pretty = "{\n  \"a\": [\n    1\n  ],\n  \"b\": \"x\"\n}";
    let expected = json!({"content": text(pretty), "structuredContent": data});
    assert_eq!(formed(INDENTED, &compact), expected);
    for other in [
        json!({"content": text("said in words"), "structuredContent": data}),
        json!({"content": text(&data.to_string())}),
        json!({"content": [], "structuredContent": data}),
        json!({"content": [{"type": "image", "data": "", "mimeType": "image/png"}]}),
    ] {
        assert_eq!(formed(INDENTED, &other), other);
    }
    assert!(matches!(INDENTED.of(Err(CallError::Internal)), Err(CallError::Internal)));
}
