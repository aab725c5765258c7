//! Lists: their order, their pages while items change, and which changes are published.

use super::{Bench, call, kit_of};
use crate::{IntoKit, Kit, KitBuilder, ToolSpec};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hobnob_mcp_engine::{Change, Outcome, Service as _};
use hobnob_mcp_types::Method;
use hobnob_mcp_types::cache::{CacheHint, CacheScope};
use serde_json::{Value, json};
use std::collections::BTreeMap;

async fn page(bench: &Bench, cursor: Option<&str>) -> (Vec<String>, Option<String>) {
    let params = cursor.map_or_else(|| json!({}), |cursor| json!({"cursor": cursor}));
    let shown = bench.shown(call(Method::ToolsList, params)).await;
    let tools = shown["tools"].as_array().unwrap_or_else(|| panic!("{shown}"));
    let names = tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect();
    (names, shown.get("nextCursor").map(|cursor| cursor.as_str().unwrap().to_owned()))
}

fn paged(kits: impl IntoIterator<Item = impl IntoKit>, size: usize) -> Bench {
    let mut bench = Bench::new(kits);
    bench.toolbox = bench.toolbox.with_page(size);
    bench
}

#[tokio::test]
async fn pages_are_sorted_and_survive_change() {
    let bench = paged([kit_of("one", &["d", "b"]), kit_of("two", &["a", "f", "c"])], 2);
    let (first, cursor) = page(&bench, None).await;
    assert_eq!(first, ["a", "b"]);
    // Remove the item that the cursor names, and add one before it and one after it.
    bench.toolbox.remove("one");
    bench.toolbox.add(kit_of("three", &["aa", "e"])).unwrap();
    let (second, cursor) = page(&bench, cursor.as_deref()).await;
    assert_eq!(second, ["c", "e"]);
    let (third, cursor) = page(&bench, cursor.as_deref()).await;
    assert_eq!((third.as_slice(), cursor), (["f".to_owned()].as_slice(), None));
}

#[tokio::test]
async fn a_full_last_page_has_no_cursor() {
    for (size, cursor) in [(1, true), (2, false), (3, false), (0, true)] {
        let bench = paged([kit_of("one", &["a", "b"])], size);
        assert_eq!(page(&bench, None).await.1.is_some(), cursor, "{size}");
    }
}

