//! The catalogue of the hub's tools, and which definitions go to the model with each request.
//!
//! What must stay true: where the definitions exceed the token budget, the model gets `find_tools`
//! and what it found so far instead, so it can still find and call every tool.

use hobnob_agent::{ToolReport, model_tool_name};
use hobnob_llm::ModelTool;
use hobnob_mcp_types::apps::ToolAudience;
use hobnob_mcp_types::json::field;
use hobnob_ranking::{RankingRequest, ToolDocument, ToolIndex};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::fmt::Write as _;

#[cfg(test)]
mod tests;

/// Name of the tool with which the model searches the catalogue.
pub(super) const FIND_TOOL: &str = "find_tools";
/// Most tools in one request: the smallest limit of any provider.
const MAX_OFFERED: usize = 128;
/// Most found tools that stay offered; the oldest find leaves first.
const MAX_FOUND: usize = 40;
/// Name prefixes of built-in tools in every request. Names of servers' tools begin with `mcp__`.
const ALWAYS_PREFIXES: [&str; 2] = ["files_", "shell_"];
const RARE_PREFIXES: [&str; 3] = ["arbor_", "cone_", "claudecode_"];
/// Most results of one search.
const MAX_RESULTS: usize = 8;
/// A rough estimate for text of definitions.
const BYTES_PER_TOKEN: usize = 4;

/// A tool of the hub.
#[derive(Debug, Clone)]
pub(super) struct CatalogueTool {
    /// The tool's name in the hub's list.
    pub(super) listed_name: String,
    /// Whether its `readOnlyHint` is true.
    pub(super) reads_only: bool,
    definition: ModelTool,
    document: Box<str>,
}

/// All tools, by the names that the model knows.
#[derive(Debug, Default)]
pub(super) struct ToolCatalogue {
    tools: Vec<CatalogueTool>,
    by_model_name: HashMap<String, usize>,
    bytes: usize,
}

impl ToolCatalogue {
    /// Reads the definitions of a list, and leaves out tools that are not for models or that no
    /// provider would accept.
    pub(super) fn read(definitions: &[Box<str>]) -> Self {
        let mut catalogue = Self::default();
        for json in definitions {
            if ToolAudience::of(json) == ToolAudience::Apps {
                continue;
            }
            let text = |key| field(json, key).and_then(|raw| serde_json::from_str(raw).ok());
            let Some(listed_name): Option<String> = text("name") else { continue };
            let name =
                model_tool_name(&listed_name, |name| catalogue.by_model_name.contains_key(name));
            let description: String = text("description").unwrap_or_default();
            let schema = match field(json, "inputSchema").unwrap_or("{}") {
                "{}" => r#"{"type":"object"}"#,
                schema => schema,
            };
            match ModelTool::new(&name, &description, schema) {
                Ok(definition) => {
                    catalogue.bytes += name.len() + description.len() + schema.len();
                    catalogue.by_model_name.insert(name, catalogue.tools.len());
                    let reads_only = reads_only(json);
                    let document = json.clone();
                    catalogue.tools.push(CatalogueTool {
                        listed_name,
                        reads_only,
                        definition,
                        document,
                    });
                }
                Err(error) => tracing::debug!(%error, "a tool cannot be offered to a model"),
            }
        }
        catalogue
    }

    pub(super) fn len(&self) -> usize {
        self.tools.len()
    }

    /// The estimated tokens of all definitions.
    pub(super) fn tokens(&self) -> usize {
        self.bytes / BYTES_PER_TOKEN
    }

    /// Looks up a tool by the name that the model uses.
    pub(super) fn get(&self, model_name: &str) -> Option<&CatalogueTool> {
        self.by_model_name.get(model_name).map(|at| &self.tools[*at])
    }

    /// Looks up a tool by its name in the hub's list.
    pub(super) fn by_listed_name(&self, name: &str) -> Option<&CatalogueTool> {
        self.tools.iter().find(|tool| tool.listed_name == name)
    }

