//! Reads the JSON argument of `hobnob add-json`, as people copy it from a README. `add` writes it.

use crate::json_problem::json_problem;
use anyhow::Context as _;
use hobnob_terminal::ended::Ended;
use serde_json::Value;
use std::io::Read as _;

/// A longer text cannot be the entry of one server.
const MAX_BYTES: u64 = 1024 * 1024;

/// Parses the entry of one server: the object itself, or the only server of a whole `.mcp.json`.
pub(super) fn read(typed: &str) -> anyhow::Result<Value> {
    let text = match typed {
        "-" => from_standard_input()?,
        text => text.to_owned(),
    };
    let value: Value = serde_json::from_str(&text).map_err(|error| {
        let problem = json_problem(&error);
        let message = format!("this is not JSON: {problem}; write it in single quotes");
        Ended::usage(message)
    })?;
    let wrapped = ["mcpServers", "servers"].iter().find_map(|key| value.get(*key));
    let entry = match wrapped.and_then(Value::as_object).map(|servers| servers.values()) {
        None => value,
        Some(mut servers) => match (servers.next(), servers.next()) {
            (Some(only), None) => only.clone(),
            _ => {
                let message = "this has several servers, or none; pass the entry of one of them";
                return Err(Ended::usage(message).into());
            }
        },
    };
    match entry.is_object() {
        true => Ok(entry),
        false => {
            let message = "an entry is a JSON object with `command` or `url`";
            Err(Ended::usage(message).into())
        }
    }
}

fn from_standard_input() -> anyhow::Result<String> {
    let mut text = String::new();
    let read = std::io::stdin().take(MAX_BYTES + 1).read_to_string(&mut text);
    let read = read.context("cannot read standard input")?;
    anyhow::ensure!(read as u64 <= MAX_BYTES, "standard input is longer than 1 MiB");
    Ok(text)
}
