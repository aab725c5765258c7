//! The parts that need no second process.

use super::Level;
use super::subreaper::{ProcessState, state_and_parent};

#[test]
fn the_name_of_a_process_cannot_hide_it() {
    for (stat, expected) in [
        ("12 (sh) S 7 12 12 0", Some((ProcessState::Living, 7))),
        ("12 (a) Z 1 (b) R 9 12", Some((ProcessState::Living, 9))),
        ("12 (a b)) Z 8 12", Some((ProcessState::Ended, 8))),
        ("1 (init) S 0 1", None),
        ("12 (sh) S", None),
        ("12 (sh", None),
        ("", None),
    ] {
        let found = state_and_parent(stat.as_bytes());
        let found = found.map(|(state, parent)| (state, parent.as_raw_nonzero().get()));
        assert_eq!(found, expected, "{stat}");
    }
}

#[test]
fn every_level_is_a_sentence_of_its_own() {
    let all = [Level::Namespace, Level::Subreaper, Level::Group].map(Level::describes);
    assert!(all.iter().all(|text| text.ends_with('.') && !text.contains("  ")), "{all:?}");
    assert!(all[0] != all[1] && all[1] != all[2]);
}
