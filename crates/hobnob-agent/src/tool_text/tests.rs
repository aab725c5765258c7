//! Results of tools as text for models.

use super::{MAX_BEGINNING_BYTES, MAX_END_BYTES, bounded, read_result};
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
fn of_a_long_text_the_beginning_and_the_end_are_left() {
    let (beginning, end) =
        ("ü".repeat(MAX_BEGINNING_BYTES / 2 - 1), "ä".repeat(MAX_END_BYTES / 2 - 1));
    let text = format!("x{beginning}{}y{end}", "ö".repeat(100_000));
    // Neither cut falls between two letters.
    let left_out = text.len() - 1 - beginning.len() - 1 - end.len();
    let note = format!("\n[{left_out} bytes left out here; ask for less]\n");
    assert_eq!(bounded(&text), format!("x{beginning}{note}y{end}"));
    let fits = "x".repeat(MAX_BEGINNING_BYTES + MAX_END_BYTES);
    assert_eq!(bounded(&fits), fits);
}
