//! Ids are returned unchanged and never mixed up.

use crate::support::{Gate, LEGACY, greeted, modern, plain_kit, server, with};
use hobnob_mcp_engine::Limits;
use hobnob_mcp_server::Server;
use hobnob_mcp_testkit::transcript::{converse, converse_doing};

/// Ids of every kind, as JSON texts.
const IDS: [&str; 16] = [
    "1",
    "\"1\"",
    "0",
    "-1",
    "\"\"",
    "9007199254740993",
    "-9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551616",
    "123456789012345678901234567890",
    "\"id\"",
    "\"é ü 漢字 😀\"",
    "\"a b\"",
    r#""\"quoted\" \\ \n\t""#,
    "\"null\"",
];

/// The same type, the same value, the same digits.
#[tokio::test(start_paused = true)]
async fn an_id_comes_back_as_it_came() {
    let script = r#"
        > {"jsonrpc":"2.0","id":${id},"method":"ping"}
        = {"jsonrpc":"2.0","id":${id},"result":{}}
        > {"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"}}}
        = {"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"a"}]}}
        > {"jsonrpc":"2.0","id":${id},"method":"no/such"}
        = {"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"method not found: no/such"}}
        > {"id":${id},"params":{"name":"fail"},"method":"tools/call","jsonrpc":"2.0"}
        = {"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"error: task not found: task_xyz"}],"isError":true}}
    "#;
    for version in LEGACY {
        for id in IDS {
            converse(&server([plain_kit()]), &greeted(version, &with(&[("id", id)], script))).await;
        }
    }
    let script = r#"
        > {"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"none",${me}}}
        = {"jsonrpc":"2.0","id":${id},"error":{"code":-32602,"message":"Unknown tool: none"}}
    "#;
    for id in IDS {
        converse(&server([plain_kit()]), &modern(&with(&[("id", id)], script))).await;
    }
}

/// An escaped spelling is the same id; the answer has the plain one.
#[tokio::test(start_paused = true)]
async fn an_id_has_one_spelling() {
    let script = r#"
        > {"jsonrpc":"2.0","id":"\u0061\/b","method":"ping"}
        = {"jsonrpc":"2.0","id":"a/b","result":{}}
    "#;
    converse(&server([plain_kit()]), script).await;
}

/// An invalid id is refused and not echoed.
#[tokio::test(start_paused = true)]
async fn what_is_no_id_is_refused() {
    let script = r#"
        > {"jsonrpc":"2.0","id":${id},"method":"ping"}
        < {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"$has `id`"}}
        > {"jsonrpc":"2.0","id":1,"method":"ping"}
        < {"jsonrpc":"2.0","id":1,"result":{}}
    "#;
    let long = format!("\"{}\"", "x".repeat(1 << 20));
    for id in ["null", "1.5", "1e3", "-0.0", "true", "[]", "{}", "[1]", r#"{"a":1}"#, &long] {
        converse(&server([plain_kit()]), &with(&[("id", id)], script)).await;
    }
}

/// The id of a request in flight cannot be used for another request; the first request is answered
/// normally.
#[tokio::test(start_paused = true)]
async fn an_id_in_use_is_refused() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"b"}}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"a request with id 1 is still being answered"}}
        # Another type is another id.
        > {"jsonrpc":"2.0","id":"1","method":"tools/call","params":{"name":"echo","arguments":{"text":"c"}}}
        < {"jsonrpc":"2.0","id":"1","result":{"content":[{"type":"text","text":"c"}]}}
        do open
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"through"}]}}
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"d"}}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"d"}]}}
    "#;
    for version in LEGACY {
        let gate = Gate::new();
        let server = server([plain_kit(), gate.kit()]);
        converse_doing(&server, &greeted(version, script), |_| gate.open()).await;
        assert_eq!(gate.tally(), (1, 1, 0));
    }
}

/// Answers to questions that the server did not ask are ignored.
#[tokio::test(start_paused = true)]
async fn answers_to_nothing_are_ignored() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"result":{}}
        > {"jsonrpc":"2.0","id":"1","result":null}
        > {"jsonrpc":"2.0","id":99,"error":{"code":-1,"message":"no"}}
        > {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}
        > {"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}
        !
        > {"jsonrpc":"2.0","id":1,"method":"ping"}
        < {"jsonrpc":"2.0","id":1,"result":{}}
    "#;
    for version in LEGACY {
        converse(&server([plain_kit()]), &greeted(version, script)).await;
    }
    converse(&server([plain_kit()]), script).await;
}

