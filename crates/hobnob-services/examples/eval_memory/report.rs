//! Prints the figures, as tables for people and as JSON for programs.

use crate::figures::{Figures, Paired, count_doubted, count_empty, figures, paired};
use crate::trial::Answer;
use hobnob_services::memory::recall::RecallMode;
use serde::Serialize;
use std::collections::BTreeMap;

const MODES: [(RecallMode, &str); 3] =
    [(RecallMode::Text, "text"), (RecallMode::Vector, "vector"), (RecallMode::Hybrid, "hybrid")];

/// One line of the table.
#[derive(Serialize)]
struct Line {
    mode: &'static str,
    kind: String,
    figures: Figures,
}

/// How often an unanswerable question found nothing or only hits that are called weak, and how
/// often a correct first hit was called weak.
#[derive(Serialize)]
struct EmptyAnswers {
    mode: &'static str,
    empty: usize,
    questions: usize,
    doubted: usize,
    right: usize,
}

#[derive(Serialize)]
struct Report {
    lines: Vec<Line>,
    nothing: Vec<EmptyAnswers>,
    hybrid_against_text: Option<Paired>,
}

/// A table in plain text for each data set.
pub(crate) fn tables(sets: &[(String, Vec<Answer>)]) -> String {
    sets.iter().map(|(name, answers)| format!("{name}:\n{}", table(answers))).collect()
}

fn table(answers: &[Answer]) -> String {
    let report = report(answers);
    let mut text = String::new();
    for Line { mode, kind, figures } in &report.lines {
        let Figures { questions, hit_at_1, hit_at_5, hit_at_10, mrr } = figures;
        text += &format!(
            "{mode:7} {kind:13} {questions:5}  hit@1 {hit_at_1:5.1}  hit@5 {hit_at_5:5.1}  \
             hit@10 {hit_at_10:5.1}  MRR {mrr:5.1}\n"
        );
    }
    for EmptyAnswers { mode, empty, questions, doubted, right } in &report.nothing {
        text += &format!(
            "{mode:7} nothing, or weak matches, where nothing is: {empty} of {questions}; right \
             first hits called weak: {doubted} of {right}\n"
        );
    }
    if let Some(Paired { only_first, only_second, chance }) = &report.hybrid_against_text {
        text += &format!(
            "right first hit: hybrid alone {only_first}, text alone {only_second} \
             (p = {chance:.3})\n"
        );
    }
    text
}

/// The figures of each data set as JSON.
pub(crate) fn json(sets: &[(String, Vec<Answer>)]) -> serde_json::Result<String> {
    let reports: BTreeMap<&str, Report> =
        sets.iter().map(|(name, answers)| (name.as_str(), report(answers))).collect();
    Ok(serde_json::to_string_pretty(&reports)? + "\n")
}

fn report(answers: &[Answer]) -> Report {
    let mut kinds: Vec<&str> = answers
        .iter()
        .filter(|answer| answer.answerable)
        .map(|answer| answer.kind.as_str())
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    let (mut lines, mut empty) = (Vec::new(), Vec::new());
    for (mode, name) in MODES {
        let of: Vec<&Answer> = answers.iter().filter(|answer| answer.mode == mode).collect();
        if of.is_empty() {
            continue;
        }
        let mut line = |kind: &str, fits: &dyn Fn(&Answer) -> bool| {
            let figures = figures(of.iter().copied().filter(|answer| fits(answer)));
            lines.push(Line { mode: name, kind: kind.to_owned(), figures });
        };
        line("all", &|_| true);
        // A setting that was chosen with one half must hold in the other.
        line("first half", &|answer| answer.number % 2 == 0);
        line("second half", &|answer| answer.number % 2 == 1);
        for kind in &kinds {
            line(kind, &|answer| answer.kind == *kind);
        }
        let (found, questions) = count_empty(of.iter().copied());
        if 0 < questions {
            let (doubted, right) = count_doubted(of.iter().copied());
            empty.push(EmptyAnswers { mode: name, empty: found, questions, doubted, right });
        }
    }
    let of = |mode| -> Vec<&Answer> {
        let fits = |answer: &&Answer| answer.mode == mode && answer.answerable;
        answers.iter().filter(fits).collect()
    };
    let hybrid = of(RecallMode::Hybrid);
    let hybrid_against_text = (!hybrid.is_empty()).then(|| paired(&hybrid, &of(RecallMode::Text)));
    Report { lines, nothing: empty, hybrid_against_text }
}
