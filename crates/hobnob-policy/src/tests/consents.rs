//! Which consents are remembered, for which principal, and how long.

use super::rules::{rules, upstream};
use crate::{
    Authorization, ConsentKey, ConsentScope, DefinitionDigest, GrantedBy, RememberedConsents,
    authorize,
};

fn key(principal: &str, tool: &str, definition: u8) -> ConsentKey {
    let definition = DefinitionDigest([definition; 32]);
    ConsentKey { principal: principal.into(), tool: tool.into(), definition }
}

#[test]
fn an_answer_holds_for_one_principal_one_tool_one_definition() {
    let consents = RememberedConsents::default();
    consents.remember(key("me", "t", 1), ConsentScope::Process);
    consents.remember(key("me", "u", 1), ConsentScope::Once);
    let cases = [
        (key("me", "t", 1), true),
        (key("you", "t", 1), false),
        (key("me", "T", 1), false),
        (key("me", "t", 2), false),
        (key("me", "u", 1), false),
    ];
    for (key, holds) in cases {
        assert_eq!(consents.holds(&key), holds, "{key:?}");
    }
    consents.remember(key("you", "t", 1), ConsentScope::Process);
}

#[test]
fn one_answer_is_withdrawn_and_the_others_hold() {
    let consents = RememberedConsents::default();
    for principal in ["me", "you"] {
        consents.remember(key(principal, "t", 1), ConsentScope::Process);
    }
    assert!(!consents.withdraw(&key("me", "t", 2)), "another definition");
    assert!(consents.withdraw(&key("me", "t", 1)));
    assert!(!consents.holds(&key("me", "t", 1)));
    assert!(!consents.withdraw(&key("me", "t", 1)), "a second time");
    assert_eq!(consents.list(), [key("you", "t", 1)]);
    consents.remember(key("me", "t", 1), ConsentScope::Process);
    assert_eq!(consents.list(), [key("you", "t", 1), key("me", "t", 1)]);
}

#[test]
fn answers_are_bounded_and_the_oldest_goes_first() {
    let consents = RememberedConsents::default();
    for number in 0..5000 {
        consents.remember(key("me", &format!("t{number}"), 0), ConsentScope::Process);
        consents.remember(key("me", &format!("t{number}"), 0), ConsentScope::Process);
    }
    assert_eq!(consents.count(), 4096);
    assert!(!consents.holds(&key("me", "t903", 0)) && consents.holds(&key("me", "t904", 0)));
    consents.remember(key(&"x".repeat(1025), "t", 0), ConsentScope::Process);
    assert!(!consents.holds(&key(&"x".repeat(1025), "t", 0)));
}

#[test]
fn a_remembered_answer_grants_only_its_own_tool() {
    let consents = RememberedConsents::default();
    for tool in ["mcp__s__a", "mcp__s__b"] {
        consents.remember(key("me", tool, 0), ConsentScope::Process);
    }
    let subject = upstream("mcp__s__a", "s", "a");
    let asked = || match authorize(&rules(""), subject) {
        Authorization::NeedsConsent(asked) => asked,
        other => panic!("{other:?}"),
    };
    let permit = asked().remembered(&consents, &key("me", "mcp__s__a", 0)).unwrap();
    assert_eq!(permit.granted_by(), Some(GrantedBy::Remembered));
    assert!(asked().remembered(&consents, &key("me", "mcp__s__b", 0)).is_err());
    assert!(asked().remembered(&consents, &key("me", "mcp__s__a", 1)).is_err());
}

#[test]
fn an_answer_that_stands_in_for_a_rule_ends_when_the_rules_are_read() {
    let consents = RememberedConsents::default();
    consents.remember(key("me", "rule", 1), ConsentScope::NextRules);
    consents.remember(key("me", "restart", 1), ConsentScope::Process);
    assert!(consents.holds(&key("me", "rule", 1)));
    assert_eq!(consents.list(), [key("me", "restart", 1)], "the rule is listed among the rules");
    consents.rules_read();
    assert!(!consents.holds(&key("me", "rule", 1)));
    assert!(consents.holds(&key("me", "restart", 1)));
    assert_eq!(consents.count(), 1);
}
