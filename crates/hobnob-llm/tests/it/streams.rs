//! A short answer in the wire format of each provider.

use hobnob_llm::ProviderDialect;

use crate::server::{EVENTS, LINES};

/// An answer in one dialect: its content type, its beginning, and the rest.
pub(crate) struct Answer {
    pub(crate) dialect: ProviderDialect,
    pub(crate) kind: &'static str,
    /// Everything up to the first text, which is `Grüße `, and this text itself.
    pub(crate) beginning: &'static str,
    /// The second text, which is `😀!`, and the end.
    pub(crate) rest: &'static str,
    /// An error of the provider in the middle of its stream.
    pub(crate) error: &'static str,
}

impl Answer {
    pub(crate) fn whole(&self) -> String {
        format!("{}{}", self.beginning, self.rest)
    }
}

pub(crate) const ANTHROPIC: Answer = Answer {
    dialect: ProviderDialect::Anthropic,
    kind: EVENTS,
    beginning: concat!(
        "event: message_start\n",
        r#"data: {"type":"message_start","message":{"id":"msg_1","model":"m","usage":{"input_tokens":10,"output_tokens":1}}}"#,
        "\n\nevent: content_block_start\n",
        r#"data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
        "\n\nevent: content_block_delta\n",
        r#"data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Grüße "}}"#,
        "\n\n",
    ),
    rest: concat!(
        r#"data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\ud83d\ude00!"}}"#,
        "\n\n",
        r#"data: {"type":"content_block_stop","index":0}"#,
        "\n\n",
        r#"data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}}"#,
        "\n\n",
        r#"data: {"type":"message_stop"}"#,
        "\n\n",
    ),
    error: concat!(
        "event: error\n",
        r#"data: {"type":"error","error":{"type":"overloaded_error","message":"Busy"}}"#,
        "\n\n",
    ),
};

pub(crate) const CHAT: Answer = Answer {
    dialect: ProviderDialect::OpenaiChat,
    kind: EVENTS,
    beginning: concat!(
        r#"data: {"id":"c","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Grüße "},"finish_reason":null}]}"#,
        "\r\n\r\n",
    ),
    rest: concat!(
        r#"data: {"id":"c","model":"m","choices":[{"index":0,"delta":{"content":"\ud83d\ude00!"},"finish_reason":null}]}"#,
        "\r\n\r\n",
        r#"data: {"id":"c","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
        "\r\n\r\n",
        r#"data: {"id":"c","model":"m","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5}}"#,
        "\r\n\r\ndata: [DONE]\r\n\r\n",
    ),
    error: "data: {\"error\":{\"message\":\"Busy\",\"type\":\"server_error\"}}\r\n\r\n",
};

pub(crate) const RESPONSES: Answer = Answer {
    dialect: ProviderDialect::OpenaiResponses,
    kind: EVENTS,
    beginning: concat!(
        r#"data: {"type":"response.created","response":{"id":"r","model":"m"}}"#,
        "\n\n",
        r#"data: {"type":"response.output_text.delta","delta":"Grüße "}"#,
        "\n\n",
    ),
    rest: concat!(
        r#"data: {"type":"response.output_text.delta","delta":"\ud83d\ude00!"}"#,
        "\n\n",
        r#"data: {"type":"response.completed","response":{"id":"r","usage":{"input_tokens":10,"output_tokens":5}}}"#,
        "\n\n",
    ),
    error: concat!(
        r#"data: {"type":"response.failed","response":{"error":{"code":"server_error","message":"Busy"}}}"#,
        "\n\n",
    ),
};

pub(crate) const OLLAMA: Answer = Answer {
    dialect: ProviderDialect::Ollama,
    kind: LINES,
    beginning: "{\"model\":\"m\",\"message\":{\"content\":\"Grüße \"},\"done\":false}\n",
    rest: concat!(
        r#"{"model":"m","message":{"content":"\ud83d\ude00!"},"done":false}"#,
        "\n",
        r#"{"model":"m","message":{"content":""},"done":true,"done_reason":"stop","prompt_eval_count":10,"eval_count":5}"#,
        "\n",
    ),
    error: "{\"error\":\"Busy\"}\n",
};

pub(crate) const ALL: [Answer; 4] = [ANTHROPIC, CHAT, RESPONSES, OLLAMA];
