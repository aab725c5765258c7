//! Results of tools as models are told them.

use super::{MAX_TOOL_TEXT, bounded, read_result};
use serde_json::json;

#[test]
fn every_kind_of_content_has_a_text() {
    let content = json!([
        {"type": "text", "text": "one"},
        {"type": "image", "mimeType": "image/png", "data": "AAAA"},
        {"type": "resource_link", "uri": "file:///a", "name": "a"},
        {"type": "resource", "resource": {"uri": "file:///b", "text": "inside"}},
        {"type": "resource", "resource": {"uri": "file:///c", "blob": "AAAA"}},
    ]);
    let (text, failed) = read_result(&json!({"content": content, "isError": true}).to_string());
    let lines = "one\n[image image/png, 3 bytes]\n[resource file:///a]\ninside\n\
                 [resource file:///c, which is no text]";
    assert_eq!((text.as_str(), failed), (lines, true));
    let data = json!({"content": [], "structuredContent": {"a": 1}}).to_string();
    assert_eq!(read_result(&data), (r#"{"a":1}"#.to_owned(), false));
    assert_eq!(read_result("{}").0, "(the tool gave no text)");
    for (characters, size) in [(8, "6 bytes"), (1368, "1 KiB"), (4 << 20, "3 MiB")] {
        let sound =
            json!({"type": "audio", "mimeType": "audio/wav", "data": "A".repeat(characters)});
        let (text, _) = read_result(&json!({"content": [sound]}).to_string());
        assert_eq!(text, format!("[audio audio/wav, {size}]"));
    }
}

#[test]
fn a_long_text_is_cut_between_letters() {
    let long = "ü".repeat(MAX_TOOL_TEXT);
    let cut = bounded(&format!("x{long}"));
    assert!(cut.ends_with(&format!("ü\n[{} bytes left out]", MAX_TOOL_TEXT + 2)), "{}", cut.len());
    assert_eq!(bounded("short"), "short");
}
