//! `Accept` and `Content-Type` values as data.

use http::header::HeaderName;

use super::*;

fn headers(name: HeaderName, values: &[&str]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for value in values {
        headers.append(&name, HeaderValue::from_str(value).unwrap());
    }
    headers
}

#[test]
fn accept_names_what_the_client_reads() {
    let cases: &[(&[&str], bool, bool)] = &[
        (&[], true, true),
        (&["application/json, text/event-stream"], true, true),
        (&["text/event-stream, application/json"], true, true),
        (&["application/json,text/event-stream"], true, true),
        (&["*/*"], true, true),
        (&["application/json"], true, false),
        (&["text/event-stream"], false, true),
        (&["application/json", "text/event-stream"], true, true),
        (&["text/event-stream", "application/json"], true, true),
        (&["Application/JSON;q=0.5 , TEXT/Event-Stream; Q=1"], true, true),
        (&["application/*"], true, false),
        (&["text/*, image/png"], false, true),
        (&["text/html"], false, false),
        (&[""], false, false),
        (&["application/jsonp, text/event-streams"], false, false),
        (&["application/json;q=0"], false, false),
        (&["application/json; q=0.000, */*"], false, true),
        (&["*/*, application/json;q=0."], false, true),
        (&["*/*;q=0, text/event-stream"], false, true),
        (&["application/*;q=0, application/json;q=0.1"], true, false),
        (&["text/*;q=0, */*"], true, false),
        (&["*/*;q=0.001"], true, true),
        (&["application/json;q=0.01"], true, false),
        (&["application/json; profile=\"a, text/event-stream\""], true, false),
        (&["application/json; profile=\"a\\\"; q=0\""], true, false),
        (&["text/html, application/xhtml+xml, */*;q=0.8"], true, true),
    ];
    for (values, json, event_stream) in cases {
        let found = Accepts::of(&headers(ACCEPT, values));
        assert_eq!(found, Accepts { json: *json, event_stream: *event_stream }, "{values:?}");
    }
}

#[test]
fn only_json_in_utf8_counts_as_json() {
    let cases: &[(&[&str], bool)] = &[
        (&["application/json"], true),
        (&["Application/Json"], true),
        (&["application/json; charset=utf-8"], true),
        (&["application/json;charset=\"UTF-8\""], true),
        (&["application/json ; charset = utf-8"], true),
        (&["application/json;"], true),
        (&[], false),
        (&[""], false),
        (&["text/plain"], false),
        (&["application/jsonp"], false),
        (&["application/json-rpc"], false),
        (&["application/json; charset=latin1"], false),
        (&["application/json; charset"], false),
        (&["application/json; boundary=x"], false),
        (&["text/plain; application/json"], false),
        (&["application/json, text/plain"], false),
        (&["application/x-www-form-urlencoded"], false),
        (&["application/json", "application/json"], false),
    ];
    for (values, expected) in cases {
        assert_eq!(is_json(&headers(CONTENT_TYPE, values)), *expected, "{values:?}");
    }
}
