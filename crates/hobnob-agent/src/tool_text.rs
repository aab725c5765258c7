//! The result of a tool as text for a model, cut to a size that fits into a conversation.
//!
//! What must stay true: the text is bounded for any result, and says how much is left out.

use serde_json::Value;

/// The most bytes of a result that go to a model, of its beginning and of its end. At the end,
/// programs say how they ended, and the hub says where the rest of a large result is.
const MAX_BEGINNING_BYTES: usize = 48 << 10;
const MAX_END_BYTES: usize = 16 << 10;

/// Reads the JSON result of a `tools/call`: its text, and whether the tool failed.
pub fn read_result(body: &str) -> (String, bool) {
    let result: Value = serde_json::from_str(body).unwrap_or_default();
    let blocks = result["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    let texts: Vec<String> = blocks.iter().map(block_text).collect();
    let text = match (texts.iter().all(String::is_empty), &result["structuredContent"]) {
        (true, Value::Null) => "(the tool gave no text)".to_owned(),
        (true, data) => data.to_string(),
        (false, _) => texts.join("\n"),
    };
    (text, result["isError"] == true)
}

/// Bounds a text for a model: leaves out the middle of a text that is too long.
pub fn bounded(text: &str) -> String {
    if text.len() <= MAX_BEGINNING_BYTES + MAX_END_BYTES {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(MAX_BEGINNING_BYTES);
    let next = text.ceil_char_boundary(text.len() - MAX_END_BYTES);
    let left_out = next - end;
    format!("{}\n[{left_out} bytes left out here; ask for less]\n{}", &text[..end], &text[next..])
}

/// The text of one block of content. Pictures and sounds are only named, because they are not
/// stored with the conversation.
fn block_text(block: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match block["type"].as_str().unwrap_or_default() {
        "text" => text(&block["text"]),
        "resource_link" => format!("[resource {}]", text(&block["uri"])),
        "resource" => match block["resource"]["text"].as_str() {
            Some(contents) => contents.to_owned(),
            None => format!("[resource {}, which is no text]", text(&block["resource"]["uri"])),
        },
        kind => {
            let data = block["data"].as_str().unwrap_or_default();
            format!("[{kind} {}, {}]", text(&block["mimeType"]), size_of(data))
        }
    }
}

/// The size of base64 data, in words.
fn size_of(base64: &str) -> String {
    match base64.trim_end_matches('=').len() * 3 / 4 {
        bytes @ ..1024 => format!("{bytes} bytes"),
        bytes @ 1024..1_048_576 => format!("{} KiB", bytes / 1024),
        bytes => format!("{} MiB", bytes / 1_048_576),
    }
}

#[cfg(test)]
mod tests;
