//! Several messages in one line: only 2025-03-26 has batches.

use crate::support::{Gate, greeted, greeted_with, modern, plain_kit, server, with};
use hobnob_mcp_testkit::transcript::{converse, converse_doing};

const BATCHING: &str = "2025-03-26";

/// One array has an answer for each request, and nothing for notifications.
#[tokio::test(start_paused = true)]
async fn a_batch_is_answered_with_an_array() {
    let script = r#"
        > [{"jsonrpc":"2.0","id":1,"method":"ping"},
           {"jsonrpc":"2.0","id":"two","method":"tools/call","params":{"name":"echo","arguments":{"text":"a"}}},
           {"jsonrpc":"2.0","method":"notifications/roots/list_changed"},
           {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"fail"}},
           {"jsonrpc":"2.0","id":4,"method":"no/such"}]
        < ["$any","$any","$any","$any"]
        !
    "#;
    converse(&server([plain_kit()]), &greeted(BATCHING, script)).await;
}

/// The same with a look at each answer; those that wait for nothing come first.
#[tokio::test(start_paused = true)]
async fn each_request_of_a_batch_gets_its_own_answer() {
    let script = r#"
        > [{"jsonrpc":"2.0","id":"two","method":"tools/call","params":{"name":"echo","arguments":{"text":"a"}}},
           {"jsonrpc":"2.0","id":1,"method":"ping"},
           {"jsonrpc":"2.0","id":4,"method":"no/such"}]
        < [{"jsonrpc":"2.0","id":1,"result":{}},
           {"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"method not found: no/such"}},
           {"jsonrpc":"2.0","id":"two","result":{"content":[{"type":"text","text":"a"}]}}]
    "#;
    converse(&server([plain_kit()]), &greeted(BATCHING, script)).await;
}

#[tokio::test(start_paused = true)]
async fn a_batch_of_one_is_answered_with_an_array_of_one() {
    let script = r#"
        > [{"jsonrpc":"2.0","id":1,"method":"ping"}]
        < [{"jsonrpc":"2.0","id":1,"result":{}}]
        >   [ {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"}}} ]
        < [{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"a"}]}}]
    "#;
    converse(&server([plain_kit()]), &greeted(BATCHING, script)).await;
}

#[tokio::test(start_paused = true)]
async fn a_batch_without_requests_is_not_answered() {
    let script = r#"
        > [{"jsonrpc":"2.0","method":"notifications/roots/list_changed"},
           {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}},
           {"jsonrpc":"2.0","id":77,"result":{}}]
        !
        > {"jsonrpc":"2.0","id":1,"method":"ping"}
        < {"jsonrpc":"2.0","id":1,"result":{}}
    "#;
    converse(&server([plain_kit()]), &greeted(BATCHING, script)).await;
}

/// An invalid element of a batch gets an error of its own; an empty array, or one that is not JSON,
/// gets a single error.
#[tokio::test(start_paused = true)]
async fn garbage_in_a_batch_is_refused_element_by_element() {
    let script = r#"
        > []
        < {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"an empty batch"}}
        > [{"jsonrpc":"2.0","id":1,"method":"ping"},
        < {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"$any"}}
        > [1,"a",null,{},[],{"jsonrpc":"2.0","id":1,"method":"ping"},
           {"jsonrpc":"2.0","id":5,"method":7},{"jsonrpc":"1.0","id":6,"method":"ping"},
           {"jsonrpc":"2.0","id":null,"method":"ping"},
           [{"jsonrpc":"2.0","id":7,"method":"ping"}]]
        < [{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"$any"}},
           {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"$any"}},
           {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"$any"}},
           {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"$any"}},
           {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"$any"}},
           {"jsonrpc":"2.0","id":1,"result":{}},
           {"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"$any"}},
           {"jsonrpc":"2.0","id":6,"error":{"code":-32600,"message":"$any"}},
           {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"$any"}},
           {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"$any"}}]
    "#;
    converse(&server([plain_kit()]), &greeted(BATCHING, script)).await;
}

