//! The call that really runs: a call of the hub's `call_tool` becomes a call of the tool it names.
//!
//! Hooks, rules of a chat, tools of sub-agents and sessions, and views all get this call. What must
//! stay true: the tool that a rule judges is the tool that runs, because both are read from here.

use hobnob_llm::{ToolInput, ToolUse};
use serde::Deserialize;
use serde_json::value::RawValue;

#[cfg(test)]
mod tests;

/// The hub's tool that calls others, unless a profile gives it another name.
pub const CALL_TOOL: &str = "call_tool";

/// A call of the tool that runs, never of `call_tool`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectiveCall {
    /// The tool as the hub lists it, and its own arguments; the id is the model's.
    call: ToolUse,
    /// The listed name of `call_tool`, if the model went through it.
    through: Option<Box<str>>,
}

/// Arguments of `call_tool`, as the hub reads them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DescribedCall<'a> {
    name: Box<str>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

impl EffectiveCall {
    /// Finds the tool that a model's call runs; `listed` is the hub's name for the tool that the
    /// model names. The error tells the model why no tool is called.
    pub fn resolve(
        call: &ToolUse,
        listed: &str,
        is_call_tool: impl Fn(&str) -> bool,
    ) -> Result<Self, String> {
        if let Some(problem) = call.input.problem() {
            return Err(format!("{problem}; nothing was called"));
        }
        if !is_call_tool(listed) {
            let call = ToolUse { name: listed.into(), ..call.clone() };
            return Ok(Self { call, through: None });
        }
        let described: Result<DescribedCall<'_>, _> = serde_json::from_str(call.input.as_str());
        let DescribedCall { name, arguments } =
            described.map_err(|error| format!("`{listed}` names no call: {error}"))?;
        if is_call_tool(&name) {
            return Err(format!("`{listed}` cannot call itself"));
        }
        let arguments = arguments.map_or("{}", RawValue::get);
        let input = ToolInput::parse(arguments)
            .ok_or_else(|| format!("`{listed}` names no call: `arguments` is not an object"))?;
        let call = ToolUse { id: call.id.clone(), name, input };
        Ok(Self { call, through: Some(listed.into()) })
    }

    /// The tool that runs, as the hub lists it.
    pub fn tool(&self) -> &str {
        &self.call.name
    }

    /// The tool through which the model made the call; `None` for a direct call. A rule that denies
    /// that tool denies this call too; a rule that allows it says nothing about this call.
    pub fn through(&self) -> Option<&str> {
        self.through.as_deref()
    }

    /// The arguments of the tool that runs: a JSON object.
    pub fn arguments(&self) -> &str {
        self.call.input.as_str()
    }

    /// The call as if the model had made it directly.
    pub fn as_tool_use(&self) -> &ToolUse {
        &self.call
    }
}
