//! How many problems an import reports.

use super::Problems;

#[test]
fn a_hundred_problems_are_reported_and_the_others_counted() {
    for (count, reported, last) in [
        (0_usize, 0_usize, None),
        (1, 1, Some((1, "bad 1"))),
        (100, 100, Some((100, "bad 100"))),
        (101, 101, Some((101, "1 more from here on"))),
        (40_000, 101, Some((101, "39900 more from here on"))),
    ] {
        let mut problems = Problems::default();
        for line in 1..=count {
            problems.add(line, format!("bad {line}"));
        }
        let found = problems.listed();
        assert_eq!(found.len(), reported, "{count}");
        let found = found.last().map(|it| (it.line, it.problem.as_str()));
        assert_eq!(found, last, "{count}");
    }
}
