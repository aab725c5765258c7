//! One conversation with every kind of block, and the settings of thinking, for each provider.

use serde_json::{Value, json};

use super::super::{OutputLimitName, RequestContext};
use super::*;
use crate::error::ProviderError;
use crate::model::ThinkingStyle;
use crate::request::{
    CacheLifetime, CachePoint, ModelBlock, ModelImage, ModelMessage, ModelRequest, ModelRole,
    ThinkingEffort, ThinkingWish, ToolOutcome, ToolResultBlock,
};
use crate::tool::ModelTool;

const CONTEXT: RequestContext =
    RequestContext { thinking: None, max_output: None, output_limit: OutputLimitName::MaxTokens };

fn write(dialect: ProviderDialect, request: &ModelRequest) -> Value {
    dialect.write(request, &CONTEXT).unwrap()
}

fn conversation() -> ModelRequest {
    let image = ModelImage { media_type: "image/png".into(), data: "aGk=".into() };
    let tool_use = |id: &str, name: &str| {
        let input = ToolInput::parse(r#"{"at":1}"#).unwrap();
        ModelBlock::ToolUse(ToolUse { id: id.into(), name: name.into(), input })
    };
    let result = |id: &str, outcome, images: &[ModelImage]| {
        let (text, images) = (format!("result {id}"), images.to_vec());
        ModelBlock::ToolResult(ToolResultBlock { id: id.into(), text, images, outcome })
    };
    let thinking = |model: &str, signature: Option<&str>, hidden| {
        let (signature, model) = (signature.map(Into::into), model.into());
        ModelBlock::Thinking(ThinkingBlock { text: "hm".into(), signature, hidden, model })
    };
    let user = |blocks| ModelMessage { role: ModelRole::User, blocks };
    let assistant = |blocks| ModelMessage { role: ModelRole::Assistant, blocks };
    let mut request = ModelRequest::new(
        "asked",
        vec![
            user(vec![ModelBlock::Text("Look:".into()), ModelBlock::Image(image.clone())]),
            assistant(vec![
                thinking("asked", Some("sig"), false),
                thinking("asked", Some("data"), true),
                thinking("other", Some("sig"), false),
                thinking("asked", None, false),
                ModelBlock::Text("I look.".into()),
                tool_use("a", "weather"),
                tool_use("b", "time"),
            ]),
            user(vec![
                result("a", ToolOutcome::Done, &[image]),
                result("b", ToolOutcome::Failed, &[]),
                ModelBlock::Text("Go on.".into()),
            ]),
            ModelMessage::assistant(""),
        ],
    );
    request.system = Some("Be brief.".into());
    let schema = r#"{"type":"object","properties":{"at":{"type":"integer"}}}"#;
    request.tools = vec![ModelTool::new("weather", "tells the weather", schema).unwrap()];
    request.max_tokens = Some(100);
    request.temperature = Some(0.5);
    request
}

fn schema() -> Value {
    json!({"type": "object", "properties": {"at": {"type": "integer"}}})
}

#[test]
fn anthropic_gets_blocks_and_marks() {
    let mut request = conversation();
    request.stop = vec!["END".into()];
    request.cache.points =
        vec![CachePoint::Message(2), CachePoint::System, CachePoint::Tools, CachePoint::Message(9)];
    request.cache.lifetime = CacheLifetime::Hour;
    let cache_control = json!({"type": "ephemeral", "ttl": "1h"});
    let image = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}});
    let expected = json!({
        "model": "asked",
        "max_tokens": 100,
        "stream": true,
        "system": [{"type": "text", "text": "Be brief.", "cache_control": cache_control}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Look:"}, image]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "hm", "signature": "sig"},
                {"type": "redacted_thinking", "data": "data"},
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "a", "name": "weather", "input": {"at": 1}},
                {"type": "tool_use", "id": "b", "name": "time", "input": {"at": 1}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "result a"}, image]},
                {"type": "tool_result", "tool_use_id": "b", "content": [{"type": "text", "text": "result b"}], "is_error": true},
                {"type": "text", "text": "Go on.", "cache_control": cache_control},
            ]},
        ],
        "tools": [{"name": "weather", "description": "tells the weather", "input_schema": schema(), "cache_control": cache_control}],
        "temperature": 0.5,
        "stop_sequences": ["END"],
    });
    assert_eq!(write(ProviderDialect::Anthropic, &request), expected);
}

