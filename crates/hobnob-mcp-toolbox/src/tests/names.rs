//! Valid names of tools, and name conflicts between kits.

use super::{Bench, call_of, kit_of, refusal};
use crate::{Kit, KitBuilder};
use serde_json::json;

fn named(kit: KitBuilder, tool: &str) -> KitBuilder {
    kit.tool(tool, "Does it", || async {})
}

#[test]
fn names_keep_the_rules() {
    let (long, longer) = ("n".repeat(128), "n".repeat(129));
    let (fits, over) = ("n".repeat(60), "n".repeat(61));
    for (kit, tool, legal) in [
        (Kit::plain("k"), "bash.execute", true),
        (Kit::plain("k"), "A-z_0.9", true),
        (Kit::plain("k"), &*long, true),
        (Kit::plain("k"), &*longer, false),
        (Kit::plain("k"), "", false),
        (Kit::plain("k"), "two words", false),
        (Kit::plain("k"), "größe", false),
        (Kit::service("abc"), "check", true),
        (Kit::service("abc"), &*fits, true),
        (Kit::service("abc"), &*over, false),
        (Kit::service("abc"), "a.b", false),
        (Kit::service("abc"), "", false),
        (Kit::service("a.b"), "check", false),
        (Kit::service(""), "check", false),
    ] {
        assert_eq!(named(kit, tool).build().is_ok(), legal, "{tool}");
    }
    let error_text = refusal(named(named(Kit::plain("k"), "a"), "a"));
    assert_eq!(error_text, "kit `k` has the tool `a` twice");
    let bare = Kit::plain("k").tool("a", " ", || async {});
    assert_eq!(refusal(bare), "tool `a`: a description is required");
}

#[tokio::test]
async fn both_names_of_a_service_tool_reach_it() {
    let bench = Bench::new([named(Kit::service("health"), "check")]);
    for (name, known) in
        [("health_check", true), ("health.check", true), ("check", false), ("health-check", false)]
    {
        let shown = bench.shown(call_of(name, json!({}))).await;
        assert_eq!(shown.get("code").is_none(), known, "{name} {shown}");
    }
    let listed = bench.shown(super::call(hobnob_mcp_types::Method::ToolsList, json!({}))).await;
    assert_eq!(listed["tools"].as_array().unwrap().len(), 1);
    assert_eq!(listed["tools"][0]["name"], "health_check");
}

#[test]
fn kits_never_hide_each_other() {
    let bench = Bench::new([named(Kit::service("a"), "b_c"), kit_of("plain", &["echo"])]);
    for (kit, error_text) in [
        (named(Kit::service("a_b"), "c"), "kits `a` and `a_b` both have the tool `a_b_c`"),
        (kit_of("z", &["a.b_c"]), "kits `a` and `z` both have the tool `a.b_c`"),
        (kit_of("other", &["new", "echo"]), "kits `other` and `plain` both have the tool `echo`"),
        (kit_of("plain", &["new"]), "there is a kit `plain` already"),
    ] {
        assert_eq!(bench.toolbox.add(kit).unwrap_err().to_string(), error_text);
    }
    assert_eq!(bench.changes(), [], "a refused kit changes nothing");
}

#[test]
fn reads_can_only_count_as_a_tool_of_the_kit() {
    let kit = |tool| kit_of("shelf", &["look"]).reads_count_as(tool);
    assert!(kit("look").build().is_ok());
    assert_eq!(refusal(kit("peek")), "kit `shelf` has no tool `peek` for `reads_count_as`");
}