/// Two peers of one server may use the same ids; each gets only its own answers.
#[tokio::test(start_paused = true)]
async fn peers_do_not_share_ids() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}
        !
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"${text}"}}}
        < {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"${text}"}]}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${cancel}}}
        !
        do open
        ${last}
    "#;
    let answered =
        r#"< {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"through"}]}}"#;
    let gate = Gate::new();
    let server = server([plain_kit(), gate.kit()]);
    let script = |text, cancel, last| {
        let script = script.replace("${last}", last);
        greeted("2025-06-18", &with(&[("text", text), ("cancel", cancel)], &script))
    };
    let (one, two) = (script("one", "1", "!"), script("two", "7", answered));
    tokio::join!(
        converse_doing(&server, &one, |_| ()),
        converse_doing(&server, &two, |_| gate.open()),
    );
    assert_eq!(gate.tally(), (2, 1, 1));
}

/// The number of concurrent calls is limited; a finished call makes room again.
#[tokio::test(start_paused = true)]
async fn calls_at_once_are_bounded_and_places_come_back() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"${meta}}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait"${meta}}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"wait"${meta}}}
        < {"jsonrpc":"2.0","id":3,"error":{"code":-31001,"message":"too many requests at once; try again later"}}
        > {"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"a":1${meta}}}
        < {"jsonrpc":"2.0","id":4,${listed}}
        do open
        < {"jsonrpc":"2.0","id":1,"result":"$any"}
        > {"jsonrpc":"2.0","id":5,"method":"tools/list","params":{"a":1${meta}}}
        < {"jsonrpc":"2.0","id":5,"result":"$any"}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}
        do nothing
        > {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"wait"${meta}}}
        > {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"crash"${meta}}}
        < {"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"internal error"}}
        > {"jsonrpc":"2.0","id":8,"method":"tools/list","params":{"a":1${meta}}}
        < {"jsonrpc":"2.0","id":8,"result":"$any"}
        do open
        < {"jsonrpc":"2.0","id":6,"result":"$any"}
    "#;
    let busy = r#""error":{"code":-31001,"message":"too many requests at once; try again later"}"#;
    let bounds = [
        (Limits { in_flight: 2, ..Limits::default() }, busy),
        // Cheap queries are answered while calls have taken everything.
        (Limits { in_flight_total: 2, ..Limits::default() }, r#""result":"$any""#),
        (Limits { in_flight_per_client: 2, ..Limits::default() }, r#""result":"$any""#),
    ];
    for (limits, listed) in bounds {
        let scripts = [
            greeted("2024-11-05", &with(&[("meta", ""), ("listed", listed)], script)),
            greeted("2025-11-25", &with(&[("meta", ""), ("listed", listed)], script)),
            modern(&with(&[("meta", ",${me}"), ("listed", listed)], script)),
        ];
        for script in &scripts {
            let gate = Gate::new();
            let server = Server::builder("probe", "1.0").limits(limits.clone());
            let server = server.kit(gate.kit()).kit(plain_kit());
            let server = server.build().expect("a server");
            converse_doing(&server, script, |deed| {
                if deed == "open" {
                    gate.open();
                }
            })
            .await;
        }
    }
}

/// `ping` takes no place: a server at its limit still answers it.
#[tokio::test(start_paused = true)]
async fn a_full_server_still_answers_ping() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}
        > {"jsonrpc":"2.0","id":2,"method":"ping"}
        < {"jsonrpc":"2.0","id":2,"result":{}}
        > {"jsonrpc":"2.0","id":3,"method":"logging/setLevel","params":{"level":"error"}}
        < {"jsonrpc":"2.0","id":3,"result":{}}
        do open
        < {"jsonrpc":"2.0","id":1,"result":"$any"}
    "#;
    let gate = Gate::new();
    let server =
        Server::builder("probe", "1.0").limits(Limits { in_flight: 1, ..Limits::default() });
    let server = server.kit(gate.kit()).build().expect("a server");
    converse_doing(&server, &greeted("2025-03-26", script), |_| gate.open()).await;
}

/// The default limit: the 257th concurrent call on one connection is refused.
#[tokio::test(start_paused = true)]
async fn the_usual_bound_is_256_calls_on_one_connection() {
    let calls = |ids: std::ops::Range<usize>| -> String {
        let call = r#"> {"jsonrpc":"2.0","id":ID,"method":"tools/call","params":{"name":"wait"}}"#;
        ids.map(|id| call.replace("ID", &id.to_string()) + "\n").collect()
    };
    let gate = Gate::new();
    let script = format!(
        r#"{}{}
        < {{"jsonrpc":"2.0","id":256,"error":{{"code":-31001,"message":"$any"}}}}
        do count
        end
        "#,
        calls(0..256),
        calls(256..257),
    );
    converse_doing(&server([gate.kit()]), &greeted("2025-11-25", &script), |_| {
        assert_eq!(gate.tally(), (256, 0, 0));
    })
    .await;
    assert_eq!(gate.tally(), (256, 0, 256));
}
