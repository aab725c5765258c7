//! Traces as a receiver of OTLP gets them: names, attributes, parents, batches and retries.

use crate::receiver::Receiver;
use hobnob_telemetry::{
    ErrorType, Operation, PeerLink, SpanExporter, SpanIds, SpanSender, TracedCall, TracedClient,
    TracedProgram, Transport, UpstreamConnection, UpstreamOperation,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, UNIX_EPOCH};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const PARENT: &str = "b7ad6b7169203331";
const IDS: SpanIds<'_> = SpanIds {
    trace: 0x0af7_6519_16cd_43dd_8448_eb21_1c80_319c,
    parent: Some(0xb7ad_6b71_6920_3331),
    server: 1,
    client: 0xffff_0000_0000_0002,
    tracestate: None,
};

fn call(tool: &str) -> TracedCall<'_> {
    TracedCall {
        operation: Operation {
            method: "tools/call",
            tool: Some(tool),
            upstream: None,
            error: None,
            duration: Duration::from_millis(1500),
            request_bytes: 1,
            result_bytes: 2,
            link: PeerLink { transport: Transport::Pipe, revision: "2026-07-28" },
        },
        prompt: None,
        memory_operation: None,
        at: UNIX_EPOCH + Duration::from_secs(1_700_000_000),
        ids: SpanIds { parent: None, ..IDS },
        client: TracedClient::default(),
    }
}

/// An exporter to this address, running until it is stopped.
fn exporting(endpoint: &str) -> (SpanSender, CancellationToken, JoinSet<()>) {
    let program = TracedProgram { version: "1.2.3", instance: "i-1".into() };
    let (sender, exporter) = SpanExporter::new(endpoint, program).unwrap();
    let stop = CancellationToken::new();
    let mut running = JoinSet::new();
    running.spawn(exporter.run(stop.clone()));
    (sender, stop, running)
}

/// The spans of a request.
fn spans(body: &Value) -> Vec<Value> {
    body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap().clone()
}

fn attributes(of: &Value) -> BTreeMap<String, String> {
    let attributes = of["attributes"].as_array().unwrap();
    let text = |it: &Value| it.as_str().map(str::to_owned);
    let value = |it: &Value| text(&it["stringValue"]).or_else(|| text(&it["intValue"])).unwrap();
    attributes.iter().map(|it| (text(&it["key"]).unwrap(), value(&it["value"]))).collect()
}

