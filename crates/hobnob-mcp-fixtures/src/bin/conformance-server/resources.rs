//! Resources: fixed ones, one to watch, and a family.

use crate::media::PICTURE;
use hobnob_mcp_server::toolbox::{Kit, KitError, Typing};
use hobnob_mcp_types::resources::{Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

const TEXT: &str = "test://static-text";
const BINARY: &str = "test://static-binary";
const WATCHED: &str = "test://watched-resource";
const FAMILY: &str = "test://template/{id}/data";

pub(crate) fn kit() -> Result<Kit, KitError> {
    Kit::plain("resources")
        .resource(
            Resource::new(TEXT, "Static text")
                .with_mime_type("text/plain")
                .with_description("Always the same text"),
            |_| async move {
                let text = "This is the content of the static text resource.";
                Ok(ResourceContents::text(TEXT, "text/plain", text))
            },
        )?
        .resource(
            Resource::new(BINARY, "Static binary")
                .with_mime_type("image/png")
                .with_description("Always the same picture"),
            |_| async move { Ok(ResourceContents::blob(BINARY, "image/png", PICTURE)) },
        )?
        .resource(Resource::new(WATCHED, "Watched").with_mime_type("text/plain"), |_| async move {
            Ok(ResourceContents::text(WATCHED, "text/plain", "Being watched"))
        })?
        .template(
            ResourceTemplate {
                mime_type: Some("application/json".into()),
                description: Some("Data by id".into()),
                ..ResourceTemplate::new(FAMILY, "Data")
            },
            |matched, _| async move {
                let id = matched.get("id");
                let data = format!("Data for ID: {id}");
                let text = json!({"id": id, "templateTest": true, "data": data}).to_string();
                Ok(ResourceContents::text(&matched.uri, "application/json", text))
            },
        )?
        .complete_template(FAMILY, "id", |typing: Typing, _| async move {
            let ids = ["123", "124", "200"].into_iter();
            Ok(ids.filter(|id| id.starts_with(&typing.value)).map(str::to_owned).collect())
        })
}
