//! The envelope of every way in which a call can end, in each revision.

use super::enveloped;
use hobnob_mcp_engine::{
    Answer, ArgumentProblem, ArgumentProblems, CallError, Outcome, downgrade_result,
};
use hobnob_mcp_types::{ErrorCode, Method, Revision, RpcError};
use serde_json::{Value, json};

fn complete(done: Result<Outcome, CallError>) -> Answer {
    match enveloped(done) {
        Ok(Outcome::Complete(answer)) => answer,
        other => panic!("no result: {other:?}"),
    }
}

fn body(done: Result<Outcome, CallError>) -> Value {
    serde_json::from_str(&complete(done).body).expect("JSON")
}

fn result(body: &Value) -> Result<Outcome, CallError> {
    let (body, floor) = (body.to_string(), Revision::V2024_11_05);
    Ok(Outcome::Complete(Answer { body, meta: None, cache: None, floor }))
}

fn text(text: &str) -> Value {
    json!([{"type": "text", "text": text}])
}

#[test]
fn results_say_whether_they_are_a_success() {
    let data = json!({"entries": [1], "totalCount": 1});
    let cases = [
        (json!({"content": text("{}"), "structuredContent": data}), Some(data.clone())),
        (json!({"content": text("a \"word\"\n")}), Some(json!("a \"word\"\n"))),
        (
            json!({"content": [], "structuredContent": [1, 2], "isError": false}),
            Some(json!([1, 2])),
        ),
        (json!({"content": []}), None),
        (json!({"content": [], "structuredContent": null}), None),
        (
            json!({"content": [{"type": "image", "data": "", "mimeType": "image/png"}]}),
            Some(json!([{"type": "image", "data": "", "mimeType": "image/png"}])),
        ),
    ];
    for (given, data) in cases {
        let mut inside = json!({"success": true});
        if let Some(data) = data {
            inside["data"] = data;
        }
        let mut expected = json!({"content": given["content"], "isError": false});
        for (key, value) in inside.as_object().expect("members") {
            expected[key] = value.clone();
        }
        expected["structuredContent"] = inside;
        assert_eq!(body(result(&given)), expected, "{given}");
    }
}

#[test]
fn what_a_tool_says_of_success_itself_is_not_believed() {
    let given = json!({"content": text("no"), "isError": true, "success": true, "data": 1, "x": 2});
    let error = json!({"code": "ToolExecutionError", "message": "no"});
    let expected = json!({
        "content": text("no"), "x": 2, "isError": true, "success": false, "error": error,
        "structuredContent": {"success": false, "error": error},
    });
    assert_eq!(body(result(&given)), expected);
    let given = json!({"content": [], "isError": true, "structuredContent": {"left": 3}});
    let error = &body(result(&given))["error"];
    assert_eq!(error["details"], json!({"left": 3}));
    assert_eq!(error["message"], "the tool failed and did not say why");
}

#[test]
fn failures_have_the_codes_that_callers_know() {
    let rpc = |code: i64| RpcError::new(ErrorCode(code), "why").with_data(&json!({"at": 1}));
    let cases = [
        (CallError::UnknownTool("Unknown tool: x".into()), "ToolNotFound", "Unknown tool: x"),
        (CallError::Params(rpc(-32602)), "ValidationError", "why"),
        (CallError::Other(rpc(-32604)), "ToolExecutionError", "why"),
        (CallError::Late("too late".into()), "ToolExecutionError", "too late"),
        (CallError::Resource("a:b".into()), "ToolExecutionError", "resource not found: a:b"),
    ];
    for (error, code, message) in cases {
        let body = body(Err(error));
        assert_eq!((&body["success"], &body["isError"]), (&json!(false), &json!(true)));
        assert_eq!(body["error"]["code"], code);
        assert_eq!(body["error"]["message"], message);
        assert_eq!(body["content"], text(message));
        assert_eq!(body["structuredContent"]["error"], body["error"]);
        let has_data = matches!((code, message), (_, "why"));
        assert_eq!(body["error"].get("details").is_some(), has_data, "{code}");
    }
    for error in
        [CallError::Internal, CallError::Header("x".into()), CallError::Method(Method::Ping)]
    {
        let before = error.to_string();
        assert_eq!(enveloped(Err(error)).expect_err("passed on").to_string(), before);
    }
}

fn problem(path: &str, expected: &str, received: &'static str) -> ArgumentProblem {
    ArgumentProblem { path: path.into(), expected: expected.into(), received }
}

#[test]
fn wrong_arguments_are_named_as_people_name_them() {
    let cases = [
        (problem("arguments.limit", "number", "string"), "limit must be a number"),
        (problem("arguments.limit", "integer or null", "string"), "limit must be an integer"),
        (problem("arguments.a", "string or number", "null"), "a must be a string or a number"),
        (problem("arguments.limit", "at least 1", "integer"), "limit must be at least 1"),
        (problem("arguments.logName", "a value", "nothing"), "logName is required"),
        (problem("arguments.lgo", "no such property", "string"), "lgo is not known"),
        (problem("arguments", "object", "array"), "arguments must be an object"),
    ];
    for (problem, words) in cases {
        let expected = problem.expected.replace(" or null", "");
        let details =
            json!({"path": problem.path, "expected": expected, "received": problem.received});
        let wrong = ArgumentProblems::one("as elsewhere", problem);
        let body = body(Err(CallError::Arguments(Box::new(wrong))));
        let error = json!({
            "code": "InvalidParams",
            "message": format!("Invalid parameter: {words}"),
            "details": details,
        });
        assert_eq!(body["error"], error);
    }
}

#[test]
fn several_wrong_arguments_are_all_named() {
    let problems = vec![
        problem("arguments.a", "number", "string"),
        problem("arguments.b", "a value", "nothing"),
    ];
    let wrong = ArgumentProblems { message: "elsewhere".into(), problems: problems.clone() };
    let error = body(Err(CallError::Arguments(Box::new(wrong))))["error"].clone();
    assert_eq!(error["message"], "Invalid parameters: a must be a number; b is required");
    assert_eq!(error["details"]["path"], "arguments.a");
    assert_eq!(error["details"]["problems"], json!(problems));
    let unknown = ArgumentProblems { message: "not JSON".into(), problems: Vec::new() };
    let error = body(Err(CallError::Arguments(Box::new(unknown))))["error"].clone();
    assert_eq!(error, json!({"code": "InvalidParams", "message": "Invalid parameters: not JSON"}));
}

#[test]
fn older_revisions_keep_the_members_at_the_top() {
    let answer = complete(result(&json!({"content": text("1"), "structuredContent": {"n": 1}})));
    for to in Revision::ALL {
        let body = downgrade_result(Method::ToolsCall, &answer.body, answer.floor, to);
        let body: Value = serde_json::from_str(&body).expect("JSON");
        assert_eq!((&body["success"], &body["data"]), (&json!(true), &json!({"n": 1})), "{to:?}");
        let structured = body.get("structuredContent").is_some();
        assert_eq!(structured, to >= Revision::V2025_06_18, "{to:?}");
    }
}
