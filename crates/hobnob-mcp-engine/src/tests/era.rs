//! Which era a request belongs to, and which of several faults is reported.

use super::given::{code, params};
use crate::{
    ClientId, EraChoice, HeaderView, ModernMeta, Principal, choose_era, modern_caller,
    progress_token,
};
use hobnob_mcp_types::logging::LoggingLevel;
use hobnob_mcp_types::{MethodName, RpcError};

const VERSION: &str = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#;
const CAPABILITIES: &str = r#""io.modelcontextprotocol/clientCapabilities":{}"#;

fn with_meta(members: &[&str]) -> String {
    format!(r#"{{"_meta":{{{}}}}}"#, members.join(","))
}

fn choose(method: &str, params_text: &str, header: Option<&str>) -> Result<EraChoice, RpcError> {
    choose_era(&MethodName::parse(method), &params(params_text), header)
}

/// Method, parameters, `MCP-Protocol-Version`, and the era or the code of the refusal.
type Case<'a> = (&'a str, &'a str, Option<&'a str>, Result<EraChoice, i64>);

#[test]
fn the_request_speaks_first_then_the_header_then_the_method() {
    use EraChoice::{Legacy, Modern};
    let modern = with_meta(&[VERSION, CAPABILITIES]);
    let version_only = with_meta(&[VERSION]);
    let strange = with_meta(&[r#""io.modelcontextprotocol/protocolVersion":"v999.0.0""#]);
    let slash = with_meta(&[r#""io.modelcontextprotocol\/protocolVersion":"2026-07-28""#]);
    let unicode = with_meta(&[r#""io.modelcontextprotocol\u002fprotocolVersion":1"#]);
    let quoted = with_meta(&[r#""note":"io.modelcontextprotocol/protocolVersion""#]);
    let nested = with_meta(&[r#""a":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#]);
    let token = with_meta(&[r#""progressToken":1"#]);
    let cases: &[Case<'_>] = &[
        // 1. The request's own `_meta` wins over method and header.
        ("tools/list", &modern, None, Ok(Modern)),
        ("tools/list", &modern, Some("2026-07-28"), Ok(Modern)),
        ("tools/list", &modern, Some("2025-11-25"), Ok(Modern)),
        ("tools/list", &modern, Some("v999.0.0"), Ok(Modern)),
        ("initialize", &modern, None, Ok(Modern)),
        ("ping", &modern, None, Ok(Modern)),
        ("logging/setLevel", &modern, None, Ok(Modern)),
        ("no/such", &modern, None, Ok(Modern)),
        ("tools/list", &version_only, None, Ok(Modern)),
        ("tools/list", &strange, None, Ok(Modern)),
        // Some encoders escape the slash; it is the same key.
        ("tools/list", &slash, None, Ok(Modern)),
        ("tools/list", &unicode, None, Ok(Modern)),
        // The same words elsewhere in `_meta` mean nothing.
        ("tools/list", &quoted, None, Ok(Legacy)),
        ("tools/list", &nested, None, Ok(Legacy)),
        ("tools/list", r#"{"_meta":"io.modelcontextprotocol/protocolVersion"}"#, None, Ok(Legacy)),
        // 2. `initialize` without it is the handshake, with any header.
        ("initialize", "{}", None, Ok(Legacy)),
        ("initialize", "{}", Some("2025-11-25"), Ok(Legacy)),
        ("initialize", "{}", Some("2026-07-28"), Ok(Legacy)),
        ("initialize", "{}", Some("v999.0.0"), Ok(Legacy)),
        // 3. The header, if the request says nothing.
        ("tools/list", "{}", Some("2026-07-28"), Ok(Modern)),
        ("ping", "{}", Some("2026-07-28"), Ok(Modern)),
        // 4. A legacy header or none.
        ("tools/list", "{}", Some("2024-11-05"), Ok(Legacy)),
        ("tools/list", "{}", Some("2025-03-26"), Ok(Legacy)),
        ("tools/list", "{}", Some("2025-06-18"), Ok(Legacy)),
        ("tools/list", &token, Some("2025-11-25"), Ok(Legacy)),
        ("tools/list", "{}", None, Ok(Legacy)),
        ("no/such", "{}", None, Ok(Legacy)),
        // Methods that only the modern era has.
        ("server/discover", "{}", None, Ok(Modern)),
        ("server/discover", "{}", Some("2025-11-25"), Ok(Modern)),
        ("subscriptions/listen", "{}", None, Ok(Modern)),
        ("tasks/update", "{}", None, Ok(Modern)),
        ("tasks/get", "{}", None, Ok(Legacy)),
        // 5. An unknown revision in the header.
        ("tools/list", "{}", Some("v999.0.0"), Err(-32022)),
        ("tools/list", "{}", Some(""), Err(-32022)),
        ("server/discover", "{}", Some("2026-07-29"), Err(-32022)),
    ];
    for (method, text, header, expected) in cases {
        let chosen = choose(method, text, *header).map_err(|error| error.code.0);
        assert_eq!(chosen, *expected, "{method} {text} {header:?}");
    }
}

fn admit(text: &str, header: Header<'_>) -> Result<ModernMeta, RpcError> {
    let view = match header {
        Header::NoHeaders => None,
        Header::Version(version) => Some(HeaderView { version, ..HeaderView::default() }),
    };
    modern_caller(&params(text), view.as_ref(), ClientId::next(), &Principal::anonymous())
}

#[derive(Clone, Copy, Debug)]
enum Header<'a> {
    /// A transport without headers.
    NoHeaders,
    /// `MCP-Protocol-Version`, or its absence on HTTP.
    Version(Option<&'a str>),
}

#[test]
fn the_first_fault_in_order_is_reported() {
    use Header::{NoHeaders, Version};
    let ours = Version(Some("2026-07-28"));
    let good = with_meta(&[VERSION, CAPABILITIES]);
    let no_version = with_meta(&[CAPABILITIES]);
    let no_capabilities = with_meta(&[VERSION]);
    let strange_version = r#""io.modelcontextprotocol/protocolVersion":"v999.0.0""#;
    let strange = with_meta(&[strange_version, CAPABILITIES]);
    let strange_alone = with_meta(&[strange_version]);
    let old_version = r#""io.modelcontextprotocol/protocolVersion":"2025-11-25""#;
    let old = with_meta(&[old_version, CAPABILITIES]);
    let cases: &[(&str, Header<'_>, i64)] = &[
        (&good, ours, 0),
        (&good, NoHeaders, 0),
        // Missing members are reported before any comparison.
        ("{}", ours, -32602),
        ("{}", NoHeaders, -32602),
        ("{}", Version(None), -32602),
        (r#"{"_meta":{}}"#, ours, -32602),
        (&no_version, ours, -32602),
        (&no_version, Version(Some("v999.0.0")), -32602),
        (&no_capabilities, ours, -32602),
        (&no_capabilities, Version(None), -32602),
        (&strange_alone, Version(Some("v999.0.0")), -32602),
        // Then the version: unknown in both, unknown in the header, different.
        (&strange, Version(Some("v999.0.0")), -32022),
        (&strange, NoHeaders, -32022),
        (&good, Version(Some("v999.0.0")), -32022),
        (&strange, ours, -32020),
        (&good, Version(Some("2025-11-25")), -32020),
        (&old, ours, -32020),
        (&good, Version(None), -32020),
        (&good, Version(Some("2026-07-28 ")), -32022),
        // A legacy revision needs its handshake.
        (&old, NoHeaders, -32022),
        (&old, Version(Some("2025-11-25")), -32022),
    ];
    for (text, header, expected) in cases {
        assert_eq!(code(admit(text, *header)), *expected, "{text} {header:?}");
    }
}

#[test]
fn malformed_members_of_meta_are_refused() {
    let refused = [
        r#"{"_meta":null}"#.to_owned(),
        r#"{"_meta":[]}"#.to_owned(),
        r#"{"_meta":"x"}"#.to_owned(),
        with_meta(&[r#""io.modelcontextprotocol/protocolVersion":20260728"#, CAPABILITIES]),
        with_meta(&[r#""io.modelcontextprotocol/protocolVersion":null"#, CAPABILITIES]),
        with_meta(&[VERSION, r#""io.modelcontextprotocol/clientCapabilities":null"#]),
        with_meta(&[VERSION, r#""io.modelcontextprotocol/clientCapabilities":[]"#]),
        with_meta(&[VERSION, r#""io.modelcontextprotocol/clientCapabilities":true"#]),
        with_meta(&[VERSION, r#""io.modelcontextprotocol/clientCapabilities":{"sampling":5}"#]),
        with_meta(&[VERSION, CAPABILITIES, r#""io.modelcontextprotocol/clientInfo":{"name":"c"}"#]),
        with_meta(&[VERSION, CAPABILITIES, r#""io.modelcontextprotocol/clientInfo":"c""#]),
        with_meta(&[VERSION, CAPABILITIES, r#""io.modelcontextprotocol/logLevel":"loud""#]),
        with_meta(&[VERSION, CAPABILITIES, r#""io.modelcontextprotocol/logLevel":7"#]),
    ];
    for text in &refused {
        assert_eq!(code(admit(text, Header::NoHeaders)), -32602, "{text}");
    }
}

#[test]
fn meta_says_who_asks_and_what_they_want() {
    let bare = with_meta(&[VERSION, CAPABILITIES]);
    let meta = admit(&bare, Header::NoHeaders).expect("complete");
    assert!(
        meta.caller.client.is_none() && meta.progress.is_none() && meta.caller.log_level.is_none()
    );
    assert_eq!(meta.caller.revision.as_str(), "2026-07-28");
    assert!(meta.caller.capabilities.sampling.is_none());

    let full = with_meta(&[
        VERSION,
        r#""io.modelcontextprotocol/clientCapabilities":{"sampling":{},"roots":{"listChanged":true},"new":1}"#,
        r#""io.modelcontextprotocol/clientInfo":{"name":"c","version":"1","new":true}"#,
        r#""io.modelcontextprotocol/logLevel":"warning""#,
        r#""progressToken":"p""#,
        r#""traceparent":"00-0-0-00""#,
    ]);
    let meta = admit(&full, Header::NoHeaders).expect("complete");
    assert!(meta.caller.capabilities.sampling.is_some());
    assert_eq!(meta.caller.client.expect("named").name, "c");
    assert_eq!(meta.caller.log_level, Some(LoggingLevel::Warning));
    assert_eq!(meta.progress.expect("a token").0.to_json(), "\"p\"");

    let empty = with_meta(&[VERSION, r#""io.modelcontextprotocol/clientCapabilities":{ }"#]);
    assert!(admit(&empty, Header::NoHeaders).is_ok());
    let escaped = bare.replace("io.modelcontextprotocol/", r"io.modelcontextprotocol\/");
    assert!(admit(&escaped, Header::NoHeaders).is_ok());
}

#[test]
fn unsupported_versions_are_answered_with_those_we_speak() {
    let refused = choose("tools/list", "{}", Some("v999.0.0")).expect_err("unknown");
    let data = refused.data.expect("data").get().to_owned();
    let supported = r#"["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]"#;
    assert_eq!(data, format!(r#"{{"supported":{supported},"requested":"v999.0.0"}}"#));
}

#[test]
fn progress_tokens_keep_their_type() {
    let cases = [
        (r#"{"_meta":{"progressToken":"1"}}"#, Some("\"1\"")),
        (r#"{"_meta":{"progressToken":1}}"#, Some("1")),
        (r#"{"_meta":{"progressToken":0}}"#, Some("0")),
        (r#"{"_meta":{"progressToken":12345678901234567890}}"#, Some("12345678901234567890")),
        (r#"{"_meta":{"progressToken":null}}"#, None),
        (r#"{"_meta":{"progressToken":{}}}"#, None),
        (r#"{"_meta":{}}"#, None),
        (r#"{"_meta":null}"#, None),
        (r#"{"progressToken":1}"#, None),
        ("{}", None),
    ];
    for (text, expected) in cases {
        let token = progress_token(&params(text)).map(|token| token.0.to_json());
        assert_eq!(token.as_deref(), expected, "{text}");
    }
}
