//! Questions of the modern era: a result that asks back, and a retry with the answers.

use crate::questions::question_kit;
use crate::support::{modern, server, with};
use hobnob_mcp_engine::{Limits, SealKey};
use hobnob_mcp_server::Server;
use hobnob_mcp_testkit::transcript::converse;
use std::time::Duration;

/// One round: the question comes back under its key, and the retry has a new id.
#[tokio::test(start_paused = true)]
async fn a_retry_with_answers_goes_on() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"elicit",${can ask}}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{
            "who":{"method":"elicitation/create","params":{"mode":"form","message":"Who are you?",
            "requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}}},${us}}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"elicit",
            "inputResponses":{"who":{"action":"accept","content":{"name":"Ann"}}},${can ask}}}
        < {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[{"type":"text","text":"hello Ann"}],${us}}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"elicit",
            "inputResponses":{"who":{"action":"decline"},"extra":{"ignored":true}},${can ask}}}
        < {"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","content":[{"type":"text","text":"declined"}],${us}}}
        # An answer to something else leaves the question open.
        > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"elicit",
            "inputResponses":{"other":{"action":"accept"}},${can ask}}}
        < {"jsonrpc":"2.0","id":4,"result":{"resultType":"input_required","inputRequests":{"who":"$any"},
            "requestState":"$any",${us}}}
        > {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"elicit",
            "inputResponses":{"who":{"action":"perhaps"}},${can ask}}}
        < {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"$has inputResponses.who"}}
        > {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"elicit","inputResponses":[],${can ask}}}
        < {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"$has inputResponses"}}
    "#;
    converse(&server([question_kit()]), &modern(script)).await;
}

/// Every kind of question has its own shape.
#[tokio::test(start_paused = true)]
async fn each_kind_of_question_has_its_shape() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"visit",${can ask}}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{
            "page":{"method":"elicitation/create","params":{"mode":"url","message":"Log in",
            "url":"https://example.invalid/login"}}},${us}}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"sample",${can ask}}}
        < {"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","inputRequests":{
            "model":{"method":"sampling/createMessage","params":{"messages":["$any"],"maxTokens":100}}},${us}}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"roots",${can ask}}}
        < {"jsonrpc":"2.0","id":3,"result":{"resultType":"input_required","inputRequests":{
            "roots":{"method":"roots/list"}},${us}}}
        > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"roots",
            "inputResponses":{"roots":{"roots":[{"uri":"file:///a"}]}},${can ask}}}
        < {"jsonrpc":"2.0","id":4,"result":{"resultType":"complete","content":[{"type":"text","text":"file:///a"}],${us}}}
        > {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"ask_all",${can ask}}}
        < {"jsonrpc":"2.0","id":5,"result":{"resultType":"input_required","inputRequests":{
            "form":"$any","model":"$any","roots":"$any"},${us}}}
        # Two of three: only the third is asked for again, and the two are not asked to be repeated.
        > {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"ask_all","inputResponses":{
            "form":{"action":"decline"},"roots":{"roots":[]}},${can ask}}}
        < {"jsonrpc":"2.0","id":6,"result":{"resultType":"input_required","inputRequests":{"model":"$any"},
            "requestState":"$keep state",${us}}}
        > {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"ask_all","requestState":${state},
            "inputResponses":{"model":{"role":"assistant","model":"m","content":{"type":"text","text":"a"}}},${can ask}}}
        < {"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","content":[{"type":"text","text":"all answered"}],${us}}}
    "#;
    converse(&server([question_kit()]), &modern(script)).await;
}

/// Several rounds: earlier answers and the tool's own state travel inside `requestState`.
const TWO_ROUNDS: &str = r#"
    > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask_twice",${can ask}}}
    < {"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"one":"$any"},${us}}}
    > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask_twice",
        "inputResponses":{"one":{"action":"accept","content":{"name":"Ann"}}},${can ask}}}
    < {"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","inputRequests":{"two":"$any"},
        "requestState":"$keep state",${us}}}
"#;

