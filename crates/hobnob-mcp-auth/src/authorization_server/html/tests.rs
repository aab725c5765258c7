//! What strangers say never becomes more than text on a page.

use super::{escape, page, plain_text};
use http::StatusCode;

#[test]
fn what_comes_from_outside_is_text() {
    let hostile = "<script>alert('x')</script>&\"";
    let escaped = escape(hostile);
    assert_eq!(escaped, "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;&quot;");
    let response = page(StatusCode::OK, hostile, "", "");
    let text = String::from_utf8(response.body().to_vec()).unwrap();
    assert!(!text.contains("<script"), "{text}");
}

#[test]
fn texts_that_mislead_are_cut() {
    let cases = [
        ("Claude", "Claude"),
        ("  two\n lines\t", "two lines"),
        ("rev\u{202e}esrever", "revesrever"),
        ("zero\u{200b}width\u{feff}", "zerowidth"),
        ("aaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaa"),
        ("\u{e0041}tags", "tags"),
    ];
    for (text, expected) in cases {
        assert_eq!(plain_text(text, 20), expected);
    }
}

#[test]
fn every_page_is_kept_from_frames_caches_and_scripts() {
    let response = page(StatusCode::OK, "t", "b", "https://claude.ai");
    let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
    let policy = header("content-security-policy");
    for part in [
        "default-src 'none'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'self' https://claude.ai;",
        "style-src 'sha256-",
    ] {
        assert!(policy.contains(part), "{policy}");
    }
    assert!(!policy.contains("unsafe"));
    assert_eq!(header("x-frame-options"), "DENY");
    assert_eq!(header("referrer-policy"), "no-referrer");
    assert_eq!(header("cache-control"), "no-store");
    assert_eq!(header("x-content-type-options"), "nosniff");
}
