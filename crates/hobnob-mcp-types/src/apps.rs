//! The extension MCP Apps (2026-01-26): user interfaces that hosts render beside a conversation.
//!
//! Only what others than a host have to know is here: the extension's name, and which tools a model
//! must not be offered.

use crate::json::field;

/// The extension's name among a client's capabilities.
pub const EXTENSION: &str = "io.modelcontextprotocol/ui";

/// Who a tool is for, as its server says in `_meta.ui.visibility`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ToolAudience {
    /// Models, and user interfaces of the same server.
    #[default]
    Both,
    /// Models alone: a user interface must not call the tool.
    Models,
    /// User interfaces of the same server alone: a model must not be offered the tool.
    Apps,
}

impl ToolAudience {
    /// The audience in a tool's definition. Without that member, or if it names neither models nor
    /// user interfaces, a tool is for both.
    pub fn of(definition: &str) -> Self {
        let visibility = field(definition, "_meta").and_then(|meta| field(meta, "ui"));
        let visibility = visibility.and_then(|ui| field(ui, "visibility"));
        let named = visibility.and_then(|list| serde_json::from_str::<Vec<String>>(list).ok());
        let has = |audience: &str| named.iter().flatten().any(|one| one == audience);
        match (has("model"), has("app")) {
            (true, false) => Self::Models,
            (false, true) => Self::Apps,
            (true, true) | (false, false) => Self::Both,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ToolAudience::{self, Apps, Both, Models};

    #[test]
    fn the_audience_is_what_the_definition_says() {
        for (visibility, expected) in [
            (r#"["app"]"#, Apps),
            (r#"["model"]"#, Models),
            (r#"["model","app"]"#, Both),
            (r#"["app","voice"]"#, Apps),
            ("[]", Both),
            (r#""app""#, Both),
            ("null", Both),
        ] {
            let tool = format!(r#"{{"name":"t","_meta":{{"ui":{{"visibility":{visibility}}}}}}}"#);
            assert_eq!(ToolAudience::of(&tool), expected, "{visibility}");
        }
        for tool in ["{}", r#"{"_meta":{}}"#, r#"{"_meta":{"ui":{}}}"#, r#"{"_meta":null}"#, "["] {
            assert_eq!(ToolAudience::of(tool), Both, "{tool}");
        }
    }
}
