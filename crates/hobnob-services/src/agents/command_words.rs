//! The words that an agent's program is given for one chat: its description with values in it.
//!
//! Every value was checked before, so that none of them can be taken for an option. What was asked for
//! and the program cannot be told is an error, never left out.

use super::description::{
    AgentDescription, ChatKind, WordGroup, WordPart, WordTemplate, WordValue,
};
use hobnob_store::agents::AgentHead;

/// What a chat is about, besides its query.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChatRequest<'a> {
    pub(super) head: &'a AgentHead,
    pub(super) model: Option<&'a str>,
    pub(super) system_prompt: Option<&'a str>,
    pub(super) max_turns: Option<u32>,
}

/// The words behind the program's name, or what the agent cannot be told.
pub(super) fn words(
    agent: &AgentDescription,
    request: ChatRequest<'_>,
) -> Result<Vec<String>, String> {
    let turns = request.max_turns.map(|turns| turns.to_string());
    let (kind, session) = match request.head {
        AgentHead::Fresh => (ChatKind::New, None),
        AgentHead::Resume(id) => (ChatKind::Resume, Some(id.as_str())),
        AgentHead::Fork(id) => (ChatKind::Fork, Some(id.as_str())),
    };
    let value = |wanted: WordValue| match wanted {
        WordValue::Session => session,
        WordValue::Model => request.model,
        WordValue::SystemPrompt => request.system_prompt,
        WordValue::MaxTurns => turns.as_deref(),
    };
    for (name, wanted) in WordValue::ALL {
        if value(wanted).is_some() && !agent.takes(wanted) {
            return Err(format!("{} cannot be told `{name}`: leave it out", agent.title()));
        }
    }
    if kind == ChatKind::Fork && !agent.can_fork() {
        return Err(format!("{} cannot go on in a copy of a conversation", agent.title()));
    }
    let fits = |group: &&WordGroup| group.when.is_empty() || group.when.contains(&kind);
    let groups = agent.words.iter().filter(fits);
    // A group is there as a whole or not at all.
    let filled = groups.filter_map(|group| {
        group.words.iter().map(|word| fill(word, &value)).collect::<Option<Vec<String>>>()
    });
    Ok(filled.flatten().collect())
}

/// The word with its values, if all of them are there.
fn fill<'a>(
    template: &WordTemplate,
    value: &impl Fn(WordValue) -> Option<&'a str>,
) -> Option<String> {
    let parts = template.0.iter().map(|part| match part {
        WordPart::Text(text) => Some(text.as_str()),
        WordPart::Value(wanted) => value(*wanted),
    });
    parts.collect()
}

#[cfg(test)]
mod tests;
