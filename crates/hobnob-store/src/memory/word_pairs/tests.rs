//! Which texts count as near-duplicates, and that their sketches share a band.

use super::{BANDS, WordPairs};

const ALIKE: f64 = 0.6;

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
fn a_sketch_finds_what_is_alike_and_hardly_anything_else() {
    let mut random = fastrand::Rng::with_seed(7);
    let mut text = |words: usize| -> Vec<String> {
        (0..words).map(|_| format!("word{}", random.u32(..500))).collect()
    };
    let shared = |one: &[String], other: &[String]| {
        let bands = |text: &[String]| WordPairs::of(&text.join(" ")).bands(&["user"]);
        bands(one).iter().filter(|band| bands(other).contains(band)).count()
    };
    let (mut found, mut alike, mut chance) = (0, 0, 0);
    for _ in 0..400 {
        let (one, far) = (text(40), text(40));
        let mut near = one.clone();
        near.splice(10..15, text(5));
        alike += usize::from(ALIKE <= similarity(&one.join(" "), &near.join(" ")));
        found += usize::from(0 < shared(&one, &near));
        chance += usize::from(0 < shared(&one, &far));
    }
    assert!(390 <= alike, "{alike} are alike");
    assert!(380 <= found, "{found} of them are found");
    assert!(chance <= 2, "{chance} others are found too");
}

#[test]
fn a_sketch_is_of_one_place_and_never_changes() {
    let pairs = WordPairs::of("Use PostgreSQL for billing");
    let bands = pairs.bands(&["user", "ann"]);
    assert_eq!(bands.len(), BANDS);
    assert!(pairs.bands(&["user", "bob"]).iter().all(|band| !bands.contains(band)));
    assert_eq!(WordPairs::of("🙂 …").bands(&["user"]), [0_i64; 0]);
    // Files in use contain this value, so it must never change.
    assert_eq!(bands[0], FIRST_BAND);
}

const FIRST_BAND: i64 = -7_791_503_515_977_850_033;
