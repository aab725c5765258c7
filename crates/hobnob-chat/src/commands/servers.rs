//! `/mcp`, `/tools`, `/memory`, `/tasks`, `/tree` and prompts: what the hub knows and offers.

use super::super::conversing::Conversing;
use super::server_care::{login, reconnect};
use hobnob_agent::read_result;
use hobnob_mcp_client::{ForwardOptions, ListKind};
use hobnob_mcp_engine::Notes;
use hobnob_mcp_types::Method;
use hobnob_mcp_types::content::Content;
use hobnob_mcp_types::json::object;
use hobnob_terminal::hub::{failed, listing_failed};
use hobnob_terminal::render::{self, Cell, Table, one_line};
use serde_json::{Map, Value, json};

pub(super) async fn mcp(chat: &mut Conversing<'_>, words: &str) -> anyhow::Result<()> {
    match words.split_once(char::is_whitespace).map(|(verb, name)| (verb, name.trim())) {
        Some(("reconnect", name)) => return reconnect(chat, name).await,
        Some(("login", name)) => return login(chat, name).await,
        None if words.is_empty() => {}
        _ => {
            render::error("write /mcp, /mcp reconnect NAME or /mcp login NAME");
            return Ok(());
        }
    }
    let status = chat.hub.full_status().await?;
    let servers = status["servers"].as_array().map(Vec::as_slice).unwrap_or_default();
    if servers.is_empty() {
        return render::line("no servers are configured; add one with `hobnob add`");
    }
    let mut table = Table::new(&["SERVER", "STATE", "TOOLS", "WHY"]);
    for server in servers {
        let text = |key: &str| server[key].as_str().unwrap_or_default().to_owned();
        let why = [text("reason"), text("hint")].join(" ");
        let tools = server["tools"].as_u64().map_or("-".to_owned(), |count| count.to_string());
        table.row([text("name"), text("phase"), tools, why.trim().to_owned()].map(Cell::from));
    }
    render::text(&table.to_text())
}

pub(super) async fn tools(chat: &mut Conversing<'_>, words: &str) -> anyhow::Result<()> {
    let entries = chat.hub.list(ListKind::Tools).await?;
    let wanted: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
    let fits = |text: &str| wanted.iter().all(|word| text.to_lowercase().contains(word));
    let mut shown = 0;
    for entry in &entries {
        let about = entry.text("description").unwrap_or_default();
        if fits(&format!("{} {about}", entry.key)) {
            render::line(&format!(
                "  {}  {}",
                entry.key,
                about.lines().next().unwrap_or_default()
            ))?;
            shown += 1;
        }
    }
    render::line(&format!("{shown} of {} tools", entries.len()))
}

pub(super) async fn memory(chat: &mut Conversing<'_>, words: &str) -> anyhow::Result<()> {
    if let Some(content) = words.strip_prefix("save ") {
        return save_memory(chat, content.trim()).await;
    }
    let found = match words {
        "" => call(chat, "memory_list", json!({})).await,
        words => call(chat, "memory_recall", json!({"query": words})).await,
    };
    rows(found, "memories", |memory| {
        let said = memory["snippet"].as_str().or(memory["content"].as_str()).unwrap_or_default();
        format!("  {}  {}", memory["id"].as_str().unwrap_or_default(), one_line(said))
    })
}

/// Stores what the person wants remembered, with this chat as its source.
async fn save_memory(chat: &Conversing<'_>, content: &str) -> anyhow::Result<()> {
    let session = chat.open.agent.conversation().session();
    let session = session.map(|it| it.name.to_string()).unwrap_or_default();
    let source = format!("hobnob chat, {session}");
    let memory = json!({"content": content, "namespace": "context", "source": source});
    let Some(stored) = call(chat, "memory_capture", memory).await else { return Ok(()) };
    let id = stored["id"].as_str().unwrap_or_default();
    match stored["duplicate"] == true {
        true => render::line(&format!("known already: {id}")),
        false => render::line(&format!("remembered: {id}")),
    }
}

