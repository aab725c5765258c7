//! Registered resources and resource templates: their list entry, their handler, and
//! `resources/read`.

use crate::context::{CallParts, ContextSource};
use crate::error::ToolError;
use crate::handler::KitHandler;
use crate::paged_list::Listed;
use crate::read_result::IntoContents;
use crate::reply::contents_floor;
use crate::resource_spec::ResourceSpec;
use crate::schema::{NoArguments, TextFields};
use crate::slow_polls::SlowPolls;
use crate::template::Template;
use hobnob_mcp_engine::{Answer, BoxFuture, CallError, Outcome};
use hobnob_mcp_types::Revision;
use hobnob_mcp_types::entries::Entries;
use hobnob_mcp_types::resources::{ReadResourceResult, ResourceContents};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::future::Future;
use std::sync::Arc;

pub(crate) type ReadRun = BoxFuture<'static, Result<Vec<ResourceContents>, ToolError>>;

/// Reads the resource at the URI that the parts name; the second argument is its MIME type.
pub(crate) type ReadHandler = Box<dyn Fn(CallParts, Arc<str>) -> ReadRun + Send + Sync>;

/// The same for a URI that matches a template; fails if the variables cannot be decoded.
pub(crate) type TemplateHandler =
    Box<dyn Fn(Value, CallParts, Arc<str>) -> Result<ReadRun, serde_json::Error> + Send + Sync>;

/// A resource that is ready to be listed and read.
pub(crate) struct RegisteredResource {
    listing: Box<str>,
    /// The MIME type of contents that name none themselves; empty if unknown.
    mime_type: Arc<str>,
    run: ReadHandler,
    pub(crate) polls: SlowPolls,
}

impl RegisteredResource {
    /// Registers a resource; fails with a message for the author.
    pub(crate) fn new(uri: &str, spec: ResourceSpec, run: ReadHandler) -> Result<Self, String> {
        if !is_uri(uri) {
            return Err(format!("resource `{uri}`: this is not a URI"));
        }
        let resource = spec.into_resource(uri.to_owned());
        let listing = serde_json::to_string(&resource);
        Ok(Self {
            listing: listing.map_err(|error| format!("resource `{uri}`: {error}"))?.into(),
            mime_type: resource.mime_type.unwrap_or_default().into(),
            run,
            polls: SlowPolls::default(),
        })
    }

    /// Starts to read the resource.
    pub(crate) fn run(&self, parts: CallParts) -> ReadRun {
        (self.run)(parts, Arc::clone(&self.mime_type))
    }
}

impl Listed for RegisteredResource {
    fn listing(&self) -> &str {
        &self.listing
    }
}

/// A resource template that is ready to be listed and read.
pub(crate) struct RegisteredTemplate {
    listing: Box<str>,
    mime_type: Arc<str>,
    pub(crate) pattern: Template,
    pub(crate) fields: TextFields,
    run: TemplateHandler,
    pub(crate) polls: SlowPolls,
}

impl RegisteredTemplate {
    /// Registers a template whose variables are `fields`; fails with a message for the author.
    pub(crate) fn new(
        uri: &str,
        spec: ResourceSpec,
        fields: Result<TextFields, String>,
        run: TemplateHandler,
    ) -> Result<Self, String> {
        let wrong = |problem: String| format!("template `{uri}`: {problem}");
        let pattern = Template::parse(uri)?;
        let fields = fields.map_err(wrong)?;
        check_variables(&pattern, &fields).map_err(wrong)?;
        let template = spec.into_template(uri.to_owned());
        let listing = serde_json::to_string(&template);
        Ok(Self {
            listing: listing.map_err(|error| wrong(error.to_string()))?.into(),
            mime_type: template.mime_type.unwrap_or_default().into(),
            pattern,
            fields,
            run,
            polls: SlowPolls::default(),
        })
    }

    /// Starts to read the resource with these variables; fails if they do not match their type.
    pub(crate) fn run(
        &self,
        variables: Entries<String>,
        parts: CallParts,
    ) -> Result<ReadRun, CallError> {
        let wrong = |problem| CallError::params(format!("`params.uri`: {problem}"));
        let variables = self.fields.read(variables, "variables").map_err(wrong)?;
        (self.run)(variables, parts, Arc::clone(&self.mime_type))
            .map_err(|error| wrong(format!("variables: {error}")))
    }
}

impl Listed for RegisteredTemplate {
    fn listing(&self) -> &str {
        &self.listing
    }
}

/// Every variable must be a field of the type, and every required field a variable.
fn check_variables(pattern: &Template, fields: &TextFields) -> Result<(), String> {
    let is_field = |name: &str| fields.is_open() || fields.iter().any(|it| &*it.name == name);
    if let Some(name) = pattern.variables().find(|name| !is_field(name)) {
        return Err(format!("the handler's type has no field for the variable `{name}`"));
    }
    match fields.iter().find(|field| field.is_required && !pattern.has(&field.name)) {
        Some(field) => Err(format!(
            "the handler's type requires the field `{}`, but the template has no such variable",
            field.name
        )),
        None => Ok(()),
    }
}

/// Boxes the handler of one resource with its state.
pub(crate) fn read_handler<S, Shape, H>(state: Arc<S>, handler: H) -> ReadHandler
where
    S: Send + Sync + 'static,
    H: KitHandler<S, Shape, Arguments = NoArguments> + Send + Sync + 'static,
    H::Returned: Future<Output: IntoContents> + Send + 'static,
{
    Box::new(move |parts, mime_type| {
        let (uri, mut running) = (Arc::clone(&parts.name), None);
        let source = ContextSource::new(parts, &state, &mut running);
        let work = handler.handle(NoArguments {}, source);
        Box::pin(async move {
            let _running = running;
            work.await.into_contents(&uri, &mime_type)
        })
    })
}

/// Boxes the handler of a resource template with its state.
pub(crate) fn template_handler<S, Shape, H>(state: Arc<S>, handler: H) -> TemplateHandler
where
    S: Send + Sync + 'static,
    H: KitHandler<S, Shape> + Send + Sync + 'static,
    H::Arguments: DeserializeOwned,
    H::Returned: Future<Output: IntoContents> + Send + 'static,
{
    Box::new(move |variables, parts, mime_type| {
        let variables = serde_json::from_value(variables)?;
        let (uri, mut running) = (Arc::clone(&parts.name), None);
        let work = handler.handle(variables, ContextSource::new(parts, &state, &mut running));
        Ok(Box::pin(async move {
            let _running = running;
            work.await.into_contents(&uri, &mime_type)
        }))
    })
}

/// Converts the end of a read to an outcome.
pub(crate) fn read_outcome(
    ended: Result<Vec<ResourceContents>, ToolError>,
    uri: &str,
) -> Result<Outcome, CallError> {
    match ended {
        // Spec 2026-07-28, resources: a missing resource is an error, never an empty list.
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

/// RFC 3986 as far as clients check it: a scheme, and no character that must be escaped.
fn is_uri(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once(':') else { return false };
    let legal = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(legal)
        && text.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte))
}
