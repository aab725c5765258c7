//! Plays a scripted client against a real server in memory: what it sends, and what must come back,
//! line by line.
//!
//! A script consists of steps; a step continues on the following lines until the next mark.
//!
//! ```text
//! # a remark
//! let me = {"name":"c","version":"1"}              ${me} stands for this text from here on
//! > {"jsonrpc":"2.0","id":1,"method":"ping"}       sent as one line
//! < {"jsonrpc":"2.0","id":1,"result":{}}           the next message, equal as JSON
//! < {"jsonrpc":"2.0","id":2,"result":"$any"}       "$any" stands for any value
//! < {"jsonrpc":"2.0","id":3,"result":"$keep it"}   the same, and ${it} is its JSON text afterwards
//! < {"jsonrpc":"2.0","id":4,"result":"$has abc"}   any string with `abc` in it
//! = {"jsonrpc":"2.0","id":5,"result":{}}           the next message, byte for byte
//! !                                                nothing more comes
//! do stop                                          once all is quiet, the test acts
//! end                                              the input ends
//! ```
//!
//! Tests pause the clock, so that waiting takes no real time. A message that comes after the last
//! step fails the test as well.
#![expect(clippy::panic, reason = "a conversation that differs from its script fails its test")]

use hobnob_mcp_server::{Server, serve_link};
use hobnob_mcp_transport::{MemoryPeer, memory_link};
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;

#[cfg(test)]
mod tests;

/// How long nothing must come until it counts as silence, in paused time.
const SILENCE: Duration = Duration::from_secs(2);
/// The shortest wait: with the clock paused, it ends once every other task waits too.
const QUIET: Duration = Duration::from_millis(1);

/// Holds a conversation with a server over the in-memory transport; panics where it differs.
pub async fn converse(server: &Server, script: &str) {
    converse_doing(server, script, |name| panic!("the test has no action named `{name}`")).await;
}

/// Like [`converse`], for a script with `do` steps: their names are passed to `act`.
pub async fn converse_doing(server: &Server, script: &str, mut act: impl FnMut(&str)) {
    with_peer(server, async |peer| {
        let mut words = Words::default();
        for (number, step) in steps(script) {
            perform(peer, &mut words, number, &step, &mut act).await;
        }
        peer.end().await;
        while let Some(frame) = peer.receive().await {
            let text = String::from_utf8_lossy(&frame.bytes);
            // A listen request that is still open is answered when the input ends.
            let ends_a_listen = text.contains("\"result\"") && text.contains("/subscriptionId\"");
            assert!(ends_a_listen, "after the end came: {text}");
        }
    })
    .await;
}

/// Serves one peer, which may send any bytes and read at its own pace.
pub async fn with_peer(server: &Server, talk: impl AsyncFnOnce(&mut MemoryPeer)) {
    let (link, mut peer) = memory_link(server.limits().line_bytes);
    let talk = async {
        talk(&mut peer).await;
        drop(peer);
    };
    tokio::join!(serve_link(server, link), talk);
}

/// Waits until every other task waits too; works only with the clock paused.
pub async fn quiet() {
    tokio::time::sleep(QUIET).await;
}

enum Step {
    Let(String, String),
    Send(String),
    Expect(String),
    ExpectBytes(String),
    Silence,
    Act(String),
    End,
}

async fn perform(
    peer: &mut MemoryPeer,
    words: &mut Words,
    number: usize,
    step: &Step,
    act: &mut impl FnMut(&str),
) {
    match step {
        Step::Let(name, text) => {
            let text = words.fill(text, number);
            words.0.insert(name.clone(), text);
        }
        Step::Send(text) => {
            let text = words.fill(text, number);
            peer.send(format!("{text}\n").as_bytes()).await;
        }
        Step::Expect(text) => {
            let text = words.fill(text, number);
            let found = parse(&next(peer, number, &text).await, number);
            let expected = parse(&text, number);
            if !words.matches(&expected, &found) {
                panic!("line {number}:\n expected {expected}\n found    {found}");
            }
        }
        Step::ExpectBytes(text) => {
            let expected = words.fill(text, number);
            let found = next(peer, number, &expected).await;
            if expected != found {
                panic!("line {number}:\n expected {expected}\n found    {found}");
            }
        }
        Step::Silence => {
            let frame = tokio::time::timeout(SILENCE, peer.receive()).await;
            if let Ok(Some(frame)) = frame {
                let text = String::from_utf8_lossy(&frame.bytes).into_owned();
                panic!("line {number}: silence expected, but came {text}");
            }
        }
        Step::Act(name) => {
            quiet().await;
            act(name);
        }
        Step::End => peer.end().await,
    }
}

