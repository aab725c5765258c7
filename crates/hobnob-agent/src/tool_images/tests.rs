//! Which pictures are passed on, and how many.

use super::{KeptImages, MAX_KEPT_PICTURES, MAX_PICTURE_CHARS, MAX_RESULT_PICTURES, read_images};
use hobnob_llm::{ModelBlock, ModelImage, ModelMessage, ModelRole, ToolOutcome, ToolResultBlock};
use serde_json::json;

const PNG: &str = "iVBORw0KGgoAAAAN";

fn read(data: &str) -> Vec<String> {
    let block = json!({"type": "image", "mimeType": "image/tiff", "data": data});
    let body = json!({"content": [{"type": "text", "text": PNG}, block]}).to_string();
    read_images(&body).into_iter().map(|image| image.media_type.into()).collect()
}

#[test]
fn only_what_providers_take_is_passed_on() {
    let large = format!("{PNG}{}", "A".repeat(MAX_PICTURE_CHARS));
    let cases = [
        (PNG, &["image/png"][..]),
        ("/9j/4AAQSkZJRg==", &["image/jpeg"]),
        ("R0lGODlhAQABAAAA", &["image/gif"]),
        ("UklGRiQAAABXRUJQ", &["image/webp"]),
        ("UklGRiQAAABXQVZF", &[]),
        ("iVBORw0KGgo", &[]),
        ("iVBORw0KGgo?AAAN", &[]),
        ("iVBORw0KGgoA====", &[]),
        ("PHN2Zz48L3N2Zz4=", &[]),
        ("", &[]),
        (&large, &[]),
    ];
    for (data, expected) in cases {
        assert_eq!(read(data), expected, "{}", data.get(..20).unwrap_or(data));
    }
    let many = vec![json!({"type": "image", "data": PNG}); MAX_RESULT_PICTURES + 1];
    assert_eq!(read_images(&json!({ "content": many }).to_string()).len(), MAX_RESULT_PICTURES);
    assert!(read_images("nonsense").is_empty());
}

#[test]
fn the_newest_are_put_where_they_belong() {
    let image = || ModelImage { media_type: "image/png".into(), data: PNG.into() };
    let mut kept = KeptImages::default();
    kept.keep("old", vec![image()]);
    kept.keep("new", vec![image(); MAX_KEPT_PICTURES]);
    let result = |id: &str| {
        let (id, text, images) = (id.into(), "text".to_owned(), Vec::new());
        ModelBlock::ToolResult(ToolResultBlock { id, text, images, outcome: ToolOutcome::Done })
    };
    let blocks = vec![result("old"), result("new"), result("other")];
    let mut messages = [ModelMessage { role: ModelRole::User, blocks }];
    kept.attach(&mut messages);
    let counts: Vec<usize> = messages[0]
        .blocks
        .iter()
        .map(|block| match block {
            ModelBlock::ToolResult(result) => result.images.len(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(counts, [0, MAX_KEPT_PICTURES, 0]);
}
