//! Properties that hold for any rules, tried on many: the seeds are fixed, so a failure repeats.

use fastrand::Rng;

use super::rules::upstream;
use crate::{RuleAction, RuleSet, RuleSource, Subject, SubjectCaller, decide, hidden};

const TOOLS: [&str; 14] = [
    "*",
    "get_x",
    "get_*",
    "mcp__*",
    "mcp__a",
    "mcp__a__*",
    "mcp__a__get_*",
    "mcp__a__get_x",
    "mcp__a__get_?",
    "*__get_x",
    "mcp__{a,b}__*",
    "mcp__[ab]__get_x",
    "mcp__b",
    "*x",
];
const SERVERS: [Option<&str>; 4] = [None, None, Some("a"), Some("{a,b}")];
const PATTERNS: [Option<&str>; 5] = [None, Some("**"), Some("/p/*"), Some("/p/q"), Some("**/q")];
const PRINCIPALS: [Option<&str>; 4] = [None, None, None, Some("ann")];
const ACTIONS: [RuleAction; 4] =
    [RuleAction::Allow, RuleAction::Ask, RuleAction::AskOwner, RuleAction::Deny];

fn any_rules(rng: &mut Rng) -> Vec<RuleSource> {
    let mut rules: Vec<RuleSource> = Vec::new();
    for _ in 0..rng.usize(1..10) {
        let rule = RuleSource {
            origin: "o".into(),
            principal: PRINCIPALS[rng.usize(..PRINCIPALS.len())].map(Into::into),
            group: None,
            server: SERVERS[rng.usize(..SERVERS.len())].map(Into::into),
            tool: Some(TOOLS[rng.usize(..TOOLS.len())].into()),
            pattern: PATTERNS[rng.usize(..PATTERNS.len())].map(Into::into),
            action: ACTIONS[rng.usize(..ACTIONS.len())].as_str().into(),
        };
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    rules
}

#[test]
fn the_order_of_rules_never_matters() {
    let subjects = [
        upstream("mcp__a__get_x", "a", "get_x"),
        upstream("mcp__b__get_x", "b", "get_x"),
        upstream("mcp__a__other", "a", "other"),
        Subject { arguments: Some(r#"{"k":"/p/q"}"#), ..upstream("mcp__a__get_x", "a", "get_x") },
        Subject { arguments: Some(r#"{"k":"/r"}"#), ..upstream("mcp__a__get_x", "a", "get_x") },
        Subject { caller: SubjectCaller::of("ann"), ..upstream("mcp__a__get_x", "a", "get_x") },
        Subject { caller: SubjectCaller::Anybody, ..upstream("mcp__a__get_x", "a", "get_x") },
    ];
    let mut rng = Rng::with_seed(7);
    for _ in 0..80 {
        let mut texts = any_rules(&mut rng);
        let first = RuleSet::parse(texts.clone()).unwrap();
        rng.shuffle(&mut texts);
        let second = RuleSet::parse(texts).unwrap();
        for subject in &subjects {
            let (one, two) = (decide(&first, subject), decide(&second, subject));
            assert_eq!((one.action(), one.rule()), (two.action(), two.rule()), "{first:?}");
            assert_eq!(hidden(&first, subject), hidden(&second, subject), "{first:?}");
        }
    }
}

#[test]
fn the_order_is_total_and_consistent() {
    // Any two rules that both apply are ordered, and a third never reverses their order.
    let subject =
        Subject { arguments: Some(r#"{"k":"/p/q"}"#), ..upstream("mcp__a__get_x", "a", "get_x") };
    let winner = |texts: &[&RuleSource]| {
        let rules = RuleSet::parse(texts.iter().map(|text| (*text).clone()).collect()).unwrap();
        decide(&rules, &subject).rule().to_owned()
    };
    let mut rng = Rng::with_seed(11);
    for _ in 0..60 {
        let texts = any_rules(&mut rng);
        let applies = |text: &&RuleSource| winner(&[text]) != "default";
        let texts: Vec<&RuleSource> = texts.iter().filter(applies).collect();
        let Some((last, before)) = texts.split_last() else { continue };
        let all = winner(&texts);
        let rest = if before.is_empty() { "default".to_owned() } else { winner(before) };
        assert!(all == rest || all == winner(&[*last]), "{all} of {texts:?}");
    }
}

#[test]
fn a_deny_is_never_escaped_by_a_short_name() {
    let mut rng = Rng::with_seed(13);
    for _ in 0..100 {
        let word = |rng: &mut Rng, limit: usize| -> String {
            let letters = ["a", "b", "_", "__", "-", ".", "Z", "é", "/"];
            (0..rng.usize(1..limit)).map(|_| letters[rng.usize(..letters.len())]).collect()
        };
        let (server, original) = (word(&mut rng, 20), word(&mut rng, 120));
        let full = format!("mcp__{server}__{original}");
        let head: String = full.chars().take(rng.usize(..12)).collect();
        let short = format!("{head}_{:08x}", rng.u32(..));
        // Any substring of the full name with a star, the server's forms, and the exact name.
        let letters: Vec<char> = full.chars().collect();
        let (from, to) = (rng.usize(..=letters.len()), rng.usize(..=letters.len()));
        let (from, to) = (from.min(to), from.max(to));
        let start: String = letters[..from].iter().collect();
        let end: String = letters[to..].iter().collect();
        let forms = [
            format!("{start}*{end}"),
            format!("mcp__{server}"),
            format!("mcp__{server}__*"),
            format!("mcp__{server}*"),
            full.clone(),
        ];
        let subject = upstream(&short, &server, &original);
        for tool in forms {
            let deny = RuleSource {
                origin: "o".into(),
                principal: None,
                group: None,
                server: None,
                tool: Some(tool),
                pattern: None,
                action: "deny".into(),
            };
            // A broad allow beside the deny does not help.
            let allow =
                RuleSource { tool: Some("*".into()), action: "allow".into(), ..deny.clone() };
            // Nor do other servers, which may give the name another meaning.
            let others = [&*server, "a", "a__b", "_"];
            let rules = RuleSet::parse(vec![allow, deny]).unwrap().among(others);
            assert_eq!(
                decide(&rules, &subject).action(),
                RuleAction::Deny,
                "{rules:?} {subject:?}"
            );
            assert!(hidden(&rules, &subject), "{rules:?} {subject:?}");
        }
    }
}

/// A joined name that allows permits nothing that another split of it would not.
#[test]
fn an_allow_never_means_two_servers_at_once() {
    let mut rng = Rng::with_seed(17);
    let mut allowed = 0;
    for _ in 0..3000 {
        let word = |rng: &mut Rng| -> String {
            let parts = ["a", "b", "__", "_", "c"];
            (0..rng.usize(1..5)).map(|_| parts[rng.usize(..parts.len())]).collect()
        };
        let servers: Vec<String> = (0..3).map(|_| word(&mut rng)).collect();
        let star = if rng.bool() { "*" } else { "" };
        let tool = format!("mcp__{}__{}{star}", servers[0], word(&mut rng));
        let allow = RuleSource {
            origin: "o".into(),
            principal: None,
            group: None,
            server: None,
            tool: Some(tool.clone()),
            pattern: None,
            action: "allow".into(),
        };
        let rules = RuleSet::parse(vec![allow]).unwrap().among(servers.iter().map(String::as_str));
        let mut met = std::collections::BTreeSet::new();
        for server in &servers {
            for _ in 0..8 {
                let original = word(&mut rng);
                // A public name without a server in it, as a profile may give one.
                let subject = upstream("t", server, &original);
                if decide(&rules, &subject).action() == RuleAction::Allow {
                    met.insert(server.clone());
                }
            }
        }
        allowed += met.len();
        assert!(met.len() <= 1, "{tool} allows tools of {met:?} among {servers:?}");
    }
    assert!(50 < allowed, "{allowed}");
}
