//! The recorded tools of `eval/tools`, including Hobnob's own, and their index.

use hobnob_ranking::{ToolDocument, ToolIndex};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The parsed lines of a file of `eval/tools`.
pub(crate) fn lines(name: &str) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../eval/tools");
    let text = fs::read_to_string(folder.join(name)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub(crate) struct Catalogue(Vec<Value>);

impl Catalogue {
    pub(crate) fn read() -> Self {
        Self(["tools.jsonl", "own.jsonl"].map(lines).concat())
    }

    pub(crate) fn index(&self) -> ToolIndex {
        let document = |tool| ToolDocument::from_definition(text(tool, "server"), tool);
        ToolIndex::build(self.0.iter().map(document))
    }

    /// A tool's key as queries name it: `server/name`.
    pub(crate) fn key(&self, position: usize) -> String {
        let tool = &self.0[position];
        format!("{}/{}", text(tool, "server"), text(tool, "name"))
    }
}

fn text<'a>(tool: &'a Value, member: &str) -> &'a str {
    tool[member].as_str().unwrap()
}
