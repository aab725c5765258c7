//! A30: which redirects are accepted, and which one a request means.

use super::{is_acceptable, means, policy_source, shown_host};

#[test]
fn redirects_are_https_this_machine_or_known() {
    let good = [
        "https://claude.ai/api/mcp/auth_callback",
        "https://chatgpt.com/connector/oauth/abc",
        "https://vscode.dev/redirect",
        "https://www.cursor.com/agents/mcp/oauth/callback",
        "cursor://anysphere.cursor-mcp/oauth/callback",
        "http://127.0.0.1/callback",
        "http://127.0.0.1:33418/",
        "http://localhost:1234/callback?a=b",
        "http://[::1]:9/x",
        "http://localhost",
        "https://example.com:8443/cb",
    ];
    for redirect in good {
        assert!(is_acceptable(redirect), "{redirect}");
    }
    let bad = [
        "",
        "/callback",
        "http://example.com/cb",
        "http://localhost.evil/cb",
        "http://127.0.0.1.evil.com/cb",
        "http://127.0.0.1@evil.com/cb",
        "http://127.0.0.1:80@evil.com/cb",
        "http://127.0.0.1:/cb",
        "http://127.0.0.1:+80/cb",
        "http://127.0.0.1:99999/cb",
        "http://2130706433/cb",
        "http://127.1/cb",
        "http://LOCALHOST/cb",
        "https://user@example.com/cb",
        "https://user:pass@example.com/cb",
        "https://example.com/cb#fragment",
        "https://example.com\\@evil.com/cb",
        "https://exa mple.com/cb",
        "https://EXAMPLE.com/cb",
        "https://example.com/\"><script>",
        "https://",
        "HTTPS://example.com/cb",
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "myapp://callback",
        "cursor://anysphere.cursor-mcp/other",
        "cursor://evil/oauth/callback",
    ];
    for redirect in bad {
        assert!(!is_acceptable(redirect), "{redirect}");
        assert!(!means(redirect, redirect), "{redirect}");
    }
    assert!(!is_acceptable(&format!("https://example.com/{}", "a".repeat(2048))));
}

#[test]
fn only_the_port_of_this_machine_is_free() {
    let cases = [
        ("http://127.0.0.1:5/cb", "http://127.0.0.1/cb", true),
        ("http://127.0.0.1:5/cb", "http://127.0.0.1:6/cb", true),
        ("http://localhost:5/cb", "http://localhost/cb", true),
        ("http://[::1]:5/cb", "http://[::1]/cb", true),
        ("https://a.example/cb", "https://a.example/cb", true),
        ("http://localhost:5/cb", "http://127.0.0.1/cb", false),
        ("http://127.0.0.1:5/other", "http://127.0.0.1/cb", false),
        ("http://127.0.0.1:5/cb/", "http://127.0.0.1/cb", false),
        ("http://127.0.0.1:5/cb?x=1", "http://127.0.0.1/cb", false),
        ("https://127.0.0.1:5/cb", "http://127.0.0.1/cb", false),
        ("http://localhost.evil:5/cb", "http://localhost/cb", false),
        ("http://127.0.0.1:5@evil/cb", "http://127.0.0.1/cb", false),
        ("http://127.0.0.1:5/cb#f", "http://127.0.0.1/cb", false),
        ("https://a.example:444/cb", "https://a.example/cb", false),
        ("https://a.example/cb/../x", "https://a.example/cb", false),
        ("https://a.example/CB", "https://a.example/cb", false),
        ("https://evil.example/cb", "https://a.example/cb", false),
    ];
    for (asked, registered, expected) in cases {
        assert_eq!(means(asked, registered), expected, "{asked} for {registered}");
    }
}

#[test]
fn hosts_and_policies_are_those_of_the_redirect() {
    let cases = [
        ("https://claude.ai/cb?x=1", "claude.ai", "https://claude.ai"),
        ("http://127.0.0.1:5/cb", "127.0.0.1:5", "http://127.0.0.1:5"),
        ("http://[::1]:5/cb", "[::1]:5", "http:"),
        ("http://localhost?x", "localhost", "http://localhost"),
        ("cursor://anysphere.cursor-mcp/oauth/callback", "anysphere.cursor-mcp", "cursor:"),
    ];
    for (redirect, host, source) in cases {
        assert_eq!((shown_host(redirect), policy_source(redirect)), (host, source.into()));
    }
}
