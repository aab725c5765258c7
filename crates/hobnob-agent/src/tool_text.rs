//! What a tool answered, as a model is told it: text, and no more of it than a conversation bears.
//!
//! What must stay true: however large a result is, the text is bounded, and it says what is left out.

use serde_json::Value;

/// The most bytes of one tool's answer that go to a model: of its beginning, and of its end, where
/// programs say how they ended and the hub says where the rest of a large result is.
const MAX_BEGINNING: usize = 48 << 10;
const MAX_END: usize = 16 << 10;

/// The text of a result, as JSON text of `tools/call`, and whether it says that the tool failed.
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

/// A text that is short enough for a model: of a longer one the middle is left out.
pub fn bounded(text: &str) -> String {
    if text.len() <= MAX_BEGINNING + MAX_END {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(MAX_BEGINNING);
    let next = text.ceil_char_boundary(text.len() - MAX_END);
    let left_out = next - end;
    format!("{}\n[{left_out} bytes left out here; ask for less]\n{}", &text[..end], &text[next..])
}

/// One block of content. Pictures and sounds are only named: they are not stored with the conversation.
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

/// How large something in base64 is, in words.
fn size_of(base64: &str) -> String {
    match base64.trim_end_matches('=').len() * 3 / 4 {
        bytes @ ..1024 => format!("{bytes} bytes"),
        bytes @ 1024..1_048_576 => format!("{} KiB", bytes / 1024),
        bytes => format!("{} MiB", bytes / 1_048_576),
    }
}

#[cfg(test)]
mod tests;
