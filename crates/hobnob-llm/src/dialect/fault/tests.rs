//! Errors of all providers, in the forms that they have been seen in.

use super::ProviderFault;

#[test]
fn every_form_of_an_error_becomes_one_line() {
    let long = "x".repeat(2_000);
    for (text, line, passes, lasts) in [
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
        assert_eq!((fault.may_pass(), fault.lasts()), (passes, lasts), "{text}");
    }
}