#[tokio::test(start_paused = true)]
async fn rounds_may_follow_each_other() {
    let script = r#"
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"ask_twice","requestState":${state},
            "inputResponses":{"two":{"action":"accept","content":{"name":"Bob"}}},${can ask}}}
        < {"jsonrpc":"2.0","id":3,"result":{"resultType":"complete",
            "content":[{"type":"text","text":"Ann, Bob, state 1"}],${us}}}
        # The state alone repeats the question.
        > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"ask_twice","requestState":${state},${can ask}}}
        < {"jsonrpc":"2.0","id":4,"result":{"resultType":"input_required","inputRequests":{"two":"$any"},
            "requestState":"$any",${us}}}
        # The order of members and the white space are a client's own affair.
        > {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{ "inputResponses":{"two":{"action":"accept",
            "content":{"name":"Eve"}}},"requestState":${state},"arguments" : { } ,"name":"ask_twice",${can ask}}}
        < {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"$has requestState"}}
    "#;
    // The last case adds `arguments`, which the first request did not have: other parameters.
    converse(&server([question_kit()]), &modern(&format!("{TWO_ROUNDS}{script}"))).await;
}

/// A state is valid only unchanged, and only for the request that it was made for.
#[tokio::test(start_paused = true)]
async fn a_state_that_was_tampered_with_is_refused() {
    let refused = r#"
        < {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"$has requestState"}}
    "#;
    let tries = [
        // A different tool.
        r#"{"name":"elicit","requestState":${state},${can ask}}"#,
        // Different arguments.
        r#"{"name":"ask_twice","arguments":{"a":1},"requestState":${state},${can ask}}"#,
        // Not a state of this server.
        r#"{"name":"ask_twice","requestState":"AAAA",${can ask}}"#,
        r#"{"name":"ask_twice","requestState":"",${can ask}}"#,
        r#"{"name":"ask_twice","requestState":7,${can ask}}"#,
        r#"{"name":"ask_twice","requestState":null,${can ask}}"#,
    ];
    for params in tries {
        let ask = r#"> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":"#;
        let script = format!("{TWO_ROUNDS}{ask}{params}}}{refused}");
        converse(&server([question_kit()]), &modern(&script)).await;
    }
    // A different method.
    let ask = r#"> {"jsonrpc":"2.0","id":3,"method":"prompts/get","params":{"name":"asks","requestState":${state},${can ask}}}"#;
    let script = format!("{TWO_ROUNDS}{ask}{refused}");
    converse(&server([question_kit()]), &modern(&script)).await;
}

/// A change of any single character makes the state invalid.
#[tokio::test(start_paused = true)]
async fn every_character_of_a_state_counts() {
    let server = server([question_kit()]);
    hobnob_mcp_testkit::transcript::with_peer(&server, async |peer| {
        let me = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
            "io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}"#.replace('\n', "");
        let mut ask = async |id: usize, more: &str| {
            let line = format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"ask_twice",{more}{me}}}}}"#
            );
            peer.send(format!("{line}\n").as_bytes()).await;
            let frame = peer.receive().await.expect("an answer");
            serde_json::from_slice::<serde_json::Value>(frame.bytes.as_ref()).expect("JSON")
        };
        let one = r#""inputResponses":{"one":{"action":"accept","content":{"name":"Ann"}}},"#;
        let answer = ask(0, one).await;
        let state = answer["result"]["requestState"].as_str().expect("a state").to_owned();
        for at in 0..state.len() {
            let mut changed = state.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).expect("text");
            let answer = ask(at + 1, &format!(r#""requestState":"{changed}","#)).await;
            assert_eq!(answer["error"]["code"], -32602, "character {at}: {answer}");
        }
        let shorter = &state[..state.len() - 4];
        let answer = ask(9998, &format!(r#""requestState":"{shorter}","#)).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        let answer = ask(9999, &format!(r#""requestState":"{state}","#)).await;
        assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    })
    .await;
}

