//! Names are legal, and no two are the same.

use super::model_tool_name;
use std::collections::HashSet;

#[test]
fn names_are_legal_and_unlike() {
    let mut taken = HashSet::new();
    let long = "x".repeat(70);
    for (name, expected) in [
        ("memory_capture", "memory_capture"),
        ("bash.execute", "bash_execute"),
        ("bash_execute", "bash_execute_2"),
        ("bäsh", "b_sh"),
        (&long, &long[..64]),
        (&format!("{long}y"), &format!("{}_2", &long[..62])),
    ] {
        let made = model_tool_name(name, |name| taken.contains(name));
        assert_eq!(made, expected);
        taken.insert(made);
    }
}
