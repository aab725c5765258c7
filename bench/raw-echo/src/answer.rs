//! Answers one JSON-RPC request; both transports call it.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// What the transport must know about the answered request.
#[derive(PartialEq)]
pub(crate) enum Asked {
    Initialize,
    Other,
}

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct EchoCall<'a> {
    #[serde(borrow)]
    arguments: EchoArguments<'a>,
}

#[derive(Deserialize)]
struct EchoArguments<'a> {
    #[serde(borrow)]
    message: Cow<'a, str>,
}

#[derive(Serialize)]
struct Answer<'a> {
    jsonrpc: &'static str,
    id: &'a RawValue,
    result: EchoResult<'a>,
}

#[derive(Serialize)]
struct EchoResult<'a> {
    content: [Text<'a>; 1],
}

#[derive(Serialize)]
struct Text<'a> {
    r#type: &'static str,
    text: &'a str,
}

/// The server. Its only state is the text of its list of tools; each of them echoes.
pub(crate) struct Echo {
    listed: String,
}

impl Echo {
    /// A server with `count` tools: `echo`, `echo_2`, `echo_3` and so on.
    pub(crate) fn with_tools(count: usize) -> Self {
        let mut tools = String::new();
        for number in 1..=count {
            let (comma, suffix) = match number {
                1 => ("", String::new()),
                _ => (",", format!("_{number}")),
            };
            // Writing to a string never fails.
            let _ = write!(tools, r#"{comma}{{"name":"echo{suffix}",{TOOL}}}"#);
        }
        Self { listed: format!(r#""result":{{{PAGE},"tools":[{tools}]}}"#) }
    }

    /// Appends the answer to `out`; a notification appends nothing.
    pub(crate) fn answer(&self, request: &[u8], out: &mut Vec<u8>) -> anyhow::Result<Asked> {
        let request: Request<'_> = serde_json::from_slice(request)?;
        let Some(id) = request.id else { return Ok(Asked::Other) };
        if request.method == "tools/call" {
            let params = request.params.map_or("null", RawValue::get);
            let call: EchoCall<'_> = serde_json::from_str(params)?;
            let content = [Text { r#type: "text", text: &call.arguments.message }];
            let result = EchoResult { content };
            serde_json::to_writer(out, &Answer { jsonrpc: "2.0", id, result })?;
            return Ok(Asked::Other);
        }
        let (asked, body) = match &*request.method {
            "initialize" => (Asked::Initialize, INITIALIZED),
            "server/discover" => (Asked::Other, DISCOVERED),
            "tools/list" => (Asked::Other, &*self.listed),
            "ping" => (Asked::Other, PONG),
            _ => (Asked::Other, UNKNOWN),
        };
        write!(out, r#"{{"jsonrpc":"2.0","id":{id},{body}}}"#)?;
        Ok(asked)
    }
}

const INITIALIZED: &str = r#""result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"raw-echo","version":"0.1.0"}}"#;
const DISCOVERED: &str = r#""result":{"resultType":"complete","ttlMs":60000,"cacheScope":"public","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}"#;
/// The members of a page in the newest revision; older revisions ignore them.
const PAGE: &str = r#""resultType":"complete","ttlMs":60000,"cacheScope":"public""#;
const TOOL: &str = r#""description":"Gives its message back.","inputSchema":{"type":"object","properties":{"message":{"type":"string","description":"What to give back."}},"required":["message"]}"#;
const PONG: &str = r#""result":{}"#;
const UNKNOWN: &str = r#""error":{"code":-32601,"message":"method not found"}"#;