pub(super) async fn tasks(chat: &mut Conversing<'_>) -> anyhow::Result<()> {
    rows(call(chat, "tasks_list", json!({})).await, "tasks", |task| {
        let text = |key: &str| task[key].as_str().unwrap_or_default();
        format!("  {}  {}  {}", text("id"), text("status"), one_line(text("description")))
    })
}

pub(super) async fn tree(chat: &mut Conversing<'_>) -> anyhow::Result<()> {
    let tree = chat.open.agent.conversation().tree().as_str().to_owned();
    match call(chat, "arbor_tree_render", json!({"tree_id": tree})).await {
        Some(drawn) => render::text(&render::safe(drawn["text"].as_str().unwrap_or_default())),
        None => Ok(()),
    }
}

/// Prints the entries of a list in a result, one line each.
fn rows(result: Option<Value>, list: &str, row: impl Fn(&Value) -> String) -> anyhow::Result<()> {
    let Some(result) = result else { return Ok(()) };
    let rows = result[list].as_array().map(Vec::as_slice).unwrap_or_default();
    match rows {
        [] => render::line(&format!("no {list}")),
        rows => rows.iter().try_for_each(|it| render::line(&row(it))),
    }
}

/// Calls a tool of a built-in service; if that fails, prints the error and returns `None`.
async fn call(chat: &Conversing<'_>, tool: &str, arguments: Value) -> Option<Value> {
    let params = object(|params| {
        params.string("name", tool).raw("arguments", &arguments.to_string());
    });
    let (forward, notes) = (ForwardOptions::default(), Notes::silent());
    let raw = match chat.hub.client().call_raw(Method::ToolsCall, params, &forward, &notes).await {
        Ok(raw) => raw,
        Err(error) => {
            render::error(&failed(&error).to_string());
            return None;
        }
    };
    let (text, is_error) = read_result(&raw);
    if is_error {
        render::error(&text);
        return None;
    }
    let mut result: Value = serde_json::from_str(&raw).unwrap_or_default();
    Some(result["structuredContent"].take())
}

/// Asks for the arguments that a prompt requires; false if the person leaves.
async fn ask_for_missing(
    chat: &Conversing<'_>,
    name: &str,
    arguments: &mut Map<String, Value>,
) -> anyhow::Result<bool> {
    let listed = chat.hub.client().prompts().await;
    let mut prompts = listed.map_err(|error| listing_failed(&error))?.into_iter();
    let Some(prompt) = prompts.find(|prompt| prompt.name == name) else { return Ok(true) };
    for argument in prompt.arguments {
        if !argument.required || arguments.contains_key(&argument.name) {
            continue;
        }
        let about = argument.description.as_deref().unwrap_or_default();
        let question = match about {
            "" => one_line(&argument.name),
            about => format!("{} ({})", one_line(&argument.name), one_line(about)),
        };
        match chat.keyboard.ask_line(&question).await {
            Some(value) => drop(arguments.insert(argument.name, value.into())),
            None => return Ok(false),
        }
    }
    Ok(true)
}

/// Fills in a prompt of a server, and sends it as the person's words.
pub(super) async fn prompt(
    chat: &mut Conversing<'_>,
    name: &str,
    rest: &str,
) -> anyhow::Result<()> {
    let mut arguments = Map::new();
    for word in rest.split_whitespace() {
        let Some((key, value)) = word.split_once('=') else {
            render::error(&format!("`{word}`: write KEY=VALUE"));
            return Ok(());
        };
        arguments.insert(key.to_owned(), value.into());
    }
    if !ask_for_missing(chat, name, &mut arguments).await? {
        return Ok(());
    }
    let got = chat.hub.client().get_prompt(name, &Value::Object(arguments)).await;
    let prompt = match got {
        Ok(prompt) => prompt,
        Err(error) => {
            render::error(&format!("/{name}: {}; /help lists the commands", failed(&error)));
            return Ok(());
        }
    };
    let texts = prompt.messages.iter().filter_map(|message| match &message.content {
        Content::Text(text) => Some(text.text.to_string()),
        _ => None,
    });
    let text = texts.collect::<Vec<_>>().join("\n\n");
    chat.say(text).await
}
