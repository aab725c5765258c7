//! The arithmetic of the benchmark, and the shape of its tables.

use super::findings::{Failure, Findings, Sample};
use super::measure::{Figures, last_words, parse_count};
use super::plan::{self, Kind, Target};
use super::table::{median, number, render};

#[test]
fn numbers_keep_the_digits_that_mean_something() {
    let check = |value, shown: &str| assert_eq!(number(value), shown);
    check(0.0, "0.00");
    check(1.234, "1.23");
    check(12.34, "12.3");
    check(999.6, "1,000");
    check(123_456.7, "123,457");
    check(1_234_567.0, "1,234,567");
}

#[test]
fn medians_are_in_the_middle() {
    let check = |values: &[f64], expected| assert_eq!(median(values.to_vec()), expected);
    check(&[], None);
    check(&[3.0], Some(3.0));
    check(&[9.0, 1.0, 2.0], Some(2.0));
    check(&[4.0, 1.0, 2.0, 9.0], Some(3.0));
}

#[test]
fn a_target_is_met_by_either_limit() {
    let check = |at_most, times_raw, value, ratio, shown: &str| {
        assert_eq!(Target { column: 0, at_most, times_raw }.verdict(value, ratio), shown);
    };
    check(Some(16_000.0), Some(2.0), 15_000.0, Some(3.0), "✓ met: ≤ 16,000 or 2 × raw");
    check(Some(16_000.0), Some(2.0), 17_000.0, Some(1.9), "✓ met: ≤ 16,000 or 2 × raw");
    check(Some(16_000.0), Some(2.0), 17_000.0, Some(2.1), "✗ missed: ≤ 16,000 or 2 × raw");
    check(Some(24.0), None, 24.0, None, "✓ met: ≤ 24.0");
    // Without the bare loop beside it, nothing says that a ratio is met.
    check(None, Some(1.1), 1.0, None, "✗ missed: ≤ 1.1 × raw");
}

#[test]
fn valgrind_counts_are_read() {
    let check = |log, expected| assert_eq!(parse_count(log), expected);
    check("==7== Cachegrind\n==7== I   refs:      1,234,567\n", Some(1_234_567.0));
    check("==7== I refs: 12\n", Some(12.0));
    check("==7== nothing\n", None);
}

#[test]
fn last_words_are_one_line_and_not_too_long() {
    assert_eq!(
        last_words("Error: no\n\nCaused by:\n    port taken\n"),
        "Error: no Caused by: port taken"
    );
    assert_eq!(last_words(&"ä".repeat(1000)).chars().count(), 401);
}

#[test]
fn a_table_compares_medians_and_names_failures() {
    let kinds = [Kind::Idle];
    let jobs = plan::jobs(&kinds, &plan::QUICK);
    let sample = |server: &str, round, kib| Sample {
        kind: Kind::Idle,
        case: jobs[0].case.clone(),
        server: server.to_owned(),
        round,
        figures: Figures::from([
            ("kib_per_session".to_owned(), kib),
            ("rss_kib".to_owned(), 2048.0),
        ]),
    };
    let samples = vec![
        sample("raw", 0, 20.0),
        sample("ours", 0, 90.0),
        sample("ours", 1, 30.0),
        sample("ours", 2, 25.0),
    ];
    let failure = |server: &str, case: &str| Failure {
        server: server.to_owned(),
        case: case.to_owned(),
        reason: "the server ended".to_owned(),
    };
    let failures = vec![failure("other", "idle"), failure("one", "idle"), failure("other", "http")];
    let expected = "\
### idle: legacy sessions with an open stream

| case | server | KiB/session | RSS MiB | × raw | target |
|---|---|---:|---:|---|---|
| 100 sessions | raw | 20.0 | 2.00 | 1.00 |  |
| 100 sessions | ours | 30.0 | 2.00 | 1.50 | ✗ missed: ≤ 24.0 |

- failed: other, idle and 1 more: the server ended
- failed: one, idle: the server ended
";
    assert_eq!(render(&kinds, &jobs, &Findings { samples, failures }), expected);
}

#[test]
fn every_case_has_its_own_name() {
    use clap::ValueEnum as _;
    for kind in Kind::value_variants() {
        let jobs = plan::jobs(&[*kind], &plan::FULL);
        let mut cases: Vec<_> = jobs.iter().map(|job| &job.case).collect();
        cases.sort();
        cases.dedup();
        assert!(!jobs.is_empty() && cases.len() == jobs.len(), "{kind:?}");
    }
}

#[test]
fn what_a_gateway_adds_is_told_and_held_to_its_target() {
    let kinds = [Kind::Gateway];
    let jobs = plan::jobs(&kinds, &plan::QUICK);
    let sample = |server: &str, p50, cpu| Sample {
        kind: Kind::Gateway,
        case: jobs[0].case.clone(),
        server: server.to_owned(),
        round: 0,
        figures: Figures::from([("p50_us".to_owned(), p50), ("cpu_us_per_call".to_owned(), cpu)]),
    };
    let samples = vec![sample("raw", 40.0, 10.0), sample("ours", 90.0, 30.0)];
    let text = render(&kinds, &jobs[..1], &Findings { samples, failures: Vec::new() });
    let rows: Vec<&str> = text.lines().skip(4).take(2).collect();
    assert_eq!(
        rows,
        [
            "| legacy, 64 B, callers 1 | raw | 10.0 | 0.00 | – | 40.0 | – | – | 1.00 |  |",
            "| legacy, 64 B, callers 1 | ours | 30.0 | 50.0 | – | 90.0 | – | – | 3.00 | ✓ met: ≤ 60.0 |",
        ]
    );
}

#[test]
fn the_built_ins_are_compared_with_themselves_only() {
    let kinds = [Kind::MemoryCapture];
    let jobs = plan::jobs(&kinds, &plan::QUICK);
    let sample = |job: usize, calls| Sample {
        kind: Kind::MemoryCapture,
        case: jobs[job].case.clone(),
        server: "ours".to_owned(),
        round: 0,
        figures: Figures::from([("calls_per_second".to_owned(), calls)]),
    };
    let samples = vec![sample(0, 500.0), sample(1, 2_000.0)];
    let text = render(&kinds, &jobs, &Findings { samples, failures: Vec::new() });
    let rows: Vec<&str> = text.lines().skip(2).take(4).collect();
    assert_eq!(
        rows,
        [
            "| case | server | calls/s | × 1 client | fsync µs | calls/fsync | p50 µs | p99 µs | CPU µs/call | RSS MiB | target |",
            "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---|",
            "| clients 1 | ours | 500 | – | – | – | – | – | – | – |  |",
            "| clients 16 | ours | 2,000 | 4.00 | – | – | – | – | – | – |  |",
        ]
    );
}

#[test]
fn whoever_is_compared_with_another_case_comes_after_it() {
    use clap::ValueEnum as _;
    for kind in Kind::value_variants() {
        let jobs = plan::jobs(&[*kind], &plan::FULL);
        for (index, job) in jobs.iter().enumerate() {
            let before = |other: &String| jobs[..index].iter().any(|it| it.case == *other);
            assert!(job.other.as_ref().is_none_or(before), "{}", job.case);
        }
    }
}
