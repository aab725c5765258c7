//! Precision and recall on the corpus, for each family; only the right kind in the right place counts.

use std::collections::BTreeMap;
use std::fmt::Write;

use hobnob_secrets::{Family, FindingKind, PersonalData, ScanScope, Scanner};

use crate::corpus::{self, Case};

#[derive(Clone, Copy, Default)]
struct Tally {
    right: usize,
    missed: usize,
    wrong: usize,
}

impl Tally {
    fn precision(&self) -> f64 {
        ratio(self.right, self.right + self.wrong)
    }

    fn recall(&self) -> f64 {
        ratio(self.right, self.right + self.missed)
    }
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// The lowest precision and recall that pass.
struct Bars {
    precision: f64,
    recall: f64,
}

fn measure(title: &str, cases: &[Case], bars: &Bars) {
    let scanner = Scanner::new(ScanScope::default().with(PersonalData::NationalId));
    let mut tallies: BTreeMap<Option<Family>, Tally> = BTreeMap::new();
    let mut report = String::new();
    for case in cases {
        let mut found = scanner.scan(&case.text);
        for expected in &case.expected {
            let same = |it: &hobnob_secrets::Finding| {
                it.kind.label() == expected.label && it.range == expected.range
            };
            let at = found.iter().position(same);
            let family = family(&expected.label);
            match at {
                Some(at) => drop(found.remove(at)),
                None => writeln!(report, "missed {}: {}", case.place, expected.label).unwrap(),
            }
            for family in [None, Some(family)] {
                let tally = tallies.entry(family).or_default();
                tally.right += usize::from(at.is_some());
                tally.missed += usize::from(at.is_none());
            }
        }
        for finding in found {
            let value = &case.text[finding.range.clone()];
            let kind = finding.kind;
            writeln!(report, "wrong  {}: {} {value:?}", case.place, kind.label()).unwrap();
            for family in [None, Some(kind.family())] {
                tallies.entry(family).or_default().wrong += 1;
            }
        }
    }
    println!("{title}: {} cases\n{report}", cases.len());
    for (family, tally) in &tallies {
        let family = family.map_or("overall".to_owned(), |it| format!("{it:?}"));
        let (precision, recall) = (tally.precision(), tally.recall());
        let Tally { right, missed, wrong } = tally;
        println!(
            "{title} {family}: precision {precision:.3}, recall {recall:.3} \
             ({right} right, {missed} missed, {wrong} wrong)"
        );
        assert!(
            bars.precision <= precision,
            "{title} {family}: precision {precision:.3}\n{report}"
        );
        assert!(bars.recall <= recall, "{title} {family}: recall {recall:.3}\n{report}");
    }
}

fn family(label: &str) -> Family {
    let kind = FindingKind::ALL.iter().find(|kind| kind.label() == label);
    kind.unwrap_or_else(|| panic!("the corpus names no kind `{label}`")).family()
}

#[test]
fn precision_and_recall_on_the_corpus() {
    let (positives, negatives) = (corpus::positives(), corpus::negatives());
    let expected: usize = positives.iter().map(|case| case.expected.len()).sum();
    assert!(200 <= expected && 300 <= negatives.len(), "{expected}, {}", negatives.len());
    let cases: Vec<Case> = positives.into_iter().chain(negatives).collect();
    measure("corpus", &cases, &Bars { precision: 0.98, recall: 0.97 });
}

#[test]
fn precision_and_recall_on_the_held_out_corpus() {
    measure("held out", &corpus::held_out(), &Bars { precision: 0.95, recall: 0.9 });
}

#[test]
fn every_kind_is_in_the_corpus() {
    let positives = corpus::positives();
    let labels: Vec<&str> =
        positives.iter().flat_map(|case| &case.expected).map(|it| it.label.as_str()).collect();
    let absent: Vec<&str> =
        FindingKind::ALL.iter().map(|it| it.label()).filter(|it| !labels.contains(it)).collect();
    assert!(absent.is_empty(), "{absent:?}");
}
