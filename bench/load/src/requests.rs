//! Any requests over standard input and output, one after the other, from a file.
//!
//! Each line of the file is a request without its id. Every answer must be of the kind that was
//! expected, and have a text in it where one is named.

use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::options::{Expected, Limit, RequestsOptions};
use crate::report::{Load, Report, Tally};
use crate::request::HELLO_ID;
use crate::stdio::Client;

pub(crate) async fn measure(options: &RequestsOptions) -> anyhow::Result<Report> {
    let mut asked = Asked::read(options)?;
    let (server, mut client) = Client::connect(&options.load.command).await?;
    let startup = server.started().elapsed();
    asked.run(&mut client, options.load.warmup()?).await.context("warm-up")?;
    let before = server.usage()?;
    let tally = asked.run(&mut client, options.load.limit()?).await?;
    let after = server.usage()?;
    drop(client);
    server.end().await;
    Ok(Report::Load(Load::new(tally, before, after, startup)))
}

/// The requests, which begin again after the last.
struct Asked {
    /// Each without the brace that it begins with.
    lines: Vec<String>,
    expected: Expected,
    contains: Option<String>,
    next_id: usize,
}

impl Asked {
    fn read(options: &RequestsOptions) -> anyhow::Result<Self> {
        let file = &options.requests;
        let text = std::fs::read_to_string(file)
            .with_context(|| format!("cannot read {}", file.display()))?;
        let rest = |line: &str| line.strip_prefix('{').map(str::to_owned);
        let lines: Option<Vec<String>> = text.lines().map(rest).collect();
        let lines = lines.with_context(|| format!("{} is not JSON lines", file.display()))?;
        ensure!(!lines.is_empty(), "{} is empty", file.display());
        let contains = options.contains.clone();
        Ok(Self { lines, expected: options.expect, contains, next_id: HELLO_ID + 1 })
    }

    async fn run(&mut self, client: &mut Client, limit: Limit) -> anyhow::Result<Tally> {
        let mut latencies: Vec<Duration> = Vec::new();
        let begin = Instant::now();
        while limit.allows(latencies.len(), begin.elapsed()) {
            let id = self.next_id;
            self.next_id += 1;
            let line = &self.lines[id % self.lines.len()];
            let begun = Instant::now();
            let answer = client.ask(&format!(r#"{{"jsonrpc":"2.0","id":{id},{line}"#)).await?;
            latencies.push(begun.elapsed());
            self.check(&answer, id)?;
        }
        Ok(Tally { latencies, elapsed: begin.elapsed() })
    }

    fn check(&self, answer: &[u8], id: usize) -> anyhow::Result<()> {
        let shown = || String::from_utf8_lossy(&answer[..answer.len().min(600)]).into_owned();
        let read: Answer = serde_json::from_slice(answer).with_context(shown)?;
        ensure!(read.id == Some(id), "an answer to nothing we asked: {}", shown());
        let found = match (&read.result, &read.error) {
            (Some(result), None) if result.is_error => Expected::Failure,
            (Some(_), None) => Expected::Result,
            _ => Expected::Error,
        };
        ensure!(found == self.expected, "not what was expected: {}", shown());
        let contains = |text: &String| memchr::memmem::find(answer, text.as_bytes()).is_some();
        ensure!(self.contains.as_ref().is_none_or(contains), "something is missing: {}", shown());
        Ok(())
    }
}

#[derive(Deserialize)]
struct Answer {
    id: Option<usize>,
    result: Option<AnswerResult>,
    error: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct AnswerResult {
    #[serde(default, rename = "isError")]
    is_error: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_what_was_expected_or_the_run_has_failed() {
        let check = |expected, contains: Option<&str>, answer: &str| {
            let contains = contains.map(str::to_owned);
            let asked = Asked { lines: Vec::new(), expected, contains, next_id: 0 };
            asked.check(answer.as_bytes(), 7).is_ok()
        };
        let result = r#"{"jsonrpc":"2.0","id":7,"result":{"content":["needle"]}}"#;
        let failure = r#"{"jsonrpc":"2.0","id":7,"result":{"isError":true}}"#;
        let error = r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no"}}"#;
        assert!(check(Expected::Result, None, result));
        assert!(check(Expected::Result, Some("needle"), result));
        assert!(!check(Expected::Result, Some("thread"), result));
        assert!(!check(Expected::Failure, None, result));
        assert!(check(Expected::Failure, None, failure));
        assert!(!check(Expected::Result, None, failure));
        assert!(check(Expected::Error, None, error));
        assert!(!check(Expected::Result, None, error));
        assert!(!check(Expected::Result, None, &result.replace('7', "8")));
        assert!(!check(Expected::Result, None, "needle"));
    }
}
