//! Checks that an answer is the echo of our call. Every answer is checked before it is counted.

use std::borrow::Cow;

use anyhow::{Context as _, bail, ensure};
use serde::Deserialize;
use serde_json::value::RawValue;

/// Any message from a server.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct EchoResult<'a> {
    #[serde(borrow)]
    content: Vec<Text<'a>>,
}

#[derive(Deserialize)]
struct Text<'a> {
    #[serde(borrow)]
    text: Cow<'a, str>,
}

/// The id and the raw result of an answer; `None` for the server's own requests and notifications.
pub(crate) fn read(message: &[u8]) -> anyhow::Result<Option<(usize, &RawValue)>> {
    let envelope: Envelope<'_> = serde_json::from_slice(message)
        .with_context(|| format!("not JSON: {}", start_of(message)))?;
    if envelope.method.is_some() {
        return Ok(None);
    }
    let (Some(id), Some(result)) = (envelope.id, envelope.result) else {
        bail!("not a result: {}", start_of(message));
    };
    Ok(Some((id.get().parse().context("not an id of ours")?, result)))
}

/// Recognises the echoes of one message.
///
/// The first answer is decoded and compared. Later ones should be the same bytes around another id,
/// which is cheap to check; one that differs is decoded too.
#[derive(Clone)]
pub(crate) struct EchoCheck {
    message: String,
    seen: Option<Frame>,
}

#[derive(Clone)]
struct Frame {
    before_id: Vec<u8>,
    after_id: Vec<u8>,
}

impl EchoCheck {
    pub(crate) fn new(message: String) -> Self {
        Self { message, seen: None }
    }

    /// The id of the call that this echoes; `None` for the server's own requests and notifications.
    pub(crate) fn answered(&mut self, message: &[u8]) -> anyhow::Result<Option<usize>> {
        if let Some(id) = self.seen.as_ref().and_then(|frame| frame.id_of(message)) {
            return Ok(Some(id));
        }
        let Some((id, result)) = read(message)? else { return Ok(None) };
        let result: EchoResult<'_> = serde_json::from_str(result.get())
            .with_context(|| format!("not a tool's result: {}", start_of(message)))?;
        ensure!(
            matches!(&result.content[..], [only] if only.text == self.message),
            "not the echo of the message: {}",
            start_of(message)
        );
        self.seen = Frame::around(message, id);
        Ok(Some(id))
    }
}

impl Frame {
    fn around(message: &[u8], id: usize) -> Option<Self> {
        let member = format!(r#""id":{id}"#);
        let start = memchr::memmem::find(message, member.as_bytes())?;
        let (before_id, rest) = message.split_at(start + r#""id":"#.len());
        let after_id = &rest[member.len() - r#""id":"#.len()..];
        Some(Self { before_id: before_id.to_vec(), after_id: after_id.to_vec() })
    }

    fn id_of(&self, message: &[u8]) -> Option<usize> {
        let digits = message.strip_prefix(&self.before_id[..])?.strip_suffix(&self.after_id[..])?;
        std::str::from_utf8(digits).ok()?.parse().ok()
    }
}

fn start_of(message: &[u8]) -> String {
    String::from_utf8_lossy(&message[..message.len().min(300)]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn echo(id: &str, text: &str) -> String {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":{text}}}]}}}}"#
        )
    }

    #[test]
    fn only_the_echo_counts() {
        let check = |answer: &str, expected: Result<Option<usize>, ()>| {
            // The verdict must not depend on whether the check has seen an echo before.
            for warm in [false, true] {
                let mut echoes = EchoCheck::new("a\"b".into());
                if warm {
                    assert_eq!(
                        echoes.answered(echo("1", r#""a\"b""#).as_bytes()).unwrap(),
                        Some(1)
                    );
                }
                assert_eq!(echoes.answered(answer.as_bytes()).map_err(drop), expected, "{answer}");
            }
        };
        check(&echo("12", r#""a\"b""#), Ok(Some(12)));
        check(&echo("12", r#""a\u0022b""#), Ok(Some(12)));
        check(&echo("12", r#""a""#), Err(()));
        check(&echo(r#""12""#, r#""a\"b""#), Err(()));
        check(r#"{"result":{"content":[{"text":"a\"b"}]},"id":7}"#, Ok(Some(7)));
        check(r#"{"jsonrpc":"2.0","id":3,"result":{"content":[]}}"#, Err(()));
        check(r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"no"}}"#, Err(()));
        check(r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#, Ok(None));
        check("a\"b", Err(()));
    }
}
