//! An agent's program as data: the arguments it takes, and what its output lines mean.
//!
//! A description is a JSON document built into Hobnob. No code is specific to one agent:
//! `command_words` makes the arguments, and `interpreter` reads the lines.

use super::line_shape::{JsonPointer, LineCondition, MemberSources, TextSource, ValueSource};
use serde::Deserialize;

/// How to run one agent's program, and how to read its output.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentDescription {
    name: String,
    title: String,
    program: String,
    pub(super) words: Vec<WordGroup>,
    pub(super) lines: Vec<LineRule>,
}

/// Arguments that are used only in chats of the listed kinds, and only if all values they name are
/// known.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WordGroup {
    /// If empty, the group applies to every kind of chat.
    #[serde(default)]
    pub(super) when: Vec<ChatKind>,
    pub(super) words: Vec<WordTemplate>,
}

/// How a chat's conversation begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ChatKind {
    New,
    Resume,
    Fork,
}

/// One argument with value names in braces, such as `--model={model}`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct WordTemplate(pub(super) Vec<WordPart>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WordPart {
    Text(String),
    Value(WordValue),
}

/// A value that a template can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordValue {
    /// The id that the program gave its conversation.
    Session,
    Model,
    SystemPrompt,
    MaxTurns,
}

impl WordValue {
    pub(super) const ALL: [(&'static str, Self); 4] = [
        ("session", Self::Session),
        ("model", Self::Model),
        ("system_prompt", Self::SystemPrompt),
        ("max_turns", Self::MaxTurns),
    ];
}

impl TryFrom<String> for WordTemplate {
    type Error = String;

    fn try_from(template: String) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = template.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            let (name, behind) =
                after.split_once('}').ok_or_else(|| format!("`{template}` has an open brace"))?;
            let value = WordValue::ALL.iter().find(|(word, _)| *word == name);
            let (_, value) = value.ok_or_else(|| format!("`{template}`: there is no `{name}`"))?;
            parts.push(WordPart::Text(before.to_owned()));
            parts.push(WordPart::Value(*value));
            rest = behind;
        }
        parts.push(WordPart::Text(rest.to_owned()));
        Ok(Self(parts))
    }
}

/// What a line of some form means. The first matching rule applies.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LineRule {
    pub(super) when: LineCondition,
    /// A list in the line, to each of whose elements the event rules apply instead.
    #[serde(default)]
    pub(super) each: Option<JsonPointer>,
    /// The first matching rule applies.
    pub(super) events: Vec<EventRule>,
}

/// One event that a line, or an element of a list in it, produces.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EventRule {
    #[serde(default)]
    pub(super) when: LineCondition,
    pub(super) event: EventShape,
}

/// An event, and the places in the line that its parts are read from.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum EventShape {
    /// The program starts to work.
    Start {
        #[serde(default)]
        session: Option<JsonPointer>,
        #[serde(default)]
        members: MemberSources,
    },
    Content {
        text: JsonPointer,
        extent: TextExtent,
    },
    Thinking {
        text: JsonPointer,
        extent: TextExtent,
    },
    ToolUse {
        tool: TextSource,
        input: ValueSource,
        #[serde(default)]
        id: Option<JsonPointer>,
    },
    ToolResult {
        #[serde(default)]
        id: Option<JsonPointer>,
        output: ValueSource,
        /// Whether the tool failed. An empty condition means that it did not.
        #[serde(default)]
        failed: LineCondition,
    },
    /// A problem that need not end the run; it is reported if the program ends without a result.
    Warning {
        message: Vec<TextSource>,
    },
    /// The program has failed.
    Error {
        message: Vec<TextSource>,
        #[serde(default)]
        session: Option<JsonPointer>,
        #[serde(default)]
        members: MemberSources,
    },
    /// The program has answered.
    Complete {
        #[serde(default)]
        session: Option<JsonPointer>,
        #[serde(default)]
        members: MemberSources,
    },
}

/// Whether a text is complete, or a piece of a longer one. Programs that send both send the pieces
/// first and then repeat them as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum TextExtent {
    Piece,
    Whole,
}

impl AgentDescription {
    /// The word that names the agent in grants and sessions.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The agent's display name.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The file name of its program, which is looked up when a person grants it.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Whether a chat can begin in a copy of another conversation.
    pub(super) fn can_fork(&self) -> bool {
        self.words.iter().any(|group| group.when.contains(&ChatKind::Fork))
    }

    /// Whether any argument of the program takes this value.
    pub(super) fn takes(&self, value: WordValue) -> bool {
        let templates = self.words.iter().flat_map(|group| &group.words);
        templates.flat_map(|template| &template.0).any(|part| *part == WordPart::Value(value))
    }
}
