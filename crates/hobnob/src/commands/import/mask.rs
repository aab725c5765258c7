//! Hides the values of variables and headers in a diff, because most of them are secrets. `preview`
//! applies it to both sides.
//!
//! What must stay true: no literal value under `env` or `headers` reaches the terminal.

use serde_json::Value;

/// The text of a `.mcp.json` with `…` for every literal value under `env` and `headers`.
///
/// Values that only name variables stay. A text that is not JSON stays as it is.
pub(super) fn mask(text: &str) -> String {
    let Ok(root) = serde_json::from_str::<Value>(text) else { return text.into() };
    let mut literals = Vec::new();
    let servers = root.get("mcpServers").and_then(Value::as_object);
    for entry in servers.into_iter().flat_map(|servers| servers.values()) {
        for table in ["env", "headers"] {
            let pairs = entry.get(table).and_then(Value::as_object);
            for (name, value) in pairs.into_iter().flatten() {
                if let Some(value) = value.as_str().filter(|value| !only_names(value)) {
                    literals.push((quoted(name), quoted(value)));
                }
            }
        }
    }
    let mut masked = text.to_owned();
    for (name, value) in literals {
        for between in [": ", ":"] {
            let (old, new) = (format!("{name}{between}{value}"), format!("{name}{between}\"…\""));
            masked = masked.replace(&old, &new);
        }
    }
    masked
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Whether it is just `${VARIABLE}`, without a default that may be a secret.
fn only_names(value: &str) -> bool {
    let inside = value.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    inside.is_some_and(|name| name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_'))
}

#[cfg(test)]
mod tests {
    use super::mask;

    #[test]
    fn literal_values_are_masked_and_names_are_not() {
        let text = r#"{"mcpServers":{"a":{"command":"x","env":{"TOKEN": "s\"ecret","OTHER":"${OTHER}"}},
"b":{"url":"https://h","headers":{"Authorization":"Bearer 123"}}}}"#;
        let masked = mask(text);
        assert!(!masked.contains("ecret") && !masked.contains("123"), "{masked}");
        assert!(masked.contains(r#""TOKEN": "…""#) && masked.contains(r#""OTHER":"${OTHER}""#));
        assert_eq!(mask("no json"), "no json");
    }
}
