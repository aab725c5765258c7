//! What an author says about a tool besides its handler: name, texts, schemas, hints.
//! `Kit::tool` takes it; schemas are checked and compiled there, not at the first call.

#[cfg(test)]
mod tests;

use super::error::KitError;
use super::mirror;
use super::schema::{Check, DeriveSchema, output_schema_of};
use super::task_mode::TaskMode;
use hobnob_mcp_types::annotations::Icon;
use hobnob_mcp_types::tools::{Tool, ToolAnnotations, ToolExecution};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

/// Collects what the list says about a tool.
#[derive(Debug, Clone)]
pub struct ToolSpec {
    name: String,
    description: String,
    title: Option<String>,
    annotations: Option<ToolAnnotations>,
    icons: Vec<Icon>,
    input: Option<Value>,
    listed: Option<Value>,
    output: Option<Output>,
    meta: Option<Box<RawValue>>,
    tasks: TaskMode,
}

/// What an author says of every answer.
#[derive(Debug, Clone)]
enum Output {
    /// The schema of a type, if that can be one.
    OfType(Result<Value, String>),
    Given(Value),
}

impl ToolSpec {
    /// A tool with a name, and a description for the model.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            title: None,
            annotations: None,
            icons: Vec::new(),
            input: None,
            listed: None,
            output: None,
            meta: None,
            tasks: TaskMode::Never,
        }
    }

    /// A name for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Hints about its effects.
    #[must_use]
    pub fn annotations(mut self, annotations: ToolAnnotations) -> Self {
        self.annotations = Some(annotations);
        self
    }

    /// One more picture for user interfaces.
    #[must_use]
    pub fn icon(mut self, icon: Icon) -> Self {
        self.icons.push(icon);
        self
    }

    /// The schema of the arguments, taken as it is instead of the one their type has.
    #[must_use]
    pub fn schema(mut self, schema: Value) -> Self {
        self.input = Some(schema);
        self
    }

    /// The schema that is listed, where it says more than what is checked before the handler
    /// runs: the handler checks the rest itself, and its own words reach the caller.
    #[must_use]
    pub fn listed_schema(mut self, schema: Value) -> Self {
        self.listed = Some(schema);
        self
    }

    /// Every answer is data of this type; return it as [`Structured`](super::Structured).
    #[must_use]
    pub fn output<T: JsonSchema>(mut self) -> Self {
        self.output = Some(Output::OfType(output_schema_of::<T>()));
        self
    }

    /// Every answer is data that fits this schema, taken as it is.
    #[must_use]
    pub fn output_schema(mut self, schema: Value) -> Self {
        self.output = Some(Output::Given(schema));
        self
    }

    /// Metadata for the client, an object.
    #[must_use]
    pub fn meta(mut self, meta: &impl Serialize) -> Self {
        self.meta = to_raw_value(meta).ok();
        self
    }

    /// Whether calls may become tasks.
    #[must_use]
    pub fn tasks(mut self, mode: TaskMode) -> Self {
        self.tasks = mode;
        self
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The spec with its schemas settled. `derive` makes the schema of the arguments from their
    /// type, unless one was given.
    pub(super) fn settle(self, derive: DeriveSchema) -> Result<Settled, KitError> {
        let wrong = |problem: String| KitError::new(format!("tool `{}`: {problem}", self.name));
        if self.description.trim().is_empty() {
            return Err(wrong("a description is required".into()));
        }
        let input = match self.input {
            Some(schema) => of_object(schema).and_then(Check::compile),
            None => derive().and_then(Check::of_type),
        };
        let input = input.map_err(&wrong)?;
        let listed = self.listed.map(of_object).transpose().map_err(&wrong)?;
        if let Some(listed) = &listed {
            check_listed(listed, input.schema()).map_err(&wrong)?;
        }
        let output = self.output.map(|output| match output {
            Output::OfType(schema) => schema.and_then(Check::of_type),
            Output::Given(schema) => Check::compile(schema),
        });
        let output = output.transpose().map_err(|problem| wrong(format!("output: {problem}")))?;
        if self.meta.as_ref().is_some_and(|meta| !meta.get().starts_with('{')) {
            return Err(wrong("`_meta` must be an object".into()));
        }
        let raw = |schema: &Value| to_raw_value(schema).map_err(|error| wrong(error.to_string()));
        let raw_of = |check: &Check| raw(check.schema());
        let execution = self.tasks.support();
        let listing = Tool {
            name: self.name.clone(),
            title: self.title,
            description: Some(self.description),
            input_schema: raw(listed.as_ref().unwrap_or(input.schema()))?,
            output_schema: output.as_ref().map(raw_of).transpose()?,
            annotations: self.annotations,
            icons: self.icons,
            execution: execution.map(|mode| ToolExecution { task_support: Some(mode) }),
            meta: self.meta,
        };
        Ok(Settled { listing, input, output, tasks: self.tasks })
    }
}

fn of_object(schema: Value) -> Result<Value, String> {
    if schema.get("type") == Some(&Value::from("object")) {
        return Ok(schema);
    }
    Err("the schema must be of type object".into())
}

/// Clients repeat in headers what the listed schema marks, and only the marks of the checked one
/// are compared.
fn check_listed(listed: &Value, checked: &Value) -> Result<(), String> {
    Check::compile(listed.clone())?;
    if mirror::collect(listed)? != mirror::collect(checked)? {
        return Err("the listed schema marks other arguments with `x-mcp-header`".into());
    }
    Ok(())
}

/// A spec with its schemas.
pub(super) struct Settled {
    pub(super) listing: Tool,
    pub(super) input: Check,
    pub(super) output: Option<Check>,
    pub(super) tasks: TaskMode,
}
