//! Parses the script of a scripted server into steps.
//!
//! `scripted` plays them. A script that cannot be parsed fails the test before anything is sent.
#![expect(clippy::panic, reason = "a script that cannot be read fails its test")]

use serde_json::Value;

/// One step of a script, and the line it begins on.
pub(crate) struct ScriptStep {
    pub(crate) line: usize,
    pub(crate) action: ScriptAction,
}

/// What the server does, or expects from the client.
pub(crate) enum ScriptAction {
    Expect { method: String, params: Option<Value> },
    Answer(Value),
    Refuse { code: i64, message: String },
    Notify { method: String, params: Value },
    End,
}

const WORDS: [&str; 5] = ["expect", "answer", "refuse", "notify", "end"];

/// Parses a script; a line that begins with none of `WORDS` continues the step before it.
pub(crate) fn read_script(text: &str) -> Vec<ScriptStep> {
    let mut steps: Vec<(usize, String)> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        let first = line.split_whitespace().next().unwrap_or_default();
        match steps.last_mut() {
            _ if line.is_empty() || line.starts_with('#') => {}
            _ if WORDS.contains(&first) => steps.push((index + 1, line.to_owned())),
            Some((_, step)) => {
                step.push(' ');
                step.push_str(line);
            }
            None => panic!("line {}: no step begins with `{first}`", index + 1),
        }
    }
    let steps = steps.into_iter();
    steps.map(|(line, step)| ScriptStep { line, action: action(line, &step) }).collect()
}

fn action(line: usize, step: &str) -> ScriptAction {
    let (word, rest) = cut(step);
    match word {
        "expect" => {
            let (method, params) = cut(rest);
            let params = (!params.is_empty()).then(|| json(line, params));
            ScriptAction::Expect { method: method.to_owned(), params }
        }
        "answer" => ScriptAction::Answer(json(line, rest)),
        "refuse" => {
            let (code, message) = cut(rest);
            let Ok(code) = code.parse() else { panic!("line {line}: `{code}` is no code") };
            ScriptAction::Refuse { code, message: message.to_owned() }
        }
        "notify" => {
            let (method, params) = cut(rest);
            let params = if params.is_empty() { "{}" } else { params };
            ScriptAction::Notify { method: method.to_owned(), params: json(line, params) }
        }
        _ => ScriptAction::End,
    }
}

fn cut(text: &str) -> (&str, &str) {
    let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (first, rest.trim())
}

fn json(line: usize, text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("line {line}: {error}: {text}"))
}