/// `initialize` must not be in a batch: before it there is no session that could have batches, and
/// after it a second one is refused anyway.
#[tokio::test(start_paused = true)]
async fn the_handshake_may_not_be_in_a_batch() {
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{
        "protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
    let script = r#"
        > [${hello}]
        < {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"$has batch"}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/list"}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"server not initialized"}}
        > ${hello}
        < {"jsonrpc":"2.0","id":1,"result":"$any"}
        # Between `initialize` and `initialized` a batch is no way around either.
        > [{"jsonrpc":"2.0","id":3,"method":"ping"},{"jsonrpc":"2.0","id":4,"method":"tools/list"},${hello}]
        < [{"jsonrpc":"2.0","id":3,"result":{}},
           {"jsonrpc":"2.0","id":4,"error":{"code":-32600,"message":"server not initialized"}},
           {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"$has batch"}}]
        > [{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","id":5,"method":"ping"}]
        < [{"jsonrpc":"2.0","id":5,"result":{}}]
        > {"jsonrpc":"2.0","id":6,"method":"tools/list"}
        < {"jsonrpc":"2.0","id":6,"result":"$any"}
    "#;
    let hello = hello.split('\n').map(str::trim).collect::<String>();
    converse(&server([plain_kit()]), &with(&[("hello", &hello)], script)).await;
}

/// A batch may have 100 messages; with one more the whole batch is refused, and nothing is run.
#[tokio::test(start_paused = true)]
async fn a_batch_has_at_most_a_hundred_messages() {
    let pings = |count: usize| {
        let all: Vec<_> = (0..count)
            .map(|id| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#))
            .collect();
        format!("[{}]", all.join(","))
    };
    let pongs: Vec<_> =
        (0..100).map(|id| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)).collect();
    let script = format!(
        r#"
        > {}
        < [{}]
        > {}
        < {{"jsonrpc":"2.0","id":null,"error":{{"code":-32600,"message":"a batch of 101 messages, the limit is 100"}}}}
        !
        > {}
        < {{"jsonrpc":"2.0","id":null,"error":{{"code":-32600,"message":"$has 10000 messages"}}}}
        !
        "#,
        pings(100),
        pongs.join(","),
        pings(101),
        pings(10_000),
    );
    converse(&server([plain_kit()]), &greeted(BATCHING, &script)).await;
}

/// In every other revision an array gets one error, and none of its messages is run.
#[tokio::test(start_paused = true)]
async fn other_revisions_have_no_batches() {
    let script = r#"
        > [{"jsonrpc":"2.0","id":1,"method":"ping"}]
        < {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"$has batch"}}
        > []
        < {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"$has batch"}}
        > [{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}]
        < {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"$has batch"}}
        !
    "#;
    let gate = Gate::new();
    for version in ["2024-11-05", "2025-06-18", "2025-11-25"] {
        converse(&server([gate.kit()]), &greeted(version, script)).await;
    }
    // Without a handshake there is no revision that could allow batches.
    converse(&server([gate.kit()]), script).await;
    let script = r#"
        > [{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{${me}}}]
        < {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"$has batch"}}
    "#;
    converse(&server([gate.kit()]), &modern(script)).await;
    assert_eq!(gate.tally(), (0, 0, 0));
}

/// A batch is answered when its last answer is there. A cancelled request is not waited for and has
/// no answer in the array.
#[tokio::test(start_paused = true)]
async fn a_cancelled_member_is_left_out() {
    let script = r#"
        > [{"jsonrpc":"2.0","id":1,"method":"ping"},
           {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait"}},
           {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"wait"}}]
        !
        > {"jsonrpc":"2.0","id":4,"method":"ping"}
        < {"jsonrpc":"2.0","id":4,"result":{}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}
        !
        do open
        < [{"jsonrpc":"2.0","id":1,"result":{}},
           {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"through"}]}}]
        # If none is left, there is no array either.
        > [{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"wait"}}]
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}
        !
    "#;
    let gate = Gate::new();
    let server = server([gate.kit()]);
    converse_doing(&server, &greeted(BATCHING, script), |_| gate.open()).await;
}

/// Two requests with the same id in one batch: one is refused, and both are answered.
#[tokio::test(start_paused = true)]
async fn one_id_twice_in_a_batch_is_refused_once() {
    let script = r#"
        > [{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"}}},
           {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"b"}}}]
        < [{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"$has still being answered"}},
           {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"a"}]}}]
    "#;
    converse(&server([plain_kit()]), &greeted(BATCHING, script)).await;
}

/// A batch may also contain answers to the server's questions.
#[tokio::test(start_paused = true)]
async fn a_batch_may_hold_answers() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sample"}}
        < {"jsonrpc":"2.0","id":"$keep question","method":"sampling/createMessage","params":"$any"}
        > [{"jsonrpc":"2.0","id":2,"method":"ping"},
           {"jsonrpc":"2.0","id":${question},"result":{"role":"assistant","model":"m",
            "content":{"type":"text","text":"hi"}}}]
        < [{"jsonrpc":"2.0","id":2,"result":{}}]
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"hi"}]}}
    "#;
    let script = greeted_with(BATCHING, r#"{"sampling":{}}"#, script);
    converse(&server([crate::questions::question_kit()]), &script).await;
}
