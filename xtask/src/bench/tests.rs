//! Tests of the benchmark's arithmetic and of the form of its tables.

use anyhow::Context as _;

use super::case::{Case, Target};
use super::ceilings::{Ceilings, Count};
use super::findings::{Failure, Figures, Findings, Sample};
use super::kind::Kind;
use super::measure::{last_words, parse_count};
use super::page::{Page, Section};
use super::stamp::model;
use super::table::{head, median, number, render};
use super::{effort, gate, kinds};

fn kind(name: &str) -> &'static Kind {
    kinds::ALL.into_iter().find(|kind| kind.name == name).unwrap()
}

/// One kind with its cases in a quick run.
fn quick(name: &str) -> [(&'static Kind, Vec<Case>); 1] {
    [(kind(name), (kind(name).cases)(&effort::QUICK))]
}

fn sample(kind: &'static str, case: &Case, server: &str, round: usize) -> Sample {
    let (case, server) = (case.name.clone(), server.to_owned());
    Sample { kind, case, server, round, figures: Figures::new() }
}

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
fn a_target_is_met_up_to_its_limit() {
    let check = |value, shown: &str| {
        let target = Target { heading: "× raw", limit: 1.15 };
        assert_eq!(target.verdict(value), shown);
    };
    check(1.15, "✓ met: × raw ≤ 1.15");
    check(1.16, "✗ missed: × raw ≤ 1.15");
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
fn a_table_compares_each_round_and_names_failures() {
    let plan = quick("idle");
    let sample = |server, round, kib| Sample {
        figures: Figures::from([
            ("kib_per_session".to_owned(), kib),
            ("rss_kib".to_owned(), 2048.0),
        ]),
        ..sample("idle", &plan[0].1[0], server, round)
    };
    let samples = vec![
        // The machine is slow in the first round; the medians themselves differ by a factor of 1.5.
        sample("raw", 0, 72.0),
        sample("raw", 1, 20.0),
        sample("raw", 2, 20.0),
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
|---|---|---:|---:|---:|---|
| 100 sessions | raw | 20.0 | 2.00 | 1.00 |  |
| 100 sessions | ours | 30.0 | 2.00 | 1.25 | ✗ missed: KiB/session ≤ 24.0 |

- failed: other, idle and 1 more: the server ended
- failed: one, idle: the server ended
";
    assert_eq!(render(&plan, &Findings { samples, failures }), expected);
}

#[test]
fn every_kind_and_every_case_has_its_own_name() {
    let check = |mut names: Vec<String>| {
        let count = names.len();
        names.sort();
        names.dedup();
        assert!(count != 0 && names.len() == count, "{names:?}");
    };
    check(kinds::ALL.iter().map(|kind| kind.name.to_owned()).collect());
    for kind in kinds::ALL {
        check((kind.cases)(&effort::FULL).into_iter().map(|case| case.name).collect());
    }
}

#[test]
fn every_target_names_a_column_of_its_kind() {
    for kind in kinds::ALL {
        for Target { heading, .. } in
            (kind.cases)(&effort::FULL).into_iter().flat_map(|case| case.targets)
        {
            let columns = kind.columns.iter().filter(|column| column.heading == heading);
            assert_eq!(columns.count(), 1, "{}: {heading}", kind.name);
        }
    }
}

#[test]
fn what_a_gateway_adds_is_reported_and_held_to_its_target() {
    let plan = quick("gateway");
    let sample = |server, p50, cpu| Sample {
        figures: Figures::from([("p50_us".to_owned(), p50), ("cpu_us_per_call".to_owned(), cpu)]),
        ..sample("gateway", &plan[0].1[0], server, 0)
    };
    let samples = vec![
        sample("raw", 40.0, 10.0),
        sample("raw proxy", 50.0, 20.0),
        sample("ours", 90.0, 30.0),
    ];
    let text = render(&plan, &Findings { samples, failures: Vec::new() });
    let rows: Vec<&str> = text.lines().skip(4).take(3).collect();
    assert_eq!(
        rows,
        [
            "| legacy, 64 B, callers 1 | raw | 10.0 | 0.50 | 0.00 | – | 40.0 | – | – | 1.00 |  |",
            "| legacy, 64 B, callers 1 | raw proxy | 20.0 | 1.00 | 10.0 | – | 50.0 | – | – | 2.00 |  |",
            "| legacy, 64 B, callers 1 | ours | 30.0 | 1.50 | 50.0 | – | 90.0 | – | – | 3.00 | \
             ✓ met: × proxy ≤ 2.00; ✗ missed: added p50 µs ≤ 25.0 |",
        ]
    );
}

#[test]
fn a_service_of_the_machine_is_compared_with_the_program_that_does_the_same() {
    let plan = quick("files-search");
    let sample = |case: usize, server, p50| Sample {
        figures: Figures::from([("p50_us".to_owned(), p50)]),
        ..sample("files-search", &plan[0].1[case], server, 0)
    };
    let samples = vec![
        sample(0, "ours", 24_000.0),
        sample(0, "rg", 20_000.0),
        sample(1, "fd", 10_000.0),
        sample(1, "ours", 14_000.0),
    ];
    let text = render(&plan, &Findings { samples, failures: Vec::new() });
    let rows: Vec<&str> = text.lines().skip(4).take(4).collect();
    let [plain, names] = ["content, plain text, 2000 files", "names, 2000 files"];
    assert_eq!(
        rows,
        [
            format!("| {plain} | ours | 24.0 | 1.20 | – | – | – | ✓ met: × beside ≤ 1.30 |"),
            format!("| {plain} | rg | 20.0 | 1.00 | – | – | – |  |"),
            format!("| {names} | fd | 10.0 | 1.00 | – | – | – |  |"),
            format!("| {names} | ours | 14.0 | 1.40 | – | – | – | ✗ missed: × beside ≤ 1.30 |"),
        ]
    );
}

fn counts(ours: f64) -> Vec<Count> {
    let count = |case: &str, raw, ours| Count { case: case.to_owned(), raw, ours };
    vec![count("stdio, 64 B", 9_000.0, ours), count("http, 64 B", 30_000.0, 30_000.0)]
}

fn ceilings() -> Ceilings {
    Ceilings([("stdio, 64 B".to_owned(), 1.8), ("http, 64 B".to_owned(), 1.02)].into())
}

#[test]
fn a_case_above_its_ceiling_fails_and_says_what_to_do() {
    assert!(ceilings().judge(&counts(16_200.0)).is_ok());
    let error = ceilings().judge(&counts(16_300.0)).unwrap_err().to_string();
    assert_eq!(
        error,
        "too many instructions per call:\n  \
         stdio, 64 B: 16,300 instructions per call, 1.811 × raw (9,000), the ceiling is 1.8 ×\n\
         Run `valgrind --tool=callgrind` on `echo-server` before and after the change to see which \
         functions take them.\nIf the change is worth them, `cargo xtask bench --ceilings update` \
         writes new ceilings; say why in the commit."
    );
}

#[test]
fn a_case_above_its_ceiling_is_counted_again_and_the_least_counts() {
    let lowest = |counted: &[f64]| {
        let mut counted = counted.iter();
        let count = gate::lowest(&ceilings(), || {
            Ok(counts(*counted.next().context("counted once too often")?).swap_remove(0))
        });
        (count.unwrap().ours, counted.len())
    };
    assert_eq!(lowest(&[16_100.0, 16_000.0]), (16_100.0, 1));
    assert_eq!(lowest(&[16_400.0, 16_150.0, 16_000.0]), (16_150.0, 1));
    assert_eq!(lowest(&[16_400.0, 16_300.0, 16_350.0, 16_000.0]), (16_300.0, 1));
}

#[test]
fn a_ceiling_without_a_count_fails_and_so_does_a_count_without_a_ceiling() {
    let complains = |ceilings: Ceilings, counts: &[Count], words: &str| {
        let error = ceilings.judge(counts).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    };
    complains(ceilings(), &counts(9_000.0)[..1], "http, 64 B: has a ceiling and was not counted");
    complains(Ceilings::default(), &counts(9_000.0), "and there is no ceiling");
}

#[test]
fn every_counted_case_has_a_ceiling_in_the_file() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let counts: Vec<Count> = (kinds::INSTRUCTIONS.cases)(&effort::COUNT)
        .into_iter()
        .map(|case| Count { case: case.name, raw: 1.0, ours: 0.0 })
        .collect();
    assert_eq!(counts.len(), 6);
    Ceilings::load(root).unwrap().judge(&counts).unwrap();
}

#[test]
fn the_page_of_figures_is_as_the_command_writes_it() {
    let page = Page::parse(include_str!("../../../docs/src/speed-figures.md")).unwrap();
    assert!(!page.sections.is_empty(), "the page has no figures");
    for Section { kind, stamp, table } in &page.sections {
        let (name, head) = (kind.name, head(kind));
        let measured = ["Measured on ", " at commit ", ", with Rust ", ", on ", " cores of "];
        assert!(measured.iter().all(|part| stamp.contains(part)), "{name}: {stamp}");
        assert!(table.starts_with(&head), "{name} has other columns:\n{table}");
        let cells = |line: &str| line.matches('|').count();
        let width = cells(&head) / 2;
        assert!(table.lines().all(|line| cells(line) == width), "{name}:\n{table}");
        assert!(table.lines().nth(2).is_some(), "{name} has no figures");
    }
}

#[test]
fn a_section_takes_the_place_of_the_last_of_its_kind() {
    let section = |name, stamp: &str| Section {
        kind: kind(name),
        stamp: format!("{stamp}\nOne round."),
        table: format!("{}| a | ours |\n", head(kind(name))),
    };
    let mut page = Page::default();
    page.put(section("gateway", "first"));
    page.put(section("stdio", "second"));
    page.put(section("gateway", "third"));
    let text = page.render();
    assert!(!text.contains("first"), "{text}");
    assert!(text.find("second").unwrap() < text.find("third").unwrap(), "{text}");
    assert_eq!(Page::parse(&text).unwrap().render(), text);
    // Manual changes of the page are noticed, unless they change figures.
    assert!(Page::parse(&text.replace("## stdio:", "## pipes:")).is_err());
    assert!(Page::parse(&text.replace("\n\nsecond", "\nsecond")).is_err());
}

#[test]
fn the_processor_is_read() {
    assert_eq!(model("processor\t: 0\nmodel name\t: Fast 9000\n"), Some("Fast 9000"));
    assert_eq!(model("processor\t: 0\n"), None);
}

#[test]
fn both_workspaces_are_built_alike() {
    let profile = |manifest: &str, name: &str| {
        let (_, rest) = manifest.split_once(&format!("[profile.{name}]\n")).unwrap();
        let lines = rest.lines().take_while(|line| !line.is_empty());
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    for name in ["release", "dist"] {
        let product = profile(include_str!("../../../Cargo.toml"), name);
        assert_eq!(product, profile(include_str!("../../../bench/Cargo.toml"), name));
    }
}
