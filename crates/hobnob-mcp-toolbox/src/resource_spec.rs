//! An author's description of a resource or a resource template, apart from its URI and handler.
//! `KitBuilder::resource` and `KitBuilder::template` take it.

use crate::spec_setters::spec_setters;
use hobnob_mcp_types::annotations::{Annotations, Icon};
use hobnob_mcp_types::resources::{Resource, ResourceTemplate};
use serde_json::value::RawValue;

/// The list entry of a resource or a template, apart from its URI. A string converts to a spec with
/// a name only.
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

spec_setters!(ResourceSpec);

impl ResourceSpec {
    /// Starts a spec with a name.
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

    /// Starts the spec of a plain text, with a description for the model.
    pub fn text(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self::new(name).description(description).mime_type("text/plain")
    }

    /// Sets a description for the model.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Sets the MIME type, also for text and bytes that the handler returns.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }

    /// Sets hints about the use of the contents.
    #[must_use]
    pub fn annotations(mut self, annotations: Annotations) -> Self {
        self.annotations = Some(annotations);
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
