//! Registered resources and resource templates: their entry in the list, their handler, and
//! `resources/read`.

use super::context::Context;
use super::error::{KitError, ToolError};
use super::paged_list::Listed;
use super::reply::contents_floor;
use super::template::Template;
use hobnob_mcp_engine::{Answer, BoxFuture, CallError, Outcome};
use hobnob_mcp_types::Revision;
use hobnob_mcp_types::entries::Entries;
use hobnob_mcp_types::resources::{
    ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
};
use std::future::Future;

pub(super) type ReadRun = BoxFuture<'static, Result<Vec<ResourceContents>, ToolError>>;

/// An address that follows a template.
#[derive(Debug, Clone)]
pub struct Matched {
    /// The address as the client asked for it.
    pub uri: String,
    /// The template's variables, decoded.
    pub variables: Entries<String>,
}

impl Matched {
    /// The value of one variable; empty if the template has no such variable.
    pub fn get(&self, name: &str) -> &str {
        self.variables.get(name).map(String::as_str).unwrap_or_default()
    }
}

/// What a resource's handler may return.
pub trait IntoContents: Send + 'static {
    /// Converts what the handler returned.
    fn into_contents(self) -> Vec<ResourceContents>;
}

impl IntoContents for ResourceContents {
    fn into_contents(self) -> Vec<ResourceContents> {
        vec![self]
    }
}

impl IntoContents for Vec<ResourceContents> {
    fn into_contents(self) -> Vec<ResourceContents> {
        self
    }
}

/// A resource, ready to be listed and read.
pub(super) struct RegisteredResource {
    listing: Box<str>,
    pub(super) run: Box<dyn Fn(Context) -> ReadRun + Send + Sync>,
}

impl RegisteredResource {
    pub(super) fn new<C, F, Work>(resource: &Resource, handler: F) -> Result<Self, KitError>
    where
        C: IntoContents,
        F: Fn(Context) -> Work + Send + Sync + 'static,
        Work: Future<Output = Result<C, ToolError>> + Send + 'static,
    {
        if !is_uri(&resource.uri) {
            return Err(KitError::new(format!("resource `{}`: this is not a URI", resource.uri)));
        }
        let listing = serde_json::to_string(resource);
        Ok(Self {
            listing: listing.map_err(|error| KitError::new(error.to_string()))?.into(),
            run: Box::new(move |context| {
                let work = handler(context);
                Box::pin(async move { work.await.map(IntoContents::into_contents) })
            }),
        })
    }
}

impl Listed for RegisteredResource {
    fn listing(&self) -> &str {
        &self.listing
    }
}

/// A family of resources, ready to be listed and read.
pub(super) struct RegisteredTemplate {
    listing: Box<str>,
    pub(super) pattern: Template,
    pub(super) run: Box<dyn Fn(Matched, Context) -> ReadRun + Send + Sync>,
}

impl RegisteredTemplate {
    pub(super) fn new<C, F, Work>(template: &ResourceTemplate, handler: F) -> Result<Self, KitError>
    where
        C: IntoContents,
        F: Fn(Matched, Context) -> Work + Send + Sync + 'static,
        Work: Future<Output = Result<C, ToolError>> + Send + 'static,
    {
        let pattern = Template::parse(&template.uri_template).map_err(KitError::new)?;
        let listing = serde_json::to_string(template);
        Ok(Self {
            listing: listing.map_err(|error| KitError::new(error.to_string()))?.into(),
            pattern,
            run: Box::new(move |matched, context| {
                let work = handler(matched, context);
                Box::pin(async move { work.await.map(IntoContents::into_contents) })
            }),
        })
    }
}

impl Listed for RegisteredTemplate {
    fn listing(&self) -> &str {
        &self.listing
    }
}

/// How a read ends for its caller.
pub(super) fn read_outcome(
    ended: Result<Vec<ResourceContents>, ToolError>,
    uri: &str,
) -> Result<Outcome, CallError> {
    match ended {
        // Spec 2026-07-28, resources: what does not exist is an error, never an empty list.
        Ok(contents) if contents.is_empty() => Err(CallError::Resource(uri.into())),
        Ok(contents) => {
            let floor = contents.iter().map(contents_floor).max().unwrap_or(Revision::V2024_11_05);
            let answer = Answer::new(&ReadResourceResult::new(contents))?;
            Ok(Outcome::Complete(answer.since(floor)))
        }
        Err(ToolError::Questions(questions)) => Ok(Outcome::NeedsInput(*questions)),
        Err(error) => Err(error.into_call_error()),
    }
}

/// RFC 3986 as far as clients check it: a scheme, and nothing that has to be escaped.
fn is_uri(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once(':') else { return false };
    let legal = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(legal)
        && text.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte))
}
