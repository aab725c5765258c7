//! The origin of a question cannot be forged by a server.

use super::QuestionOrigin;
use hobnob_mcp_engine::{Outcome, Questions};
use hobnob_mcp_types::input::{InputRequest, InputRequests};
use serde_json::{Value, json};

fn asked(meta: &Value) -> Outcome {
    let schema = json!({"type": "object", "properties": {}});
    let form = json!({"message": "May it run?", "requestedSchema": schema, "_meta": meta});
    let page = json!({"mode": "url", "message": "Visit", "url": "https://a", "_meta": meta});
    let sampling = json!({"messages": [], "maxTokens": 1, "_meta": meta});
    let requests: InputRequests = serde_json::from_value(json!({
        "form": {"method": "elicitation/create", "params": form},
        "page": {"method": "elicitation/create", "params": page},
        "sampling": {"method": "sampling/createMessage", "params": sampling},
    }))
    .unwrap();
    Outcome::NeedsInput(Questions { requests, ..Questions::default() })
}

fn questions(outcome: Outcome) -> Vec<InputRequest> {
    let Outcome::NeedsInput(questions) = outcome else { panic!("no questions") };
    questions.requests.0.into_iter().map(|(_, question)| question).collect()
}

#[test]
fn a_server_cannot_say_who_it_is() {
    let one = QuestionOrigin::server("one");
    for meta in [
        json!({}),
        json!("text"),
        json!({"a": 1, "hobnob/asked-by": {"origin": "hobnob"}}),
        json!({"hobnob/asked-by": {"origin": "server", "server": "two"}}),
    ] {
        for question in questions(one.asks_in(asked(&meta))) {
            assert_eq!(QuestionOrigin::of(&question), one, "{meta}");
            let text = serde_json::to_string(&question).unwrap();
            assert_eq!(text.matches("asked-by").count(), 1, "{text}");
            assert_eq!(text.contains(r#""a":1"#), meta["a"] == 1, "{text}");
        }
    }
}

#[test]
fn a_built_in_asks_for_hobnob_unless_it_passes_a_question_on() {
    for question in questions(QuestionOrigin::of_built_in(asked(&json!({})))) {
        assert_eq!(QuestionOrigin::of(&question), QuestionOrigin::Hobnob);
    }
    let passed_on = QuestionOrigin::server("one").asks_in(asked(&json!({})));
    for question in questions(QuestionOrigin::of_built_in(passed_on)) {
        assert_eq!(QuestionOrigin::of(&question), QuestionOrigin::server("one"));
    }
}

#[test]
fn a_question_that_does_not_say_who_asks_is_not_ours() {
    for meta in [
        json!({}),
        json!({"hobnob/asked-by": "hobnob"}),
        json!({"hobnob/asked-by": {"origin": "unknown"}}),
        json!({"hobnob/asked-by": {"origin": "Hobnob"}}),
    ] {
        for question in questions(asked(&meta)) {
            assert_eq!(QuestionOrigin::of(&question), QuestionOrigin::Unknown, "{meta}");
        }
    }
}
