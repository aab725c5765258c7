//! Names and texts, and the words they are split into.

use super::{parts, terms};

#[test]
fn names_and_texts_become_the_same_words() {
    let cases: &[(&str, &[&str])] = &[
        ("list_pull_requests", &["list", "pull", "requests"]),
        ("listPullRequests", &["list", "pull", "requests"]),
        ("list-pull-requests", &["list", "pull", "requests"]),
        ("Lists pull requests.", &["lists", "pull", "requests"]),
        ("API-post-search", &["api", "post", "search"]),
        ("getHTMLPage", &["get", "html", "page"]),
        ("HTTPServer", &["http", "server"]),
        ("put_s3_object", &["put", "s3", "object"]),
        ("base64Encode", &["base64", "encode"]),
        ("the server's name", &["the", "server", "s", "name"]),
        ("'quoted' words", &["quoted", "words"]),
        ("größe ändern", &["größe", "ändern"]),
        ("", &[]),
        ("--", &[]),
    ];
    for (text, expected) in cases {
        assert_eq!(parts(text), *expected, "{text}");
    }
    assert_eq!(terms("listPullRequests"), terms("Listing pull request"));
}

#[test]
fn a_very_long_word_is_cut() {
    assert_eq!(parts(&"x".repeat(5000)), ["x".repeat(40)]);
}
