//! Resources: what a server lets a client read, and the messages to list, read and watch them.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::annotations::{Annotations, Icon};
use crate::cache::cacheable_result;
use crate::input_responses::InputResponses;
use crate::presence;

/// A resource as a server lists it; also the body of a `resource_link`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Resource {
    /// The address, under which a client reads the resource.
    pub uri: String,
    /// A name for programs.
    pub name: String,
    /// A name for people (since 2025-06-18).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the resource is, for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The MIME type, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Its size in bytes before any encoding, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Hints about its use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// Pictures for a user interface (since 2025-11-25).
    #[serde(default, deserialize_with = "presence::list", skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

impl Resource {
    /// A resource with nothing but an address and a name.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self { uri: uri.into(), name: name.into(), ..Self::default() }
    }

    /// The same resource with its type.
    #[must_use]
    pub fn with_mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }

    /// The same resource with a description for the model.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }
}

/// A family of resources whose addresses follow a pattern.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceTemplate {
    /// The pattern, an RFC 6570 URI template.
    pub uri_template: String,
    /// A name for programs.
    pub name: String,
    /// A name for people (since 2025-06-18).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the family is, for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The MIME type that all of them have, if they share one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Hints about their use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// Pictures for a user interface (since 2025-11-25).
    #[serde(default, deserialize_with = "presence::list", skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

impl ResourceTemplate {
    /// A family with nothing but a pattern and a name.
    pub fn new(uri_template: impl Into<String>, name: impl Into<String>) -> Self {
        Self { uri_template: uri_template.into(), name: name.into(), ..Self::default() }
    }
}

/// The contents of a resource: text or bytes, distinguished by the key that holds them.
#[derive(Debug, Clone)]
pub enum ResourceContents {
    /// Under the key `text`.
    Text(TextResourceContents),
    /// Under the key `blob`.
    Blob(BlobResourceContents),
}

impl ResourceContents {
    /// Text of a known type.
    pub fn text(
        uri: impl Into<String>,
        mime_type: impl Into<String>,
        text: impl Into<String>,
    ) -> Self {
        Self::Text(TextResourceContents {
            uri: uri.into(),
            mime_type: Some(mime_type.into()),
            text: text.into(),
            meta: None,
        })
    }

    /// Bytes of a known type; `blob` is base64.
    pub fn blob(
        uri: impl Into<String>,
        mime_type: impl Into<String>,
        blob: impl Into<String>,
    ) -> Self {
        Self::Blob(BlobResourceContents {
            uri: uri.into(),
            mime_type: Some(mime_type.into()),
            blob: blob.into(),
            meta: None,
        })
    }

    /// The address of the resource.
    pub fn uri(&self) -> &str {
        match self {
            Self::Text(contents) => &contents.uri,
            Self::Blob(contents) => &contents.uri,
        }
    }
}

impl Serialize for ResourceContents {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(contents) => contents.serialize(serializer),
            Self::Blob(contents) => contents.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ResourceContents {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// Both shapes in one, so that one pass over the input is enough.
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Either {
            uri: String,
            mime_type: Option<String>,
            text: Option<String>,
            blob: Option<String>,
            #[serde(rename = "_meta")]
            meta: Option<Box<RawValue>>,
        }

        let Either { uri, mime_type, text, blob, meta } = Either::deserialize(deserializer)?;
        match (text, blob) {
            (Some(text), None) => {
                Ok(Self::Text(TextResourceContents { uri, mime_type, text, meta }))
            }
            (None, Some(blob)) => {
                Ok(Self::Blob(BlobResourceContents { uri, mime_type, blob, meta }))
            }
            (Some(_), Some(_)) => Err(D::Error::custom("both `text` and `blob` are given")),
            (None, None) => Err(D::Error::custom("neither `text` nor `blob` is given")),
        }
    }
}

/// A resource that is text.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TextResourceContents {
    /// The address of the resource.
    pub uri: String,
    /// The MIME type, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The whole text of the resource.
    pub text: String,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

/// A resource that is bytes.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BlobResourceContents {
    /// The address of the resource.
    pub uri: String,
    /// The MIME type, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The bytes in base64.
    pub blob: String,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

cacheable_result! {
    /// The answer to `resources/list`.
    pub struct ListResourcesResult {
        /// One page of resources.
        pub resources: Vec<Resource>,
        /// Where the next page begins; absent on the last page.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub next_cursor: Option<String>,
    }
}

cacheable_result! {
    /// The answer to `resources/templates/list`.
    pub struct ListResourceTemplatesResult {
        /// One page of resource templates.
        pub resource_templates: Vec<ResourceTemplate>,
        /// Where the next page begins; absent on the last page.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub next_cursor: Option<String>,
    }
}

/// Parameters of `resources/read`: which resource, and answers if this is a retry.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadResourceParams {
    /// The address of the resource.
    pub uri: String,
    /// Answers to the questions in the server's previous result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_responses: Option<InputResponses>,
    /// The server's own state from its previous result, sent back unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_state: Option<String>,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

impl ReadResourceParams {
    /// A first read, without answers to the server's questions.
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), ..Self::default() }
    }
}

cacheable_result! {
    /// The answer to `resources/read`.
    pub struct ReadResourceResult {
        /// The contents; a folder may have several.
        pub contents: Vec<ResourceContents>,
    }
}

impl ReadResourceResult {
    /// An answer made of these contents.
    pub fn new(contents: Vec<ResourceContents>) -> Self {
        Self { contents, ..Self::default() }
    }
}

/// Parameters that name one resource: `resources/subscribe`, `resources/unsubscribe` (both until
/// 2025-11-25) and `notifications/resources/updated`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceUriParams {
    /// The address of the resource.
    pub uri: String,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

impl ResourceUriParams {
    /// Parameters with this address and no metadata.
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), meta: None }
    }
}
