//! Which first hits are called weak.

use super::{Confidence, contrast};

#[test]
fn a_high_score_or_a_memory_that_stands_out_is_enough() {
    // The score of the best hit, its contrast, and whether the hits are weak.
    let cases = [
        (0.9, 0.0, false),
        (0.25, 0.4, false),
        (0.45, 0.25, false),
        (0.45, 0.05, true),
        (0.3, 0.15, true),
        (0.15, 0.2, true),
    ];
    for (score, contrast, weak) in cases {
        let confidence = Confidence::new(score, contrast);
        assert_eq!(confidence.is_weak(), weak, "{score} {contrast}: {confidence:?}");
        assert!((0.0..=1.0).contains(&confidence.value()));
    }
}

#[test]
fn the_best_is_compared_with_those_behind_the_first_few() {
    let near = |got: f64, expected: f64| assert!((got - expected).abs() < 1e-9, "{got}");
    let alike = [vec![0.5; 30], vec![0.1; 70]].concat();
    near(contrast(alike), 0.0);
    // The first five do not count, and no more than thirty are looked at.
    let few = [vec![0.2; 100], vec![0.7, 0.6, 0.6, 0.6, 0.6]].concat();
    near(contrast(few), 0.5);
    // A small store is compared with unrelated texts.
    near(contrast(vec![0.6, 0.5]), 0.5);
    near(contrast(Vec::new()), -0.1);
}
