//! The requests of both eras, and the text in them. A call is built once and repeated with another
//! id, so that building it costs nothing.

use bytes::BufMut;
use serde_json::{Value, json};

use crate::options::Era;

/// The id of the handshake's request; calls use the following ids.
pub(crate) const HELLO_ID: usize = 0;
pub(crate) const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

impl Era {
    pub(crate) fn revision(self) -> &'static str {
        match self {
            Self::Legacy => "2025-06-18",
            Self::Stateless => "2026-07-28",
        }
    }

    /// The method of the first request.
    pub(crate) fn hello_method(self) -> &'static str {
        match self {
            Self::Legacy => "initialize",
            Self::Stateless => "server/discover",
        }
    }

    /// The first request: a server that answers it is ready.
    pub(crate) fn hello(self) -> String {
        let params = match self {
            Self::Legacy => json!({
                "protocolVersion": self.revision(),
                "capabilities": {},
                "clientInfo": client_info(),
            }),
            Self::Stateless => json!({ "_meta": metadata(self) }),
        };
        let method = self.hello_method();
        json!({ "jsonrpc": "2.0", "id": HELLO_ID, "method": method, "params": params }).to_string()
    }
}

/// One `tools/call` without its id.
pub(crate) struct ToolCall {
    from_method_on: String,
}

impl ToolCall {
    /// `arguments` is JSON text.
    pub(crate) fn new(era: Era, tool: &str, arguments: &str) -> Self {
        let name = Value::from(tool);
        let metadata = match era {
            Era::Legacy => String::new(),
            Era::Stateless => format!(r#","_meta":{}"#, metadata(era)),
        };
        let params = format!(r#"{{"name":{name},"arguments":{arguments}{metadata}}}"#);
        Self { from_method_on: format!(r#","method":"tools/call","params":{params}}}"#) }
    }

    pub(crate) fn append_to(&self, out: &mut impl BufMut, id: usize) {
        out.put_slice(br#"{"jsonrpc":"2.0","id":"#);
        out.put_slice(id.to_string().as_bytes());
        out.put_slice(self.from_method_on.as_bytes());
    }
}

/// The arguments of an echo.
pub(crate) fn echo_arguments(message: &str) -> String {
    json!({ "message": message }).to_string()
}

/// A request for one page of the list of tools, in a legacy session.
pub(crate) fn list_tools(id: usize, cursor: Option<&str>) -> String {
    let params = cursor.map_or_else(|| json!({}), |cursor| json!({ "cursor": cursor }));
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/list", "params": params }).to_string()
}

/// Typical text: mostly ASCII, with a quote, a line break or a multi-byte character now and then.
/// Its first 64 bytes contain one of each except the line break.
const PARAGRAPH: &str = "The \"naïve\" plan was to read the file once and keep it in memory.\n\
    It held for a year; then the file grew, and so did the bill for it.\n\
    What we do now: map it, look up the offset, and copy only the rows asked for – \
    usually fewer than twenty, at C:\\data\\rows or wherever the index says.\n\n";

/// A text of exactly `bytes` bytes.
pub(crate) fn message(bytes: usize) -> String {
    let mut text = PARAGRAPH.repeat(bytes / PARAGRAPH.len() + 1);
    text.truncate(text.floor_char_boundary(bytes));
    // Dots replace a character that was cut at the end.
    text.extend(std::iter::repeat_n('.', bytes - text.len()));
    text
}

fn metadata(era: Era) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": era.revision(),
        "io.modelcontextprotocol/clientInfo": client_info(),
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

fn client_info() -> Value {
    json!({ "name": "load", "version": "0.1.0" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_the_length_asked_for() {
        for bytes in [0, 1, 7, 8, 64, 1024, 102_400] {
            assert_eq!(message(bytes).len(), bytes);
        }
    }

    #[test]
    fn even_the_shortest_message_needs_escaping() {
        let short = message(64);
        assert!(short.contains('"') && !short.is_ascii());
    }

    #[test]
    fn a_call_is_valid_json_with_its_id() {
        for era in [Era::Legacy, Era::Stateless] {
            let mut out = Vec::new();
            ToolCall::new(era, "echo", &echo_arguments("a \"b\"\n")).append_to(&mut out, 17);
            let call: Value = serde_json::from_slice(&out).unwrap();
            assert_eq!(call["id"], 17);
            assert_eq!(call["params"]["arguments"]["message"], "a \"b\"\n");
            assert_eq!(call["params"]["_meta"].is_object(), era == Era::Stateless);
        }
    }
}
