//! Properties that hold for every catalogue, shown on a small one.

use hobnob_ranking::{RankedTool, RankingRequest, ToolDocument, ToolIndex};
use serde_json::json;

/// Name and description of each tool, all of one server.
const TOOLS: &[(&str, &str)] = &[
    ("mcp__hub__list_repositories", "Lists every repository of an owner."),
    ("mcp__hub__create_issue", "Opens a new issue in a repository."),
    ("mcp__hub__delete_issue", "Deletes an issue."),
    ("mcp__hub__createDirectory", "Makes a directory, and those above it."),
    ("mcp__hub__get_current_timezone", "Returns the time zone."),
    ("mcp__hub__take_picture", "Paints a dot. Mentions an issue at the end."),
];

fn index() -> ToolIndex {
    ToolIndex::build(TOOLS.iter().map(|(name, description)| {
        let definition = json!({"name": name, "description": description});
        ToolDocument::from_definition("hub", &definition)
    }))
}

fn rank(index: &ToolIndex, request: &RankingRequest<'_>) -> Vec<&'static str> {
    let name = |hit: &RankedTool| TOOLS[hit.position].0.trim_start_matches("mcp__hub__");
    index.rank(request).iter().map(name).collect()
}

fn found(query: &str) -> Vec<&'static str> {
    rank(&index(), &RankingRequest { query, limit: 10, ..RankingRequest::default() })
}

#[test]
fn the_tool_that_was_meant_comes_first() {
    let cases = [
        ("repository list", "list_repositories"),
        ("LISTING REPOSITORIES", "list_repositories"),
        ("which repos are there", "list_repositories"),
        ("make a folder", "createDirectory"),
        ("create directory", "createDirectory"),
        ("open a ticket", "create_issue"),
        ("get rid of the ticket", "delete_issue"),
        ("what is the time zone", "get_current_timezone"),
        ("timezone", "get_current_timezone"),
        ("directroy", "createDirectory"),
        ("an image", "take_picture"),
    ];
    for (query, expected) in cases {
        assert_eq!(found(query).first(), Some(&expected), "{query}: {:?}", found(query));
    }
}

#[test]
fn a_name_as_it_is_comes_first() {
    let cases = ["delete_issue", "mcp__hub__delete_issue", " DELETE_ISSUE "];
    for query in cases {
        assert_eq!(found(query)[0], "delete_issue", "{query}");
    }
}

#[test]
fn what_nothing_fits_finds_nothing() {
    for query in ["", "  ", "??", "xylophone"] {
        assert_eq!(found(query), Vec::<&str>::new(), "{query}");
    }
    assert!(ToolIndex::default().rank(&RankingRequest::default()).is_empty());
}

#[test]
fn the_order_is_the_same_every_time_and_the_limit_holds() {
    let request = RankingRequest { query: "issue", limit: 2, ..RankingRequest::default() };
    let first = rank(&index(), &request);
    assert_eq!(first.len(), 2);
    for _ in 0..5 {
        assert_eq!(rank(&index(), &request), first);
    }
    let twins = ToolIndex::build((0..4).map(|_| {
        ToolDocument::from_definition("s", &json!({"name": "same", "description": "Equal."}))
    }));
    let positions: Vec<_> = twins
        .rank(&RankingRequest { query: "equal", limit: 9, ..RankingRequest::default() })
        .iter()
        .map(|hit| hit.position)
        .collect();
    assert_eq!(positions, [0, 1, 2, 3]);
}

#[test]
fn a_vector_finds_what_no_word_does() {
    let vector = |at: usize| (0..TOOLS.len()).map(|it| f32::from(u8::from(it == at))).collect();
    let vectors: Vec<Option<Vec<f32>>> = (0..TOOLS.len()).map(|at| Some(vector(at))).collect();
    let index = index().with_vectors(vectors);
    let asked: Vec<f32> = vector(5);
    let request = |query, vector| RankingRequest { query, vector, uses: &[], limit: 10 };
    assert_eq!(rank(&index, &request("xylophone", Some(&asked))), ["take_picture"]);
    let both = rank(&index, &request("repository", Some(&asked)));
    assert!(both.contains(&"take_picture") && both.contains(&"list_repositories"), "{both:?}");
    // A vector of another model neither helps nor harms.
    let other = [1.0; 3];
    let expected = rank(&index, &request("repository", None));
    assert_eq!(rank(&index, &request("repository", Some(&other))), expected);
}

#[test]
fn what_is_used_often_wins_between_equals() {
    let equal = ToolIndex::build((0..3).map(|at| {
        let name = format!("tool{at}");
        ToolDocument::from_definition("s", &json!({"name": name, "description": "Sends mail."}))
    }));
    let request = RankingRequest { query: "send mail", uses: &[0, 7], vector: None, limit: 3 };
    let order: Vec<_> = equal.rank(&request).iter().map(|hit| hit.position).collect();
    assert_eq!(order, [1, 0, 2]);
}

#[test]
fn a_hostile_query_takes_no_time_worth_noticing() {
    let index = index();
    let long = "issue ".repeat(100_000);
    for query in [long.as_str(), &"x".repeat(1_000_000), "\u{0}\u{ffff}", "日本語 の ツール"]
    {
        index.rank(&RankingRequest { query, limit: 10, ..RankingRequest::default() });
    }
}
