//! Which tools a chat lets through.

use super::{ChatRules, ChatVerdict, PermissionMode};
use hobnob_agent::{CALL_TOOL, EffectiveCall};
use hobnob_llm::{ToolInput, ToolUse};
use serde_json::json;

fn rules(mode: PermissionMode, allow: &[&str], deny: &[&str]) -> ChatRules {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    ChatRules::new(mode, &texts(allow), &texts(deny)).unwrap()
}

/// A call of a tool, as a model makes it: directly, or through `call_tool`.
fn calls_of(tool: &str) -> [EffectiveCall; 2] {
    let through = json!({"name": tool, "arguments": {}}).to_string();
    [(tool, "{}"), (CALL_TOOL, &through)].map(|(name, input)| {
        let input = ToolInput::parse(input).unwrap();
        let call = ToolUse { id: "1".into(), name: name.into(), input };
        EffectiveCall::resolve(&call, name, |name| name == CALL_TOOL).unwrap()
    })
}

/// The verdict, which must be the same for a direct call and for one through `call_tool`.
fn verdict(rules: &ChatRules, tool: &str, reads_only: bool) -> ChatVerdict {
    let [direct, through] = calls_of(tool).map(|call| rules.verdict(&call, reads_only));
    assert_eq!(direct, through, "{tool}");
    direct
}

#[test]
fn denied_comes_first_and_a_plan_only_looks() {
    let mut rules = rules(PermissionMode::Ask, &["mcp__git__*"], &["mcp__git__push"]);
    let refused = |rules: &ChatRules, tool, reads_only| {
        matches!(verdict(rules, tool, reads_only), ChatVerdict::Refuse(_))
    };
    assert_eq!(verdict(&rules, "mcp__git__log", false), ChatVerdict::Agree);
    assert_eq!(verdict(&rules, "shell_run", false), ChatVerdict::Ask);
    assert!(refused(&rules, "mcp__git__push", true));
    rules.set_mode(PermissionMode::Plan);
    assert!(refused(&rules, "mcp__git__commit", false));
    assert_eq!(verdict(&rules, "mcp__git__log", true), ChatVerdict::Agree);
    assert_eq!(verdict(&rules, "files_read", true), ChatVerdict::Ask);
    rules.set_mode(PermissionMode::Skip);
    assert_eq!(verdict(&rules, "shell_run", false), ChatVerdict::Agree);
    assert!(refused(&rules, "mcp__git__push", true));
    assert!(ChatRules::new(PermissionMode::Ask, &["a[".to_owned()], &[]).is_err());
}

#[test]
fn call_tool_can_be_denied_and_allows_nothing_behind_it() {
    let allowed = rules(PermissionMode::Ask, &["call_*"], &[]);
    assert_eq!(verdict(&allowed, "shell_run", false), ChatVerdict::Ask);
    let denied = rules(PermissionMode::Skip, &["shell_run"], &["call_tool"]);
    let [direct, through] = calls_of("shell_run").map(|call| denied.verdict(&call, false));
    assert_eq!(direct, ChatVerdict::Agree);
    let refused = ChatVerdict::Refuse("`call_tool` is denied in this chat (--deny)".into());
    assert_eq!(through, refused);
}
