//! What the tests of `hobnob chat` on a pseudo-terminal share: settings with a provider on this
//! machine, keys to type, and the screen that a terminal shows in the end.

use std::num::NonZeroU16;

use serde_json::Value;

use crate::cli_hostile::on_terminal;
use crate::faults_setup::Setup;
use crate::model_server::{ModelServer, Request};
use crate::program::within;

/// Rows of the terminal, enough for a whole conversation of these tests.
pub(crate) const ROWS: u16 = 80;
/// Columns of the terminal where a test does not ask for another width.
pub(crate) const COLUMNS: u16 = 100;
/// The prompt: the person can type a line.
pub(crate) const READY: &str = "> ";
/// The last step of a person: leave as soon as the prompt is there.
pub(crate) const LEAVE: (&str, &str) = (READY, "/quit\r");
/// The byte that a terminal sends for Ctrl-C.
pub(crate) const CTRL_C: &str = "\u{3}";
/// A rule for every tool of every server.
pub(crate) const ALL_ALLOWED: &[(&str, &str)] = &[("mcp__*", "allow")];

/// Settings with this provider and these rules, each a pattern and an action.
pub(crate) fn chat_settings(provider: &ModelServer, rules: &[(&str, &str)]) -> String {
    let rule = |(tool, action): &(&str, &str)| {
        format!("[[permissions]]\ntool = \"{tool}\"\naction = \"{action}\"\n")
    };
    let rules: String = rules.iter().map(rule).collect();
    format!(
        "[models]\ndefault = \"test/m\"\n[providers.test]\ndialect = \"ollama\"\nurl = \"{}\"\n\
         retries = 0\n{rules}",
        provider.url
    )
}

/// A home with one server, `one`, whose tools are those of `faulty.py`.
pub(crate) async fn chat_home(
    name: &str,
    provider: &ModelServer,
    rules: &[(&str, &str)],
) -> Option<Setup> {
    let mut setup = Setup::new(name).await?;
    setup.settings(&chat_settings(provider, rules)).upstream("one", &[]).write();
    Some(setup)
}

/// Runs `hobnob chat` with these steps until it succeeds, and returns all that it wrote.
pub(crate) async fn chat(setup: &Setup, steps: &[(&str, &str)]) -> String {
    chat_with(setup, steps, &[]).await
}

/// Like `chat`, with more words on the command line.
pub(crate) async fn chat_with(setup: &Setup, steps: &[(&str, &str)], words: &[&str]) -> String {
    let words = [&["chat"], words].concat();
    let (code, shown) = on_terminal(setup, (ROWS, COLUMNS), steps, &words).await;
    assert_eq!(code, 0, "{shown}");
    shown
}

/// What a terminal of this width shows in the end.
pub(crate) fn screen(shown: &str, columns: u16) -> String {
    let size = |count: u16| NonZeroU16::new(count).unwrap();
    let mut terminal = vt100::Parser::new(size(ROWS), size(columns), 0);
    terminal.process(shown.as_bytes());
    terminal.screen().contents()
}

/// Runs a command of the person, which must succeed.
pub(crate) async fn person_runs(setup: &Setup, words: &[&str]) {
    let running = setup.hobnob(words).stdin(std::process::Stdio::null()).output();
    let output = within(&words.join(" "), running).await.unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// The names of the tools in a request.
pub(crate) fn offered(request: &Request) -> Vec<String> {
    let tools = request.body["tools"].as_array().cloned().unwrap_or_default();
    tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect()
}

/// The results of calls in a request, in the order of the calls.
pub(crate) fn results(request: &Request) -> Vec<String> {
    let messages = request.body["messages"].as_array().unwrap();
    let results = messages.iter().filter(|message| message["role"] == "tool");
    results.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
}

/// Checks that every call in a request has exactly one result, which follows directly.
pub(crate) fn assert_whole(request: &Request) {
    let messages = request.body["messages"].as_array().unwrap();
    let mut open = 0;
    for message in messages {
        if message["role"] == "tool" {
            assert_ne!(open, 0, "a result without a call: {messages:?}");
            open -= 1;
        } else {
            assert_eq!(open, 0, "a call without a result: {messages:?}");
        }
        open += message["tool_calls"].as_array().map_or(0, Vec::len);
    }
    assert_eq!(open, 0, "a call without a result: {messages:?}");
}

/// The text of the last message in a request.
pub(crate) fn last_said(request: &Request) -> &str {
    let last = request.body["messages"].as_array().and_then(|messages| messages.last());
    last.and_then(|message: &Value| message["content"].as_str()).unwrap()
}
