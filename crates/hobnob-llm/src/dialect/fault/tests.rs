//! Errors of all providers, in the shapes in which they were seen.

use super::ProviderFault;

#[test]
fn every_form_of_an_error_becomes_one_line() {
    let long = "x".repeat(2_000);
    for (text, line, transient, permanent) in [
        (
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"r"}"#,
            "overloaded_error: Overloaded",
            true,
            false,
        ),
        (
            r#"{"type":"error","error":{"type":"rate_limit_error","message":"Cap","details":{"error_code":"enforced_spend_limit_reached"}}}"#,
            "enforced_spend_limit_reached: Cap",
            false,
            true,
        ),
        (
            r#"{"error":{"message":"You have no\nquota","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}"#,
            "insufficient_quota: You have no quota",
            false,
            true,
        ),
        (
            r#"{"error":{"message":"Wrong key","type":"invalid_request_error","code":null}}"#,
            "invalid_request_error: Wrong key",
            false,
            false,
        ),
        (r#"{"error":"model 'x' not found"}"#, "model 'x' not found", false, false),
        (r#"{"object":"error","message":"too long","code":400}"#, "too long", false, false),
        (r#"{"detail":"Not Found"}"#, "Not Found", false, false),
        (r#"{"error":null,"message":"m","code":"server_error"}"#, "server_error: m", true, false),
        ("<html>\n502", "<html> 502", false, false),
        ("", "it did not say why", false, false),
        (r#"{"a":1}"#, r#"{"a":1}"#, false, false),
        (&*long, &long[..300], false, false),
    ] {
        let fault = ProviderFault::read(text);
        assert_eq!(&*fault.line(), line, "{text}");
        assert_eq!((fault.is_transient(), fault.is_permanent()), (transient, permanent), "{text}");
    }
}

#[test]
fn requests_that_are_too_long_are_told_apart() {
    for text in [
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
        r#"{"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}"#,
        r#"{"error":{"message":"This model's maximum context length is 8192 tokens. However, you requested 9000","type":"invalid_request_error","code":"context_length_exceeded"}}"#,
        r#"{"error":{"message":"Your input exceeds the context window of this model.","type":"invalid_request_error"}}"#,
        r#"{"object":"error","message":"This model's maximum context length is 4096 tokens.","code":400}"#,
        r#"{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error"}}"#,
        r#"{"error":{"code":400,"message":"The input token count (9) exceeds the maximum number of tokens allowed (8)."}}"#,
    ] {
        assert!(ProviderFault::read(text).is_too_long(), "{text}");
    }
    for text in [r#"{"error":{"message":"max_tokens: 9000 > 8192, the maximum"}}"#, "too long", ""]
    {
        assert!(!ProviderFault::read(text).is_too_long(), "{text}");
    }
}
