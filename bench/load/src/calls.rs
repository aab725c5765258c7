//! The calls to make and the check of their answers: an echo, or any tool with arguments from a
//! file. `stdio` and `http` send the calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, ensure};
use serde::Deserialize;

use crate::answer::{EchoCheck, read};
use crate::options::{Era, Options};
use crate::request::{ToolCall, echo_arguments, message};

/// The calls of one caller. All callers of a run take them from the same source.
#[derive(Clone)]
pub(crate) struct Calls {
    source: Arc<Source>,
    check: Check,
}

struct Source {
    calls: Vec<ToolCall>,
    dealt: AtomicUsize,
}

#[derive(Clone)]
enum Check {
    Echo(EchoCheck),
    /// The result must be a success, and contain this text if one is named.
    Success {
        contains: Option<String>,
    },
}

/// The member of a tool's result that reports failure.
#[derive(Deserialize)]
struct ToolResult {
    #[serde(default, rename = "isError")]
    is_error: bool,
}

impl Calls {
    pub(crate) fn new(options: &Options, era: Era) -> anyhow::Result<Self> {
        let call = |arguments: &str| ToolCall::new(era, &options.tool, arguments);
        let (calls, check): (Vec<ToolCall>, _) = match &options.arguments {
            None => {
                let text = message(options.payload);
                (vec![call(&echo_arguments(&text))], Check::Echo(EchoCheck::new(text)))
            }
            Some(file) => {
                let text = std::fs::read_to_string(file)
                    .with_context(|| format!("cannot read {}", file.display()))?;
                let contains = options.contains.clone();
                (text.lines().map(call).collect(), Check::Success { contains })
            }
        };
        ensure!(!calls.is_empty(), "there is nothing to call");
        let source = Arc::new(Source { calls, dealt: AtomicUsize::new(0) });
        Ok(Self { source, check })
    }

    /// The next call. A single call is repeated; of several calls, each is made once.
    pub(crate) fn next(&self) -> anyhow::Result<&ToolCall> {
        let Source { calls, dealt } = &*self.source;
        let number = if calls.len() == 1 { 0 } else { dealt.fetch_add(1, Ordering::Relaxed) };
        calls.get(number).context("all calls have been made")
    }

    /// The id of the answered call; `None` for the server's own requests and notifications.
    pub(crate) fn answered(&mut self, message: &[u8]) -> anyhow::Result<Option<usize>> {
        let contains = match &mut self.check {
            Check::Echo(echoes) => return echoes.answered(message),
            Check::Success { contains } => contains,
        };
        let Some((id, result)) = read(message)? else { return Ok(None) };
        let shown = || String::from_utf8_lossy(&message[..message.len().min(600)]).into_owned();
        let tool: ToolResult = serde_json::from_str(result.get()).with_context(shown)?;
        ensure!(!tool.is_error, "the tool failed: {}", shown());
        let found = |text: &String| memchr::memmem::find(message, text.as_bytes()).is_some();
        ensure!(contains.as_ref().is_none_or(found), "something is missing: {}", shown());
        Ok(Some(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_a_success_or_the_run_has_failed() {
        let check = |contains: Option<&str>, answer: &str| {
            let source = Arc::new(Source { calls: Vec::new(), dealt: AtomicUsize::new(0) });
            let check = Check::Success { contains: contains.map(str::to_owned) };
            Calls { source, check }.answered(answer.as_bytes()).is_ok_and(|id| id == Some(7))
        };
        let result = r#"{"jsonrpc":"2.0","id":7,"result":{"content":["needle"]}}"#;
        assert!(check(None, result));
        assert!(check(Some("needle"), result));
        assert!(!check(Some("thread"), result));
        assert!(!check(None, r#"{"jsonrpc":"2.0","id":7,"result":{"isError":true}}"#));
        assert!(!check(None, r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no"}}"#));
        assert!(!check(None, "needle"));
    }
}
