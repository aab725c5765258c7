//! Calls the tools of the built-in services, for `memory`, `tasks` and `trees`.
//!
//! What must stay true: the tools are those that clients call, under the same policy, and no other
//! server is started.

use crate::context::CommandContext;
use crate::with_hub::{HubOptions, with_hub};
use hobnob_mcp_client::ForwardOptions;
use hobnob_mcp_types::Method;
use hobnob_mcp_types::content::Content;
use hobnob_mcp_types::json::object;
use hobnob_mcp_types::tools::CallToolResult;
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::hub::{Hub, Needs, failed};
use hobnob_terminal::render;
use hobnob_terminal::render::Output;
use hobnob_terminal::terminal::{Consent, Spinner, Terminal};
use serde_json::Value;

/// Calls one tool and prints its data: as JSON, or with `show` for people.
pub(super) fn call_and_show(
    context: &CommandContext,
    tool: &str,
    arguments: Value,
    show: impl FnOnce(&Value) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    call_with_consent(context, Consent::Ask, tool, arguments, show)
}

/// Like `call_and_show`, with an answer to the question whether the tool may run.
pub(super) fn call_with_consent(
    context: &CommandContext,
    consent: Consent,
    tool: &str,
    arguments: Value,
    show: impl FnOnce(&Value) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let options = HubOptions { needs: Needs::Knowledge, consent, message: tool };
    with_hub(context, &options, async |hub: &Hub, Terminal { spinner, .. }: &Terminal| {
        let services = ServiceClient { hub, spinner };
        let data = services.call(tool, arguments).await?;
        services.clear();
        match context.output {
            Output::Json => render::json(&data),
            Output::People => show(&data),
        }
    })
}

/// Calls the tools of the built-in services.
pub(super) struct ServiceClient<'a> {
    hub: &'a Hub,
    spinner: &'a Spinner,
}

/// Works with the services; starts no other server.
pub(super) fn with_services(
    context: &CommandContext,
    message: &str,
    work: impl AsyncFnOnce(&ServiceClient<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let options = HubOptions { needs: Needs::Knowledge, consent: Consent::Ask, message };
    with_hub(context, &options, async |hub: &Hub, Terminal { spinner, .. }: &Terminal| {
        work(&ServiceClient { hub, spinner }).await
    })
}

impl ServiceClient<'_> {
    /// Removes the spinner, before results are printed.
    pub(super) fn clear(&self) {
        self.spinner.clear();
    }

    /// Calls a tool and returns its structured content.
    pub(super) async fn call(&self, tool: &str, arguments: Value) -> anyhow::Result<Value> {
        let params = object(|params| {
            params.string("name", tool).raw("arguments", &arguments.to_string());
        });
        let (client, forward) = (self.hub.client(), ForwardOptions::default());
        let notes = self.spinner.notes();
        let raw = client.call_raw(Method::ToolsCall, params, &forward, &notes).await;
        let raw = raw.map_err(|error| {
            let ended = failed(&error);
            match ended.to_string().contains("Unknown tool") {
                true => switched_off(tool),
                false => ended,
            }
        })?;
        let result: CallToolResult = serde_json::from_str(&raw)?;
        if result.is_error {
            let texts: Vec<&str> = result.content.iter().filter_map(Content::as_text).collect();
            return Err(Ended::new(Code::ToolError, texts.join("\n")).into());
        }
        let data = result.structured_content.map(|data| serde_json::from_str(data.get()));
        Ok(data.transpose()?.unwrap_or_default())
    }

    /// All elements of a list that a tool answers in pages.
    pub(super) async fn every_page(
        &self,
        tool: &str,
        list: &str,
        mut request: Value,
    ) -> anyhow::Result<Vec<Value>> {
        let mut elements = Vec::new();
        loop {
            let page = self.call(tool, request.clone()).await?;
            elements.extend_from_slice(items(&page, list));
            match page.get("next_cursor") {
                None | Some(Value::Null) => return Ok(elements),
                Some(cursor) => request["cursor"] = cursor.clone(),
            }
        }
    }
}

fn switched_off(tool: &str) -> Ended {
    let service = tool.split('_').next().unwrap_or(tool);
    let message = format!(
        "the {service} service is off; set `{service} = true` under [services] in config.toml"
    );
    Ended::new(Code::Unavailable, message)
}

/// A string member of an object; empty if it has none.
pub(super) fn text<'a>(data: &'a Value, name: &str) -> &'a str {
    data.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The strings of an array, joined by commas.
pub(super) fn joined(data: &Value, name: &str) -> String {
    let list = data.get(name).and_then(Value::as_array);
    let texts: Vec<&str> = list.into_iter().flatten().filter_map(Value::as_str).collect();
    texts.join(", ")
}

/// The elements of an array; empty if it is missing.
pub(super) fn items<'a>(data: &'a Value, name: &str) -> &'a [Value] {
    data.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// An object of the members that are neither null nor empty arrays.
pub(super) fn given<const N: usize>(members: [(&str, Value); N]) -> Value {
    let there = members.into_iter().filter(|(_, value)| match value {
        Value::Null => false,
        Value::Array(list) => !list.is_empty(),
        _ => true,
    });
    there.map(|(name, value)| (name.to_owned(), value)).collect()
}

/// A text from the command line, or from standard input if it is `-`.
pub(super) fn text_or_stdin(given: &str) -> anyhow::Result<String> {
    if given != "-" {
        return Ok(given.to_owned());
    }
    Ok(std::io::read_to_string(std::io::stdin().lock())?)
}
