//! An entry of a `.mcp.json` from the words that a person types: a URL or a command, and options.
//!
//! `hobnob add` and `paste` build entries here. What must stay true: an error never quotes a value,
//! because it may be a secret.

use serde_json::{Map, Value, json};

use crate::duration::parse_duration;

/// The words from which an entry is made; exactly one of `url` and `command` is given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TypedEntry {
    /// The URL of a server that speaks HTTP.
    pub url: Option<String>,
    /// The transport of the URL: `http` or `sse`; `None` to detect it.
    pub transport: Option<String>,
    /// The program to start, and its arguments.
    pub command: Vec<String>,
    /// Environment variables, each as `NAME=VALUE`.
    pub env: Vec<String>,
    /// Headers of every request, each as `NAME:VALUE`.
    pub headers: Vec<String>,
    /// The working directory of the program.
    pub cwd: Option<String>,
    /// How long a call may take.
    pub timeout: Option<String>,
    /// The only tools that are offered.
    pub allow_tools: Vec<String>,
    /// Tools that are not offered.
    pub deny_tools: Vec<String>,
}

impl TypedEntry {
    /// The entry, or what is wrong with the words.
    pub fn to_entry(&self) -> Result<Value, String> {
        let mut entry = Map::new();
        match (&self.url, self.command.split_first()) {
            (Some(url), _) => {
                if let Some(transport) = &self.transport {
                    entry.insert("type".into(), transport.as_str().into());
                }
                entry.insert("url".into(), url.as_str().into());
                insert_pairs(&mut entry, "headers", &self.headers, ':')?;
            }
            (None, Some((program, arguments))) => {
                entry.insert("command".into(), program.as_str().into());
                if !arguments.is_empty() {
                    entry.insert("args".into(), json!(arguments));
                }
                insert_pairs(&mut entry, "env", &self.env, '=')?;
                if let Some(cwd) = &self.cwd {
                    entry.insert("cwd".into(), cwd.as_str().into());
                }
            }
            (None, None) => return Err("name a URL, or a command after `--`".into()),
        }
        if let Some(timeout) = &self.timeout {
            parse_duration(timeout).map_err(|bad| format!("--timeout: {bad}"))?;
            entry.insert("timeout".into(), timeout.as_str().into());
        }
        for (key, globs) in [("allowedTools", &self.allow_tools), ("deniedTools", &self.deny_tools)]
        {
            if !globs.is_empty() {
                entry.insert(key.into(), json!(globs));
            }
        }
        Ok(Value::Object(entry))
    }
}

fn insert_pairs(
    entry: &mut Map<String, Value>,
    key: &str,
    words: &[String],
    sign: char,
) -> Result<(), String> {
    let mut pairs = Map::new();
    for word in words {
        let (name, value) = match word.split_once(sign) {
            Some((name, value)) if !name.trim().is_empty() => (name.trim(), value),
            // It may be a secret without its name, so the message does not repeat it.
            _ => return Err(format!("{key}: write NAME{sign}VALUE")),
        };
        // A header's value begins after the blank; a variable's may begin with one.
        let value = if sign == ':' { value.trim() } else { value };
        if pairs.insert(name.into(), value.into()).is_some() {
            return Err(format!("{key}: `{name}` appears twice"));
        }
    }
    if !pairs.is_empty() {
        entry.insert(key.into(), Value::Object(pairs));
    }
    Ok(())
}
