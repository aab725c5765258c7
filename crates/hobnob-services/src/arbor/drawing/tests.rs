//! Drawings, line by line.

use super::draw;
use hobnob_store::Time;
use hobnob_store::trees::{
    ExternalHandle, NodeContent, NodeId, NodeKind, NodePosition, NodeShape, OpenBranch,
    OutlineLine, TreeNode, TreeOutline,
};

fn line(depth: u64, position: NodePosition, id: &str, content: NodeContent) -> OutlineLine {
    let kind = match &content {
        NodeContent::Text { .. } => NodeKind::Text,
        NodeContent::External(_) => NodeKind::External,
    };
    let shape = NodeShape { id: NodeId::given(id), parent: None, depth, children: 0, kind };
    let node = TreeNode { shape, created: Time::default(), content, metadata: None };
    OutlineLine { node, position }
}

fn text(role: &str, text: &str) -> NodeContent {
    NodeContent::Text { role: role.into(), text: text.into() }
}

fn check(above: Vec<OpenBranch>, lines: Vec<OutlineLine>, width: usize, expected: &[&str]) {
    let drawn = draw(&TreeOutline { above, lines, next: None }, width);
    assert_eq!(drawn.lines().collect::<Vec<_>>(), expected);
    assert!(drawn.is_empty() || drawn.ends_with('\n'));
}

#[test]
fn only_branches_are_indented() {
    use NodePosition::{Before, Last, Only};
    let handle =
        ExternalHandle { source: "file".into(), identifier: "a.txt".into(), metadata: None };
    let lines = vec![
        line(0, Only, "a", text("system", "be kind")),
        line(1, Only, "b", text("user", "Hi")),
        line(2, Before, "c", text("assistant", "Hello")),
        line(3, Only, "d", text("user", "More")),
        line(4, Before, "e", text("assistant", "x")),
        line(4, Last, "f", text("assistant", "y")),
        line(5, Only, "g", NodeContent::External(handle)),
        line(2, Last, "h", text("assistant", "Hey")),
        line(3, Only, "i", text("user", "")),
    ];
    check(
        Vec::new(),
        lines.clone(),
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
    // A part that begins in the middle is drawn as if it came with the rest.
    let above =
        vec![OpenBranch { depth: 2, position: Before }, OpenBranch { depth: 4, position: Last }];
    let rest = ["│     g → file a.txt", "└─ h assistant: Hey", "   i user:"];
    check(above, lines[6..].to_vec(), 80, &rest);
    check(Vec::new(), Vec::new(), 80, &[]);
}

#[test]
fn nothing_breaks_a_line_or_a_character() {
    use NodePosition::Only;
    let tricky = "a\r\nb\tc\u{1b}[31m\u{202e}d";
    let lines = vec![
        line(0, Only, "n", text("user", tricky)),
        line(1, Only, "n", text("us\ner", &"ü".repeat(50))),
        line(2, Only, "n", text("user", &"👋🏽".repeat(30))),
    ];
    check(
        Vec::new(),
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
    let above: Vec<OpenBranch> =
        (1..=50_000).map(|depth| OpenBranch { depth, position: NodePosition::Before }).collect();
    let lines = vec![line(50_001, NodePosition::Last, "n", text("user", &"x".repeat(400)))];
    let drawn = draw(&TreeOutline { above, lines, next: None }, 60);
    let bars = "│  ".repeat(10);
    assert_eq!(drawn, format!("…49990 {bars}└─ n user: {}…\n", "x".repeat(11)));
}