    /// The definitions for the next request, among the tools that `lets_through` accepts.
    pub(super) fn offered(
        &self,
        budget: usize,
        found: &FoundTools,
        lets_through: impl Fn(&CatalogueTool) -> bool,
    ) -> Vec<ModelTool> {
        let usable = || self.tools.iter().filter(|tool| lets_through(tool));
        let fits = self.tokens() <= budget && usable().count() <= MAX_OFFERED;
        let is_found = |tool: &CatalogueTool| found.0.iter().any(|it| *it == tool.listed_name);
        let (offered, hidden): (Vec<_>, Vec<_>) = usable().partition(|tool| match tool.need() {
            ToolNeed::Always => true,
            ToolNeed::Usual => fits || is_found(tool),
            ToolNeed::Rare => is_found(tool),
        });
        let find = find_definition(hidden.len()).filter(|_| !hidden.is_empty());
        let offered = offered.into_iter().map(|tool| tool.definition.clone());
        find.into_iter().chain(offered).take(MAX_OFFERED).collect()
    }

    /// Runs a search with the model's arguments. The next request offers what it finds.
    pub(super) fn find(&self, arguments: &str, found: &mut FoundTools) -> ToolReport {
        let FindArguments { query } = match serde_json::from_str(arguments) {
            Ok(arguments) => arguments,
            Err(error) => return ToolReport::failed(format!("arguments: {error}")),
        };
        let documents: Vec<ToolDocument> = self.tools.iter().map(CatalogueTool::document).collect();
        let index = ToolIndex::build(documents);
        let request = RankingRequest { query: &query, limit: MAX_RESULTS, vector: None, uses: &[] };
        let ranked = index.rank_fitting(&request);
        if ranked.is_empty() {
            return ToolReport::failed("no tool fits: try other words for what you want to do");
        }
        let mut text = "These tools can be called now:\n".to_owned();
        for tool in ranked.iter().filter_map(|ranked| self.tools.get(ranked.position)) {
            let (name, about) = (tool.definition.name(), tool.definition.description());
            let _fits = writeln!(text, "- {name}: {}", about.lines().next().unwrap_or_default());
            found.add(&tool.listed_name);
        }
        ToolReport::done(text)
    }
}

/// How often an assistant needs a tool.
enum ToolNeed {
    Always,
    /// Offered if all definitions fit the budget, else once found.
    Usual,
    /// Offered only once a search has found it.
    Rare,
}

impl CatalogueTool {
    fn need(&self) -> ToolNeed {
        let begins = |prefixes: &[&str]| prefixes.iter().any(|it| self.listed_name.starts_with(it));
        match () {
            () if begins(&ALWAYS_PREFIXES) => ToolNeed::Always,
            () if begins(&RARE_PREFIXES) => ToolNeed::Rare,
            () => ToolNeed::Usual,
        }
    }

    fn document(&self) -> ToolDocument {
        // No search finds an unreadable definition; the hub has checked its list anyway.
        let definition = serde_json::from_str(&self.document).unwrap_or(Value::Null);
        let upstream =
            self.listed_name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__"));
        ToolDocument::from_definition(upstream.map_or("hobnob", |(server, _)| server), &definition)
    }
}

/// Tools that the model has found, the newest last.
#[derive(Debug, Default)]
pub(super) struct FoundTools(VecDeque<String>);

impl FoundTools {
    fn add(&mut self, listed_name: &str) {
        self.0.retain(|it| it != listed_name);
        self.0.push_back(listed_name.to_owned());
        while MAX_FOUND < self.0.len() {
            self.0.pop_front();
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FindArguments {
    query: String,
}

fn find_definition(tools: usize) -> Option<ModelTool> {
    let schema = json!({
        "type": "object",
        "properties": {"query": {
            "type": "string",
            "description": "What you want to do, in plain words",
        }},
        "required": ["query"],
        "additionalProperties": false,
    });
    let about = format!(
        "Find tools among {tools} that are not listed here. Search before you say that something \
         cannot be done; what is found can be called from then on"
    );
    ModelTool::new(FIND_TOOL, &about, &schema.to_string()).ok()
}

fn reads_only(definition: &str) -> bool {
    let annotations = field(definition, "annotations").unwrap_or("{}");
    let annotations: Value = serde_json::from_str(annotations).unwrap_or_default();
    annotations["readOnlyHint"] == true
}
