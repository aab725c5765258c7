//! An author's description of a tool, apart from its name and handler: texts, schemas, hints.
//! `KitBuilder::tool` takes it, and checks and compiles the schemas before the first call.

#[cfg(test)]
mod tests;

use crate::mirror;
use crate::reply::IntoToolResult;
use crate::schema::{CompiledSchema, input_schema_of};
use crate::spec_setters::spec_setters;
use crate::task_mode::TaskMode;
use hobnob_mcp_types::annotations::Icon;
use hobnob_mcp_types::tools::{Tool, ToolAnnotations, ToolExecution};
use schemars::JsonSchema;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

/// The list entry of a tool, apart from its name. A string converts to one with a description only.
#[derive(Debug, Clone)]
pub struct ToolSpec {
    description: String,
    title: Option<String>,
    annotations: Option<ToolAnnotations>,
    icons: Vec<Icon>,
    input: Option<Value>,
    listed: Option<Value>,
    output: Option<Value>,
    meta: Option<Box<RawValue>>,
    tasks: TaskMode,
}

spec_setters!(ToolSpec);

impl ToolSpec {
    /// Starts a spec with a description for the model.
    pub fn new(description: impl Into<String>) -> Self {
        Self {
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

    /// Sets hints about the tool's effects.
    #[must_use]
    pub fn annotations(mut self, annotations: ToolAnnotations) -> Self {
        self.annotations = Some(annotations);
        self
    }

    /// Sets the hint that the tool changes nothing.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.annotations.get_or_insert_default().read_only_hint = Some(true);
        self
    }

    /// Sets the schema of the arguments, in place of the one derived from their type.
    #[must_use]
    pub fn schema(mut self, schema: Value) -> Self {
        self.input = Some(schema);
        self
    }

    /// Sets the schema that is listed, for tools whose handler checks more than the schema of the
    /// arguments does, with messages of its own.
    #[must_use]
    pub fn listed_schema(mut self, schema: Value) -> Self {
        self.listed = Some(schema);
        self
    }

    /// Sets the schema that every result's data must match, in place of the one derived from the
    /// handler's return type.
    #[must_use]
    pub fn output_schema(mut self, schema: Value) -> Self {
        self.output = Some(schema);
        self
    }

    /// Sets whether calls may become tasks.
    #[must_use]
    pub fn tasks(mut self, mode: TaskMode) -> Self {
        self.tasks = mode;
        self
    }

    /// Checks the spec and compiles its schemas: those set by hand, or the handler's own.
    pub(crate) fn compile(self, name: &str, types: &ToolTypes) -> Result<CompiledSpec, String> {
        let wrong = |problem: String| format!("tool `{name}`: {problem}");
        if self.description.trim().is_empty() {
            return Err(wrong("a description is required".into()));
        }
        let input = match self.input {
            Some(schema) => of_object(schema).and_then(CompiledSchema::compile),
            None => (types.input)().and_then(CompiledSchema::of_type),
        };
        let input = input.map_err(&wrong)?;
        let listed = self.listed.map(of_object).transpose().map_err(&wrong)?;
        if let Some(listed) = &listed {
            check_listed(listed, input.schema()).map_err(&wrong)?;
        }
        let is_checked = self.output.is_some() || cfg!(debug_assertions);
        let output = match self.output {
            Some(schema) => Some(CompiledSchema::compile(schema)),
            None => (types.output)().map(|schema| schema.and_then(CompiledSchema::of_type)),
        };
        let output = output.transpose().map_err(|problem| wrong(format!("output: {problem}")))?;
        if self.meta.as_ref().is_some_and(|meta| !meta.get().starts_with('{')) {
            return Err(wrong("`_meta` must be an object".into()));
        }
        let raw = |schema: &Value| to_raw_value(schema).map_err(|error| wrong(error.to_string()));
        let raw_of = |check: &CompiledSchema| raw(check.schema());
        let execution = self.tasks.support();
        let listing = Tool {
            name: name.to_owned(),
            title: self.title,
            description: Some(self.description),
            input_schema: raw(listed.as_ref().unwrap_or(input.schema()))?,
            output_schema: output.as_ref().map(raw_of).transpose()?,
            annotations: self.annotations,
            icons: self.icons,
            execution: execution.map(|mode| ToolExecution { task_support: Some(mode) }),
            meta: self.meta,
        };
        // Data of a type matches that type's schema; only debug builds verify that.
        let output = output.filter(|_| is_checked);
        Ok(CompiledSpec { listing, input, output, tasks: self.tasks })
    }
}

/// The schemas of a handler's argument and return types, made only where they are needed.
pub(crate) struct ToolTypes {
    pub(crate) input: fn() -> Result<Value, String>,
    pub(crate) output: fn() -> Option<Result<Value, String>>,
}

impl ToolTypes {
    pub(crate) fn of<A: JsonSchema, T: IntoToolResult>() -> Self {
        Self { input: input_schema_of::<A>, output: T::output_schema }
    }
}

fn of_object(schema: Value) -> Result<Value, String> {
    if schema.get("type") == Some(&Value::from("object")) {
        return Ok(schema);
    }
    Err("the schema must be of type object".into())
}

/// Clients repeat in headers what the listed schema marks, but the server compares what the checked
/// schema marks. So both must mark the same arguments.
fn check_listed(listed: &Value, checked: &Value) -> Result<(), String> {
    CompiledSchema::compile(listed.clone())?;
    if mirror::collect(listed)? != mirror::collect(checked)? {
        return Err("the listed schema marks other arguments with `x-mcp-header`".into());
    }
    Ok(())
}

/// A checked spec with compiled schemas.
pub(crate) struct CompiledSpec {
    pub(crate) listing: Tool,
    pub(crate) input: CompiledSchema,
    pub(crate) output: Option<CompiledSchema>,
    pub(crate) tasks: TaskMode,
}
