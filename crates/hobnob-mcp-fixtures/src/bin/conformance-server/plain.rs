//! Tools that answer at once: text, errors, schemas, mirrored arguments, missing capabilities.

use hobnob_mcp_toolbox::{Context, Kit, KitBuilder, ToolError, ToolSpec};
use hobnob_mcp_types::capabilities::{ClientCapabilities, SamplingCapability};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize, JsonSchema)]
struct Mirrored {
    /// Repeated in a header.
    #[schemars(extend("x-mcp-header" = "Value"))]
    value: Option<String>,
}

pub(crate) fn kit() -> KitBuilder {
    Kit::plain("plain")
        .tool("test_simple_text", "Answers with one text", || async move {
            Ok("This is a simple text response for testing.")
        })
        .tool("test_error_handling", "Always fails", || async move {
            Err::<(), _>(ToolError::failed("This tool intentionally returns an error for testing"))
        })
        .tool(
            "json_schema_2020_12_tool",
            ToolSpec::new("Tool with JSON Schema 2020-12 features")
                .schema(everything_in_one_schema()),
            |contact: Value| async move { Ok(format!("Received {contact}")) },
        )
        .tool(
            "test_custom_header",
            "Takes an argument that a header repeats",
            |mirrored: Mirrored| async move {
                Ok(format!("Received {}", mirrored.value.unwrap_or_default()))
            },
        )
        .tool(
            "test_missing_capability",
            "Works only for clients with sampling",
            |context: Context| async move {
                let sampling = Some(SamplingCapability::default());
                context
                    .require(ClientCapabilities { sampling, ..ClientCapabilities::default() })?;
                Ok("The client can sample.")
            },
        )
}

/// A schema with keywords that a careless server would lose.
fn everything_in_one_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }},
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {
            "properties": {"contactMethod": {"const": "phone"}},
            "required": ["contactMethod"],
        },
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false,
    })
}
