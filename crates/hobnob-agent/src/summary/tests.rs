//! When a summary is due, and what the request for it contains.

use super::{MESSAGE_LIMITS, context_tokens, is_due, summary_node, summary_request};
use hobnob_llm::ModelInfo;
use hobnob_store::Time;
use hobnob_store::trees::{NodeContent, NodeId, NodeShape, TreeNode};

fn said(role: &str, text: &str) -> TreeNode {
    let content = NodeContent::Text { role: role.into(), text: text.into() };
    let (id, kind) = (NodeId::given("node"), content.kind());
    let shape = NodeShape { id, parent: None, depth: 0, children: 0, kind };
    TreeNode { shape, created: Time::from_millis(0), content, metadata: None }
}

#[test]
fn it_is_due_near_the_end_of_the_context() {
    let known = ModelInfo { context: Some(100), ..ModelInfo::default() };
    assert!(!is_due(79, context_tokens(&known)));
    assert!(is_due(80, context_tokens(&known)));
    assert!(!is_due(100_000, context_tokens(&ModelInfo::default())));
}

#[test]
fn the_request_fits_and_has_the_newest() {
    let path: Vec<_> =
        (0..100).map(|at| said("user", &format!("word {at} {}", "x".repeat(50)))).collect();
    let request = summary_request("m", &path, 1_000, Some("the numbers"));
    let text = request.messages[0].text();
    assert!(text.len() < 2_000, "{}", text.len());
    assert!(text.contains("word 99 ") && !text.contains("word 0 "), "{text}");
    assert!(text.contains("earlier messages left out"), "{text}");
    assert!(request.system.unwrap().ends_with("Above all keep: the numbers"));
    assert!(request.tools.is_empty());

    let long = summary_request("m", &[said("user", &"ü".repeat(MESSAGE_LIMITS[0]))], 100_000, None);
    assert!(long.messages[0].text().len() < MESSAGE_LIMITS[0] + 100);
}

#[test]
fn an_earlier_summary_and_every_turn_stay_before_any_is_left_out() {
    let turns = (0..30).map(|at| said("user", &format!("word {at} {}", "x".repeat(1_000))));
    let path: Vec<_> = [said("system", "be kind"), said("summary", "they met in Rome")]
        .into_iter()
        .chain(turns)
        .collect();
    // First all turns, shortened; then only the newest.
    for (context, all) in [(6_000, true), (1_000, false)] {
        let request = summary_request("m", &path, context, None);
        let text = request.messages[0].text();
        assert!(text.len() < usize::try_from(context).unwrap() * 3 / 2 + 200, "{}", text.len());
        assert!(text.contains("they met in Rome\n") && !text.contains("be kind"), "{text}");
        assert_eq!(text.contains("word 0 "), all, "{text}");
        assert_eq!(text.contains("left out"), !all, "{text}");
        assert!(text.contains("word 29 "), "{text}");
    }
}

#[test]
fn a_summary_is_a_node_of_its_own_role() {
    let open = "short\n\n[What is being answered now]\nwhy?";
    for (question, expected) in [(None, "short"), (Some("why?"), open)] {
        let text = expected.to_owned();
        let content = NodeContent::Text { role: "summary".into(), text };
        assert_eq!(summary_node("short", question).content, content);
    }
}
