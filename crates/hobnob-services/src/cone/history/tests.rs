//! Paths as models and prompts get them, whoever put the nodes there.

use super::{for_model, for_prompt};
use hobnob_llm::{ModelBlock, ModelMessage, ModelRole};
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
    let history = for_model(&path);
    assert_eq!(history.system.as_deref(), Some("be brief\n\nbe kind"));
    let user = turn(ModelRole::User, &["one", "two", "tool: 42", "[file: a.txt]"]);
    let assistant = turn(ModelRole::Assistant, &["three", "four"]);
    assert_eq!(history.turns, [user, assistant]);
    assert_eq!(for_prompt(&path).len(), 8, "all but the one that says nothing");
}

#[test]
fn a_session_without_a_system_prompt_has_no_system_text() {
    let history = for_model(&[said("system", ""), said("user", "one")]);
    assert_eq!(history.system, None);
    assert_eq!(history.turns, [turn(ModelRole::User, &["one"])]);
}
