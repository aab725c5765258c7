//! The recorded tools and the queries with their answers, as `eval/tools/README.md` describes them.
//!
//! What must stay true: a query whose answer is not a recorded tool ends the program, and a query's
//! half depends only on its words.

use hobnob_ranking::ToolDocument;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::path::Path;

/// A query and the tools that answer it.
pub(crate) struct Query {
    pub(crate) query: String,
    /// The positions of the tools.
    pub(crate) tools: Vec<usize>,
    pub(crate) half: Half,
    pub(crate) kind: Kind,
}

/// How much the author of a query knows of the tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// In the words of a person who does not know the tool.
    Plain,
    /// In the terms of the trade, like an assistant or a developer who knows which tools may exist.
    Direct,
    /// As a model phrases it when it calls `find_tools`.
    Assistant,
}

/// Whether a query is for tuning weights or for evaluating them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Half {
    Tuning,
    HeldOut,
    /// From `practice.jsonl`: all of them are for tuning.
    Practice,
    /// From `unseen.jsonl`, by an author who knew the recorded tools but not the ranking.
    Unseen,
}

pub(crate) struct Tool {
    pub(crate) server: String,
    pub(crate) definition: Value,
}

pub(crate) struct DataSet {
    pub(crate) tools: Vec<Tool>,
    pub(crate) queries: Vec<Query>,
}

/// Which queries to run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Sets {
    #[default]
    All,
    /// Only those for tuning, so that the other totals remain unseen.
    Tuning,
}

#[derive(Deserialize)]
struct QueryLine {
    query: String,
    kind: Kind,
    tools: Vec<String>,
}

impl DataSet {
    pub(crate) fn read(folder: &Path, only: Sets) -> Result<Self, Box<dyn Error>> {
        let read = |name: &str| fs::read_to_string(folder.join(name));
        let mut tools = Vec::new();
        for line in read("tools.jsonl")?.lines().chain(read("own.jsonl")?.lines()) {
            let definition: Value = serde_json::from_str(line)?;
            let server = definition["server"].as_str().ok_or("a tool without a server")?;
            tools.push(Tool { server: server.to_owned(), definition });
        }
        let positions: HashMap<String, usize> =
            tools.iter().enumerate().map(|(at, tool)| (tool.key(), at)).collect();
        let files = [
            ("queries.jsonl", None),
            ("practice.jsonl", Some(Half::Practice)),
            ("unseen.jsonl", Some(Half::Unseen)),
        ];
        let mut queries = Vec::new();
        for (file, group) in files {
            for line in read(file)?.lines() {
                let QueryLine { query, kind, tools } = serde_json::from_str(line)?;
                let position = |key: &String| {
                    let position = positions.get(key).copied();
                    position.ok_or_else(|| format!("{file}: no tool `{key}` is recorded"))
                };
                let tools = tools.iter().map(position).collect::<Result<_, _>>()?;
                let half = group.unwrap_or_else(|| half(&query));
                queries.push(Query { half, kind, query, tools });
            }
        }
        if only == Sets::Tuning {
            queries.retain(|query| matches!(query.half, Half::Tuning | Half::Practice));
        }
        Ok(Self { tools, queries })
    }

    pub(crate) fn documents(&self) -> Vec<ToolDocument> {
        let document = |tool: &Tool| ToolDocument::from_definition(&tool.server, &tool.definition);
        self.tools.iter().map(document).collect()
    }
}

impl Tool {
    /// The key `server/name` by which queries refer to it.
    pub(crate) fn key(&self) -> String {
        format!("{}/{}", self.server, self.text("name"))
    }

    pub(crate) fn text(&self, member: &str) -> &str {
        self.definition[member].as_str().unwrap_or_default()
    }
}

/// Splits the queries in half by the 64-bit FNV-1a hash of their text.
fn half(query: &str) -> Half {
    let hash = query.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    // The low bits of this hash depend little on the text.
    if (hash >> 32).is_multiple_of(2) { Half::Tuning } else { Half::HeldOut }
}
