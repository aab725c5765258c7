//! Pieces of content: what tools answer, what prompts are made of, what models say.
//!
//! Bodies hold no `type` key; [`Content`] and [`SamplingContent`] write and read it. A kind we do
//! not know is kept as raw JSON, so that content of a later revision survives.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::annotations::Annotations;
use crate::choice::tagged_union;
use crate::presence;
use crate::resources::{Resource, ResourceContents};

tagged_union! {
    #[tag("type")]
    /// One piece of content in a tool's answer or a prompt.
    pub enum Content {
        /// Text for the model or the person.
        Text(TextContent) = "text",
        /// A picture, base64 in the message itself.
        Image(ImageContent) = "image",
        /// Sound, base64 in the message itself (since 2025-03-26).
        Audio(AudioContent) = "audio",
        /// The address of a resource the client may read (since 2025-06-18).
        ResourceLink(Resource) = "resource_link",
        /// A resource with its contents.
        Resource(EmbeddedResource) = "resource",
    }
}

impl Content {
    /// A piece of text without annotations.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent::new(text))
    }

    /// A picture; `data` is base64.
    pub fn image(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self::Image(ImageContent::new(data, mime_type))
    }

    /// Sound; `data` is base64.
    pub fn audio(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self::Audio(AudioContent::new(data, mime_type))
    }

    /// The address of a resource.
    pub fn link(resource: Resource) -> Self {
        Self::ResourceLink(resource)
    }

    /// A resource with its contents.
    pub fn resource(resource: ResourceContents) -> Self {
        Self::Resource(EmbeddedResource { resource, annotations: None, meta: None })
    }

    /// The text, when this is text.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(body) => Some(&body.text),
            Self::Image(_)
            | Self::Audio(_)
            | Self::ResourceLink(_)
            | Self::Resource(_)
            | Self::Unknown(_) => None,
        }
    }
}

tagged_union! {
    #[tag("type")]
    /// One piece of a sampled conversation.
    pub enum SamplingContent {
        /// Text for the model, or said by it.
        Text(TextContent) = "text",
        /// A picture, base64 in the message itself.
        Image(ImageContent) = "image",
        /// Sound, base64 in the message itself (since 2025-03-26).
        Audio(AudioContent) = "audio",
        /// The model asks to call a tool (since 2025-11-25).
        ToolUse(ToolUseContent) = "tool_use",
        /// What a called tool answered (since 2025-11-25).
        ToolResult(ToolResultContent) = "tool_result",
    }
}

impl SamplingContent {
    /// A piece of text without annotations.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent::new(text))
    }

    /// The text, when this is text.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(body) => Some(&body.text),
            Self::Image(_)
            | Self::Audio(_)
            | Self::ToolUse(_)
            | Self::ToolResult(_)
            | Self::Unknown(_) => None,
        }
    }
}

/// The body of a piece of text.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TextContent {
    /// The text itself, neither escaped nor encoded.
    pub text: String,
    /// Hints about its use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

impl TextContent {
    /// A piece of text without annotations and metadata.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), annotations: None, meta: None }
    }
}

/// The body of a picture.
pub type ImageContent = MediaContent;

/// The body of a piece of sound.
pub type AudioContent = MediaContent;

/// The body of a picture or of a piece of sound.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MediaContent {
    /// The picture or the sound in base64.
    pub data: String,
    /// The MIME type, such as `image/png`.
    pub mime_type: String,
    /// Hints about its use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

impl MediaContent {
    /// A body without hints; `data` is base64.
    pub fn new(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self { data: data.into(), mime_type: mime_type.into(), annotations: None, meta: None }
    }
}

/// A resource with its contents, inside a message.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EmbeddedResource {
    /// The contents of the resource, with its address.
    pub resource: ResourceContents,
    /// Hints about its use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

/// A model's request to call a tool.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolUseContent {
    /// The id that the answer repeats as its `toolUseId`.
    pub id: String,
    /// The name of the tool the model chose from those it was given.
    pub name: String,
    /// The arguments, an object.
    pub input: Box<RawValue>,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

/// What a tool answered to a [`ToolUseContent`].
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResultContent {
    /// The id of the [`ToolUseContent`] this answers.
    pub tool_use_id: String,
    /// The answer as content.
    pub content: Vec<Content>,
    /// The answer as data.
    #[serde(default, deserialize_with = "presence::explicit")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structured_content: Option<Box<RawValue>>,
    /// Whether the tool failed.
    #[serde(default, deserialize_with = "presence::flag", skip_serializing_if = "presence::unset")]
    pub is_error: bool,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}
