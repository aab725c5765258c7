//! Which rules name a tool at all.

use super::rules::{rules, upstream};
use crate::{Subject, SubjectCaller, SubjectKind, rules_naming, rules_reaching};

/// Rules, and the tools below that each of them names.
const NAMED: &[(&str, &[&str])] = &[
    ("pay/echo deny", &["echo"]),
    ("pay/ehco deny", &[]),
    ("pay/* /etc/** deny", &["echo", "refund"]),
    ("p*/{echo,refund} allow", &["echo", "refund"]),
    ("pai/* deny", &[]),
    ("mcp__pay deny", &["echo", "refund"]),
    ("mcp__pay__echo ask", &["echo"]),
    ("mcp__pay__e* allow", &["echo"]),
    ("pay_echo deny", &[]),
    ("memory_delete deny", &["memory_delete"]),
    ("forget deny", &["memory_delete"]),
    ("memory_* deny", &["memory_delete"]),
    ("memry_* deny", &[]),
    ("* deny", &["echo", "refund", "memory_delete"]),
];

#[test]
fn a_rule_is_held_against_every_name_of_a_tool() {
    let own = Subject {
        tool: "forget",
        usual: Some("memory_delete"),
        server: None,
        original: None,
        caller: SubjectCaller::Nameless,
        kind: SubjectKind::BuiltIn,
        arguments: None,
    };
    let tools = [
        ("echo", upstream("mcp__pay__echo", "pay", "echo")),
        ("refund", upstream("mcp__pay__refund", "pay", "refund")),
        ("memory_delete", own),
    ];
    let lines: Vec<&str> = NAMED.iter().map(|(line, _)| *line).collect();
    let rules = rules(&lines.join("\n")).among(["pay"]);
    for (name, subject) in &tools {
        let found = rules_naming(&rules, subject);
        for (index, (line, named)) in NAMED.iter().enumerate() {
            assert_eq!(found.contains(&index), named.contains(name), "{line}: {name}");
        }
    }
}

#[test]
fn a_rule_may_reach_tools_that_are_not_known() {
    for (line, reaches) in [
        ("pay/anything deny", true),
        ("p*/anything deny", true),
        ("pai/anything deny", false),
        ("mcp__pay deny", true),
        ("mcp__pay__anything deny", true),
        ("mcp__pay__any* allow", true),
        ("mcp__p*_delete allow", true),
        ("*_delete deny", true),
        ("* deny", true),
        ("mcp__pai__* deny", false),
        ("mcp__payments__x deny", false),
        ("pay deny", false),
        ("memory_* deny", false),
    ] {
        let rules = rules(line).among(["pay"]);
        assert_eq!(!rules_reaching(&rules, "pay").is_empty(), reaches, "{line}");
    }
}
