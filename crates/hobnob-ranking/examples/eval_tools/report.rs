//! Formats the figures as text or JSON.

use crate::data::{DataSet, Half, Kind, Query};
use crate::figures::{Figures, figures};
use crate::latency::Latency;
use crate::options::Options;
use serde::Serialize;
use std::collections::BTreeSet;

/// A search method and its answers.
pub(crate) struct Method {
    name: &'static str,
    /// For each query the rank of the first correct tool, counted from zero, and the top results.
    answers: Vec<(Option<usize>, Vec<usize>)>,
}

impl Method {
    /// Runs every query; `find` gets its index and its text.
    pub(crate) fn new(
        name: &'static str,
        set: &DataSet,
        find: impl Fn(usize, &str) -> Vec<usize>,
    ) -> Self {
        let answer = |(at, query): (usize, &Query)| {
            let mut found = find(at, &query.query);
            let place = found.iter().position(|tool| query.tools.contains(tool));
            found.truncate(5);
            (place, found)
        };
        Self { name, answers: set.queries.iter().enumerate().map(answer).collect() }
    }

    fn figures(&self, set: &DataSet, counts: impl Fn(&Query) -> bool) -> Figures {
        let answers = set.queries.iter().zip(&self.answers);
        let counted = answers.filter(|(query, _)| counts(query));
        figures(&counted.map(|(_, (place, _))| *place).collect::<Vec<_>>())
    }
}

/// A group of queries whose figures are shown together.
type Group = (&'static str, fn(&Query) -> bool);

const GROUPS: [Group; 8] = [
    ("tuning", |query| query.half == Half::Tuning),
    ("practice", |query| query.half == Half::Practice),
    ("held-out", |query| query.half == Half::HeldOut),
    ("held-out, plain", |query| query.half == Half::HeldOut && query.kind == Kind::Plain),
    ("held-out, direct", |query| query.half == Half::HeldOut && query.kind == Kind::Direct),
    ("unseen", |query| query.half == Half::Unseen),
    ("unseen, plain", |query| query.half == Half::Unseen && query.kind == Kind::Plain),
    ("unseen, assistant", |query| query.half == Half::Unseen && query.kind == Kind::Assistant),
];

#[derive(Serialize)]
struct Line {
    method: &'static str,
    group: &'static str,
    figures: Figures,
}

#[derive(Serialize)]
struct Report<'a> {
    commit: &'a str,
    tools: usize,
    servers: usize,
    queries: usize,
    lines: Vec<Line>,
    milliseconds: &'a [Latency],
}

pub(crate) fn text(
    options: &Options,
    set: &DataSet,
    methods: &[Method],
    latencies: &[Latency],
) -> serde_json::Result<String> {
    let line = |method: &Method, (group, counts): Group| Line {
        method: method.name,
        group,
        figures: method.figures(set, counts),
    };
    let lines = methods.iter().flat_map(|method| GROUPS.map(|group| line(method, group)));
    let report = Report {
        commit: &options.commit,
        tools: set.tools.len(),
        servers: set.tools.iter().map(|tool| &tool.server).collect::<BTreeSet<_>>().len(),
        queries: set.queries.len(),
        lines: lines.filter(|line| 0 < line.figures.queries).collect(),
        milliseconds: latencies,
    };
    if options.json {
        return Ok(serde_json::to_string_pretty(&report)? + "\n");
    }
    let mut text = table(&report);
    if options.misses {
        methods.iter().for_each(|method| text += &misses(set, method));
    }
    Ok(text)
}

fn table(report: &Report<'_>) -> String {
    let Report { commit, tools, servers, queries, lines, milliseconds } = report;
    let mut text = format!("{tools} tools of {servers} servers, {queries} queries, {commit}\n");
    for Line { method, group, figures } in lines {
        let Figures { queries, recall_at_1, recall_at_5, recall_at_10, mrr } = figures;
        text += &format!(
            "{method:23} {group:18} {queries:4}  recall@1 {recall_at_1:.3}  \
             @5 {recall_at_5:.3}  @10 {recall_at_10:.3}  MRR {mrr:.3}\n"
        );
    }
    for Latency { method, median, slowest, build } in *milliseconds {
        text += &format!(
            "{method:23} 1,000 tools  median {median:.2} ms, slowest {slowest:.2} ms, \
             index {build:.0} ms\n"
        );
    }
    text
}

/// Tuning queries without a correct tool among the first five.
fn misses(set: &DataSet, method: &Method) -> String {
    let mut text = String::new();
    for (query, (place, found)) in set.queries.iter().zip(&method.answers) {
        let may_be_named = matches!(query.half, Half::Tuning | Half::Practice);
        if may_be_named && place.is_none_or(|place| 5 <= place) {
            let name = |tools: &[usize]| {
                let keys: Vec<_> = tools.iter().map(|tool| set.tools[*tool].key()).collect();
                keys.join(", ")
            };
            let place = place.map_or("nowhere".into(), |place| format!("place {}", place + 1));
            text += &format!("\n{}: {} ({place})\n", method.name, query.query);
            text += &format!("  wanted {}\n  found {}\n", name(&query.tools), name(found));
        }
    }
    text
}
