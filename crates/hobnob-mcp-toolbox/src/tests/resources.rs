//! Reading: fixed URIs first, then templates; a missing resource is an error.

use super::{Bench, call, caller, refusal};
use crate::{CompletionRequest, Context, Kit, KitBuilder, ResourceSpec, Structured, ToolError};
use hobnob_mcp_types::resources::ResourceContents;
use hobnob_mcp_types::{Method, Revision};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize, JsonSchema)]
struct ById {
    /// Which one.
    id: String,
}

#[derive(Deserialize, JsonSchema)]
struct Numbered {
    /// Which page.
    #[schemars(range(min = 1))]
    page: u32,
    /// Nothing in the address says so.
    size: Option<u32>,
}

fn kit() -> KitBuilder {
    Kit::plain("k")
        .resource("t://a/fixed", "a", || async { "f" })
        .resource("t://empty", "e", || async { Vec::<ResourceContents>::new() })
        .resource("t://broken", "b", || async {
            Err::<String, _>(ToolError::failed("out of order"))
        })
        .template("t://a/{id}", "ids", |it: ById| async move { (it.id != "none").then_some(it.id) })
        .template("t://pages/{page}", "pages", |it: Numbered, context: Context| async move {
            format!("{} {:?} {}", it.page, it.size, context.name())
        })
        .complete("t://a/{id}", "id", |typed: CompletionRequest| async move {
            typed.matching((0..300).map(|index| index.to_string()))
        })
}

#[tokio::test]
async fn reads_find_the_exact_one_first() {
    let bench = Bench::new([kit()]);
    let found = |uri: &str, text: &str| json!({"contents": [{"uri": uri, "mimeType": "text/plain", "text": text}]});
    let gone =
        |uri: &str, code| json!({"code": code, "message": format!("resource not found: {uri}")});
    let unfit = |problem: &str| json!({"code": -32602, "message": format!("`params.uri`: variables.page: {problem}")});
    let (old, new) = (Revision::V2025_11_25, Revision::V2026_07_28);
    for (uri, revision, expected) in [
        ("t://a/fixed", new, found("t://a/fixed", "f")),
        ("t://a/7%2B", new, found("t://a/7%2B", "7+")),
        ("t://pages/7", new, found("t://pages/7", "7 None t://pages/7")),
        ("t://pages/0", new, unfit("expected at least 1, received integer 0")),
        ("t://pages/x", new, unfit("expected integer, received string \"x\"")),
        ("t://a/none", new, gone("t://a/none", -32602)),
        ("t://empty", new, gone("t://empty", -32602)),
        ("t://b", new, gone("t://b", -32602)),
        ("t://b", old, gone("t://b", -32002)),
        ("t://broken", new, json!({"code": -32603, "message": "out of order"})),
    ] {
        let mut call = call(Method::ResourcesRead, json!({"uri": uri}));
        call.caller = caller(revision, json!({}));
        assert_eq!(bench.shown(call).await, expected, "{uri}");
    }
}

#[tokio::test]
async fn completions_are_cut_and_counted() {
    let bench = Bench::new([kit()]);
    for (reference, value, expected) in [
        ("t://a/{id}", "29", json!([11, 11, false, "29"])),
        ("t://a/{id}", "", json!([100, 300, true, "0"])),
        ("t://a/fixed", "", json!([0, 0, false, null])),
    ] {
        let params = json!({"ref": {"type": "ref/resource", "uri": reference},
            "argument": {"name": "id", "value": value}});
        let shown = bench.shown(call(Method::Complete, params)).await;
        let completion = &shown["completion"];
        let values = completion["values"].as_array().unwrap();
        let counted =
            json!([values.len(), completion["total"], completion["hasMore"], values.first()]);
        assert_eq!(counted, expected, "{reference}");
    }
    let params = json!({"ref": {"type": "ref/resource", "uri": "t://none"},
        "argument": {"name": "id", "value": ""}});
    assert_eq!(bench.shown(call(Method::Complete, params)).await["code"], -32602);
}

#[tokio::test]
async fn contents_get_their_address_and_type() {
    let typed = |name: &str| ResourceSpec::new(name).mime_type("x/y");
    let kit = Kit::plain("k")
        .resource("t://text", "a", || async { "a".to_owned() })
        .resource("t://typed", typed("a"), || async { Ok("a") })
        .resource("t://bytes", "a", || async { vec![0_u8, 1] })
        .resource("t://data", "a", || async { Structured(json!({"n": 1})) })
        .resource("t://own", typed("a"), || async {
            ResourceContents::text("t://else", "text/css", "a")
        });
    let bench = Bench::new([kit]);
    for (uri, expected) in [
        ("t://text", json!({"uri": "t://text", "mimeType": "text/plain", "text": "a"})),
        ("t://typed", json!({"uri": "t://typed", "mimeType": "x/y", "text": "a"})),
        (
            "t://bytes",
            json!({"uri": "t://bytes", "mimeType": "application/octet-stream", "blob": "AAE="}),
        ),
        (
            "t://data",
            json!({"uri": "t://data", "mimeType": "application/json", "text": "{\"n\":1}"}),
        ),
        ("t://own", json!({"uri": "t://else", "mimeType": "text/css", "text": "a"})),
    ] {
        let shown = bench.shown(call(Method::ResourcesRead, json!({"uri": uri}))).await;
        assert_eq!(shown, json!({"contents": [expected]}), "{uri}");
    }
}

#[test]
fn what_cannot_be_served_is_refused() {
    let resource = |uri: &str| Kit::plain("k").resource(uri, "a", || async { "a" });
    for uri in ["", "a", "1a:b", ":b", "a b:c", "a:b c", "a:ü", "a:{b}"] {
        assert_eq!(refusal(resource(uri)), format!("resource `{uri}`: this is not a URI"));
    }
    for uri in ["a:b", "test://static-text", "urn:x:1", "file:///a/b.c?d=e#f", "a+b.c-d:%20"] {
        assert!(resource(uri).build().is_ok(), "{uri}");
    }
    let template = |uri: &str| Kit::plain("k").template(uri, "a", |_: ById| async { "a" });
    for (kit, refused) in [
        (
            template("t://{id}/{other}"),
            "template `t://{id}/{other}`: the handler's type has no field for the variable `other`",
        ),
        (
            template("t://all"),
            "template `t://all`: the handler's type requires the field `id`, but the template has \
             no such variable",
        ),
        (
            kit().complete("t://a/{id}", "other", ["a"]),
            "kit `k` has no prompt or template `t://a/{id}` with `other` to complete",
        ),
        (
            kit().complete("t://a/{id}", "id", ["a"]),
            "kit `k` has the completion `t://a/{id} id` twice",
        ),
    ] {
        assert_eq!(refusal(kit), refused);
    }
}
