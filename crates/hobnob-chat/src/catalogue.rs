//! The tools of the hub as the model is offered them: all, or a search and what it found.
//!
//! What must stay true: definitions that do not fit the budget are not sent with every request, and
//! every tool can still be found and called.

use hobnob_agent::{ToolReport, model_tool_name};
use hobnob_llm::ModelTool;
use hobnob_mcp_types::json::field;
use hobnob_ranking::{RankingRequest, ToolDocument, ToolIndex};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::fmt::Write as _;

#[cfg(test)]
mod tests;

/// The tool that a model searches with.
pub(super) const FIND: &str = "find_tools";
/// The most tools that are offered at once: the least that a provider takes.
const MAX_OFFERED: usize = 128;
/// Tools that stay offered once they were found.
const MAX_FOUND: usize = 40;
/// What the names of built-in tools begin with that are always offered, and of those that are found by a
/// search only. Tools of servers begin with `mcp__`.
const ALWAYS: [&str; 2] = ["files_", "shell_"];
const RARE: [&str; 3] = ["arbor_", "cone_", "claudecode_"];
/// What a search gives.
const FOUND_AT_ONCE: usize = 8;
/// Bytes of a token, about.
const BYTES_OF_TOKEN: usize = 4;

/// A tool of the hub.
#[derive(Debug, Clone)]
pub(super) struct CatalogueTool {
    /// The name that the hub lists.
    pub(super) listed: String,
    /// Whether it says that it changes nothing.
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
    /// Reads the definitions of a list. A tool that no provider would take is left out.
    pub(super) fn read(definitions: &[Box<str>]) -> Self {
        let mut catalogue = Self::default();
        for json in definitions {
            let text = |key| field(json, key).and_then(|raw| serde_json::from_str(raw).ok());
            let Some(listed): Option<String> = text("name") else { continue };
            let name = model_tool_name(&listed, |name| catalogue.by_model_name.contains_key(name));
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
                        listed,
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

    /// How many tools there are.
    pub(super) fn len(&self) -> usize {
        self.tools.len()
    }

    /// The tokens of all definitions, about.
    pub(super) fn tokens(&self) -> usize {
        self.bytes / BYTES_OF_TOKEN
    }

    /// The tool that the model means.
    pub(super) fn get(&self, model_name: &str) -> Option<&CatalogueTool> {
        self.by_model_name.get(model_name).map(|at| &self.tools[*at])
    }

    /// The tool that the hub lists under a name.
    pub(super) fn listed(&self, name: &str) -> Option<&CatalogueTool> {
        self.tools.iter().find(|tool| tool.listed == name)
    }

    /// What the model is offered, of the tools that the chat lets through.
    pub(super) fn offered(
        &self,
        budget: usize,
        found: &FoundTools,
        lets_through: impl Fn(&CatalogueTool) -> bool,
    ) -> Vec<ModelTool> {
        let usable = || self.tools.iter().filter(|tool| lets_through(tool));
        let fits = self.tokens() <= budget && usable().count() <= MAX_OFFERED;
        let is_found = |tool: &CatalogueTool| found.0.iter().any(|it| *it == tool.listed);
        let (offered, hidden): (Vec<_>, Vec<_>) = usable().partition(|tool| match tool.need() {
            ToolNeed::Always => true,
            ToolNeed::Usual => fits || is_found(tool),
            ToolNeed::Rare => is_found(tool),
        });
        let find = find_definition(hidden.len()).filter(|_| !hidden.is_empty());
        let offered = offered.into_iter().map(|tool| tool.definition.clone());
        find.into_iter().chain(offered).take(MAX_OFFERED).collect()
    }

    /// Carries out a search of the model, by its arguments. What it finds is offered from the next request on.
    pub(super) fn find(&self, arguments: &str, found: &mut FoundTools) -> ToolReport {
        let FindArguments { query } = match serde_json::from_str(arguments) {
            Ok(arguments) => arguments,
            Err(error) => return ToolReport::failed(format!("arguments: {error}")),
        };
        let documents: Vec<ToolDocument> = self.tools.iter().map(CatalogueTool::document).collect();
        let index = ToolIndex::build(documents);
        let request =
            RankingRequest { query: &query, limit: FOUND_AT_ONCE, vector: None, uses: &[] };
        let ranked = index.rank_fitting(&request);
        if ranked.is_empty() {
            return ToolReport::failed("no tool fits: try other words for what you want to do");
        }
        let mut text = "These tools can be called now:\n".to_owned();
        for tool in ranked.iter().filter_map(|ranked| self.tools.get(ranked.position)) {
            let (name, about) = (tool.definition.name(), tool.definition.description());
            let _fits = writeln!(text, "- {name}: {}", about.lines().next().unwrap_or_default());
            found.add(&tool.listed);
        }
        ToolReport::done(text)
    }
}

/// How often an assistant needs a tool.
enum ToolNeed {
    Always,
    /// As far as there is room.
    Usual,
    /// Only when it looks for one.
    Rare,
}

impl CatalogueTool {
    fn need(&self) -> ToolNeed {
        let begins = |prefixes: &[&str]| prefixes.iter().any(|it| self.listed.starts_with(it));
        match () {
            () if begins(&ALWAYS) => ToolNeed::Always,
            () if begins(&RARE) => ToolNeed::Rare,
            () => ToolNeed::Usual,
        }
    }

    fn document(&self) -> ToolDocument {
        // What cannot be read is found by nothing; the list itself came from a checked catalogue.
        let definition = serde_json::from_str(&self.document).unwrap_or(Value::Null);
        let upstream = self.listed.strip_prefix("mcp__").and_then(|rest| rest.split_once("__"));
        ToolDocument::from_definition(upstream.map_or("hobnob", |(server, _)| server), &definition)
    }
}

/// Tools that the model has found, the newest last.
#[derive(Debug, Default)]
pub(super) struct FoundTools(VecDeque<String>);

impl FoundTools {
    fn add(&mut self, listed: &str) {
        self.0.retain(|it| it != listed);
        self.0.push_back(listed.to_owned());
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
    ModelTool::new(FIND, &about, &schema.to_string()).ok()
}

fn reads_only(definition: &str) -> bool {
    let annotations = field(definition, "annotations").unwrap_or("{}");
    let annotations: Value = serde_json::from_str(annotations).unwrap_or_default();
    annotations["readOnlyHint"] == true
}
