//! Precision and recall of the scanner on its corpus, by family.

use hobnob_secrets::{Family, FindingKind, PersonalData, ScanScope, Scanner};

use crate::corpus;
use crate::figures::{self, Tally};
use crate::labelled::Case;

/// The minimum precision and recall.
struct Bars {
    precision: f64,
    recall: f64,
}

fn measure(title: &str, cases: &[Case], bars: &Bars) {
    let scanner = Scanner::new(ScanScope::default().with(PersonalData::NationalId));
    let find = |text: &str| {
        let found = scanner.scan(text).into_iter();
        found.map(|finding| (finding.kind.label(), finding.range)).collect()
    };
    let figures = figures::measure(cases, find);
    let report = figures.problems.join("\n");
    println!("{title}: {} cases\n{report}", cases.len());
    let of_family = |wanted: Family| {
        let labels = figures.tallies.iter().filter(|(label, _)| family(label) == wanted);
        labels.map(|(_, tally)| *tally).sum()
    };
    for (family, tally) in [
        ("overall", figures.overall()),
        ("secrets", of_family(Family::Secret)),
        ("personal data", of_family(Family::Personal)),
    ] {
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
