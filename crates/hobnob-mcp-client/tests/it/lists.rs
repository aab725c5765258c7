//! Whole lists, page by page, from well-behaved servers and from others.

use crate::script::{Opening, Scene};
use crate::support::{ALL, LEGACY, MODERN};
use hobnob_mcp_client::{ListError, ListKind, ListLimits};
use serde_json::{Value, json};
use std::time::Duration;

/// Answers with the pages in turn, then with the last one repeatedly, until the client is done.
async fn list(
    mut opening: Opening,
    revision: hobnob_mcp_types::Revision,
    which: ListKind,
    pages: &[Value],
) -> (Result<Vec<Box<str>>, ListError>, Vec<Value>) {
    opening.options.lists =
        ListLimits { pages: 5, entries: 8, bytes: 1000, time: Duration::from_secs(30) };
    let Scene { mut script, remote, .. } = opening.open(revision).await;
    let mut cursors = Vec::new();
    let serve = async {
        for page in pages.iter().chain(std::iter::repeat(&pages[pages.len() - 1])) {
            let asked = script.receive().await;
            assert_eq!(asked["method"], which.method().as_str());
            cursors.push(asked["params"]["cursor"].clone());
            match page.get("code") {
                Some(code) => {
                    script.refuse(&asked["id"], code.as_i64().unwrap_or_default(), json!({})).await
                }
                None if page.is_null() => {}
                None => script.answer(&asked["id"], page.clone()).await,
            }
        }
    };
    let listed = tokio::select! {
        listed = remote.list(which) => listed,
        () = serve => unreachable!("pages without end"),
    };
    (listed, cursors)
}

fn page(names: &[&str], next: Value) -> Value {
    let tools: Vec<_> = names.iter().map(|name| json!({"name": name})).collect();
    json!({"tools": tools, "nextCursor": next})
}

#[tokio::test(start_paused = true)]
async fn every_page_is_read_in_order() {
    for revision in ALL {
        let last = json!({"tools": [{"name": "c"}]});
        for last in [last, page(&["c"], Value::Null)] {
            let pages = [page(&["a", "b"], json!("1")), page(&[], json!("a cursor")), last];
            let (listed, cursors) = list(Opening::new(), revision, ListKind::Tools, &pages).await;
            let listed = listed.unwrap();
            assert_eq!(listed.join(""), r#"{"name":"a"}{"name":"b"}{"name":"c"}"#);
            assert_eq!(cursors, [Value::Null, json!("1"), json!("a cursor")]);
        }
    }
}

/// Since 2026-07-28 an empty cursor is a cursor like any other; older servers mean the end by it.
#[tokio::test(start_paused = true)]
async fn an_empty_cursor() {
    let pages = [page(&["a"], json!("")), page(&["b"], Value::Null)];
    let (listed, cursors) = list(Opening::new(), MODERN, ListKind::Tools, &pages).await;
    assert_eq!((listed.unwrap().len(), cursors.len()), (2, 2));
    let (listed, cursors) = list(Opening::new(), LEGACY, ListKind::Tools, &pages).await;
    assert_eq!((listed.unwrap().len(), cursors.len()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_list_that_does_not_end_is_refused() {
    let endless: Vec<_> = (0..10).map(|number| page(&[], json!(number.to_string()))).collect();
    let names = ["a"; 9];
    let long = json!({"tools": [{"name": "x".repeat(2000)}]});
    let cases = [
        ("the same cursor again", vec![page(&["a"], json!("x"))]),
        (
            "cursors in a circle",
            vec![page(&[], json!("x")), page(&[], json!("y")), page(&[], json!("x"))],
        ),
        ("too many pages", endless),
        ("too many entries", vec![page(&names, Value::Null)]),
        ("too many bytes", vec![long]),
    ];
    for (what, pages) in cases {
        let (listed, cursors) = list(Opening::new(), LEGACY, ListKind::Tools, &pages).await;
        assert!(matches!(listed, Err(ListError::Endless(_))), "{what}: {listed:?}");
        assert!(cursors.len() <= 5, "{what}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_no_list_is_an_error() {
    for shapeless in [json!({}), json!({"tools": null}), json!({"tools": {"a": 1}}), json!([1])] {
        let (listed, _) = list(Opening::new(), LEGACY, ListKind::Tools, &[shapeless]).await;
        assert!(matches!(listed, Err(ListError::Shapeless("tools"))), "{listed:?}");
    }
    let (listed, _) =
        list(Opening::new(), LEGACY, ListKind::Tools, &[json!({"code": -32603})]).await;
    assert!(matches!(listed, Err(ListError::Failed(_))), "{listed:?}");
    // A page that never arrives.
    let pages = [page(&["a"], json!("1")), Value::Null];
    let (listed, _) = list(Opening::new(), LEGACY, ListKind::Tools, &pages).await;
    assert!(matches!(listed, Err(ListError::Late(_))), "{listed:?}");
}

/// A list that a server does not offer is not requested, and one that it declares but does not have
/// (as published servers do) is empty. For tools, the point of a server, that is an error.
#[tokio::test(start_paused = true)]
async fn what_is_not_offered_is_empty() {
    for which in ListKind::ALL {
        let opening = Opening { capabilities: json!({}), ..Opening::new() };
        let Scene { mut script, remote, .. } = opening.open(LEGACY).await;
        assert!(remote.list(which).await.unwrap().is_empty());
        assert!(script.unread().await.is_empty());
    }
    let unknown = [json!({"code": -32601})];
    for which in [ListKind::Resources, ListKind::Templates, ListKind::Prompts] {
        let (listed, _) = list(Opening::new(), LEGACY, which, &unknown).await;
        assert!(listed.unwrap().is_empty(), "{which:?}");
    }
    let (tools, _) = list(Opening::new(), LEGACY, ListKind::Tools, &unknown).await;
    assert!(tools.is_err());
}
