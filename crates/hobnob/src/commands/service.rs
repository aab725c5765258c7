//! Commands of the built-in services: one call of the same tool that clients call.

use crate::context::{Context, Output};
use crate::exit::{Code, Ended};
use crate::hub::{Hub, Needs, Task, failed, with_hub};
use crate::render;
use crate::terminal::{Consent, Terminal};
use hobnob_mcp_client::ForwardOptions;
use hobnob_mcp_types::Method;
use hobnob_mcp_types::content::Content;
use hobnob_mcp_types::json::object;
use hobnob_mcp_types::tools::CallToolResult;
use serde_json::Value;

/// Calls one tool and shows its data: as it is to programs, as `show` says to people.
pub(super) fn call_and_show(
    context: &Context,
    tool: &str,
    arguments: Value,
    show: impl FnOnce(&Value) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    call_with_consent(context, Consent::Ask, tool, arguments, show)
}

/// The same where the person may have agreed already when typing the command.
pub(super) fn call_with_consent(
    context: &Context,
    consent: Consent,
    tool: &str,
    arguments: Value,
    show: impl FnOnce(&Value) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let task = Task { needs: Needs::Knowledge, consent, words: tool };
    with_hub(context, &task, async |hub: &Hub, terminal: &Terminal| {
        let desk = Desk { hub, terminal };
        let data = desk.call(tool, arguments).await?;
        desk.clear();
        match context.output {
            Output::Json => render::json(&data),
            Output::People => show(&data),
        }
    })
}

/// The services, and where progress is shown.
pub(super) struct Desk<'a> {
    hub: &'a Hub,
    terminal: &'a Terminal,
}

/// Does something with the services; no server is started for it.
pub(super) fn with_services(
    context: &Context,
    words: &str,
    work: impl AsyncFnOnce(&Desk<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let task = Task { needs: Needs::Knowledge, consent: Consent::Ask, words };
    with_hub(context, &task, async |hub: &Hub, terminal: &Terminal| {
        work(&Desk { hub, terminal }).await
    })
}

impl Desk<'_> {
    /// Takes away what shows progress, before something else is shown.
    pub(super) fn clear(&self) {
        self.terminal.clear();
    }

    /// What a tool answers with.
    pub(super) async fn call(&self, tool: &str, arguments: Value) -> anyhow::Result<Value> {
        let params = object(|params| {
            params.string("name", tool).raw("arguments", &arguments.to_string());
        });
        let (client, forward) = (self.hub.client(), ForwardOptions::default());
        let notes = self.terminal.notes();
        let raw = client.call_raw(Method::ToolsCall, params, &forward, &notes).await;
        let raw = raw.map_err(|error| {
            let said = failed(&error);
            match said.to_string().contains("Unknown tool") {
                true => switched_off(tool),
                false => said,
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
}

fn switched_off(tool: &str) -> Ended {
    let service = tool.split('_').next().unwrap_or(tool);
    let message = format!(
        "the service `{service}` is switched off: set `{service} = true` under [services] in \
         config.toml"
    );
    Ended::new(Code::Unavailable, message)
}

/// A text of an object, empty if it has none.
pub(super) fn text<'a>(data: &'a Value, name: &str) -> &'a str {
    data.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The texts of a list, joined.
pub(super) fn joined(data: &Value, name: &str) -> String {
    let list = data.get(name).and_then(Value::as_array);
    let texts: Vec<&str> = list.into_iter().flatten().filter_map(Value::as_str).collect();
    texts.join(", ")
}

/// The objects of a list.
pub(super) fn items<'a>(data: &'a Value, name: &str) -> &'a [Value] {
    data.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// An object of the members that have a value.
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
