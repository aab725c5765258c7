//! Resources: fixed ones, one to subscribe to, and a template.

use crate::media::PICTURE;
use hobnob_mcp_toolbox::{Kit, KitBuilder, ResourceSpec, Structured};
use hobnob_mcp_types::resources::ResourceContents;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

const BINARY: &str = "test://static-binary";
const TEMPLATE: &str = "test://template/{id}/data";

#[derive(Deserialize, JsonSchema)]
struct ById {
    #[schemars(description = "Which data")]
    id: String,
}

pub(crate) fn kit() -> KitBuilder {
    let spec = |name: &str, mime_type: &str| ResourceSpec::new(name).mime_type(mime_type);
    Kit::plain("resources")
        .resource(
            "test://static-text",
            spec("Static text", "text/plain").description("Always the same text"),
            || async { "This is the content of the static text resource." },
        )
        .resource(
            BINARY,
            spec("Static binary", "image/png").description("Always the same picture"),
            || async { ResourceContents::blob(BINARY, "image/png", PICTURE) },
        )
        .resource("test://watched-resource", spec("Watched", "text/plain"), || async {
            "Being watched"
        })
        .template(
            TEMPLATE,
            spec("Data", "application/json").description("Data by id"),
            |ById { id }: ById| async move {
                let data = format!("Data for ID: {id}");
                Structured(json!({"id": id, "templateTest": true, "data": data}))
            },
        )
        .complete(TEMPLATE, "id", ["123", "124", "200"])
}
