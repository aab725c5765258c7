//! `/model`, `/thinking`, `/permissions`, `/cost`: settings and usage of the running chat.

use super::super::chat_rules::PermissionMode;
use super::super::conversing::Conversing;
use super::own_command;
use hobnob_terminal::render;

pub(super) fn model(chat: &mut Conversing<'_>, name: &str) -> anyhow::Result<()> {
    if name.is_empty() {
        render::line(&format!("model: {}", chat.model_id()))?;
        for (provider, model) in chat.open.models.models() {
            render::line(&format!("  {provider}/{}", model.id))?;
        }
        return Ok(());
    }
    match chat.open.models.resolve(name) {
        Ok(model) => {
            chat.open.set_model(model);
            render::line(&format!("model: {}", chat.model_id()))
        }
        Err(error) => {
            render::error(&error.to_string());
            Ok(())
        }
    }
}

pub(super) fn thinking(chat: &mut Conversing<'_>) -> anyhow::Result<()> {
    render::line(match chat.screen.toggle_thinking() {
        true => "what the model thinks is shown, where its provider sends it",
        false => "what the model thinks is not shown",
    })
}

pub(super) async fn permissions(chat: &mut Conversing<'_>, wanted: &str) -> anyhow::Result<()> {
    if let Some((verb @ ("allow" | "ask" | "deny"), tools)) = wanted.split_once(' ') {
        own_command::run(chat, &[verb], tools).await?;
        return Ok(());
    }
    let mode = match wanted {
        "" => None,
        "ask" => Some(PermissionMode::Ask),
        "plan" => Some(PermissionMode::Plan),
        "skip" => Some(PermissionMode::Skip),
        other => {
            render::error(&format!(
                "`{other}`: ask, plan or skip; or allow, ask or deny and a tool"
            ));
            return Ok(());
        }
    };
    let words = {
        let mut rules = chat.open.tools.rules();
        if let Some(mode) = mode {
            rules.set_mode(mode);
        }
        match rules.mode() {
            PermissionMode::Ask => "ask: rules decide, and you are asked where they say so",
            PermissionMode::Plan => "plan: only tools that say that they change nothing",
            PermissionMode::Skip => {
                "skip: every question is answered with yes; denied stays denied"
            }
        }
    };
    render::line(words)?;
    own_command::run(chat, &["rules"], "").await?;
    render::line("to write one: /permissions allow|ask|deny TOOL")
}

pub(super) fn cost(chat: &mut Conversing<'_>) -> anyhow::Result<()> {
    let totals = chat.open.agent.totals();
    match totals.usage {
        Some(usage) => render::line(&format!(
            "tokens: {} sent, {} from the cache, {} written",
            usage.prompt(),
            usage.cache_read,
            usage.output
        ))?,
        None => render::line("tokens: the provider does not count them")?,
    }
    match totals.cost() {
        Some(cost) => render::line(&format!("cost: ${cost}"))?,
        None => render::line("cost: not known; prices of the model are not configured")?,
    }
    let (tokens, context) = chat.open.agent.context();
    render::line(&format!("context: {tokens} of {context} tokens"))
}
