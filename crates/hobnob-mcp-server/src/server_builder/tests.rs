//! How a server writes its capabilities, and how building one fails.

use super::*;
use hobnob_mcp_types::Revision;
use hobnob_mcp_types::capabilities::{
    CapabilitySettings, ListCapability, ResourcesCapability, ServerCapabilities,
};
use serde_json::{Value, json};

#[test]
fn capabilities_are_terse_or_explicit() {
    let some = ServerCapabilities {
        tools: Some(ListCapability { list_changed: true }),
        resources: Some(ResourcesCapability { subscribe: false, list_changed: true }),
        logging: Some(CapabilitySettings::default()),
        completions: Some(CapabilitySettings::default()),
        ..ServerCapabilities::default()
    };
    let bare = ServerCapabilities {
        tools: Some(ListCapability::default()),
        resources: Some(ResourcesCapability::default()),
        prompts: Some(ListCapability::default()),
        ..ServerCapabilities::default()
    };
    let builder = || Server::builder("test", "1");
    let terse = builder().build().unwrap();
    let explicit = builder().explicit_capabilities().build().unwrap();
    let (yes, no) = (json!({"listChanged": true}), json!({"listChanged": false}));
    for (server, able, expected) in [
        (&terse, &some, json!({"tools": yes, "resources": {"listChanged": true}, "logging": {}})),
        (&terse, &bare, json!({"tools": {}, "resources": {}, "prompts": {}})),
        (
            &explicit,
            &some,
            json!({
                "tools": yes,
                "resources": {"subscribe": false, "listChanged": true},
                "logging": {},
            }),
        ),
        (
            &explicit,
            &bare,
            json!({
                "tools": no,
                "resources": {"subscribe": false, "listChanged": false},
                "prompts": no,
            }),
        ),
    ] {
        // The first revision does not know completions.
        let text = server.identity().capabilities(able, Revision::V2024_11_05);
        let declared: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(declared, expected);
    }
}

#[test]
fn a_server_reports_the_mistakes_of_all_kits_at_once() {
    let twice = Kit::plain("one").tool("a", "A", || async {}).tool("a", "A", || async {});
    let wrong =
        Kit::plain("two")
            .with_state(7)
            .tool("b", "", || async {})
            .resource("c", "C", || async { "" });
    let error = Server::builder("s", "1").kit(twice).kit(wrong).build().unwrap_err();
    assert_eq!(
        error.to_string(),
        "kit `one` has the tool `a` twice; tool `b`: a description is required; \
         resource `c`: this is not a URI"
    );
}
