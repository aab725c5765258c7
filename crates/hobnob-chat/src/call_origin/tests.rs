//! Who asks for the model, for each origin of the question.

use super::CallOrigin;
use hobnob_agent::{CALL_TOOL, EffectiveCall};
use hobnob_llm::{ToolInput, ToolUse};
use hobnob_terminal::terminal::QuestionOrigin;

#[test]
fn a_question_belongs_to_the_server_that_the_hub_names() {
    let one = || QuestionOrigin::server("one");
    let server = CallOrigin::Server("one".into());
    let behind = |tool: &str| CallOrigin::Behind(tool.into());
    for (origin, tool, expected) in [
        (one(), "mcp__one__ask", server.clone()),
        // A service may call tools of servers.
        (one(), "cone_chat", server.clone()),
        // The name of a tool says nothing about who asks.
        (one(), "memory_enrich", server),
        (QuestionOrigin::Hobnob, "memory_enrich", CallOrigin::Memory),
        (QuestionOrigin::Hobnob, "cone_chat", behind("cone_chat")),
        (QuestionOrigin::Unknown, "memory_enrich", behind("memory_enrich")),
        (QuestionOrigin::Unknown, "mcp__one__ask", behind("mcp__one__ask")),
    ] {
        let input = ToolInput::parse("{}").unwrap();
        let call = ToolUse { id: "1".into(), name: tool.into(), input };
        let call = EffectiveCall::resolve(&call, tool, |name| name == CALL_TOOL).unwrap();
        assert_eq!(CallOrigin::of(&origin, &call), expected, "{origin:?} {tool}");
    }
}
