//! What the handler of a resource may return, and how it becomes contents with a URI and a MIME
//! type. `resource` registers the handlers.

use crate::error::ToolError;
use crate::reply::Structured;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hobnob_mcp_types::resources::ResourceContents;
use serde::Serialize;

/// What the handler of a resource or a template may return.
///
/// Text, bytes and data get the requested URI and the MIME type of the list entry.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the contents of a resource",
    label = "this handler returns `{Self}`",
    note = "return a text, `Vec<u8>` for bytes, `Structured<T>` for JSON, `ResourceContents` or a \
            `Vec` of them; an `Option` of one of them where there may be no such resource; or a \
            `Result` of one of them with `ToolError`"
)]
pub trait IntoContents: Send + 'static {
    /// Converts the handler's return value. `mime_type` is that of the list entry, or empty. An
    /// empty result means that there is no such resource.
    fn into_contents(self, uri: &str, mime_type: &str) -> Result<Vec<ResourceContents>, ToolError>;
}

impl<C: IntoContents> IntoContents for Result<C, ToolError> {
    fn into_contents(self, uri: &str, mime_type: &str) -> Result<Vec<ResourceContents>, ToolError> {
        self?.into_contents(uri, mime_type)
    }
}

/// `None` means that there is no such resource.
impl<C: IntoContents> IntoContents for Option<C> {
    fn into_contents(self, uri: &str, mime_type: &str) -> Result<Vec<ResourceContents>, ToolError> {
        self.map_or(Ok(Vec::new()), |contents| contents.into_contents(uri, mime_type))
    }
}

impl IntoContents for ResourceContents {
    fn into_contents(self, _: &str, _: &str) -> Result<Vec<ResourceContents>, ToolError> {
        Ok(vec![self])
    }
}

impl IntoContents for Vec<ResourceContents> {
    fn into_contents(self, _: &str, _: &str) -> Result<Vec<ResourceContents>, ToolError> {
        Ok(self)
    }
}

impl IntoContents for String {
    fn into_contents(self, uri: &str, mime_type: &str) -> Result<Vec<ResourceContents>, ToolError> {
        Ok(vec![ResourceContents::text(uri, or(mime_type, "text/plain"), self)])
    }
}

impl IntoContents for &'static str {
    fn into_contents(self, uri: &str, mime_type: &str) -> Result<Vec<ResourceContents>, ToolError> {
        self.to_owned().into_contents(uri, mime_type)
    }
}

impl IntoContents for Vec<u8> {
    fn into_contents(self, uri: &str, mime_type: &str) -> Result<Vec<ResourceContents>, ToolError> {
        let mime_type = or(mime_type, "application/octet-stream");
        Ok(vec![ResourceContents::blob(uri, mime_type, STANDARD.encode(self))])
    }
}

impl<T: Serialize + Send + 'static> IntoContents for Structured<T> {
    fn into_contents(self, uri: &str, mime_type: &str) -> Result<Vec<ResourceContents>, ToolError> {
        let json = serde_json::to_string(&self.0)?;
        json.into_contents(uri, or(mime_type, "application/json"))
    }
}

fn or<'a>(mime_type: &'a str, default: &'a str) -> &'a str {
    if mime_type.is_empty() { default } else { mime_type }
}