#[test]
fn of_many_marks_the_last_four_count() {
    let messages = (0..8).map(|at| ModelMessage::user(at.to_string())).collect();
    let mut request = ModelRequest::new("asked", messages);
    request.cache.points = [7, 1, 3, 5, 6, 5].map(CachePoint::Message).into();
    let body = write(ProviderDialect::Anthropic, &request);
    let marked = |message: &&Value| message["content"][0].get("cache_control").is_some();
    let messages = body["messages"].as_array().unwrap().iter().filter(marked);
    let marked: Vec<_> = messages.map(|it| it["content"][0]["text"].as_str().unwrap()).collect();
    assert_eq!(marked, ["3", "5", "6", "7"]);
    assert_eq!(body["max_tokens"], 8_192);
}

#[test]
fn chat_gets_results_as_messages_and_no_thinking() {
    let mut request = conversation();
    request.stop = vec!["END".into()];
    request.thinking = ThinkingWish::Effort(ThinkingEffort::Low);
    let image = json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}});
    let called = |id: &str, name: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": "{\"at\":1}"}});
    let mut expected = json!({
        "model": "asked",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": "Look:"}, image]},
            {"role": "assistant", "content": "I look.", "tool_calls": [called("a", "weather"), called("b", "time")]},
            {"role": "tool", "tool_call_id": "a", "content": "result a"},
            {"role": "tool", "tool_call_id": "b", "content": "Error: result b"},
            {"role": "user", "content": [{"type": "text", "text": "Go on."}, image]},
        ],
        "stream": true,
        "stream_options": {"include_usage": true},
        "max_tokens": 100,
        "temperature": 0.5,
        "tools": [{"type": "function", "function": {"name": "weather", "description": "tells the weather", "parameters": schema()}}],
        "stop": ["END"],
        "reasoning_effort": "low",
    });
    assert_eq!(write(ProviderDialect::OpenaiChat, &request), expected);

    let own = RequestContext { output_limit: OutputLimitName::MaxCompletionTokens, ..CONTEXT };
    let limit = expected.as_object_mut().unwrap().remove("max_tokens").unwrap();
    expected["max_completion_tokens"] = limit;
    assert_eq!(ProviderDialect::OpenaiChat.write(&request, &own).unwrap(), expected);
}

#[test]
fn responses_get_items_and_their_own_reasoning() {
    let mut request = conversation();
    request.cache.key = Some("session-1".into());
    request.thinking = ThinkingWish::Tokens(20_000);
    let image = json!({"type": "input_image", "image_url": "data:image/png;base64,aGk="});
    let reasoning = |data: &str| json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}], "encrypted_content": data});
    let called = |id: &str, name: &str| json!({"type": "function_call", "call_id": id, "name": name, "arguments": "{\"at\":1}"});
    let expected = json!({
        "model": "asked",
        "instructions": "Be brief.",
        "input": [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Look:"}, image]},
            reasoning("sig"),
            reasoning("data"),
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]},
            called("a", "weather"),
            called("b", "time"),
            {"type": "function_call_output", "call_id": "a", "output": [{"type": "input_text", "text": "result a"}, image]},
            {"type": "function_call_output", "call_id": "b", "output": "Error: result b"},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go on."}]},
        ],
        "stream": true,
        "store": false,
        "max_output_tokens": 100,
        "temperature": 0.5,
        "tools": [{"type": "function", "name": "weather", "description": "tells the weather", "parameters": schema(), "strict": false}],
        "reasoning": {"effort": "high", "summary": "auto"},
        "include": ["reasoning.encrypted_content"],
        "prompt_cache_key": "session-1",
    });
    assert_eq!(write(ProviderDialect::OpenaiResponses, &request), expected);

    request.stop = vec!["END".into()];
    let refused = ProviderDialect::OpenaiResponses.write(&request, &CONTEXT);
    assert!(matches!(refused, Err(ProviderError::Request(_))));
}

