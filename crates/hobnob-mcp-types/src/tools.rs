//! Tools: what a server lets a model do, and the messages to list and call them.
//!
//! Schemas, arguments and structured answers stay raw JSON, so key order and big numbers survive.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::annotations::Icon;
use crate::cache::cacheable_result;
use crate::choice::open_enum;
use crate::content::Content;
use crate::input_responses::InputResponses;
use crate::presence;
use crate::result::ResultType;
use crate::tasks::TaskMetadata;

/// A tool as a server lists it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    /// The name under which a client calls it.
    pub name: String,
    /// A name for people (since 2025-06-18).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it does, for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// JSON Schema of the arguments; its root is an object.
    pub input_schema: Box<RawValue>,
    /// JSON Schema of the structured answer (since 2025-06-18).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Box<RawValue>>,
    /// Hints about its effects (since 2025-03-26).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<ToolAnnotations>,
    /// Pictures for a user interface (since 2025-11-25).
    #[serde(default, deserialize_with = "presence::list", skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// How it may be run (2025-11-25 only).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution: Option<ToolExecution>,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

impl Tool {
    /// A tool with nothing but a name and the schema of its arguments.
    pub fn new(name: impl Into<String>, input_schema: Box<RawValue>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            input_schema,
            output_schema: None,
            annotations: None,
            icons: Vec::new(),
            execution: None,
            meta: None,
        }
    }

    /// The same tool with a description for the model.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// The same tool with a name for people.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// The same tool with the schema of its structured answer.
    #[must_use]
    pub fn with_output_schema(mut self, schema: Box<RawValue>) -> Self {
        self.output_schema = Some(schema);
        self
    }

    /// The same tool with hints about its effects.
    #[must_use]
    pub fn with_annotations(mut self, annotations: ToolAnnotations) -> Self {
        self.annotations = Some(annotations);
        self
    }
}

/// What a server says about a tool's effects. Trust these hints as far as you trust the server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolAnnotations {
    /// A name for people; [`Tool::title`] wins where both are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The tool changes nothing. Absent means it may change something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only_hint: Option<bool>,
    /// The tool may destroy data. Absent means it may.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destructive_hint: Option<bool>,
    /// Calling it again with the same arguments has no further effect. Absent means it may.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotent_hint: Option<bool>,
    /// The tool interacts with the outside world. Absent means it may.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_world_hint: Option<bool>,
}

/// How a tool may be run (2025-11-25 only).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolExecution {
    /// Whether a call may become a task. Absent means it may not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_support: Option<TaskSupport>,
}

open_enum! {
    /// Whether a call of a tool may become a task (2025-11-25 only).
    pub enum TaskSupport {
        /// A call must not ask for a task; an absent value means this too.
        Forbidden = "forbidden",
        /// A call may ask for a task.
        Optional = "optional",
        /// A call must ask for a task.
        Required = "required",
    }
}

cacheable_result! {
    /// The answer to `tools/list`.
    pub struct ListToolsResult {
        /// One page of tools.
        pub tools: Vec<Tool>,
        /// Where the next page begins; absent on the last page.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub next_cursor: Option<String>,
    }
}

/// Parameters of `tools/call`: which tool, with which arguments.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallToolParams {
    /// The name under which `tools/list` shows the tool.
    pub name: String,
    /// The arguments, an object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Box<RawValue>>,
    /// Asks the server to run the call as a task (2025-11-25 only).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskMetadata>,
    /// Answers to the questions in the server's previous result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_responses: Option<InputResponses>,
    /// The server's own state from its previous result, sent back unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_state: Option<String>,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

impl CallToolParams {
    /// A first call, without answers to the server's questions.
    pub fn new(name: impl Into<String>, arguments: Option<Box<RawValue>>) -> Self {
        Self { name: name.into(), arguments, ..Self::default() }
    }
}

/// The answer to `tools/call`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallToolResult {
    /// How to read this result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
    /// The answer as content.
    pub content: Vec<Content>,
    /// The answer as data; `null` is data too.
    #[serde(default, deserialize_with = "presence::explicit")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structured_content: Option<Box<RawValue>>,
    /// Whether the tool failed. The model sees the content either way.
    #[serde(default, deserialize_with = "presence::flag", skip_serializing_if = "presence::unset")]
    pub is_error: bool,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

impl CallToolResult {
    /// An answer made of these pieces.
    pub fn new(content: Vec<Content>) -> Self {
        Self { content, ..Self::default() }
    }

    /// An answer that is one text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(vec![Content::text(text)])
    }

    /// A failure the model may read and act upon.
    pub fn error(text: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::text(text) }
    }

    /// An answer that is data. It carries the same data as text, for clients before 2025-06-18.
    pub fn structured(data: Box<RawValue>) -> Self {
        Self { structured_content: Some(data.clone()), ..Self::text(data.get()) }
    }
}
