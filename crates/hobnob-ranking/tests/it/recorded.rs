//! The queries of `eval/tools` against the recorded tools, by words only: minimum recall that no
//! change may fall below. `cargo xtask eval tools` prints the figures, per half of the queries.

use crate::catalogue::{Catalogue, lines};
use hobnob_ranking::RankingRequest;
use serde_json::Value;

/// Minimum recall at 5 for all queries of a file and a kind.
const FLOORS: [(&str, &str, f64); 4] = [
    ("queries.jsonl", "plain", 0.84),
    ("queries.jsonl", "direct", 0.94),
    ("unseen.jsonl", "plain", 0.78),
    ("unseen.jsonl", "assistant", 0.92),
];

#[test]
fn most_queries_find_a_tool_that_does() {
    let catalogue = Catalogue::read();
    let index = catalogue.index();
    assert!(300 <= index.len());
    for (file, kind, floor) in FLOORS {
        let mut queries = lines(file);
        queries.retain(|query| query["kind"] == kind);
        let found = queries.iter().filter(|query| {
            let text = query["query"].as_str().unwrap();
            let request = RankingRequest { query: text, limit: 5, ..RankingRequest::default() };
            let wanted = query["tools"].as_array().unwrap();
            let hits = index.rank(&request);
            hits.iter().any(|hit| wanted.contains(&Value::from(catalogue.key(hit.position))))
        });
        let share = found.count() as f64 / queries.len() as f64;
        assert!(100 <= queries.len() && floor <= share, "{file}, {kind}: {share:.3}");
    }
}
