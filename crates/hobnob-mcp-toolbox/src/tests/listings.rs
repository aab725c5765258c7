//! The lists of a toolbox as text, for a service that merges them with others.

use super::{Bench, call, kit_of};
use crate::Kit;
use hobnob_mcp_types::Method;
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn full() -> Bench {
    let kit = kit_of("full", &["b", "a"])
        .resource("test://b", "b", || async { "a" })
        .resource("test://a", "a", || async { "a" })
        .template("test://x/{id}", "x", |_: BTreeMap<String, String>| async { "a" })
        .prompt("p", "Says p", || async { "p" });
    let health = Kit::service("health").tool("check", "Checks", || async {});
    Bench::new([kit, health])
}

/// The listings have the same entries as the pages, in the same order.
#[tokio::test]
async fn listings_are_what_the_lists_say() {
    let bench = full();
    let lists = bench.toolbox.lists();
    for (method, member, key, listings) in [
        (Method::ToolsList, "tools", "name", lists.tools()),
        (Method::ResourcesList, "resources", "uri", lists.resources()),
        (Method::ResourcesTemplatesList, "resourceTemplates", "uriTemplate", lists.templates()),
        (Method::PromptsList, "prompts", "name", lists.prompts()),
    ] {
        let shown = bench.shown(call(method, json!({}))).await;
        let texts = listings.iter().map(|one| serde_json::from_str(&one.json).unwrap());
        assert_eq!(shown[member], Value::Array(texts.collect()), "{member}");
        let keys: Vec<Value> = listings.iter().map(|one| json!(one.key)).collect();
        let named = shown[member].as_array().unwrap().iter().map(|item| item[key].clone());
        assert_eq!(keys, named.collect::<Vec<_>>(), "{member}");
        assert!(!keys.is_empty(), "{member}");
    }
    let names: Vec<_> = lists.tools().into_iter().map(|tool| tool.key).collect();
    assert_eq!(names.iter().map(|name| &**name).collect::<Vec<_>>(), ["a", "b", "health_check"]);
}

#[test]
fn what_a_call_would_find_is_there() {
    let bench = full();
    let toolbox = &bench.toolbox;
    for (name, there) in
        [("a", true), ("health_check", true), ("health.check", true), ("c", false), ("", false)]
    {
        assert_eq!(toolbox.lists().has_tool(name), there, "{name}");
    }
    for (uri, there) in [("test://a", true), ("test://x/1", true), ("test://x", false)] {
        assert_eq!(toolbox.lists().has_resource(uri), there, "{uri}");
    }
    let lists = toolbox.lists();
    assert!(lists.has_prompt("p") && !lists.has_prompt("a"));
    toolbox.remove("full");
    let lists = toolbox.lists();
    assert!(!lists.has_tool("a") && !lists.has_prompt("p") && lists.resources().is_empty());
}
