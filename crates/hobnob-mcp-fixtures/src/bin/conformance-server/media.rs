//! Tools that answer with a picture, a sound, a resource, or several kinds of content.

use hobnob_mcp_toolbox::{Kit, KitBuilder};
use hobnob_mcp_types::content::Content;
use hobnob_mcp_types::resources::ResourceContents;

/// A PNG of one red pixel in base64, one of the smallest pictures that decode.
pub(crate) const PICTURE: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
/// A WAV file of one silent sample in base64.
const SOUND: &str = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA==";

pub(crate) fn kit() -> KitBuilder {
    Kit::plain("media")
        .tool("test_image_content", "Answers with a picture", || async move {
            Ok(Content::image(PICTURE, "image/png"))
        })
        .tool("test_audio_content", "Answers with a sound", || async move {
            Ok(Content::audio(SOUND, "audio/wav"))
        })
        .tool("test_embedded_resource", "Answers with a resource", || async move {
            let text = "This is an embedded resource content.";
            let uri = "test://embedded-resource";
            Ok(Content::resource(ResourceContents::text(uri, "text/plain", text)))
        })
        .tool("test_multiple_content_types", "Answers with three kinds of content", || async move {
            let data = r#"{"test":"data","value":123}"#;
            let uri = "test://mixed-content-resource";
            Ok(vec![
                Content::text("Multiple content types test:"),
                Content::image(PICTURE, "image/png"),
                Content::resource(ResourceContents::text(uri, "application/json", data)),
            ])
        })
}
