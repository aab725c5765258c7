//! Prompts: plain, with arguments, with media, and one that asks back first.

use crate::media::PICTURE;
use hobnob_mcp_toolbox::{Context, Kit, KitBuilder, ToolError};
use hobnob_mcp_types::content::Content;
use hobnob_mcp_types::prompts::PromptMessage;
use hobnob_mcp_types::resources::ResourceContents;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Both {
    #[schemars(description = "The first")]
    arg1: String,
    #[schemars(description = "The second")]
    arg2: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Embed {
    /// Which resource to embed
    resource_uri: String,
}

#[derive(Deserialize, JsonSchema)]
struct UserContext {
    context: String,
}

pub(crate) fn kit() -> KitBuilder {
    Kit::plain("prompts")
        .prompt("test_simple_prompt", "Says one thing", || async {
            "This is a simple prompt for testing."
        })
        .prompt("test_prompt_with_arguments", "Repeats its arguments", |both: Both| async move {
            format!("Prompt with arguments: arg1='{}', arg2='{}'", both.arg1, both.arg2)
        })
        .complete("test_prompt_with_arguments", "arg1", ["paris", "park", "party", "testValue1"])
        .prompt("test_prompt_with_image", "Shows a picture", || async {
            vec![
                PromptMessage::user(Content::image(PICTURE, "image/png")),
                PromptMessage::user(Content::text("Please analyze the image above.")),
            ]
        })
        .prompt("test_prompt_with_embedded_resource", "Embeds a resource", embed)
        .prompt("test_input_required_result_prompt", "Asks first", ask_first)
        .asks::<UserContext>()
}

async fn embed(embed: Embed) -> Vec<PromptMessage> {
    let text = "Embedded resource content for testing.";
    let contents = ResourceContents::text(embed.resource_uri, "text/plain", text);
    vec![
        PromptMessage::user(Content::resource(contents)),
        PromptMessage::user(Content::text("Please process the embedded resource above.")),
    ]
}

async fn ask_first(context: Context) -> Result<String, ToolError> {
    let question = "What context should the prompt use?";
    let answer: UserContext = context.elicit("user_context", question)?;
    Ok(format!("Use this context: {}", answer.context))
}
