//! What is remembered, for whom, and for how long.

use super::rules::{rules, upstream};
use crate::{Authorization, DefinitionDigest, GrantKey, GrantScope, GrantedBy, Grants, authorize};

fn key(principal: &str, tool: &str, definition: u8) -> GrantKey {
    let definition = DefinitionDigest([definition; 32]);
    GrantKey { principal: principal.into(), tool: tool.into(), definition }
}

#[test]
fn an_answer_holds_for_one_principal_one_tool_one_definition() {
    let grants = Grants::default();
    grants.remember(key("me", "t", 1), GrantScope::Process);
    grants.remember(key("me", "u", 1), GrantScope::Once);
    let cases = [
        (key("me", "t", 1), true),
        (key("you", "t", 1), false),
        (key("me", "T", 1), false),
        (key("me", "t", 2), false),
        (key("me", "u", 1), false),
    ];
    for (key, holds) in cases {
        assert_eq!(grants.holds(&key), holds, "{key:?}");
    }
    grants.remember(key("you", "t", 1), GrantScope::Process);
    grants.forget(Some("me"));
    assert!(!grants.holds(&key("me", "t", 1)) && grants.holds(&key("you", "t", 1)));
    grants.forget(None);
    assert_eq!(grants.count(), 0);
}

#[test]
fn answers_are_bounded_and_the_oldest_goes_first() {
    let grants = Grants::default();
    for number in 0..5000 {
        grants.remember(key("me", &format!("t{number}"), 0), GrantScope::Process);
        grants.remember(key("me", &format!("t{number}"), 0), GrantScope::Process);
    }
    assert_eq!(grants.count(), 4096);
    assert!(!grants.holds(&key("me", "t903", 0)) && grants.holds(&key("me", "t904", 0)));
    grants.remember(key(&"x".repeat(1025), "t", 0), GrantScope::Process);
    assert!(!grants.holds(&key(&"x".repeat(1025), "t", 0)));
}

#[test]
fn a_remembered_answer_grants_only_its_own_tool() {
    let grants = Grants::default();
    for tool in ["mcp__s__a", "mcp__s__b"] {
        grants.remember(key("me", tool, 0), GrantScope::Process);
    }
    let subject = upstream("mcp__s__a", "s", "a");
    let asked = || match authorize(&rules(""), subject) {
        Authorization::NeedsConsent(asked) => asked,
        other => panic!("{other:?}"),
    };
    let permit = asked().remembered(&grants, &key("me", "mcp__s__a", 0)).unwrap();
    assert_eq!(permit.granted_by(), Some(GrantedBy::Remembered));
    assert!(asked().remembered(&grants, &key("me", "mcp__s__b", 0)).is_err());
    assert!(asked().remembered(&grants, &key("me", "mcp__s__a", 1)).is_err());
}
