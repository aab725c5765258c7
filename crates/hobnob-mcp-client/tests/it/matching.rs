//! Answers find their requests in any order, with any other messages in between.

use crate::script::{Opening, Scene, next_event, settle};
use crate::support::{ALL, LEGACY, Noting, client, describe, said};
use futures_util::future::join_all;
use hobnob_mcp_client::{DeclineAll, ListKind, RequestError};
use hobnob_mcp_engine::Notes;
use hobnob_mcp_types::Method;
use serde_json::{Value, json};

fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

/// A hundred requests at once, answered in reverse, with every kind of message in between.
#[tokio::test(start_paused = true)]
async fn a_hundred_answers_in_reverse() {
    for revision in ALL {
        let Scene { mut script, remote, mut events, .. } = Opening::new().open(revision).await;
        let client = client(&remote, DeclineAll);
        let silent = Notes::silent();
        let calls = (0..100).map(|number| {
            let arguments = json!({"number": number}).to_string();
            let (client, silent) = (&client, &silent);
            async move { client.call_tool_text("echo", Some(&arguments), silent).await }
        });
        let serve = async {
            let mut asked = Vec::new();
            for _ in 0..100 {
                asked.push(script.receive().await);
            }
            assert_eq!(remote.in_flight(), 100);
            for (count, request) in asked.iter().rev().enumerate() {
                let number = request["params"]["arguments"]["number"].to_string();
                match count % 4 {
                    0 => script.notify("notifications/tools/list_changed", json!({})).await,
                    1 => script.send_line("a line that is no message").await,
                    2 => script.ask(format!("ping-{number}"), "ping", json!({})).await,
                    _ => script.notify("notifications/unread/of", json!({"x": 1})).await,
                }
                script.answer(&request["id"], text(&number)).await;
            }
        };
        let (answers, ()) = tokio::join!(join_all(calls), serve);
        for (number, answer) in answers.into_iter().enumerate() {
            assert_eq!(said(&answer.unwrap()), number.to_string());
        }
        assert_eq!(remote.in_flight(), 0);
        assert_eq!(script.unread().await.len(), 25, "every ping is answered");
        let mut words = Vec::new();
        while let Ok(event) = events.try_recv() {
            words.push(describe(&event));
        }
        assert_eq!(words.iter().filter(|event| *event == "tools").count(), 25);
        assert_eq!(words.iter().filter(|event| *event == "invalid").count(), 25);
        assert_eq!(words.len(), 50);
    }
}

