//! The notes below the result of a sync.

use super::left_behind;
use serde_json::json;

#[test]
fn what_a_sync_leaves_out_is_shown() {
    let refused = "skipped 2 memories that contain secrets or are too long";
    let unreadable = "skipped 1 files of the remote that Hobnob cannot read";
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
