//! Arguments and results of the search tools; their doc comments are the schemas' descriptions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FindArguments {
    /// What you want to do, in plain words, or a part of a tool's name.
    pub(super) query: String,
    /// The most tools to find: 8 if not given, at most 25.
    pub(super) limit: Option<u8>,
}

/// A tool that was found.
#[derive(Serialize)]
pub(super) struct FoundTool {
    pub(super) name: String,
    pub(super) server: String,
    pub(super) description: String,
    /// The arguments that the tool requires.
    pub(super) required: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DescribeArguments {
    /// The names of 1 to 20 tools, as find_tools gives them.
    pub(super) names: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "dispatch reads them before the tool could")]
pub(super) struct CallArguments {
    /// The tool's name, as find_tools gives it.
    name: String,
    /// The tool's arguments, as describe_tools shows them.
    arguments: Option<Map<String, Value>>,
}
