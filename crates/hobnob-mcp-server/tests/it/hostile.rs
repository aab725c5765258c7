//! Hostile and broken input: the server answers with an error and goes on with the next request.

use crate::support::{Gate, greeted, modern, plain_kit, server};
use hobnob_mcp_engine::Limits;
use hobnob_mcp_server::Server;
use hobnob_mcp_testkit::transcript::{converse, with_peer};
use serde_json::{Value, json};

const PING: &[u8] = br#"{"jsonrpc":"2.0","id":"control","method":"ping"}"#;

/// Lines that are not JSON, or JSON that is not a message.
#[tokio::test(start_paused = true)]
async fn a_line_that_is_no_message_is_refused() {
    let script = r#"
        > not json
        < {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"$any"}}
        > {"jsonrpc":"2.0","id":1,"method":"ping"
        < {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"$any"}}
        > {"jsonrpc":"2.0","id":1,"method":"ping"} {"jsonrpc":"2.0","id":2,"method":"ping"}
        < {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"$any"}}
        > {'jsonrpc':'2.0'}
        < {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"$any"}}
        > 7
        < {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"$any"}}
        > "ping"
        < {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"$any"}}
        > null
        < {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"$any"}}
        > {}
        < {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"$any"}}
        > {"id":1,"method":"ping"}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"$has jsonrpc"}}
        > {"jsonrpc":"1.0","id":2,"method":"ping"}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"$has jsonrpc"}}
        > {"jsonrpc":2.0,"id":3,"method":"ping"}
        < {"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"$has jsonrpc"}}
        > {"jsonrpc":"2.0","id":4}
        < {"jsonrpc":"2.0","id":4,"error":{"code":-32600,"message":"$has method"}}
        > {"jsonrpc":"2.0","id":5,"method":7}
        < {"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"$has method"}}
        > {"jsonrpc":"2.0","id":6,"method":"ping","result":{}}
        < {"jsonrpc":"2.0","id":6,"error":{"code":-32600,"message":"$any"}}
        > {"jsonrpc":"2.0","id":7,"result":{},"error":{"code":1,"message":"a"}}
        < {"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"$any"}}
        > {"jsonrpc":"2.0","id":8,"method":""}
        < {"jsonrpc":"2.0","id":8,"error":{"code":-32600,"message":"server not initialized"}}
        > {"jsonrpc":"2.0","id":9,"method":"ping"}
        < {"jsonrpc":"2.0","id":9,"result":{}}
    "#;
    converse(&server([plain_kit()]), script).await;
}

/// Framing does not matter: bytes may be split, wrapped or padded in any way.
#[tokio::test(start_paused = true)]
async fn framing_does_not_change_the_meaning() {
    let line = "{\"jsonrpc\":\"2.0\",\"id\":\"é😀\",\"method\":\"ping\"}";
    let pong = "{\"jsonrpc\":\"2.0\",\"id\":\"é😀\",\"result\":{}}";
    let server = server([plain_kit()]);
    let text = format!("{line}\n");
    for at in 0..=text.len() {
        with_peer(&server, async |peer| {
            peer.send(&text.as_bytes()[..at]).await;
            peer.send(&text.as_bytes()[at..]).await;
            assert_eq!(peer.receive().await.expect("an answer").bytes, pong);
        })
        .await;
    }
    let wrapped = [
        format!("{line}\r\n"),
        format!("\u{feff}{line}\n"),
        format!("\n\n  \n\r\n{line}\n\n"),
        format!("  {line}  \n"),
        format!("\t{line}"),
    ];
    for bytes in wrapped {
        with_peer(&server, async |peer| {
            peer.send(bytes.as_bytes()).await;
            peer.end().await;
            assert_eq!(peer.receive().await.expect("an answer").bytes, pong, "{bytes:?}");
            assert!(peer.receive().await.is_none(), "{bytes:?}");
        })
        .await;
    }
    with_peer(&server, async |peer| {
        peer.send(format!("{line}\n{line}\n{line}").as_bytes()).await;
        peer.end().await;
        for _ in 0..3 {
            assert_eq!(peer.receive().await.expect("an answer").bytes, pong);
        }
        assert!(peer.receive().await.is_none());
    })
    .await;
}

/// Invalid UTF-8, a NUL, an overlong line: refused, and the neighbouring requests are answered.
#[tokio::test(start_paused = true)]
async fn bytes_that_are_no_text_are_refused() {
    let bad: [&[u8]; 5] = [
        b"\xff\xfe{}",
        b"{\"jsonrpc\":\"2.0\",\"id\":\"\xc3\x28\",\"method\":\"ping\"}",
        b"{\"jsonrpc\":\"2.0\",\"id\":\"\xed\xa0\x80\",\"method\":\"ping\"}",
        b"\x00",
        b"{\"jsonrpc\":\"2.0\",\"id\":\"\x00\",\"method\":\"ping\"}",
    ];
    for line in bad {
        let answers = talk(&server([plain_kit()]), &[PING, line, PING]).await;
        assert_eq!(answers.len(), 3, "{line:?}: {answers:?}");
        assert_eq!(answers[0]["result"], json!({}));
        let code = &answers[1]["error"]["code"];
        assert!(*code == -32700 || *code == -32600, "{line:?}: {}", answers[1]);
        assert_eq!(answers[1]["id"], Value::Null, "{line:?}");
        assert_eq!(answers[2]["result"], json!({}));
    }
}

/// A line over the limit is skipped to its end, however long it is.
#[tokio::test(start_paused = true)]
async fn a_line_that_is_too_long_is_skipped() {
    let limits = Limits { line_bytes: 4096, ..Limits::default() };
    let server = Server::builder("probe", "1.0").limits(limits).build().expect("a server");
    let fits = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#, "x".repeat(4060));
    assert_eq!(fits.len(), 4096);
    let over = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#, "x".repeat(4061));
    let far = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#, "x".repeat(1 << 20));
    let answers = talk(&server, &[fits.as_bytes(), over.as_bytes(), far.as_bytes(), PING]).await;
    let codes: Vec<_> = answers.iter().map(|answer| answer["error"]["code"].as_i64()).collect();
    assert_eq!(codes, [Some(-32600); 3].into_iter().chain([None]).collect::<Vec<_>>());
    assert_eq!(answers[0]["error"]["message"], "server not initialized");
    let skipped = "a message longer than 4096 bytes was skipped";
    assert_eq!(answers[1]["error"]["message"], skipped);
    assert_eq!(answers[2]["error"]["message"], skipped);
    assert_eq!((&answers[1]["id"], &answers[2]["id"]), (&json!(1), &json!(1)));
}

/// An unpaired surrogate is replaced, and the request is answered.
#[tokio::test(start_paused = true)]
async fn half_a_surrogate_pair_is_no_reason_to_refuse() {
    let script = r#"
        > {"jsonrpc":"2.0","id":"\ud800","method":"ping"}
        < {"jsonrpc":"2.0","id":"\ufffd","result":{}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"cut\ud83d"}}}
        < {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"cut\ufffd"}]}}
    "#;
    converse(&server([plain_kit()]), &greeted("2025-06-18", script)).await;
}