fn named(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

#[tokio::test]
async fn a_call_is_a_server_span_with_a_client_span_below_it() {
    let mut receiver = Receiver::answering(&[]).await;
    let (sender, _stop, _running) = exporting(&receiver.endpoint);
    let mut failing = call("mcp__u__fail");
    let link = PeerLink { transport: Transport::Http, revision: "2025-11-25" };
    let there = UpstreamConnection { link, address: Some(("example.com".into(), 443)) };
    failing.operation.upstream =
        Some(UpstreamOperation { server: "u", tool: Some("fail"), connection: Some(&there) });
    failing.operation.error = Some(ErrorType::Code(-32603));
    failing.operation.link = PeerLink { transport: Transport::Http, revision: "2025-06-18" };
    failing.client = TracedClient { address: Some([192, 0, 2, 7].into()), session: Some(0xab) };
    failing.ids = SpanIds { tracestate: Some("rojo=1"), ..IDS };
    sender.send(&failing);
    let request = receiver.next().await;
    assert!(request.head.starts_with("post /v1/traces http/1.1\r\n"), "{}", request.head);
    assert!(request.head.contains("content-type: application/json\r\n"), "{}", request.head);
    let resource = &request.body["resourceSpans"][0]["resource"];
    let program =
        [("service.name", "hobnob"), ("service.version", "1.2.3"), ("service.instance.id", "i-1")];
    assert_eq!(attributes(resource), named(&program));
    let [server, client] = &spans(&request.body)[..] else { panic!("{}", request.body) };
    assert_eq!(server["name"], "tools/call mcp__u__fail");
    assert_eq!(client["name"], "tools/call fail");
    assert_eq!((&server["kind"], &client["kind"]), (&json!(2), &json!(3)));
    assert_eq!(server["parentSpanId"], PARENT);
    assert_eq!(client["parentSpanId"], server["spanId"]);
    let ids = ["0000000000000001", "ffff000000000002"];
    assert_eq!([&server["spanId"], &client["spanId"]], ids);
    for span in [server, client] {
        assert_eq!(span["traceId"], TRACE);
        assert_eq!(span["traceState"], "rojo=1");
        assert_eq!(span["status"], json!({"code": 2}));
        assert_eq!(span["startTimeUnixNano"], "1700000000000000000");
        assert_eq!(span["endTimeUnixNano"], "1700000001500000000");
    }
    let shared = [
        ("mcp.method.name", "tools/call"),
        ("gen_ai.operation.name", "execute_tool"),
        ("error.type", "-32603"),
        ("rpc.response.status_code", "-32603"),
        ("network.transport", "tcp"),
        ("network.protocol.name", "http"),
    ];
    let mut of_server = named(&shared);
    of_server.extend(named(&[
        ("gen_ai.tool.name", "mcp__u__fail"),
        ("mcp.protocol.version", "2025-06-18"),
        ("client.address", "192.0.2.7"),
        ("mcp.session.id", "00000000000000ab"),
        ("network.protocol.version", "1.1"),
    ]));
    assert_eq!(attributes(server), of_server);
    let mut of_client = named(&shared);
    of_client.extend(named(&[
        ("gen_ai.tool.name", "fail"),
        ("hobnob.server", "u"),
        ("mcp.protocol.version", "2025-11-25"),
        ("server.address", "example.com"),
        ("server.port", "443"),
    ]));
    assert_eq!(attributes(client), of_client);
}

#[tokio::test]
async fn an_operation_on_memories_is_a_span_of_its_own() {
    let mut receiver = Receiver::answering(&[]).await;
    let (sender, _stop, _running) = exporting(&receiver.endpoint);
    let memory_operation = Some("search_memory");
    sender.send(&TracedCall { memory_operation, ..call("memory_recall") });
    let [tool, memory] = &spans(&receiver.next().await.body)[..] else { panic!("two spans") };
    assert_eq!(tool["name"], "tools/call memory_recall");
    assert_eq!((&memory["name"], &memory["kind"]), (&json!("search_memory"), &json!(1)));
    assert_eq!(memory["parentSpanId"], tool["spanId"]);
    assert_eq!(attributes(memory), named(&[("gen_ai.operation.name", "search_memory")]));
}

#[tokio::test]
async fn calls_that_come_together_go_together() {
    let mut receiver = Receiver::answering(&[]).await;
    let (sender, _stop, _running) = exporting(&receiver.endpoint);
    let mut prompt = call("");
    prompt.operation.method = "prompts/get";
    prompt.operation.tool = None;
    prompt.prompt = Some("greet");
    let mut read = prompt;
    read.operation.method = "resources/read";
    read.prompt = None;
    for call in [call("first"), prompt, read, call("broken\u{0}\"")] {
        sender.send(&call);
    }
    let spans = spans(&receiver.next().await.body);
    let names: Vec<_> = spans.iter().map(|it| it["name"].as_str().unwrap()).collect();
    let wanted =
        ["tools/call first", "prompts/get greet", "resources/read", "tools/call broken\u{0}\""];
    assert_eq!(names, wanted);
    assert!(spans.iter().all(|it| it.get("parentSpanId").is_none() && it["status"] == json!({})));
    let greet = [("mcp.method.name", "prompts/get"), ("gen_ai.prompt.name", "greet")];
    let mut greet = named(&greet);
    greet.extend(named(&[("mcp.protocol.version", "2026-07-28"), ("network.transport", "pipe")]));
    assert_eq!(attributes(&spans[1]), greet);
}

#[tokio::test]
async fn a_batch_is_tried_again_where_that_can_help() {
    let mut receiver = Receiver::answering(&[503, 429, 200, 400]).await;
    let (sender, _stop, _running) = exporting(&format!("{}/", receiver.endpoint));
    sender.send(&call("first"));
    for _ in 0..3 {
        assert_eq!(spans(&receiver.next().await.body)[0]["name"], "tools/call first");
    }
    sender.send(&call("refused"));
    assert_eq!(spans(&receiver.next().await.body)[0]["name"], "tools/call refused");
    sender.send(&call("later"));
    assert_eq!(spans(&receiver.next().await.body)[0]["name"], "tools/call later");
}

#[tokio::test]
async fn the_rest_is_sent_at_the_end_and_too_many_are_dropped() {
    let mut receiver = Receiver::answering(&[]).await;
    let program = TracedProgram { version: "1.2.3", instance: "i-1".into() };
    let (sender, exporter) = SpanExporter::new(&receiver.endpoint, program).unwrap();
    for number in 0..10_000 {
        sender.send(&call(&number.to_string()));
    }
    let stop = CancellationToken::new();
    let mut running = JoinSet::new();
    running.spawn(exporter.run(stop.clone()));
    let mut count = 0;
    while count < 4096 {
        let batch = spans(&receiver.next().await.body);
        assert!(batch.len() <= 512, "{}", batch.len());
        assert_eq!(batch[0]["name"], format!("tools/call {count}"));
        count += batch.len();
    }
    assert_eq!(count, 4096, "the queue is bounded");
    sender.send(&call("last"));
    stop.cancel();
    assert_eq!(spans(&receiver.next().await.body)[0]["name"], "tools/call last");
    running.join_next().await.unwrap().unwrap();
}

#[tokio::test]
async fn a_receiver_that_is_gone_does_not_keep_the_hub() {
    // Nothing listens there any more.
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (sender, stop, mut running) = exporting(&format!("http://{gone}"));
    sender.send(&call("lost"));
    stop.cancel();
    let ended = tokio::time::timeout(Duration::from_secs(30), running.join_next());
    ended.await.expect("it ends by itself").unwrap().unwrap();
    sender.send(&call("after the end"));
}

#[test]
fn an_address_has_to_be_one() {
    let program = TracedProgram { version: "1.2.3", instance: "i-1".into() };
    for endpoint in ["", "not an address", "http://", "mailto:ann@example.com"] {
        let error = SpanExporter::new(endpoint, program.clone()).unwrap_err().to_string();
        assert!(error.contains("`endpoint` of [traces]"), "{error}");
    }
}