#[test]
fn ollama_gets_names_of_tools_and_bare_images() {
    let mut request = conversation();
    request.stop = vec!["END".into()];
    request.thinking = ThinkingWish::Off;
    let called = |name: &str| json!({"function": {"name": name, "arguments": {"at": 1}}});
    let expected = json!({
        "model": "asked",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Look:", "images": ["aGk="]},
            {"role": "assistant", "content": "I look.", "thinking": "hmhmhmhm", "tool_calls": [called("weather"), called("time")]},
            {"role": "tool", "content": "result a", "tool_name": "weather", "images": ["aGk="]},
            {"role": "tool", "content": "Error: result b", "tool_name": "time"},
            {"role": "user", "content": "Go on."},
            {"role": "assistant", "content": ""},
        ],
        "stream": true,
        "tools": [{"type": "function", "function": {"name": "weather", "description": "tells the weather", "parameters": schema()}}],
        "options": {"num_predict": 100, "temperature": 0.5, "stop": ["END"]},
        "think": false,
    });
    assert_eq!(write(ProviderDialect::Ollama, &request), expected);
}

#[test]
fn a_wish_to_think_is_sent_in_the_form_that_the_model_knows() {
    use ProviderDialect::{Anthropic, Ollama, OpenaiResponses};
    use ThinkingStyle::{Adaptive, Always, Budget, Effort, None as Never};
    let low = ThinkingWish::Effort(ThinkingEffort::Low);
    let tokens = ThinkingWish::Tokens(5_000);
    let adaptive = |effort: &str| json!({"thinking": {"type": "adaptive", "display": "summarized"}, "output_config": {"effort": effort}});
    let budget = |tokens: u32| json!({"thinking": {"type": "enabled", "budget_tokens": tokens}});
    let reasoning = |effort: &str| json!({"reasoning": {"effort": effort, "summary": "auto"}, "include": ["reasoning.encrypted_content"]});
    let include = json!({"include": ["reasoning.encrypted_content"]});
    for (dialect, style, wish, expected) in [
        (Anthropic, Some(Always), ThinkingWish::Default, json!({})),
        (Anthropic, None, low, adaptive("low")),
        (Anthropic, Some(Always), ThinkingWish::Off, json!({"output_config": {"effort": "low"}})),
        (Anthropic, Some(Always), tokens, adaptive("medium")),
        (Anthropic, Some(Adaptive), ThinkingWish::Off, json!({"thinking": {"type": "disabled"}})),
        (Anthropic, Some(Budget), ThinkingWish::Off, json!({})),
        (Anthropic, Some(Budget), low, budget(2_048)),
        (Anthropic, Some(Budget), tokens, budget(5_000)),
        (Anthropic, Some(Budget), ThinkingWish::Tokens(1), budget(1_024)),
        (Anthropic, Some(Budget), ThinkingWish::Tokens(99_999), budget(9_999)),
        (Anthropic, Some(Never), tokens, json!({})),
        (OpenaiResponses, Some(Effort), ThinkingWish::Default, include),
        (OpenaiResponses, Some(Effort), ThinkingWish::Off, reasoning("none")),
        (OpenaiResponses, None, tokens, reasoning("medium")),
        (OpenaiResponses, Some(Never), low, json!({})),
        (OpenaiResponses, None, ThinkingWish::Default, json!({})),
        (Ollama, None, low, json!({"think": true})),
        (Ollama, None, ThinkingWish::Default, json!({})),
    ] {
        let mut request = ModelRequest::new("asked", vec![ModelMessage::user("x")]);
        (request.max_tokens, request.thinking) = (Some(10_000), wish);
        let context = RequestContext { thinking: style, ..CONTEXT };
        let body = dialect.write(&request, &context).unwrap();
        let mut settings = body.as_object().unwrap().clone();
        let about = ["thinking", "output_config", "reasoning", "include", "think"];
        settings.retain(|name, _| about.contains(&name.as_str()));
        assert_eq!(Value::from(settings), expected, "{dialect:?} {style:?} {wish:?}");
    }

    let mut levels = ModelRequest::new("gpt-oss:20b", vec![ModelMessage::user("x")]);
    levels.thinking = low;
    assert_eq!(write(ProviderDialect::Ollama, &levels)["think"], "low");
    let mut tight = ModelRequest::new("asked", vec![]);
    (tight.max_tokens, tight.thinking) = (Some(1_024), low);
    let context = RequestContext { thinking: Some(Budget), ..CONTEXT };
    assert!(matches!(Anthropic.write(&tight, &context), Err(ProviderError::Request(_))));
}
