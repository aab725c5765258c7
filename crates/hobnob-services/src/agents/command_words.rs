//! The command line of an agent's program for one chat: the description's templates, filled in.
//!
//! Callers checked every value before, so no value can be mistaken for an option. A value that the
//! program has no option for is an error; it is never left out silently.

use super::description::{
    AgentDescription, ChatKind, WordGroup, WordPart, WordTemplate, WordValue,
};
use hobnob_store::agents::AgentHead;

/// What a chat needs besides its query.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChatRequest<'a> {
    pub(super) head: &'a AgentHead,
    pub(super) model: Option<&'a str>,
    pub(super) system_prompt: Option<&'a str>,
    pub(super) max_turns: Option<u32>,
}

/// The arguments after the program's name, or which value the agent does not take.
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
            return Err(format!("{} does not take `{name}`: leave it out", agent.title()));
        }
    }
    if kind == ChatKind::Fork && !agent.can_fork() {
        return Err(format!("{} cannot go on in a copy of a conversation", agent.title()));
    }
    let fits = |group: &&WordGroup| group.when.is_empty() || group.when.contains(&kind);
    let groups = agent.words.iter().filter(fits);
    // A group is used only if every value that it names is known.
    let filled = groups.filter_map(|group| {
        group.words.iter().map(|word| fill(word, &value)).collect::<Option<Vec<String>>>()
    });
    Ok(filled.flatten().collect())
}

/// The filled template, if all of its values are known.
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
