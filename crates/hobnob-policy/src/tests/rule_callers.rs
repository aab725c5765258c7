//! Rules that name principals and groups: which callers they are about, and their precedence.

use super::rules::upstream;
use crate::{
    RuleAction, RuleGroup, RuleProblem, RuleSet, RuleSource, Subject, SubjectCaller, decide, hidden,
};
use std::sync::Arc;

/// The members of the groups.
const GROUPS: [(&str, &[&str]); 3] =
    [("ops", &["ann", "token:ci"]), ("crew", &["ann", "bob"]), ("nobody", &[])];

/// A rule as `WHO: TOOL [PATTERN] ACTION`, where WHO is a principal, `@GROUP`, or nothing.
fn text(line: &str) -> RuleSource {
    let (who, rest) = line.split_once(": ").unwrap_or(("", line));
    let words: Vec<&str> = rest.split(' ').collect();
    let group = who.strip_prefix('@').map(|name| {
        let (_, members) = GROUPS.iter().find(|(group, _)| *group == name).unwrap();
        let members: Arc<[Box<str>]> = members.iter().map(|it| (*it).into()).collect();
        RuleGroup { name: name.to_owned(), members: Some(members) }
    });
    let is_principal = !who.is_empty() && group.is_none();
    RuleSource {
        origin: "config.toml".into(),
        principal: is_principal.then(|| who.to_owned()),
        group,
        server: None,
        tool: Some(words[0].into()),
        pattern: (words.len() == 3).then(|| words[1].into()),
        action: words[words.len() - 1].into(),
    }
}

fn rules(lines: &[&str]) -> RuleSet {
    RuleSet::parse(lines.iter().map(|line| text(line)).collect()).unwrap()
}

fn subject<'a>(caller: &'a str) -> Subject<'a> {
    let caller = match caller {
        "*" => SubjectCaller::Anybody,
        name => SubjectCaller::of(name),
    };
    Subject {
        caller,
        arguments: Some(r#"{"path":"/a/b"}"#),
        ..upstream("mcp__prod__restart", "prod", "restart")
    }
}

/// Rules, and their verdicts for: the owner, ann, bob, token:ci, eve, and anybody. Capital letters:
/// lists leave the tool out.
const CASES: &[(&[&str], [&str; 6])] = &[
    (&[], ["ask", "ask", "ask", "ask", "ask", "ask"]),
    (&["ann: * allow"], ["ask", "allow", "ask", "ask", "ask", "allow"]),
    (&["ann: * deny"], ["ask", "DENY", "ask", "ask", "ask", "ask"]),
    (&["@ops: * allow"], ["ask", "allow", "ask", "allow", "ask", "allow"]),
    (&["@nobody: * allow"], ["ask", "ask", "ask", "ask", "ask", "allow"]),
    // For the same tools, the callers a rule names count before its action: principal, group, all.
    (&["* deny", "@ops: * allow"], ["DENY", "allow", "DENY", "allow", "DENY", "allow"]),
    (&["* allow", "@ops: * deny"], ["allow", "DENY", "allow", "DENY", "allow", "allow"]),
    (&["@crew: * deny", "ann: * allow"], ["ask", "allow", "DENY", "ask", "ask", "allow"]),
    (&["@crew: * allow", "ann: * deny"], ["ask", "DENY", "allow", "ask", "ask", "allow"]),
    // Of two groups, the stricter action counts.
    (&["@crew: * deny", "@ops: * allow"], ["ask", "DENY", "DENY", "allow", "ask", "allow"]),
    (
        &["@crew: * ask-owner", "@ops: * ask"],
        ["ask", "ask-owner", "ask-owner", "ask", "ask", "ask-owner"],
    ),
    (
        &["@crew: * ask-owner", "@ops: * deny"],
        ["ask", "DENY", "ask-owner", "DENY", "ask", "ask-owner"],
    ),
    // The tools and arguments a rule names count before its callers.
    (
        &["mcp__prod__restart deny", "ann: * allow"],
        ["DENY", "DENY", "DENY", "DENY", "DENY", "DENY"],
    ),
    (
        &["mcp__prod__* deny", "ann: mcp__prod__restart ask"],
        ["DENY", "ask", "DENY", "DENY", "DENY", "ask"],
    ),
    (&["* /a/** deny", "ann: * allow"], ["deny", "deny", "deny", "deny", "deny", "deny"]),
    (&["* deny", "ann: * /a/** allow"], ["DENY", "allow", "DENY", "DENY", "DENY", "allow"]),
    (&["* deny", "ann: * /x/** allow"], ["DENY", "deny", "DENY", "DENY", "DENY", "deny"]),
];

#[test]
fn rules_are_about_those_whom_they_name() {
    for (lines, expected) in CASES {
        let rules = rules(lines);
        for (caller, expected) in ["", "ann", "bob", "token:ci", "eve", "*"].iter().zip(expected) {
            let subject = subject(caller);
            let action = decide(&rules, &subject).action();
            let said = match hidden(&rules, &subject) {
                true => action.as_str().to_uppercase(),
                false => action.as_str().to_owned(),
            };
            assert_eq!(said, *expected, "{lines:?} for {caller:?}");
        }
        assert_eq!(rules.names_callers(), lines.iter().any(|line| line.contains(": ")));
    }
}

#[test]
fn what_is_hidden_from_anybody_is_hidden_from_everybody() {
    for (lines, _) in CASES {
        let rules = rules(lines);
        if hidden(&rules, &subject("*")) {
            for caller in ["", "ann", "bob", "token:ci", "eve"] {
                assert!(hidden(&rules, &subject(caller)), "{lines:?} for {caller:?}");
            }
        }
    }
}

#[test]
fn a_rule_says_whom_it_is_about() {
    let explained = |line: &str| decide(&rules(&[line]), &subject("ann")).explain();
    assert_eq!(explained("ann: * deny"), "denied by rule `* deny for ann` (config.toml, rule 1)");
    assert_eq!(
        explained("@ops: * /a/** deny"),
        "denied by rule `* /a/** deny for group ops` (config.toml, rule 1)"
    );
}

#[test]
fn a_rule_names_a_principal_or_a_group() {
    let both = RuleSource { principal: Some("ann".into()), ..text("@ops: * deny") };
    let empty = RuleSource { principal: Some(String::new()), ..text("* deny") };
    let unknown = RuleGroup { name: "opps".into(), members: None };
    let unknown = RuleSource { group: Some(unknown), ..text("* deny") };
    for (source, problem) in [
        (both, RuleProblem::PrincipalAndGroup),
        (empty, RuleProblem::NoPrincipal),
        (unknown, RuleProblem::NoGroup("opps".into())),
    ] {
        assert_eq!(RuleSet::parse(vec![source]).unwrap_err().problem, problem);
    }
    assert_eq!(rules(&["* deny"]).as_slice()[0].action(), RuleAction::Deny);
}
