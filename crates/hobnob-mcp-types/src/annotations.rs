//! Annotations and icons: hints about the audience and the appearance of protocol objects.
//!
//! Content, resources, tools, prompts and implementations carry them. They come from the peer, so
//! no decision may rest on them alone.

use serde::{Deserialize, Serialize};

use crate::choice::open_enum;
use crate::presence;

open_enum! {
    /// Who speaks, or who something is meant for.
    pub enum Role {
        /// The person behind the client.
        User = "user",
        /// The language model the client talks to.
        Assistant = "assistant",
    }
}

/// Hints about the use of a piece of content or a resource.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Annotations {
    /// Who should see it; empty means everyone.
    #[serde(default, deserialize_with = "presence::list", skip_serializing_if = "Vec::is_empty")]
    pub audience: Vec<Role>,
    /// How important it is, from 0 (optional) to 1 (required).
    #[serde(default, with = "crate::number::optional", skip_serializing_if = "Option::is_none")]
    pub priority: Option<f64>,
    /// When it last changed, as an ISO 8601 text (since 2025-06-18).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
}

open_enum! {
    /// The background an icon was drawn for.
    pub enum IconTheme {
        /// Drawn to be shown on a light background.
        Light = "light",
        /// Drawn to be shown on a dark background.
        Dark = "dark",
    }
}

/// A picture that stands for something in a user interface (since 2025-11-25).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Icon {
    /// Where the picture is: an `https:` or `data:` URI. Untrusted; check before fetching.
    pub src: String,
    /// The MIME type of the picture, when the address does not show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Sizes the picture is suitable for, such as `48x48` or `any`.
    #[serde(default, deserialize_with = "presence::list", skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<String>,
    /// The background it was drawn for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theme: Option<IconTheme>,
}

impl Icon {
    /// An icon with its address and no other field.
    pub fn new(src: impl Into<String>) -> Self {
        Self { src: src.into(), ..Self::default() }
    }
}
