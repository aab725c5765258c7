//! What people are told besides the result.

use super::left_behind;
use serde_json::json;

#[test]
fn what_a_sync_leaves_out_is_told() {
    let refused = "left out 2 refused: they hold secrets, or are too long to be kept";
    let unreadable = "left out 1 unreadable: files of the remote that make no sense here";
    for (data, expected) in [
        (json!({"sent": 1, "taken": 2, "conflicts": 3}), &[][..]),
        (json!({"sent": 0, "refused": 0, "unreadable": 0}), &[]),
        (json!({"sent": 0, "refused": 2}), &[refused]),
        (json!({"sent": 0, "unreadable": 1}), &[unreadable]),
        (json!({"sent": 0, "unreadable": 1, "refused": 2}), &[refused, unreadable]),
    ] {
        assert_eq!(left_behind(&data), expected, "{data}");
    }
}
