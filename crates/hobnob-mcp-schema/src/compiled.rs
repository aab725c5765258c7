//! A schema and its validator, which is compiled once. Checking a valid value takes one pass and
//! allocates nothing for messages.

use crate::bounds::check_bounds;
use crate::problems::{ValueProblems, describe};
use jsonschema::Validator;
use serde_json::Value;
use std::sync::OnceLock;

/// A schema whose validator is compiled at the first use at the latest.
pub struct CompiledSchema {
    schema: Value,
    compiled: OnceLock<Result<Validator, String>>,
}

impl CompiledSchema {
    /// Compiles a schema. Its references must stay within it; the error describes what is wrong.
    ///
    /// ```
    /// # use hobnob_mcp_schema::CompiledSchema;
    /// # use serde_json::json;
    /// let schema = CompiledSchema::compile(json!({"type": "integer", "minimum": 1})).unwrap();
    /// assert_eq!(schema.problem(&json!(3), "count"), None);
    /// let problem = schema.problem(&json!(0), "count").unwrap();
    /// assert_eq!(problem, "count: expected at least 1, received integer 0");
    /// ```
    pub fn compile(schema: Value) -> Result<Self, String> {
        let deferred = Self::deferred(schema)?;
        match deferred.validator() {
            Ok(_) => Ok(deferred),
            Err(problem) => Err(problem.to_owned()),
        }
    }

    /// A schema that was derived from a type. Release builds compile it at its first use, because a
    /// server with many tools would otherwise spend most of its start on schemas that it never
    /// needs. Debug builds compile it at once, to report a broken manual implementation.
    pub fn of_type(schema: Value) -> Result<Self, String> {
        if cfg!(debug_assertions) { Self::compile(schema) } else { Self::deferred(schema) }
    }

    /// A schema that is compiled at its first use. Only its size is checked before that.
    pub fn deferred(schema: Value) -> Result<Self, String> {
        check_bounds(&schema)?;
        Ok(Self { schema, compiled: OnceLock::new() })
    }

    /// The schema as it was passed in.
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    /// The problems of a value in one message that calls it `root`; `None` if the value is valid.
    pub fn problem(&self, value: &Value, root: &str) -> Option<String> {
        self.problems(value, root).map(|problems| problems.message)
    }

    /// The same with a list of the problems, for programs.
    ///
    /// ```
    /// # use hobnob_mcp_schema::CompiledSchema;
    /// # use serde_json::json;
    /// let schema = CompiledSchema::compile(json!({"properties": {"limit": {"type": "number"}}}));
    /// let problems = schema.unwrap().problems(&json!({"limit": "ten"}), "arguments").unwrap();
    /// let problem = &problems.list[0];
    /// assert_eq!(problem.path, "arguments.limit");
    /// assert_eq!((&*problem.expected, problem.received), ("number", "string"));
    /// ```
    pub fn problems(&self, value: &Value, root: &str) -> Option<ValueProblems> {
        match self.validator() {
            Ok(validator) if validator.is_valid(value) => None,
            Ok(validator) => Some(describe(validator, value, root)),
            Err(problem) => Some(ValueProblems { message: problem.to_owned(), list: Vec::new() }),
        }
    }

    fn validator(&self) -> Result<&Validator, &str> {
        let compiled = self.compiled.get_or_init(|| {
            let built = jsonschema::options().offline().build(&self.schema);
            built.map_err(|error| {
                format!("the schema does not compile: {} at `{}`", error, error.instance_path())
            })
        });
        compiled.as_ref().map_err(String::as_str)
    }
}

impl std::fmt::Debug for CompiledSchema {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CompiledSchema")
    }
}
