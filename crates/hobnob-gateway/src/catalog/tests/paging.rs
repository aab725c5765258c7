//! Pages: complete, in order, and steady while the catalogue changes under them.

use super::*;
use base64::Engine as _;
use hobnob_mcp_engine::MAX_PAGE_BYTES;
use serde_json::Value;

fn names(page: &PageText) -> Vec<String> {
    let body: Value = serde_json::from_str(&page.body).unwrap();
    assert_eq!(body.get("nextCursor").and_then(Value::as_str), page.next_cursor.as_deref());
    let tools = body["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

fn page(catalogue: &Catalogue, cursor: Option<&str>, count: usize) -> PageText {
    catalogue.list(ListKind::Tools).page(cursor, size(count)).unwrap()
}

fn walk(catalogue: &Catalogue, count: usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut cursor: Option<Arc<str>> = None;
    loop {
        let page = page(catalogue, cursor.as_deref(), count);
        found.extend(names(&page));
        cursor = page.next_cursor;
        if cursor.is_none() {
            return found;
        }
    }
}

#[test]
fn pages_together_are_the_list() {
    let servers = [server("b", &["1", "2", "3"]), server("a", &["x", "files.read"])];
    let catalogue = plain(&built_ins(&["own", "more"]), &servers);
    let all = keys(&catalogue, ListKind::Tools);
    assert_eq!(all.len(), 7);
    for count in 1..=8 {
        assert_eq!(walk(&catalogue, count), all, "{count} a page");
    }
    assert_eq!(names(&page(&catalogue, Some(""), 3)), all[..3]);
}

#[test]
fn empty_lists_have_one_empty_page() {
    let catalogue = plain(&BuiltIns::default(), &[]);
    let bodies = [
        (ListKind::Tools, r#"{"tools":[]}"#),
        (ListKind::Resources, r#"{"resources":[]}"#),
        (ListKind::Templates, r#"{"resourceTemplates":[]}"#),
        (ListKind::Prompts, r#"{"prompts":[]}"#),
    ];
    for (kind, body) in bodies {
        let page = catalogue.list(kind).page(None, size(10)).unwrap();
        assert_eq!((&*page.body, page.next_cursor), (body, None));
    }
}

#[test]
fn the_first_page_is_rendered_once() {
    let catalogue = plain(&built_ins(&["a", "b", "c"]), &[]);
    let (one, two) = (page(&catalogue, None, 2), page(&catalogue, Some(""), 2));
    assert!(Arc::ptr_eq(&one.body, &two.body));
    assert_eq!(names(&page(&catalogue, None, 3)).len(), 3);
    assert_eq!(names(&page(&catalogue, None, 2)).len(), 2);
}

#[test]
fn foreign_cursors_are_refused() {
    let catalogue = plain(&built_ins(&["a", "b"]), &[]);
    let own = page(&catalogue, None, 1).next_cursor.unwrap();
    assert!(catalogue.list(ListKind::Prompts).page(Some(&own), size(1)).is_err());
    let encode = |text: &str| base64::prelude::BASE64_URL_SAFE_NO_PAD.encode(text);
    let long = "A".repeat(70_000);
    let cases = [
        "x".to_owned(),
        "not base64!".to_owned(),
        format!("{own}="),
        encode("[]"),
        encode(r#"["tools",null,-1,"a"]"#),
        encode(r#"["tools",null,0]"#),
        encode(r#"["prompts",null,0,"a"]"#),
        long,
    ];
    for cursor in &cases {
        assert_eq!(
            catalogue.list(ListKind::Tools).page(Some(cursor), size(1)),
            Err(BadCursor),
            "{cursor}"
        );
    }
}

#[test]
fn paging_goes_on_while_the_catalogue_changes() {
    let old =
        plain(&built_ins(&["own"]), &[server("b", &["1", "2", "3", "4"]), server("d", &["x"])]);
    let first = page(&old, None, 3);
    assert_eq!(names(&first), ["own", "mcp__b__1", "mcp__b__2"]);
    let cursor = first.next_cursor.as_deref();
    let d = || server("d", &["x"]);
    type Servers = Vec<Arc<PreparedServer>>;
    let cases: [(&str, Servers, &[&str]); 7] = [
        ("unchanged", vec![server("b", &["1", "2", "3", "4"]), d()], &["b__3", "b__4", "d__x"]),
        ("last gone", vec![server("b", &["1", "3", "4"]), d()], &["b__3", "b__4", "d__x"]),
        ("earlier gone", vec![server("b", &["2", "3", "4"]), d()], &["b__3", "b__4", "d__x"]),
        ("server gone", vec![d()], &["d__x"]),
        ("server before", vec![server("a", &["n"]), server("b", &["1", "2", "3"])], &["b__3"]),
        (
            "server after",
            vec![server("b", &["1", "2"]), server("c", &["n"]), d()],
            &["c__n", "d__x"],
        ),
        ("all gone", vec![], &[]),
    ];
    for (what, servers, expected) in cases {
        let new = plain(&built_ins(&["own"]), &servers);
        let seen = names(&page(&new, cursor, 10));
        let expected: Vec<String> = expected.iter().map(|name| format!("mcp__{name}")).collect();
        assert_eq!(seen, expected, "{what}");
    }
}

#[test]
fn pages_are_bounded_in_bytes() {
    let long = "x".repeat(MAX_ENTRY_BYTES / 2);
    let tools = (0..20).map(|n| tool(&format!("t{n}")).replace("\"d\"", &format!("\"{long}\"")));
    let prepared = Arc::new(PreparedServer::new(lists("s", tools.collect())));
    let catalogue = plain(&BuiltIns::default(), &[prepared]);
    let first = page(&catalogue, None, 100);
    assert!(first.body.len() <= MAX_PAGE_BYTES + 1024);
    assert_eq!(walk(&catalogue, 100).len(), 20);
}

#[test]
fn many_servers_are_paged_completely() {
    let tools: Vec<String> = (0..200).map(|n| format!("tool_{n}")).collect();
    let tools: Vec<&str> = tools.iter().map(String::as_str).collect();
    let servers: Vec<_> = (0..50).map(|n| server(&format!("server-{n}"), &tools)).collect();
    let catalogue = plain(&BuiltIns::default(), &servers);
    let seen = walk(&catalogue, 1000);
    assert_eq!(seen.len(), 10_000);
    assert_eq!(seen, keys(&catalogue, ListKind::Tools));
    assert_eq!(catalogue.report.conflicts, []);
}
