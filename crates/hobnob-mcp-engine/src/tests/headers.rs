//! Headers that repeat the body: right, wrong, missing, undecodable.

use super::given::{code, params};
use crate::{HeaderView, check_headers};
use hobnob_mcp_types::Method;
use std::borrow::Cow;

#[test]
fn the_version_must_be_repeated_rightly() {
    let cases = [
        (Some("2026-07-28"), "2026-07-28", 0),
        (Some("2025-11-25"), "2026-07-28", -32020),
        (Some("2026-07-28"), "2025-11-25", -32020),
        (Some("2026-07-28"), "v999.0.0", -32020),
        (None, "2026-07-28", -32020),
        // An unknown revision in the header is reported as such, even where the body differs.
        (Some("v999.0.0"), "2026-07-28", -32022),
        (Some(""), "2026-07-28", -32022),
        (Some("2026-07-28\t"), "2026-07-28", -32022),
        // The same unknown revision in both places is no mismatch; it is refused elsewhere.
        (Some("v999.0.0"), "v999.0.0", 0),
    ];
    for (version, body, expected) in cases {
        let view = HeaderView { version, ..HeaderView::default() };
        assert_eq!(code(view.check_version(body)), expected, "{version:?} {body}");
    }
}

#[test]
fn the_method_must_be_repeated_rightly() {
    let cases = [
        (Some("tools/list"), "tools/list", 0),
        (Some("no/such"), "no/such", 0),
        (Some("TOOLS/LIST"), "tools/list", -32020),
        (Some("Tools/List"), "tools/list", -32020),
        (Some("tools/call"), "tools/list", -32020),
        (Some("tools/list "), "tools/list", -32020),
        (Some("tools/list\u{1}"), "tools/list", -32020),
        (Some("tools/list,tools/list"), "tools/list", -32020),
        (Some(""), "tools/list", -32020),
        (None, "tools/list", -32020),
    ];
    for (method, body, expected) in cases {
        let view = HeaderView { method, ..HeaderView::default() };
        assert_eq!(code(view.check_method(body)), expected, "{method:?} {body}");
    }
}

/// Checks `Mcp-Name` against a body that has `ada` under every key a method could use.
fn name(method: Method, header: Option<Result<&'static str, ()>>, body: &str) -> i64 {
    let name = header.map(|value| value.map(Cow::Borrowed));
    let view = HeaderView { name, ..HeaderView::default() };
    code(check_headers(&view, method, &params(body)))
}

#[test]
fn the_name_must_be_repeated_rightly_where_there_is_one() {
    let named = [
        (Method::ToolsCall, "name"),
        (Method::PromptsGet, "name"),
        (Method::ResourcesRead, "uri"),
        (Method::TasksGet, "taskId"),
        (Method::TasksUpdate, "taskId"),
        (Method::TasksCancel, "taskId"),
    ];
    let headers = [
        (Some(Ok("ada")), 0),
        (Some(Ok("Ada")), -32020),
        (Some(Ok("bob")), -32020),
        (Some(Ok("ada ")), -32020),
        (Some(Ok("ada\u{0}")), -32020),
        (Some(Ok("")), -32020),
        (Some(Err(())), -32020),
        (None, -32020),
    ];
    for (method, key) in named {
        let body = format!(r#"{{"{key}":"ada"}}"#);
        for (header, expected) in headers {
            assert_eq!(name(method, header, &body), expected, "{method:?} {header:?}");
        }
        // A body without the member is refused for that reason.
        for body in ["{}", &format!(r#"{{"{key}":7}}"#), &format!(r#"{{"{key}":null}}"#)] {
            assert_eq!(name(method, Some(Ok("ada")), body), -32602, "{method:?} {body}");
        }
    }
    for method in Method::ALL {
        if named.iter().all(|(known, _)| known != method) {
            assert_eq!(name(*method, None, "{}"), 0, "{method:?} has nothing to repeat");
            assert_eq!(name(*method, Some(Err(())), "{}"), 0, "{method:?} has nothing to repeat");
        }
    }
}

#[test]
fn names_are_compared_by_meaning() {
    let cases = [
        (r#"{"name":"caf\u00e9"}"#, "café", 0),
        (r#"{"name":"a\/b"}"#, "a/b", 0),
        (r#"{"name":"=?base64?SGVsbG8=?="}"#, "=?base64?SGVsbG8=?=", 0),
        (r#"{"name":"Hello"}"#, "Hello", 0),
        (r#"{"name":"=?base64?SGVsbG8=?="}"#, "Hello", -32020),
        (r#"{"name":"cafe\u0301"}"#, "café", -32020),
    ];
    for (body, header, expected) in cases {
        assert_eq!(name(Method::ToolsCall, Some(Ok(header)), body), expected, "{body} {header}");
    }
}