/// By default only its size ends a page; an item larger than a page gets one of its own.
#[tokio::test]
async fn a_page_ends_before_it_is_too_big_to_send() {
    let kit = |sizes: &[usize]| {
        sizes.iter().enumerate().fold(Kit::plain("kit"), |kit, (number, size)| {
            kit.tool(format!("t{number:04}"), "d".repeat(*size), || async { "x" })
        })
    };
    let mib = 1 << 20;
    for (sizes, expected) in [
        (vec![10; 1500], vec![1500]),
        (vec![mib; 7], vec![3, 3, 1]),
        (vec![10, 5 * mib, 10, 10], vec![1, 1, 2]),
    ] {
        let bench = Bench::new([kit(&sizes)]);
        let (mut names, mut counts, mut cursor) = (Vec::new(), Vec::new(), None);
        loop {
            let (some, next) = page(&bench, cursor.as_deref()).await;
            counts.push(some.len());
            names.extend(some);
            cursor = next;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(counts, expected);
        assert!(names.is_sorted() && names.len() == sizes.len());
    }
}

#[tokio::test]
async fn a_null_cursor_is_none() {
    let bench = paged([kit_of("one", &["a", "b"])], 1);
    let none = bench.shown(call(Method::ToolsList, json!({}))).await;
    assert_eq!(none["tools"][0]["name"], "a");
    assert_eq!(bench.shown(call(Method::ToolsList, json!({"cursor": null}))).await, none);
}

#[tokio::test]
async fn bad_cursors_are_refused() {
    let bench = paged([kit_of("one", &["a", "b"])], 1);
    let foreign = URL_SAFE_NO_PAD.encode("prompts\na");
    let own = URL_SAFE_NO_PAD.encode("tools\nzzz");
    let refused = json!({"code": -32602, "message": "`params.cursor` is not from the tools list; ask again without one"});
    let odd = json!({"code": -32602, "message": "`params.cursor` must be a string"});
    for (cursor, expected) in [
        (json!(""), &refused),
        (json!("a"), &refused),
        (json!("!!"), &refused),
        (json!(foreign), &refused),
        (json!(1), &odd),
        (json!(own), &json!({"tools": []})),
    ] {
        let shown = bench.shown(call(Method::ToolsList, json!({"cursor": cursor}))).await;
        assert_eq!(&shown, expected, "{cursor}");
    }
}

fn full(name: &str) -> KitBuilder {
    kit_of(name, &["t"]).resource("test://a", "a", || async { "a" }).prompt(
        "p",
        "Says p",
        || async { "p" },
    )
}

#[test]
fn changes_are_published_once_and_only_when_a_list_changed() {
    let bench = Bench::new(Vec::<Kit>::new());
    let toolbox = &bench.toolbox;
    toolbox.add(full("full")).unwrap();
    assert_eq!(bench.changes(), [Change::Tools, Change::Resources, Change::Prompts]);
    toolbox.add(Kit::plain("empty")).unwrap();
    assert_eq!(bench.changes(), []);
    toolbox.replace(full("full")).unwrap();
    assert_eq!(bench.changes(), [], "the same listings again");
    toolbox.replace(kit_of("full", &["t"])).unwrap();
    assert_eq!(bench.changes(), [Change::Resources, Change::Prompts]);
    assert!(toolbox.remove("full"));
    assert_eq!(bench.changes(), [Change::Tools]);
    assert!(!toolbox.remove("full"));
    assert!(toolbox.remove("empty"));
    let kit =
        Kit::plain("t").template("test://{a}", "a", |_: BTreeMap<String, String>| async { "a" });
    toolbox.add(kit).unwrap();
    toolbox.notify_resource_updated("test://x");
    assert_eq!(bench.changes(), [Change::Resources, Change::Resource("test://x".into())]);
}

#[tokio::test]
async fn only_what_was_ever_there_is_offered() {
    let bench = Bench::new(Vec::<Kit>::new());
    let offered = || serde_json::to_value(bench.toolbox.offer().capabilities).unwrap();
    let bare = json!({"tools": {"listChanged": true}, "logging": {}});
    assert_eq!(offered(), bare);
    for method in [Method::ResourcesList, Method::PromptsList, Method::Complete] {
        let shown = bench.shown(call(method, json!({}))).await;
        assert_eq!(shown["code"], -32601, "{method:?}");
    }
    let slow = ToolSpec::new("Is slow").tasks(crate::TaskMode::Optional);
    let kit = full("full").tool("slow", slow, || async {});
    bench.toolbox.add(kit).unwrap();
    let all = json!({
        "tools": {"listChanged": true},
        "resources": {"subscribe": true, "listChanged": true},
        "prompts": {"listChanged": true},
        "logging": {},
        "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}},
        "extensions": {"io.modelcontextprotocol/tasks": {}},
    });
    assert_eq!(offered(), all);
    bench.toolbox.remove("full");
    let mut later = all;
    later.as_object_mut().unwrap().retain(|key, _| key != "tasks" && key != "extensions");
    assert_eq!(offered(), later);
    let shown: Value = bench.shown(call(Method::PromptsList, json!({}))).await;
    assert_eq!(shown, json!({"prompts": []}));
}

#[tokio::test]
async fn lists_and_reads_say_how_long_they_stay_good() {
    let public = CacheHint { ttl_ms: 5000, scope: CacheScope::Public };
    for (configured, expected) in [(None, CacheHint::NONE), (Some(public.clone()), public)] {
        let mut bench = Bench::new([full("full")]);
        if let Some(hint) = configured {
            let toolbox = bench.toolbox.with_list_cache(hint.clone());
            bench.toolbox = toolbox.with_read_cache(hint);
        }
        for (method, params) in [
            (Method::ToolsList, json!({})),
            (Method::ResourcesList, json!({})),
            (Method::ResourcesRead, json!({"uri": "test://a"})),
        ] {
            match bench.ask(method, params).await {
                Ok(Outcome::Complete(answer)) => assert_eq!(answer.cache, Some(expected.clone())),
                other => panic!("{other:?}"),
            }
        }
    }
}