/// Unbounded nesting is an error and does not overflow the stack.
#[tokio::test(start_paused = true)]
async fn deep_nesting_is_refused() {
    let depth = 100_000;
    let arrays = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let objects = format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
    let params = |deep: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{{"text":{deep}}}}}}}"#
        )
    };
    let open = "[".repeat(depth);
    let lines =
        [params(&arrays), params(&objects), objects.clone(), open, params(&"[".repeat(depth))];
    for line in lines {
        let answers = talk(&server([plain_kit()]), &[line.as_bytes(), PING]).await;
        assert_eq!(answers.len(), 2);
        let code = &answers[0]["error"]["code"];
        // An array outside 2025-03-26 is refused without being parsed.
        assert!(*code == -32700 || *code == -32600, "{}", answers[0]);
        assert_eq!(answers[1]["id"], "control");
    }
    // The same inside a batch, which is parsed.
    let hello = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
    let batch = format!("[{arrays}]");
    let answers = talk(&server([plain_kit()]), &[hello.as_bytes(), batch.as_bytes(), PING]).await;
    assert_eq!(answers[1]["error"]["code"], -32700, "{}", answers[1]);
    assert_eq!(answers[2]["id"], "control");
}

/// Messages that two parsers could read differently are refused, and nothing runs.
#[tokio::test(start_paused = true)]
async fn a_message_with_two_meanings_is_refused() {
    let twice = [
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"wait"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/call","params":{"name":"wait"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"},"params":{"name":"wait"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","name":"wait"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","arguments":{},"arguments":{"a":1}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","na\u006de":"wait"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","m\u0065thod":"ping","params":{"name":"wait"}}"#,
    ];
    let disguised = [
        r#"{"jsonrpc":"2.0","id":1,"Method":"tools/call","method":"ping","params":{"name":"wait"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"METHOD":"tools/call","params":{"name":"wait"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","Params":{"name":"wait"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","paramſ":{"name":"wait"},"params":{"name":"echo"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method\u0000":"tools/call","method":"ping","params":{"name":"wait"}}"#,
        r#"{"jsonrpc":"2.0","ID":1,"id":2,"method":"tools/call","params":{"name":"wait"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"Name":"wait","name":"echo"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"NAME":"wait"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","Arguments":{}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name\u0000":"wait","name":"echo"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"n\u0061me":"wait"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call\u0000","params":{"name":"wait"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"Tools/Call","params":{"name":"wait"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait\u0000"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"WAIT"}}"#,
    ];
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let gate = Gate::new();
        let server = server([plain_kit(), gate.kit()]);
        let hello = format!(
            r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{}},"clientInfo":{{"name":"c","version":"1"}}}}}}"#
        );
        let ready = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        for line in twice.iter().chain(&disguised) {
            let answers =
                talk(&server, &[hello.as_bytes(), ready.as_bytes(), line.as_bytes(), PING]).await;
            // A call is answered when it is done; `ping`, sent after it, may be answered first.
            let codes: Vec<_> =
                answers.iter().filter_map(|answer| answer["error"]["code"].as_i64()).collect();
            assert_eq!(answers.len(), 3, "{line}: {answers:?}");
            assert!(matches!(codes[..], [-32602..=-32600]), "{line}: {answers:?}");
            assert!(answers.iter().any(|answer| answer["id"] == "control"), "{line}");
        }
        assert_eq!(gate.tally(), (0, 0, 0));
    }
}

