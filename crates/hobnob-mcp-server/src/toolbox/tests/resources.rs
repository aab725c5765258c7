//! Reading: exact addresses first, then templates; what is not there is an error.

use super::{Bench, call, caller, refusal};
use crate::toolbox::{Kit, ToolError, Typing};
use hobnob_mcp_types::resources::{Resource, ResourceContents, ResourceTemplate};
use hobnob_mcp_types::{Method, Revision};
use serde_json::json;

fn text(uri: &str, text: &str) -> ResourceContents {
    ResourceContents::text(uri, "text/plain", text)
}

fn kit() -> Kit {
    Kit::plain("k")
        .resource(
            Resource::new("t://a/fixed", "a"),
            |_| async move { Ok(text("t://a/fixed", "f")) },
        )
        .unwrap()
        .resource(
            Resource::new("t://empty", "e"),
            |_| async move { Ok(Vec::<ResourceContents>::new()) },
        )
        .unwrap()
        .resource(Resource::new("t://broken", "b"), |_| async move {
            Err::<ResourceContents, _>(ToolError::failed("out of order"))
        })
        .unwrap()
        .template(ResourceTemplate::new("t://a/{id}", "ids"), |matched, _| async move {
            if matched.get("id") == "none" {
                return Err(ToolError::no_resource(matched.uri));
            }
            Ok(text(&matched.uri, matched.get("id")))
        })
        .unwrap()
        .complete_template("t://a/{id}", "id", |typing: Typing, _| async move {
            let all = (0..300).map(|index| index.to_string());
            Ok(all.filter(|id| id.starts_with(&typing.value)).collect())
        })
        .unwrap()
}

#[tokio::test]
async fn reads_find_the_exact_one_first() {
    let bench = Bench::new([kit()]);
    let found = |uri: &str, text: &str| json!({"contents": [{"uri": uri, "mimeType": "text/plain", "text": text}]});
    let gone =
        |uri: &str, code| json!({"code": code, "message": format!("resource not found: {uri}")});
    let (old, new) = (Revision::V2025_11_25, Revision::V2026_07_28);
    for (uri, revision, expected) in [
        ("t://a/fixed", new, found("t://a/fixed", "f")),
        ("t://a/7%2B", new, found("t://a/7%2B", "7+")),
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
        let told =
            json!([values.len(), completion["total"], completion["hasMore"], values.first()]);
        assert_eq!(told, expected, "{reference}");
    }
    let params = json!({"ref": {"type": "ref/resource", "uri": "t://none"},
        "argument": {"name": "id", "value": ""}});
    assert_eq!(bench.shown(call(Method::Complete, params)).await["code"], -32602);
}

#[test]
fn what_cannot_be_served_is_refused() {
    let resource = |uri: &str| {
        Kit::plain("k").resource(Resource::new(uri, "a"), |_| async move { Ok(text("a:b", "")) })
    };
    for uri in ["", "a", "1a:b", ":b", "a b:c", "a:b c", "a:ü", "a:{b}"] {
        assert_eq!(refusal(resource(uri)), format!("resource `{uri}`: this is not a URI"));
    }
    for uri in ["a:b", "test://static-text", "urn:x:1", "file:///a/b.c?d=e#f", "a+b.c-d:%20"] {
        assert!(resource(uri).is_ok(), "{uri}");
    }
    let none = |typing: Typing, _| async move { Ok(vec![typing.value]) };
    let told = refusal(kit().complete_template("t://a/{id}", "other", none));
    assert_eq!(told, "kit `k` has no argument or variable `t://a/{id} other` to complete");
    let told = refusal(kit().complete_template("t://a/{id}", "id", none));
    assert_eq!(told, "kit `k` has the completion `t://a/{id} id` twice");
}
