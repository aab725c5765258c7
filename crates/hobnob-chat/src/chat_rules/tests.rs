//! Which tools a chat lets through.

use super::{ChatRules, ChatVerdict, PermissionMode};

#[test]
fn denied_comes_first_and_a_plan_only_looks() {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let (allow, deny) = (texts(&["mcp__git__*"]), texts(&["mcp__git__push"]));
    let mut rules = ChatRules::new(PermissionMode::Ask, &allow, &deny).unwrap();
    let refused = |rules: &ChatRules, tool, reads_only| {
        matches!(rules.verdict(tool, reads_only), ChatVerdict::Refuse(_))
    };
    assert_eq!(rules.verdict("mcp__git__log", false), ChatVerdict::Agree);
    assert_eq!(rules.verdict("shell_run", false), ChatVerdict::Ask);
    assert!(refused(&rules, "mcp__git__push", true));
    rules.set_mode(PermissionMode::Plan);
    assert!(refused(&rules, "mcp__git__commit", false));
    assert_eq!(rules.verdict("mcp__git__log", true), ChatVerdict::Agree);
    assert_eq!(rules.verdict("files_read", true), ChatVerdict::Ask);
    rules.set_mode(PermissionMode::Skip);
    assert_eq!(rules.verdict("shell_run", false), ChatVerdict::Agree);
    assert!(refused(&rules, "mcp__git__push", true));
    assert!(ChatRules::new(PermissionMode::Ask, &texts(&["a["]), &[]).is_err());
}
