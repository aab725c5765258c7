//! What counts as a difference between two records.

use super::record::difference;

#[test]
fn a_difference_names_the_lines_that_are_gone_and_new() {
    for (recorded, found, expected) in [
        ("", "", [].as_slice()),
        ("pub fn a::b()\n", "pub fn a::b()\n", &[]),
        // Only the set of lines counts, not their order.
        ("pub mod a\npub mod b\n", "pub mod b\npub mod a\n", &[]),
        ("", "pub mod a\n", &["+pub mod a"]),
        ("pub mod a\n", "", &["-pub mod a"]),
        (
            "pub fn a::b()\npub mod a\n",
            "pub fn a::b(u8)\npub mod a\n",
            &["-pub fn a::b()", "+pub fn a::b(u8)"],
        ),
    ] {
        assert_eq!(difference(recorded, found), expected, "{recorded:?} {found:?}");
    }
}
