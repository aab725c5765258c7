//! Filters as people and models write them.

use super::{parse_filter, parse_span};
use hobnob_store::Time;
use hobnob_store::memory::{MemoryFilter, MemoryStatus, Namespace, ScopeKind, Tag};
use std::time::Duration;

const NOW: i64 = 1_800_000_000_000;

fn parse(text: &str) -> Result<MemoryFilter, String> {
    parse_filter(text, Time::from_millis(NOW)).map_err(|bad| bad.to_string())
}

#[test]
fn every_word_has_its_place() {
    let tag = |word: &str| Tag::parse(word).expect("a tag");
    let all = "ns:decisions,apis tag:Rust,sql tag:db -tag:old since:7d until:2026-03-14 \
               source:\"my docs/*\" scope:user,org status:active,deleted";
    let expected = MemoryFilter {
        namespaces: ["decisions", "apis"].map(|it| Namespace::parse(it).expect("one")).into(),
        tags: vec![vec![tag("rust"), tag("sql")], vec![tag("db")]],
        without_tags: vec![tag("old")],
        since: Some(Time::from_millis(NOW - 7 * 86_400_000)),
        until: Some(Time::from_millis(1_773_446_400_000)),
        source: Some("my docs/*".into()),
        scopes: vec![ScopeKind::User, ScopeKind::Org],
        statuses: vec![MemoryStatus::Active, MemoryStatus::Deleted],
    };
    assert_eq!(parse(all), Ok(expected));
    assert_eq!(parse("  "), Ok(MemoryFilter::default()));
    assert_eq!(parse("namespace:apis"), parse("ns:apis"));
}

#[test]
fn what_is_wrong_is_named() {
    for (text, part) in [
        ("postgres", "`postgres` is not understood: use ns:"),
        ("nz:x", "`nz:x` is not understood"),
        ("ns:Bad", "ns: `Bad`: lower-case"),
        ("ns:", "ns: ``"),
        ("tag:a,,b", "tag: ``"),
        ("since:soon", "since: `soon`: 7d"),
        ("until:2026-13-01", "until: `2026-13-01`"),
        ("since:99999999999999999999d", "since:"),
        ("scope:team", "scope: `team`: project, user or org"),
        ("status:gone", "status: `gone`"),
        ("source:", "source: ``"),
    ] {
        let found = parse(text).expect_err(text);
        assert!(found.contains(part), "{text}: {found}");
    }
    assert!(parse(&"x".repeat(5_000)).expect_err("too long").contains("longer than"));
    assert!(parse(&format!("tag:{}", "😀".repeat(65))).is_err());
}

#[test]
fn spans_have_units() {
    assert_eq!(parse_span("90s"), Some(Duration::from_secs(90)));
    assert_eq!(parse_span("2w"), Some(Duration::from_secs(1_209_600)));
    for bad in ["", "7", "d", "-1d", "7 d", "7days", "٣d"] {
        assert_eq!(parse_span(bad), None, "{bad}");
    }
}
