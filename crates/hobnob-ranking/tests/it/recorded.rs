//! The queries of `eval/tools` against the recorded tools, by words alone: a floor that a change must
//! not fall through. `cargo xtask eval tools` has the figures, and says which half they are from.

use hobnob_ranking::{RankingRequest, ToolDocument, ToolIndex};
use serde_json::Value;
use std::error::Error;
use std::fs;
use std::path::Path;

/// Shares of all queries, plain and direct, whose tool has to be among the first five.
const FLOORS: [(&str, f64); 2] = [("plain", 0.78), ("direct", 0.90)];

fn lines(name: &str) -> Result<Vec<Value>, Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../eval/tools");
    let text = fs::read_to_string(folder.join(name))?;
    Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

#[test]
fn most_queries_find_a_tool_that_does() {
    let tools = lines("tools.jsonl").unwrap();
    let server = |tool: &Value| tool["server"].as_str().unwrap().to_owned();
    let key = |tool: &Value| format!("{}/{}", server(tool), tool["name"].as_str().unwrap());
    let documents = tools.iter().map(|tool| ToolDocument::from_definition(&server(tool), tool));
    let index = ToolIndex::build(documents);
    assert!(300 <= index.len());
    for (kind, floor) in FLOORS {
        let mut queries = lines("queries.jsonl").unwrap();
        queries.retain(|query| query["kind"] == kind);
        let found = queries.iter().filter(|query| {
            let text = query["query"].as_str().unwrap();
            let request = RankingRequest { query: text, limit: 5, ..RankingRequest::default() };
            let wanted = query["tools"].as_array().unwrap();
            let hits = index.rank(&request);
            hits.iter().any(|hit| wanted.contains(&Value::from(key(&tools[hit.position]))))
        });
        let share = found.count() as f64 / queries.len() as f64;
        assert!(100 <= queries.len() && floor <= share, "{kind}: {share:.3}");
    }
}
