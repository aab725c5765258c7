//! A text as TOML writes it. Every edit of a settings file that adds a text uses it.

/// The text as a TOML string, in quotes.
pub fn toml_string(text: &str) -> String {
    toml::Value::from(text).to_string()
}
