//! Good answers in any order, and every way an answer can be wrong.

use super::read;

#[test]
fn vectors_come_in_the_order_of_the_texts() {
    let body = br#"{"object":"list","model":"m","usage":{"total_tokens":1},"data":[
        {"object":"embedding","index":1,"embedding":[0,2]},
        {"object":"embedding","index":0,"embedding":[-3.0,4e0]}]}"#;
    for dimensions in [None, Some(2)] {
        let vectors = read(body, 2, dimensions).unwrap();
        let found: Vec<_> = vectors.iter().map(|vector| vector.as_slice()).collect();
        assert_eq!(found, [[-0.6, 0.8], [0.0, 1.0]]);
    }
    assert_eq!(read(br#"{"data":[]}"#, 0, None).unwrap(), []);
}

#[test]
fn wrong_answers_say_what_is_wrong() {
    for (rows, dimensions, why) in [
        (r#"{"index":0,"embedding":[1]}"#, None, "1 vectors for 2 texts"),
        (
            r#"{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}"#,
            None,
            "index 0 is wrong or there twice",
        ),
        (
            r#"{"index":0,"embedding":[1]},{"index":2,"embedding":[1]}"#,
            None,
            "index 2 is wrong or there twice",
        ),
        (
            r#"{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}"#,
            None,
            "vector 1 has 2 numbers, others have 1",
        ),
        (
            r#"{"index":0,"embedding":[1]},{"index":1,"embedding":[1]}"#,
            Some(3),
            "vector 0 has 1 numbers, others have 3",
        ),
        (r#"{"index":0,"embedding":[]},{"index":1,"embedding":[]}"#, None, "no numbers"),
        (r#"{"index":0,"embedding":[0]},{"index":1,"embedding":[1]}"#, None, "no length"),
        (r#"{"index":0,"embedding":[null]},{"index":1,"embedding":[1]}"#, None, "null"),
        (r#"{"index":0,"embedding":[1e999]},{"index":1,"embedding":[1]}"#, None, "out of range"),
        (r#"{"index":0,"embedding":"AACA"},{"index":1,"embedding":[1]}"#, None, "string"),
        (r#"{"embedding":[1]},{"embedding":[1]}"#, None, "index"),
        (r#"{"index":-1,"embedding":[1]},{"index":1,"embedding":[1]}"#, None, "-1"),
    ] {
        let body = format!(r#"{{"data":[{rows}]}}"#);
        let said = read(body.as_bytes(), 2, dimensions).unwrap_err().to_string();
        assert!(said.contains(why), "{rows}: {said}");
    }
    for body in ["", "<html>", r#"{"error":{}}"#, "[]"] {
        assert!(read(body.as_bytes(), 0, None).is_err(), "{body}");
    }
}