/// Duplicate keys are refused at any depth: two parsers could see different arguments.
#[tokio::test(start_paused = true)]
async fn arguments_with_a_key_twice_are_refused() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a","text":7}}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"$has the same key twice"}}
        > {"jsonrpc":"2.0","id":2,"method":"ping"}
        < {"jsonrpc":"2.0","id":2,"result":{}}
    "#;
    converse(&server([plain_kit()]), &greeted("2025-06-18", script)).await;
}

/// Thousands of broken messages: each is refused or ignored, none is fatal, every reply is an
/// answer, and the control request at the end gets its own.
#[tokio::test(start_paused = true)]
async fn a_storm_of_broken_messages_is_weathered() {
    for seed in 1..=4 {
        let server = server([plain_kit()]);
        let mut random = Random(0x9E37_79B9_7F4A_7C15 ^ seed);
        let corpus = corpus();
        with_peer(&server, async |peer| {
            for round in 0..1500 {
                let mut line = corpus[random.below(corpus.len())].clone().into_bytes();
                for _ in 0..=random.below(3) {
                    mutate(&mut line, &mut random);
                }
                line.retain(|byte| *byte != b'\n');
                line.push(b'\n');
                peer.send(&line).await;
                if round % 100 == 99 {
                    control(peer, round).await;
                }
            }
        })
        .await;
    }
}

/// Reads up to the answer to a control request; everything before it must be a valid message.
async fn control(peer: &mut hobnob_mcp_transport::MemoryPeer, round: usize) {
    let id = format!("control {round}");
    let ping = format!("{{\"jsonrpc\":\"2.0\",\"id\":\"{id}\",\"method\":\"ping\"}}\n");
    peer.send(ping.as_bytes()).await;
    loop {
        let frame = peer.receive().await.expect("the server is alive");
        let answer: Value = serde_json::from_slice(frame.bytes.as_ref()).expect("JSON");
        if answer["id"] == id.as_str() {
            assert_eq!(answer["result"], json!({}));
            return;
        }
        let all = match &answer {
            Value::Array(all) => all.clone(),
            one => vec![one.clone()],
        };
        for answer in all {
            assert_eq!(answer["jsonrpc"], "2.0", "{answer}");
            let known = [-32700, -32600, -32601, -32602, -32603, -32002, -32022, -31001];
            let proper = answer.get("result").is_some()
                || answer.get("method").is_some()
                || known.iter().any(|code| answer["error"]["code"] == *code);
            assert!(proper, "{answer}");
        }
    }
}

