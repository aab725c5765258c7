//! Drawings of trees, line by line.

use super::draw;
use hobnob_store::Time;
use hobnob_store::trees::{
    ExternalHandle, LineBranches, NodeContent, NodeId, NodeKind, NodePosition, NodeShape,
    OutlineLine, TreeNode, TreeOutline,
};

fn line(
    shown: &[NodePosition],
    position: NodePosition,
    id: &str,
    content: NodeContent,
) -> OutlineLine {
    let kind = match &content {
        NodeContent::Text { .. } => NodeKind::Text,
        NodeContent::External(_) => NodeKind::External,
    };
    let shape = NodeShape { id: NodeId::given(id), parent: None, depth: 0, children: 0, kind };
    let node = TreeNode { shape, created: Time::default(), content, metadata: None };
    let branches = LineBranches { hidden: 0, shown: shown.to_vec() };
    OutlineLine { node, position, branches }
}

fn text(role: &str, text: &str) -> NodeContent {
    NodeContent::Text { role: role.into(), text: text.into() }
}

fn check(lines: Vec<OutlineLine>, width: usize, expected: &[&str]) {
    let drawn = draw(&TreeOutline { lines, next: None }, width);
    assert_eq!(drawn.lines().collect::<Vec<_>>(), expected);
    assert!(drawn.is_empty() || drawn.ends_with('\n'));
}

#[test]
fn only_branches_are_indented() {
    use NodePosition::{Before, Last, Only};
    let handle =
        ExternalHandle { source: "file".into(), identifier: "a.txt".into(), metadata: None };
    let lines = vec![
        line(&[], Only, "a", text("system", "be kind")),
        line(&[], Only, "b", text("user", "Hi")),
        line(&[], Before, "c", text("assistant", "Hello")),
        line(&[Before], Only, "d", text("user", "More")),
        line(&[Before], Before, "e", text("assistant", "x")),
        line(&[Before], Last, "f", text("assistant", "y")),
        line(&[Before, Last], Only, "g", NodeContent::External(handle)),
        line(&[], Last, "h", text("assistant", "Hey")),
        line(&[Last], Only, "i", text("user", "")),
    ];
    check(
        lines,
        80,
        &[
            "a system: be kind",
            "b user: Hi",
            "├─ c assistant: Hello",
            "│  d user: More",
            "│  ├─ e assistant: x",
            "│  └─ f assistant: y",
            "│     g → file a.txt",
            "└─ h assistant: Hey",
            "   i user:",
        ],
    );
    check(Vec::new(), 80, &[]);
}

#[test]
fn nothing_breaks_a_line_or_a_character() {
    use NodePosition::Only;
    let tricky = "a\r\nb\tc\u{1b}[31m\u{202e}d";
    let lines = vec![
        line(&[], Only, "n", text("user", tricky)),
        line(&[], Only, "n", text("us\ner", &"ü".repeat(50))),
        line(&[], Only, "n", text("user", &"👋🏽".repeat(30))),
    ];
    check(
        lines,
        40,
        &[
            "n user: a b c\\u{1b}[31m\\u{202e}d",
            &format!("n us er: {}…", "ü".repeat(30)),
            &format!("n user: {}…", "👋🏽".repeat(16).chars().take(31).collect::<String>()),
        ],
    );
}

#[test]
fn deep_branches_stay_narrow() {
    let shown = [NodePosition::Before; 20];
    let mut deep = line(&shown, NodePosition::Last, "n", text("user", &"x".repeat(400)));
    deep.branches.hidden = 49_980;
    let drawn = draw(&TreeOutline { lines: vec![deep], next: None }, 60);
    let bars = "│  ".repeat(10);
    assert_eq!(drawn, format!("…49990 {bars}└─ n user: {}…\n", "x".repeat(11)));
}
