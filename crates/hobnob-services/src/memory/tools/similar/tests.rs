//! What counts as nearly the same.

use super::{ALIKE, WordPairs, longest_words};

fn similarity(one: &str, other: &str) -> f64 {
    WordPairs::of(one).similarity(&WordPairs::of(other))
}

#[test]
fn small_changes_stay_alike_and_other_topics_do_not() {
    let base = "Use PostgreSQL for the billing database because of its row level locks";
    for near in [
        "use postgresql for the billing database, because of its row-level locks!",
        "We use PostgreSQL for the billing database because of its row level locks",
    ] {
        assert!(ALIKE <= similarity(base, near), "{near}: {}", similarity(base, near));
    }
    for far in [
        "Use Redis for the session cache because of its speed",
        "The billing database is backed up each night",
        "",
        "🙂",
    ] {
        assert!(similarity(base, far) < ALIKE, "{far}: {}", similarity(base, far));
    }
    assert!((similarity(base, base) - 1.0).abs() < f64::EPSILON);
}

#[test]
fn the_longest_words_are_looked_for_in_a_stable_order() {
    assert_eq!(longest_words("bb a ccc bb ddd"), "ccc ddd bb a");
    assert_eq!(longest_words(" \n "), "");
}
