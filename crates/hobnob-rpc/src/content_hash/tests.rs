//! A hash depends on the meaning of a value and on nothing else.

use super::content_hash;
use serde_json::json;

#[test]
fn the_order_of_members_does_not_count_and_everything_else_does() {
    let one = json!({"b": [1, {"y": null, "x": "\n"}], "a": true});
    let same = json!({"a": true, "b": [1, {"x": "\n", "y": null}]});
    // A fixed value, so that a change of the algorithm is noticed: clients store hashes.
    assert_eq!(content_hash(&one), "f31a37d9095722a8");
    assert_eq!(content_hash(&one), content_hash(&same));
    for other in [
        json!({"a": true, "b": [{"x": "\n", "y": null}, 1]}),
        json!({"a": true, "b": [1, {"x": " ", "y": null}]}),
        json!({"a": false, "b": [1, {"x": "\n", "y": null}]}),
        json!({}),
    ] {
        assert_ne!(content_hash(&one), content_hash(&other), "{other}");
    }
}
