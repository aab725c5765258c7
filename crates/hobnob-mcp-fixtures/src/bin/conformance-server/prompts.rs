//! Prompts: plain, with arguments, with media, and one that needs something first.

use crate::forms;
use crate::media::PICTURE;
use hobnob_mcp_server::toolbox::{Kit, KitError, Typing};
use hobnob_mcp_types::content::Content;
use hobnob_mcp_types::prompts::{Prompt, PromptArgument, PromptMessage};
use hobnob_mcp_types::resources::ResourceContents;

pub(crate) fn kit() -> Result<Kit, KitError> {
    let simple = Prompt::new("test_simple_prompt").with_description("Says one thing");
    let with_arguments = Prompt::new("test_prompt_with_arguments")
        .with_description("Repeats its arguments")
        .with_argument(PromptArgument::required("arg1").with_description("The first"))
        .with_argument(PromptArgument::required("arg2").with_description("The second"));
    let with_image = Prompt::new("test_prompt_with_image").with_description("Shows a picture");
    let asks = Prompt::new("test_input_required_result_prompt").with_description("Asks first");
    Kit::plain("prompts")
        .prompt(simple, |_, _| async move { Ok("This is a simple prompt for testing.") })?
        .prompt(with_arguments, |given, _| async move {
            let [arg1, arg2] = ["arg1", "arg2"].map(|name| given.get(name).map_or("", |it| it));
            Ok(format!("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"))
        })?
        .complete_prompt("test_prompt_with_arguments", "arg1", |typing: Typing, _| async move {
            let words = ["paris", "park", "party", "testValue1"].into_iter();
            Ok(words.filter(|word| word.starts_with(&typing.value)).map(str::to_owned).collect())
        })?
        .prompt(with_image, |_, _| async move {
            Ok(vec![
                PromptMessage::user(Content::image(PICTURE, "image/png")),
                PromptMessage::user(Content::text("Please analyze the image above.")),
            ])
        })?
        .prompt(with_resource(), |given, _| async move {
            let uri = given.get("resourceUri").cloned().unwrap_or_default();
            let text = "Embedded resource content for testing.";
            let contents = ResourceContents::text(uri, "text/plain", text);
            Ok(vec![
                PromptMessage::user(Content::resource(contents)),
                PromptMessage::user(Content::text("Please process the embedded resource above.")),
            ])
        })?
        .prompt(asks, |_, context| async move {
            let question = forms::text("What context should the prompt use?", "context");
            let answer = context.elicit("user_context", question)?;
            Ok(format!("Use this context: {}", forms::field(&answer, "context")))
        })
}

fn with_resource() -> Prompt {
    let uri = PromptArgument::required("resourceUri").with_description("Which resource to embed");
    Prompt::new("test_prompt_with_embedded_resource")
        .with_description("Embeds a resource")
        .with_argument(uri)
}