fn corpus() -> Vec<String> {
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"sampling":{}}}"#;
    let mut lines: Vec<String> = [
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":"2","method":"tools/call","params":{"name":"echo","arguments":{"text":"héllo"}}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"crash","_meta":{"progressToken":7}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
        r#"{"jsonrpc":"2.0","id":9,"result":{"roots":[]}}"#,
        r#"{"jsonrpc":"2.0","id":9,"error":{"code":-1,"message":"no"}}"#,
        r#"[{"jsonrpc":"2.0","id":4,"method":"ping"},{"jsonrpc":"2.0","id":5,"method":"tools/list"}]"#,
        r#"{"jsonrpc":"2.0","id":18446744073709551616,"method":"logging/setLevel","params":{"level":"debug"}}"#,
        r#"{"jsonrpc":"2.0","id":-1.5e3,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"ping","params":[1,2,[3]]}"#,
    ]
    .map(str::to_owned)
    .into();
    lines.push(format!(
        r#"{{"jsonrpc":"2.0","id":6,"method":"server/discover","params":{{{meta}}}}}"#
    ));
    lines.push(format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"echo","arguments":{{"text":"m"}},"requestState":"AAAA",{meta}}}}}"#
    ));
    lines.push(format!(r#"{{"jsonrpc":"2.0","id":"{}","method":"ping"}}"#, "x".repeat(2000)));
    lines.push(format!(r#"{{"jsonrpc":"2.0","id":8,"method":"{}"}}"#, "y".repeat(20_000)));
    lines
}

fn mutate(line: &mut Vec<u8>, random: &mut Random) {
    const TOKENS: [&[u8]; 14] = [
        b"null",
        b"{}",
        b"[]",
        b"\"\"",
        b"-0",
        b"1e999",
        b"true",
        b",",
        b":",
        b"\\u0000",
        b"\xff",
        b"{\"a\":",
        b"\"id\":1,",
        b"\"method\":\"ping\",",
    ];
    if line.is_empty() {
        line.push(b'{');
    }
    let at = random.below(line.len());
    match random.below(6) {
        0 => line[at] ^= 1 << random.below(8),
        1 => drop(line.remove(at)),
        2 => line.truncate(at),
        3 => {
            let token = TOKENS[random.below(TOKENS.len())];
            drop(line.splice(at..at, token.iter().copied()));
        }
        4 => {
            let end = (at + random.below(30)).min(line.len());
            let piece = line[at..end].to_vec();
            drop(line.splice(at..at, piece));
        }
        _ => {
            let end = (at + random.below(12)).min(line.len());
            let token = TOKENS[random.below(TOKENS.len())];
            drop(line.splice(at..end, token.iter().copied()));
        }
    }
}

/// A reproducible random number generator (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).expect("a small number")
    }
}

/// Sends lines, ends the input, and returns everything received.
async fn talk(server: &Server, lines: &[&[u8]]) -> Vec<Value> {
    let mut answers = Vec::new();
    with_peer(server, async |peer| {
        for line in lines {
            peer.send(line).await;
            peer.send(b"\n").await;
        }
        peer.end().await;
        while let Some(frame) = peer.receive().await {
            answers.push(serde_json::from_slice(frame.bytes.as_ref()).expect("JSON"));
        }
    })
    .await;
    answers
}

/// Modern requests are checked in the same way.
#[tokio::test(start_paused = true)]
async fn a_modern_message_with_two_meanings_is_refused() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","Name":"wait",${me}}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"$any"}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait","_Meta":{},${me}}}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"$any"}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"wait",${me},${me}}}
        < {"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"$any"}}
        !
    "#;
    let gate = Gate::new();
    converse(&server([plain_kit(), gate.kit()]), &modern(script)).await;
    assert_eq!(gate.tally(), (0, 0, 0));
}