/// A state opens only with its key, on any server that has it, and only until it expires.
#[tokio::test(start_paused = true)]
async fn a_state_is_bound_to_its_key_and_its_time() {
    let build = |key: u8, limits: Limits| {
        let key = SealKey::from_bytes(&[key; 32]).expect("a key");
        let server = Server::builder("probe", "1.0").state_key(key).limits(limits);
        server.kit(question_kit()).build().expect("a server")
    };
    let state = state_of(&build(1, Limits::default())).await;
    let accepted = r#"< {"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required",
        "inputRequests":{"two":"$any"},"requestState":"$any",${us}}}"#;
    let refused =
        r#"< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"$has requestState"}}"#;
    let ask = r#"> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask_twice","requestState":"${state}",${can ask}}}"#;
    for (key, answer) in [(1, accepted), (2, refused)] {
        let script = with(&[("state", &state)], &format!("{ask}\n{answer}"));
        converse(&build(key, Limits::default()), &modern(&script)).await;
    }
    let short = Limits { state_ttl: Duration::ZERO, ..Limits::default() };
    let state = state_of(&build(1, short)).await;
    let script = with(&[("state", &state)], &format!("{ask}\n{refused}"));
    converse(&build(1, Limits::default()), &modern(&script)).await;
}

/// The state of a call of `ask_twice` after its first question was answered.
async fn state_of(server: &Server) -> String {
    let mut state = String::new();
    hobnob_mcp_testkit::transcript::with_peer(server, async |peer| {
        let line = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask_twice",
            "inputResponses":{"one":{"action":"accept","content":{"name":"Ann"}}},
            "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
            "io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}}"#;
        peer.send(format!("{}\n", line.replace('\n', "")).as_bytes()).await;
        let frame = peer.receive().await.expect("an answer");
        let answer: serde_json::Value = serde_json::from_slice(frame.bytes.as_ref()).expect("JSON");
        state = answer["result"]["requestState"].as_str().expect("a state").to_owned();
    })
    .await;
    state
}

/// A request is not asked for what it did not declare.
#[tokio::test(start_paused = true)]
async fn a_question_needs_its_capability() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}",
            "_meta":{${about},${can}:${has}}}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32021,"message":"$any",
            "data":{"requiredCapabilities":${needed}}}}
    "#;
    let cases = [
        ("elicit", "{}", r#"{"elicitation":{}}"#),
        ("elicit", r#"{"elicitation":{"url":{}}}"#, r#"{"elicitation":{}}"#),
        ("visit", r#"{"elicitation":{}}"#, r#"{"elicitation":{"url":{}}}"#),
        ("visit", r#"{"elicitation":{"form":{}}}"#, r#"{"elicitation":{"url":{}}}"#),
        ("sample", r#"{"roots":{}}"#, r#"{"sampling":{}}"#),
        ("sample_with_tools", r#"{"sampling":{}}"#, r#"{"sampling":{"tools":{}}}"#),
        ("roots", r#"{"sampling":{}}"#, r#"{"roots":{}}"#),
        ("ask_all", r#"{"sampling":{},"roots":{}}"#, r#"{"elicitation":{}}"#),
    ];
    for (tool, has, needed) in cases {
        let script = with(&[("tool", tool), ("has", has), ("needed", needed)], script);
        converse(&server([question_kit()]), &modern(&script)).await;
    }
}

/// Resources and prompts ask in the same way; a result that depends on answers is not cacheable.
#[tokio::test(start_paused = true)]
async fn resources_and_prompts_ask_in_the_same_way() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"test://asks",${can ask}}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"who":"$any"},${us}}}
        > {"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"test://asks",
            "inputResponses":{"who":{"action":"accept","content":{"name":"Ann"}}},${can ask}}}
        < {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete",
            "contents":[{"uri":"test://asks","mimeType":"text/plain","text":"hello Ann"}],
            "ttlMs":0,"cacheScope":"private",${us}}}
        > {"jsonrpc":"2.0","id":3,"method":"prompts/get","params":{"name":"asks",${can ask}}}
        < {"jsonrpc":"2.0","id":3,"result":{"resultType":"input_required","inputRequests":{"who":"$any"},${us}}}
        > {"jsonrpc":"2.0","id":4,"method":"prompts/get","params":{"name":"asks",
            "inputResponses":{"who":{"action":"cancel"}},${can ask}}}
        < {"jsonrpc":"2.0","id":4,"result":{"resultType":"complete",
            "messages":[{"role":"user","content":{"type":"text","text":"cancelled"}}],${us}}}
    "#;
    converse(&server([question_kit()]), &modern(script)).await;
}
