//! Prints the figures, as one table for people and as JSON for programs.

use crate::figures::{Figures, Paired, count_empty, figures, paired};
use crate::trial::{Answer, Method};
use serde::Serialize;

const METHODS: [(Method, &str); 4] = [
    (Method::Bm25, "BM25"),
    (Method::Text, "text"),
    (Method::Vector, "vector"),
    (Method::Hybrid, "hybrid"),
];

/// The answers of one data set, under its name.
pub(crate) type NamedAnswers = (String, Vec<Answer>);

/// The figures of one part of a data set with one method.
#[derive(Serialize)]
struct Line {
    method: Method,
    part: String,
    figures: Figures,
}

/// How many questions of one kind found nothing or only hits that are called weak.
#[derive(Serialize)]
struct EmptyAnswers {
    method: Method,
    kind: String,
    empty: usize,
    questions: usize,
}

#[derive(Serialize)]
struct Report {
    set: String,
    lines: Vec<Line>,
    nothing: Vec<EmptyAnswers>,
    hybrid_against_text: Option<Paired>,
}

/// One table in Markdown, with hit@1, hit@5 and MRR of each method, then lines about questions
/// without an answer.
pub(crate) fn tables(sets: &[NamedAnswers]) -> String {
    let mut text = String::from("| set | part | questions |");
    for (_, name) in METHODS {
        text += &format!(" {name} hit@1 | hit@5 | MRR |");
    }
    text += &format!("\n|---|---|---|{}\n", "---|".repeat(3 * METHODS.len()));
    let reports: Vec<Report> = sets.iter().map(report).collect();
    for Report { set, lines, .. } in &reports {
        for line in lines.iter().filter(|line| line.method == Method::Bm25) {
            text += &format!("| {set} | {} | {} |", line.part, line.figures.questions);
            for (method, _) in METHODS {
                let same = |it: &&Line| it.method == method && it.part == line.part;
                text += &lines.iter().find(same).map_or(" | | |".to_owned(), |it| {
                    let Figures { hit_at_1, hit_at_5, mrr, .. } = it.figures;
                    format!(" {hit_at_1:.1} | {hit_at_5:.1} | {mrr:.1} |")
                });
            }
            text.push('\n');
        }
    }
    text +=
        "\n| set | questions | mode | nothing or weak matches | share |\n|---|---|---|---|---|\n";
    reports.iter().for_each(|report| text += &weak_rows(report));
    text.push('\n');
    reports.iter().for_each(|report| text += &comparison(report));
    text
}

fn weak_rows(Report { set, nothing, .. }: &Report) -> String {
    let mut text = String::new();
    for EmptyAnswers { method, kind, empty, questions } in nothing {
        let share = 100.0 * *empty as f64 / *questions as f64;
        text +=
            &format!("| {set} | {kind} | {method:?} | {empty} of {questions} | {share:.1} % |\n");
    }
    text
}

fn comparison(Report { set, hybrid_against_text, .. }: &Report) -> String {
    let mut text = String::new();
    if let Some(Paired { only_first, only_second, chance }) = hybrid_against_text {
        text += &format!(
            "{set}, right first hit: hybrid alone {only_first}, text alone {only_second} \
             (p = {chance:.3})\n"
        );
    }
    text
}

/// The figures of each data set as JSON.
pub(crate) fn json(sets: &[NamedAnswers]) -> serde_json::Result<String> {
    let reports: Vec<Report> = sets.iter().map(report).collect();
    Ok(serde_json::to_string_pretty(&reports)? + "\n")
}

fn report((set, answers): &NamedAnswers) -> Report {
    let (mut lines, mut nothing) = (Vec::new(), Vec::new());
    let answerable = || answers.iter().filter(|it| it.answerable);
    let (languages, kinds) =
        (distinct(answerable(), |it| &it.language), distinct(answerable(), |it| &it.kind));
    let without_answer = distinct(answers.iter().filter(|it| !it.answerable), |it| &it.kind);
    for (method, _) in METHODS {
        let of: Vec<&Answer> = answers.iter().filter(|answer| answer.method == method).collect();
        if of.is_empty() {
            continue;
        }
        let mut line = |part: &str, fits: &dyn Fn(&Answer) -> bool| {
            let figures = figures(of.iter().copied().filter(|answer| fits(answer)));
            lines.push(Line { method, part: part.to_owned(), figures });
        };
        line("all", &|_| true);
        for language in languages.iter().filter(|_| 1 < languages.len()) {
            line(&format!("in {language}"), &|answer| answer.language == *language);
        }
        for kind in kinds.iter().filter(|_| 1 < kinds.len()) {
            line(kind, &|answer| answer.kind == *kind);
        }
        if method != Method::Bm25 {
            let mut count = |kind: &str, fits: &dyn Fn(&Answer) -> bool| {
                let counted = count_empty(of.iter().copied().filter(|answer| fits(answer)));
                if let (empty, questions @ 1..) = counted {
                    nothing.push(EmptyAnswers { method, kind: kind.to_owned(), empty, questions });
                }
            };
            count("with a right first hit", &|it| it.answerable && it.rank == Some(0));
            count("with an answer", &|it| it.answerable);
            for kind in &without_answer {
                count(kind, &|it| !it.answerable && it.kind == *kind);
            }
        }
    }
    let of = |method| -> Vec<&Answer> {
        let fits = |answer: &&Answer| answer.method == method && answer.answerable;
        answers.iter().filter(fits).collect()
    };
    let hybrid = of(Method::Hybrid);
    let hybrid_against_text = (!hybrid.is_empty()).then(|| paired(&hybrid, &of(Method::Text)));
    Report { set: set.clone(), lines, nothing, hybrid_against_text }
}

/// The different values of these answers, sorted.
fn distinct<'a>(
    answers: impl Iterator<Item = &'a Answer>,
    value: impl Fn(&Answer) -> &String,
) -> Vec<String> {
    let mut values: Vec<String> = answers.map(|it| value(it).clone()).collect();
    values.sort_unstable();
    values.dedup();
    values
}