/// Unusual answers, and how they end the request.
#[tokio::test(start_paused = true)]
async fn odd_answers() {
    enum End {
        Result,
        Rpc(i64),
        Unreadable,
    }
    let deep = format!(r#"{{"jsonrpc":"2.0","id":ID,"result":{{"a":{}"#, "[".repeat(200));
    let long =
        format!(r#"{{"result":{{"a":"{}"}},"jsonrpc":"2.0","id":ID}}"#, "x".repeat(17 << 20));
    let cases: [(&[&str], End); 16] = [
        (&[r#"{"jsonrpc":"2.0","id":ID,"result":{"a":1}}"#], End::Result),
        (&[r#"{"result":{"a":1},"id":ID,"jsonrpc":"2.0","more":true}"#], End::Result),
        // Some servers answer `"7"` to `7`.
        (&[r#"{"jsonrpc":"2.0","id":"ID","result":{"a":1}}"#], End::Result),
        (
            &[
                r#"{"jsonrpc":"2.0","id":999,"result":{}}"#,
                r#"{"jsonrpc":"2.0","id":ID,"result":{"a":1}}"#,
            ],
            End::Result,
        ),
        // The first answer counts; the second one finds no request.
        (
            &[
                r#"{"jsonrpc":"2.0","id":ID,"result":{"a":1}}"#,
                r#"{"jsonrpc":"2.0","id":ID,"result":{"a":2}}"#,
            ],
            End::Result,
        ),
        // A text without an id belongs to no request.
        (
            &[
                r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}"#,
                r#"{"jsonrpc":"2.0","id":ID,"result":{"a":1}}"#,
            ],
            End::Result,
        ),
        (
            &[r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32050,"message":"no","data":[1]}}"#],
            End::Rpc(-32050),
        ),
        (
            &[r#"{"jsonrpc":"2.0","id":ID,"result":{},"error":{"code":1,"message":"both"}}"#],
            End::Unreadable,
        ),
        (&[r#"{"jsonrpc":"2.0","id":ID,"error":"a text"}"#], End::Unreadable),
        // An answer that cannot be decoded still says which request it belongs to.
        (&[r#"{"jsonrpc":"2.0","id":ID,"result":{"a":1,"a":2}}"#], End::Unreadable),
        (&[r#"{"jsonrpc":"2.0","id":ID,"result":{"a":NaN}}"#], End::Unreadable),
        (&[r#"{"result":{"a":"b	c"},"jsonrpc":"2.0","id":ID}"#], End::Unreadable),
        (&[&deep], End::Unreadable),
        (&[&long], End::Unreadable),
        // Lines that only look like an answer: a log, and an unreadable notification.
        (
            &[
                r#"{"level":30,"id":ID,"msg":"listening"}"#,
                r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"id":ID,"a":NaN}}"#,
                r#"{"jsonrpc":"2.0","id":ID,"result":{"a":1}}"#,
            ],
            End::Result,
        ),
        (
            &[
                r#"{"jsonrpc":"2.0","id":ID,"method":"roots/list","params":{"a":1,"a":2}}"#,
                r#"{"jsonrpc":"2.0","id":ID,"result":{"a":1}}"#,
            ],
            End::Result,
        ),
    ];
    for (lines, end) in cases {
        let Scene { mut script, remote, .. } = Opening::new().open(LEGACY).await;
        let serve = async {
            let id = script.expect("ping").await;
            for line in lines {
                script.send_line(line.replace("ID", &id.to_string())).await;
            }
        };
        let (answer, ()) = tokio::join!(remote.request(Method::Ping, "{}"), serve);
        match (end, answer) {
            (End::Result, Ok(result)) => assert_eq!(&*result, r#"{"a":1}"#),
            (End::Rpc(code), Err(RequestError::Rpc(error))) => assert_eq!(error.code.0, code),
            (End::Unreadable, Err(RequestError::Unreadable(_))) => {}
            (_, other) => panic!("{lines:?}: {other:?}"),
        }
        settle().await;
        assert_eq!(remote.in_flight(), 0);
        // The connection still works. In some cases a request of the server is refused meanwhile.
        let serve = async {
            let mut received = script.receive().await;
            if received["error"].is_object() {
                assert_eq!(received["error"]["code"], -32600, "{received}");
                received = script.receive().await;
            }
            assert_eq!(received["method"], "ping");
            let id = received["id"].clone();
            script.answer(&id, json!({})).await;
        };
        let (answer, ()) = tokio::join!(remote.request(Method::Ping, "{}"), serve);
        assert!(answer.is_ok(), "{lines:?}");
    }
}

/// 2025-03-26 has batches; an element that cannot be decoded ends only the request it belongs to.
#[tokio::test(start_paused = true)]
async fn a_batch_of_answers_is_opened() {
    let revision = hobnob_mcp_types::Revision::V2025_03_26;
    let Scene { mut script, remote, mut events, .. } = Opening::new().open(revision).await;
    let serve = async {
        let (one, two) = (script.expect("ping").await, script.expect("ping").await);
        let batch = json!([
            {"jsonrpc": "2.0", "method": "notifications/prompts/list_changed"},
            {"jsonrpc": "2.0", "id": two, "error": "no error object"},
            {"jsonrpc": "2.0", "id": one, "result": {}},
        ]);
        script.send_line(batch.to_string()).await;
    };
    let (one, two, ()) =
        tokio::join!(remote.request(Method::Ping, "{}"), remote.request(Method::Ping, "{}"), serve);
    assert!(one.is_ok());
    assert!(matches!(two, Err(RequestError::Unreadable(_))), "{two:?}");
    assert_eq!(next_event(&mut events).await, "prompts");
}

/// Log messages go to the call during which they came, or else to the event handler.
#[tokio::test(start_paused = true)]
async fn a_log_message_is_never_lost() {
    for revision in ALL {
        let mut opening = Opening::new();
        // A modern client always has an open listen request, which receives no notes.
        opening.capabilities = json!({"tools": {"listChanged": true}, "logging": {}});
        let Scene { mut script, remote, mut events, .. } = opening.open(revision).await;
        settle().await;
        script.unread().await;
        let message = |text: &str| json!({"level": "warning", "data": text});
        script.notify("notifications/message", message("alone")).await;
        assert_eq!(next_event(&mut events).await, r#"log "alone""#);

        let serve = async {
            let id = script.expect("tools/list").await;
            script.notify("notifications/message", message("during a list")).await;
            script.answer(&id, json!({"tools": []})).await;
        };
        let (tools, ()) = tokio::join!(remote.list(ListKind::Tools), serve);
        assert!(tools.is_ok());
        assert_eq!(next_event(&mut events).await, r#"log "during a list""#);

        let (notes, mut noted) = Noting::notes();
        let client = client(&remote, DeclineAll);
        let serve = async {
            let id = script.expect("tools/call").await;
            script.notify("notifications/message", message("during a call")).await;
            script.answer(&id, text("done")).await;
        };
        let (answer, ()) = tokio::join!(client.call_tool_text("x", None, &notes), serve);
        assert!(answer.is_ok());
        assert_eq!(noted.recv().await.unwrap(), r#"log "during a call""#);
        assert!(events.try_recv().is_err());
    }
}

/// Requests beyond the limit are refused here, and never sent.
#[tokio::test(start_paused = true)]
async fn requests_at_once_are_bounded() {
    let mut opening = Opening::new();
    opening.options.in_flight = 2;
    let Scene { mut script, remote, .. } = opening.open(LEGACY).await;
    let ping = || remote.request(Method::Ping, "{}");
    let serve = async {
        for _ in 0..2 {
            let id = script.expect("ping").await;
            settle().await;
            script.answer(&id, json!({})).await;
        }
    };
    let (one, two, three, ()) = tokio::join!(ping(), ping(), ping(), serve);
    assert!(one.is_ok() && two.is_ok());
    let refused = three.unwrap_err();
    assert!(refused.cannot_have_run(), "{refused}");
    assert!(!refused.ends_connection(), "{refused}");
    let error = hobnob_mcp_engine::CallError::from(refused);
    assert!(
        matches!(&error, hobnob_mcp_engine::CallError::Other(error) if error.code == hobnob_mcp_types::ErrorCode::BUSY),
        "{error}"
    );
}
