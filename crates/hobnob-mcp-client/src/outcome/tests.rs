//! Results as servers might write them: nothing panics, and no member for the caller is lost.

use super::{CallResult, complete, read};
use crate::forward::ExecutionMode;
use hobnob_mcp_engine::Outcome;
use hobnob_mcp_types::json::entries;
use hobnob_mcp_types::{Message, Method, ResultText, Revision};
use proptest::prelude::*;

/// Members of a result that belong to the hop over which it came.
const HOP_MEMBERS: [&str; 4] = ["resultType", "ttlMs", "cacheScope", "_meta"];

/// A result as the envelope decoder returns it.
fn received(result: &str) -> ResultText {
    let response = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
    match Message::decode(response) {
        Ok(Message::Response(response)) => response.outcome.unwrap(),
        other => panic!("{other:?}"),
    }
}

/// JSON values, as texts.
fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|yes| yes.to_string()),
        any::<i64>().prop_map(|number| number.to_string()),
        any::<String>().prop_map(|text| serde_json::Value::from(text).to_string()),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|list| format!("[{}]", list.join(","))),
            prop::collection::btree_map("[a-z]{1,4}", inner, 0..4)
                .prop_map(|members| object(&members)),
        ]
    })
}

fn object(members: &std::collections::BTreeMap<String, String>) -> String {
    let members: Vec<_> = members.iter().map(|(key, value)| format!("{key:?}:{value}")).collect();
    format!("{{{}}}", members.join(","))
}

/// Results with members of the protocol, which have any value, and with other members.
fn result() -> impl Strategy<Value = String> {
    let key = prop_oneof![
        prop::sample::select(vec![
            "resultType",
            "ttlMs",
            "cacheScope",
            "_meta",
            "task",
            "taskId",
            "pollInterval",
            "inputRequests",
            "requestState",
            "content",
        ])
        .prop_map(str::to_owned),
        "[a-z]{1,6}",
    ];
    let kind = prop::sample::select(vec!["\"complete\"", "\"input_required\"", "\"task\"", "7"]);
    let value = prop_oneof![3 => value(), 1 => kind.prop_map(str::to_owned)];
    prop::collection::btree_map(key, value, 0..8).prop_map(|members| object(&members))
}

proptest! {
    #[test]
    fn any_result_is_read_or_refused(text in result()) {
        for revision in [Revision::V2025_11_25, Revision::NEWEST] {
            for mode in [ExecutionMode::Call, ExecutionMode::Task] {
                if let Ok(CallResult::Outcome(Outcome::Complete(answer))) =
                    read(Method::ToolsCall, revision, mode, received(&text))
                {
                    prop_assert!(serde_json::from_str::<serde_json::Value>(&answer.body).is_ok());
                }
            }
        }
    }

    #[test]
    fn members_of_others_pass_and_members_of_the_hop_do_not(text in result()) {
        let answer = complete(Method::ToolsCall, Revision::NEWEST, received(&text));
        let is_carried = |key: &str| !HOP_MEMBERS.contains(&key);
        let wanted: Vec<_> =
            entries(&text).into_iter().filter(|(key, _)| is_carried(key)).collect();
        prop_assert_eq!(entries(&answer.body), wanted);
    }
}

#[test]
fn a_plain_result_is_passed_on_without_its_type_and_holds_for_older_revisions() {
    let check = |text: &str, body: &str, floor: Revision| {
        let answer = complete(Method::ToolsCall, Revision::NEWEST, received(text));
        assert_eq!((&*answer.body, answer.floor), (body, floor), "{text}");
    };
    let plain = r#"{"content":[{"type":"text","text":"a \"b\" é"}]}"#;
    check(plain, plain, Revision::V2025_06_18);
    check(&plain.replacen('{', r#"{"resultType":"complete","#, 1), plain, Revision::V2025_06_18);
    check(r#"{"resultType":"complete"}"#, "{}", Revision::NEWEST);
    // Older revisions define these differently, so the floor stays at the server's revision.
    let structured = r#"{"structuredContent":[1],"content":[]}"#;
    check(structured, structured, Revision::NEWEST);
    check(r#"{"\u005fmeta":{},"content":[]}"#, r#"{"content":[]}"#, Revision::NEWEST);
    let linked = r#"{"content":[{"type":"\u0072esource_link"}]}"#;
    check(linked, linked, Revision::NEWEST);
    let linked = r#"{"content":[{"type":"resource_link"}]}"#;
    check(linked, linked, Revision::NEWEST);
    // The same words inside a text have no meaning.
    let quoted = r#"{"content":[{"type":"text","text":"its _meta, \"resource\" and ttlMs"}]}"#;
    check(quoted, quoted, Revision::V2025_06_18);
    // Lists differ between revisions in other ways, so their floor is the server's own revision.
    let answer = complete(Method::ToolsList, Revision::NEWEST, received(r#"{"tools":[]}"#));
    assert_eq!(answer.floor, Revision::NEWEST);
}
