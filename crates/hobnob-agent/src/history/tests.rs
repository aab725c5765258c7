//! Paths as models and readers get them, including nodes of other programs.

use super::{INTERRUPTED, PastCalls, SUMMARY_ROLE, as_texts, for_model};
use crate::stored_turns::{result_node, stored_blocks};
use hobnob_llm::{
    ModelBlock, ModelMessage, ModelRole, ToolInput, ToolOutcome, ToolResultBlock, ToolUse,
};
use hobnob_store::Time;
use hobnob_store::trees::{ExternalHandle, NodeContent, NodeId, NodeShape, TreeNode};

fn node(content: NodeContent) -> TreeNode {
    let (id, kind) = (NodeId::given("node"), content.kind());
    let shape = NodeShape { id, parent: None, depth: 0, children: 0, kind };
    TreeNode { shape, created: Time::from_millis(0), content, metadata: None }
}

fn said(role: &str, text: &str) -> TreeNode {
    node(NodeContent::Text { role: role.into(), text: text.into() })
}

fn turn(role: ModelRole, texts: &[&str]) -> ModelMessage {
    let blocks = texts.iter().map(|text| ModelBlock::Text((*text).into())).collect();
    ModelMessage { role, blocks }
}

#[test]
fn sides_take_turns_whoever_spoke() {
    let handle =
        ExternalHandle { source: "file".into(), identifier: "a.txt".into(), metadata: None };
    let path = [
        said("system", "be brief"),
        said("user", "one"),
        said("user", "two"),
        said("assistant", ""),
        said("tool", "42"),
        node(NodeContent::External(handle)),
        said("assistant", "three"),
        said("system", "be kind"),
        said("assistant", "four"),
    ];
    let history = for_model(&path, PastCalls::Calls);
    assert_eq!(history.system.as_deref(), Some("be brief\n\nbe kind"));
    let user = turn(ModelRole::User, &["one", "two", "tool: 42", "[file: a.txt]"]);
    let assistant = turn(ModelRole::Assistant, &["three", "four"]);
    assert_eq!(history.turns, [user, assistant]);
    assert_eq!(as_texts(&path).len(), 8, "all but the one that says nothing");
}

#[test]
fn a_session_without_a_system_prompt_has_no_system_text() {
    let history = for_model(&[said("system", ""), said("user", "one")], PastCalls::Calls);
    assert_eq!(history.system, None);
    assert_eq!(history.turns, [turn(ModelRole::User, &["one"])]);
}

fn call(id: &str) -> ModelBlock {
    let input = ToolInput::parse(r#"{"a":1}"#).unwrap();
    ModelBlock::ToolUse(ToolUse { id: id.into(), name: "t".into(), input })
}

fn calls(text: &str, ids: &[&str]) -> TreeNode {
    let texts = Some(text).filter(|text| !text.is_empty());
    let texts = texts.map(|text| ModelBlock::Text(text.into()));
    let blocks: Vec<ModelBlock> = texts.into_iter().chain(ids.iter().map(|id| call(id))).collect();
    let metadata = serde_json::json!({"blocks": stored_blocks(&blocks, None)});
    TreeNode { metadata: Some(metadata.to_string()), ..said("assistant", text) }
}

fn result(id: &str, text: &str) -> TreeNode {
    let ModelBlock::ToolUse(call) = call(id) else { unreachable!() };
    let node = result_node("t", &call, text.into(), ToolOutcome::Done);
    TreeNode { metadata: node.metadata, ..said("tool", text) }
}

fn result_block(id: &str, text: &str, outcome: ToolOutcome) -> ModelBlock {
    let (id, text, images) = (id.into(), text.into(), Vec::new());
    ModelBlock::ToolResult(ToolResultBlock { id, text, images, outcome })
}

fn text(text: &str) -> ModelBlock {
    ModelBlock::Text(text.into())
}

/// Results arrive in another order than the calls, one is missing, and one has no call.
#[test]
fn every_call_has_a_result_before_anything_else_is_said() {
    let path = [
        said("user", "go"),
        calls("well", &["a", "b", "c"]),
        result("c", "3"),
        result("a", "1"),
        result("x", "nobody asked"),
        said("user", "and now?"),
        calls("", &["d"]),
    ];
    let history = for_model(&path, PastCalls::Calls);
    let (done, failed) = (ToolOutcome::Done, ToolOutcome::Failed);
    let expected = [
        (ModelRole::User, vec![text("go")]),
        (ModelRole::Assistant, vec![text("well"), call("a"), call("b"), call("c")]),
        (
            ModelRole::User,
            vec![
                result_block("a", "1", done),
                result_block("b", INTERRUPTED, failed),
                result_block("c", "3", done),
                text("tool: nobody asked"),
                text("and now?"),
            ],
        ),
        (ModelRole::Assistant, vec![call("d")]),
        (ModelRole::User, vec![result_block("d", INTERRUPTED, failed)]),
    ];
    let expected = expected.map(|(role, blocks)| ModelMessage { role, blocks });
    assert_eq!(history.turns, expected);
}

#[test]
fn without_tools_calls_are_text() {
    let path = [said("user", "go"), calls("well", &["a"]), result("a", "1")];
    let history = for_model(&path, PastCalls::Text);
    let user = |it: &str| turn(ModelRole::User, &[it]);
    let assistant = turn(ModelRole::Assistant, &["well\n[Tool: t] {\"a\":1}"]);
    assert_eq!(history.turns, [user("go"), assistant, user("[Result of t] 1")]);
    assert_eq!(as_texts(&path).len(), 3);
}

#[test]
fn a_summary_stands_for_everything_before_it() {
    let path = [
        said("system", "be brief"),
        said("user", "go"),
        calls("well", &["a"]),
        said(SUMMARY_ROLE, "they went"),
        said("user", "on"),
    ];
    let history = for_model(&path, PastCalls::Calls);
    assert_eq!(history.system.as_deref(), Some("be brief"));
    let summary = "[What was said until here, in short]\nthey went";
    assert_eq!(history.turns, [turn(ModelRole::User, &[summary, "on"])]);
    assert_eq!(as_texts(&path).len(), 5);
}
