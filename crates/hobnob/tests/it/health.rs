//! What a healthy answer of the `health_check` tool looks like, for every client.

use serde_json::Value;

/// Checks a `tools/call` result, from its structured content or else from its text.
pub(crate) fn assert_healthy(result: &Value) {
    assert_ne!(result["isError"], true, "{result}");
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    let health = match &result["structuredContent"] {
        Value::Null => serde_json::from_str(text)
            .unwrap_or_else(|error| panic!("neither structure nor JSON text: {error} in {result}")),
        structured => structured.clone(),
    };
    assert!(!text.is_empty(), "clients that only read text see nothing: {result}");
    assert_eq!(health["status"], "ok", "{result}");
    assert_eq!(health["version"], env!("CARGO_PKG_VERSION"), "{result}");
    let fields = health.as_object().unwrap();
    let uptime = fields.iter().find(|(name, _)| name.starts_with("uptime"));
    assert!(uptime.is_some_and(|(_, value)| value.is_number()), "{result}");
    let timestamp = health["timestamp"].as_str().unwrap_or_default();
    assert!(timestamp.len() >= 20 && timestamp.as_bytes()[10] == b'T', "{result}");
}
