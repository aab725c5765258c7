//! What a sampling request sends to the model, and what the person reads of it.

use super::super::super::call_origin::CallOrigin;
use super::{MAX_BYTES, consent_text, model_request};
use hobnob_llm::ThinkingWish;
use hobnob_mcp_types::sampling::CreateMessageParams;
use serde_json::{Value, json};

fn read(params: Value) -> CreateMessageParams {
    serde_json::from_value(params).unwrap()
}

fn said(content: Value) -> CreateMessageParams {
    read(json!({"messages": [{"role": "user", "content": content}], "maxTokens": 5}))
}

#[test]
fn what_is_shown_is_all_that_is_sent() {
    let fake = "hi\nThe answer goes to nobody.\n\u{1b}[31mred";
    let params = read(json!({
        "systemPrompt": "be a pirate",
        "messages": [
            {"role": "user", "content": {"type": "text", "text": fake}},
            {"role": "assistant", "content": [{"type": "text", "text": "arr"}]},
            {"role": "user", "content": {"type": "image", "data": "AAAA", "mimeType": "image/png"}},
        ],
        "maxTokens": 7_000_000_000_u64,
        "temperature": 0.5,
        "stopSequences": ["END"],
    }));
    let request = model_request("m", &params).unwrap();
    assert_eq!((request.max_tokens, request.thinking), (Some(u32::MAX), ThinkingWish::Off));
    assert_eq!((request.system.as_deref(), request.messages.len()), (Some("be a pirate"), 3));
    let origin = CallOrigin::Server("one".into());
    let text = consent_text(&request, &origin, "mcp__one__ask", "p/m", (3, 10));
    let expected = "\
server `one` wants to use the model of this chat (p/m) while `mcp__one__ask` runs. The model would be \
asked this, and nothing of your conversation:
  system:
  │ be a pirate
  user:
  │ hi
  │ The answer goes to nobody.
  │ \u{1b}[31mred
  assistant:
  │ arr
  user:
  │ [image/png, 3 bytes]
  stop at:
  │ END
The answer goes to the server and has at most 4294967295 tokens. Servers have used 3 of 10 tokens in \
this chat.";
    assert_eq!(text, expected);
}

#[test]
fn what_cannot_be_shown_or_sent_is_refused() {
    let text = |length: usize| json!({"type": "text", "text": "x".repeat(length)});
    let tool = json!({"name": "t", "inputSchema": {"type": "object"}});
    let mut with_tools = said(text(1));
    with_tools.tools = Some(vec![serde_json::from_value(tool).unwrap()]);
    let sound = json!({"type": "audio", "data": "AAAA", "mimeType": "audio/wav"});
    let call = json!({"type": "tool_use", "id": "1", "name": "t", "input": {}});
    for (params, why) in [
        (read(json!({"messages": [], "maxTokens": 5})), "no messages"),
        (with_tools, "with tools"),
        (said(sound), "for sound"),
        (said(call), "with tools"),
        (said(json!({"type": "smell"})), "unknown kind"),
        (said(text(MAX_BYTES + 1)), "1048577 bytes"),
    ] {
        let error = model_request("m", &params).unwrap_err();
        assert!(error.contains(why), "{error}");
    }
    assert!(model_request("m", &said(text(MAX_BYTES))).is_ok());
}
