//! For any output of a server, the connection goes on and no call gets the answer to another one.

use crate::script::{Opening, Scene, settle};
use crate::support::{LEGACY, MODERN};
use hobnob_mcp_types::Method;
use proptest::prelude::*;
use serde_json::json;

/// Lines as broken servers write them: any text, and messages with any id, method and members.
fn line() -> impl Strategy<Value = String> {
    let id = prop_oneof![
        any::<i64>().prop_map(|number| json!(number)),
        "[a-z]{0,3}".prop_map(|text| json!(text)),
        Just(json!(null)),
        Just(json!([])),
    ];
    let method = prop::sample::select(vec![
        "ping",
        "roots/list",
        "sampling/createMessage",
        "elicitation/create",
        "notifications/progress",
        "notifications/message",
        "notifications/cancelled",
        "notifications/resources/updated",
        "notifications/elicitation/complete",
        "notifications/subscriptions/acknowledged",
        "no/such/method",
    ]);
    let params = prop::sample::select(vec![
        json!({}),
        json!([]),
        json!(null),
        json!({"progressToken": 99, "progress": "much"}),
        json!({"requestId": [1]}),
        json!({"uri": 7}),
        json!({"level": "info", "data": {"a": 1}}),
        json!({"elicitationId": "x"}),
        json!({"notifications": {"resourceSubscriptions": [1]}}),
    ]);
    let message = (id, method, params, 0..6_u8).prop_map(|(id, method, params, shape)| {
        match shape {
            0 => json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}),
            1 => json!({"jsonrpc": "2.0", "method": method, "params": params}),
            // Our ids are small positive numbers, so these messages answer no request of ours.
            2 => json!({"jsonrpc": "2.0", "id": -1, "result": params}),
            3 => json!({"jsonrpc": "2.0", "id": "other", "error": params}),
            4 => json!([{"jsonrpc": "2.0", "method": method}, params]),
            _ => json!({"id": id, "method": params}),
        }
        .to_string()
    });
    prop_oneof!["[^\r\n]{0,60}", message]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_connection_goes_on(lines in prop::collection::vec(line(), 1..12)) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            .build()
            .unwrap();
        for revision in [LEGACY, MODERN] {
            let answered = runtime.block_on(async {
                let Scene { mut script, remote, .. } = Opening::new().open(revision).await;
                let asking = remote.request(Method::PromptsGet, "{}");
                let serve = async {
                    let id = script.expect("prompts/get").await;
                    for line in &lines {
                        script.send_line(line).await;
                    }
                    settle().await;
                    script.answer(&id, json!({"it": "is mine"})).await;
                };
                let (answered, ()) = tokio::join!(asking, serve);
                answered.ok()
            });
            prop_assert_eq!(answered.as_deref(), Some(r#"{"it":"is mine"}"#));
        }
    }
}