async fn next(peer: &MemoryPeer, number: usize, wanted: &str) -> String {
    let frame = tokio::time::timeout(SILENCE, peer.receive()).await;
    let Ok(Some(frame)) = frame else { panic!("line {number}: nothing came for {wanted}") };
    match String::from_utf8(frame.bytes.to_vec()) {
        Ok(text) => text,
        Err(error) => panic!("line {number}: {error}"),
    }
}

/// The steps of a script, each with the number of its first line.
fn steps(script: &str) -> Vec<(usize, Step)> {
    let mut steps: Vec<(usize, Step)> = Vec::new();
    for (index, line) in script.lines().enumerate() {
        let (number, line) = (index + 1, line.trim());
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let step = match line.split_at(1) {
            (">", text) => Step::Send(text.trim().into()),
            ("<", text) => Step::Expect(text.trim().into()),
            ("=", text) => Step::ExpectBytes(text.trim().into()),
            ("!", "") => Step::Silence,
            _ if line == "end" => Step::End,
            _ => match (line.strip_prefix("do "), line.strip_prefix("let ")) {
                (Some(name), _) => Step::Act(name.trim().into()),
                (_, Some(rest)) => definition(rest, number),
                (None, None) => {
                    go_on(steps.last_mut().map(|(_, step)| step), line, number);
                    continue;
                }
            },
        };
        steps.push((number, step));
    }
    steps
}

fn definition(rest: &str, number: usize) -> Step {
    match rest.split_once('=') {
        Some((name, text)) => Step::Let(name.trim().into(), text.trim().into()),
        None => panic!("line {number}: `let` without `=`"),
    }
}

/// Appends a line to the step before it. No JSON token at the start of a line looks like a mark.
fn go_on(step: Option<&mut Step>, line: &str, number: usize) {
    let is_word = line.starts_with(|first: char| first.is_ascii_alphabetic() || first == '!');
    match step {
        Some(
            Step::Send(text) | Step::Expect(text) | Step::ExpectBytes(text) | Step::Let(_, text),
        ) if !is_word => text.push_str(line),
        _ => panic!("line {number}: no step begins with {line}"),
    }
}

/// The variables of a script: `let` and `$keep` set them, `${name}` reads them.
#[derive(Default)]
pub(crate) struct Words(BTreeMap<String, String>);

impl Words {
    /// The text with every `${name}` replaced by its text.
    fn fill(&self, text: &str, number: usize) -> String {
        let mut pieces = text.split("${");
        let mut filled = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let Some((name, rest)) = piece.split_once('}') else {
                panic!("line {number}: `${{` without `}}`");
            };
            let Some(word) = self.0.get(name) else {
                panic!("line {number}: nothing is called `{name}`");
            };
            filled.push_str(word);
            filled.push_str(rest);
        }
        filled
    }

    /// Whether the values are equal, apart from `$any`, `$keep` and `$has` on the expected side.
    pub(crate) fn matches(&mut self, expected: &Value, found: &Value) -> bool {
        match (expected, found) {
            (Value::String(word), _) if word == "$any" => true,
            (Value::String(word), _) if word.starts_with("$keep ") => {
                self.0.insert(word["$keep ".len()..].to_owned(), found.to_string());
                true
            }
            (Value::String(word), found) if word.starts_with("$has ") => {
                found.as_str().is_some_and(|found| found.contains(&word["$has ".len()..]))
            }
            (Value::Object(expected), Value::Object(found)) => {
                expected.len() == found.len()
                    && expected.iter().all(|(key, value)| {
                        found.get(key).is_some_and(|found| self.matches(value, found))
                    })
            }
            (Value::Array(expected), Value::Array(found)) => {
                let mut pairs = expected.iter().zip(found);
                expected.len() == found.len()
                    && pairs.all(|(expected, found)| self.matches(expected, found))
            }
            _ => expected == found,
        }
    }
}

fn parse(text: &str, number: usize) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("line {number}: {error}: {text}"))
}
