//! What an author says about a resource or a family of them besides the address and the handler.
//! `KitBuilder::resource` and `KitBuilder::template` take it.

use hobnob_mcp_types::annotations::{Annotations, Icon};
use hobnob_mcp_types::resources::{Resource, ResourceTemplate};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

/// What the list says about a resource or a template besides its address. A text is one: a name and
/// no more.
#[derive(Debug, Clone)]
pub struct ResourceSpec {
    name: String,
    title: Option<String>,
    description: Option<String>,
    mime_type: Option<String>,
    annotations: Option<Annotations>,
    icons: Vec<Icon>,
    meta: Option<Box<RawValue>>,
}

impl ResourceSpec {
    /// A name for it.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            annotations: None,
            icons: Vec::new(),
            meta: None,
        }
    }

    /// A name for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// What it is, for the model.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// The type of its contents, which texts and bytes that the handler returns get too.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }

    /// Hints about its use.
    #[must_use]
    pub fn annotations(mut self, annotations: Annotations) -> Self {
        self.annotations = Some(annotations);
        self
    }

    /// One more picture for user interfaces.
    #[must_use]
    pub fn icon(mut self, icon: Icon) -> Self {
        self.icons.push(icon);
        self
    }

    /// Metadata for the client, an object.
    #[must_use]
    pub fn meta(mut self, meta: &impl Serialize) -> Self {
        self.meta = to_raw_value(meta).ok();
        self
    }

    /// The entry in the list of resources.
    pub(crate) fn into_resource(self, uri: String) -> Resource {
        let Self { name, title, description, mime_type, annotations, icons, meta } = self;
        let size = None;
        Resource { uri, name, title, description, mime_type, size, annotations, icons, meta }
    }

    /// The entry in the list of templates.
    pub(crate) fn into_template(self, uri_template: String) -> ResourceTemplate {
        let Self { name, title, description, mime_type, annotations, icons, meta } = self;
        ResourceTemplate {
            uri_template,
            name,
            title,
            description,
            mime_type,
            annotations,
            icons,
            meta,
        }
    }
}

impl From<&str> for ResourceSpec {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

impl From<String> for ResourceSpec {
    fn from(name: String) -> Self {
        Self::new(name)
    }
}
