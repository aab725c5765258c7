//! Who asks, for each kind of tool.

use super::CallOrigin;

#[test]
fn a_question_belongs_to_the_server_behind_the_tool() {
    let server = |name: &str| CallOrigin::Server(name.into());
    let behind = |tool: &str| CallOrigin::Behind(tool.into());
    for (tool, arguments, expected) in [
        ("mcp__one__ask", "{}", server("one")),
        // Its own arguments say nothing about who it is.
        ("mcp__one__ask", r#"{"name": "mcp__two__x", "server": "two"}"#, server("one")),
        ("ReadMcpResource", r#"{"server": "two", "uri": "x:y"}"#, server("two")),
        ("ReadMcpResource", r#"{"server": "three"}"#, behind("ReadMcpResource")),
        ("memory_enrich", "{}", CallOrigin::Memory),
        ("cone_chat", r#"{"server": "two"}"#, behind("cone_chat")),
        ("mcp__gone__ask", "{}", behind("mcp__gone__ask")),
    ] {
        let owner = |tool: &str| match tool.split("__").nth(1)? {
            known @ ("one" | "two") => Some(known.to_owned()),
            _ => None,
        };
        let servers = ["one".to_owned(), "two".to_owned()];
        assert_eq!(CallOrigin::found(tool, arguments, owner, &servers), expected, "{tool}");
    }
}
