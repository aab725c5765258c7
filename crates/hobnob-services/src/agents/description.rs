//! An agent's program as data: the words it is given, and what the lines it writes mean.
//!
//! A description is a JSON document that is part of Hobnob. There is no code for any one agent: the
//! words are made by `command_words`, and lines are read by `interpreter`.

use super::line_shape::{JsonPointer, LineCondition, MemberSources, TextSource, ValueSource};
use serde::Deserialize;

/// How one agent's program is run, and what it writes.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentDescription {
    name: String,
    title: String,
    program: String,
    pub(super) words: Vec<WordGroup>,
    pub(super) lines: Vec<LineRule>,
}

/// Words that are there in some chats: in those of the listed kinds, and only if all that they name is
/// known.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WordGroup {
    /// Without any, in every chat.
    #[serde(default)]
    pub(super) when: Vec<ChatKind>,
    pub(super) words: Vec<WordTemplate>,
}

/// Where a chat begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ChatKind {
    New,
    Resume,
    Fork,
}

/// One word with names in braces, which values take the place of.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct WordTemplate(pub(super) Vec<WordPart>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WordPart {
    Text(String),
    Value(WordValue),
}

/// What a word may have in it.
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

/// What a line of some form means. The first rule that fits counts.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LineRule {
    pub(super) when: LineCondition,
    /// A list in the line whose elements are looked at one by one, instead of the line itself.
    #[serde(default)]
    pub(super) each: Option<JsonPointer>,
    /// The first that fits counts.
    pub(super) events: Vec<EventRule>,
}

/// One event that a line, or an element of a list in it, stands for.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EventRule {
    #[serde(default)]
    pub(super) when: LineCondition,
    pub(super) event: EventShape,
}

/// An event, and where its parts are.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum EventShape {
    /// The program begins to work.
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
        /// Whether the tool failed; without it, it did not.
        #[serde(default)]
        failed: LineCondition,
    },
    /// Something that need not be the end; it is said if the program ends without a result.
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

/// Whether a text is all of something, or a piece that others follow. Where a program sends both, the
/// pieces come first, and the whole says nothing new.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum TextExtent {
    Piece,
    Whole,
}

impl AgentDescription {
    /// The word by which grants and sessions name the agent.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name for people.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The name of its program, which is looked for when it is granted.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Whether a chat can begin in a copy of another conversation.
    pub(super) fn can_fork(&self) -> bool {
        self.words.iter().any(|group| group.when.contains(&ChatKind::Fork))
    }

    /// Whether the program can be given this.
    pub(super) fn takes(&self, value: WordValue) -> bool {
        let templates = self.words.iter().flat_map(|group| &group.words);
        templates.flat_map(|template| &template.0).any(|part| *part == WordPart::Value(value))
    }
}
