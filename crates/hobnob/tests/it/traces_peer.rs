//! One trace through a client, the hub and a server, seen by a collector: of these four programs,
//! only the hub is ours. Client and server are the official Python library, which records spans.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, TcpListener};
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use crate::cli_config_home::Home;
use crate::peers::{Peer, peer_tests, report_of};
use crate::program::{PROGRAM, within};
use crate::tokens::{send, serve};

/// Starts of the collector before it gives up: another program may take the port that was free.
const MAX_STARTS: usize = 5;
/// The name of the span that a test sends after all others.
const LAST_SPAN: &str = "the last one";

/// A collector, which prints every span that it gets.
struct Collector {
    endpoint: String,
    lines: Lines<BufReader<ChildStdout>>,
    _child: Child,
}

/// What the collector prints about a span.
#[derive(Debug, Clone, Default)]
struct Span {
    trace: String,
    parent: String,
    id: String,
    name: String,
    kind: String,
    attributes: BTreeMap<String, String>,
}

impl Collector {
    async fn start(peer: &Peer, home: &Home) -> Self {
        for _ in 0..MAX_STARTS {
            if let Some(collector) = Self::try_start(peer, home).await {
                return collector;
            }
        }
        panic!("the collector does not start");
    }

    async fn try_start(peer: &Peer, home: &Home) -> Option<Self> {
        let free = || {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
            listener.local_addr().unwrap().to_string()
        };
        let address = free();
        let packages = std::fs::read_dir(peer.home().join("venv/lib")).unwrap();
        let python = packages.map(|entry| entry.unwrap().path()).next().unwrap();
        let mut child = Command::new(python.join("site-packages/rotel/rotel-agent"))
            .args(["start", "--exporter", "blackhole", "--disable-batching"])
            .args(["--debug-log", "traces", "--debug-log-verbosity", "detailed"])
            .args(["--otlp-http-endpoint", &address, "--otlp-grpc-endpoint", &free()])
            .arg("--pid-file")
            .arg(home.path("collector.pid"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // It says that it starts before it listens, so the port itself is asked.
        while tokio::net::TcpStream::connect(&address).await.is_err() {
            if child.try_wait().unwrap().is_some() {
                return None;
            }
            tokio::task::yield_now().await;
        }
        Some(Self { endpoint: format!("http://{address}"), lines, _child: child })
    }

    /// The spans of a trace by kind and name, once all of these have come.
    async fn spans(&mut self, trace: &str, names: &[&str]) -> BTreeMap<String, Span> {
        let mut found = BTreeMap::new();
        let mut span = Span::default();
        let mut is_complete = false;
        while span.name != LAST_SPAN {
            let line = within("a line of the collector", self.lines.next_line()).await.unwrap();
            span.read(&line.expect("the collector has ended"));
            if span.trace == trace {
                found.insert(format!("{} {}", span.kind, span.name), span.clone());
            }
            if !is_complete && names.iter().all(|name| found.contains_key(*name)) {
                is_complete = true;
                // Nothing else says that the collector has printed all of the last span.
                self.send_last_span().await;
            }
        }
        found
    }

    async fn send_last_span(&self) {
        let ids = json!({"traceId": "1".repeat(32), "spanId": "1".repeat(16)});
        let mut span = json!({"name": LAST_SPAN, "kind": 1, "startTimeUnixNano": "1",
            "endTimeUnixNano": "2", "attributes": [], "status": {}});
        span.as_object_mut().unwrap().extend(ids.as_object().unwrap().clone());
        let body = json!({"resourceSpans": [{"resource": {"attributes": []},
            "scopeSpans": [{"scope": {"name": "test"}, "spans": [span]}]}]});
        let head = "POST /v1/traces HTTP/1.1\r\nContent-Type: application/json";
        let answer = send(&format!("{}/", self.endpoint), head, &body.to_string()).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
}

impl Span {
    /// Reads one more line of what the collector prints.
    fn read(&mut self, line: &str) {
        if line.starts_with("Span #") {
            *self = Self::default();
        }
        if let Some((key, value)) = line.trim().strip_prefix("-> ").and_then(attribute) {
            self.attributes.insert(key.to_owned(), value.to_owned());
            return;
        }
        let Some((key, value)) = line.split_once(':') else { return };
        let field = match key.trim() {
            "Trace ID" => &mut self.trace,
            "Parent ID" => &mut self.parent,
            "ID" => &mut self.id,
            "Name" => &mut self.name,
            "Kind" => &mut self.kind,
            _ => return,
        };
        value.trim().clone_into(field);
    }
}

/// The key and the value of `gen_ai.tool.name: Str(seen)`.
fn attribute(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(": ")?;
    Some((key, value.split_once('(')?.1.strip_suffix(')')?))
}

/// A home whose hub sends its traces to this address, with the server `up`.
fn home(home: &Home, peer: &Peer, endpoint: &str) {
    let script = format!("{}/tests/peers/traces.py", env!("CARGO_MANIFEST_DIR"));
    let python = peer.home().join("venv/bin/python");
    let up = json!({"command": python, "args": [script, endpoint, "server"],
        "env": {"NO_PROXY": "*"}});
    home.write("hobnob/config/mcp.json", &json!({"mcpServers": {"up": up}}).to_string());
    home.write(
        "hobnob/config/config.toml",
        &format!(
            "[gateway]\ntool_search = \"never\"\n[traces]\nendpoint = \"{endpoint}\"\n\
             [[permissions]]\nserver = \"up\"\naction = \"allow\"\n"
        ),
    );
}

async fn check(era: &str, transport: &str) {
    let Some(peer) = Peer::find("rotel") else { return };
    let folder = Home::new();
    let mut collector = Collector::start(&peer, &folder).await;
    home(&folder, &peer, &collector.endpoint);
    let mut client = peer.python("traces.py");
    client.args([&*collector.endpoint, "client", era, transport]).env("NO_PROXY", "*");
    client.env("HOBNOB_HOME", folder.path("hobnob")).current_dir(folder.path("project"));
    client.env("HOBNOB_NO_REUSE", "1").env("HOBNOB_NO_BACKGROUND", "1");
    let server = match transport {
        "stdio" => {
            client.args([PROGRAM, "serve"]);
            None
        }
        _ => {
            let server = serve(&folder, &["serve", "--http", "127.0.0.1:0"]).await;
            client.arg(&server.url);
            Some(server)
        }
    };
    let said = report_of(&mut client).await;
    assert_eq!(said["error"], false, "{said}");
    let seen: Value = serde_json::from_str(said["text"].as_str().unwrap()).unwrap();
    let names = [
        "SPAN_KIND_INTERNAL ask",
        "SPAN_KIND_CLIENT MCP send tools/call mcp__up__seen",
        "SPAN_KIND_SERVER tools/call mcp__up__seen",
        "SPAN_KIND_CLIENT tools/call seen",
        "SPAN_KIND_SERVER tools/call seen",
    ];
    let spans = collector.spans(said["trace"].as_str().unwrap(), &names).await;
    for pair in names.windows(2) {
        assert_eq!(spans[pair[1]].parent, spans[pair[0]].id, "{spans:#?}");
    }
    assert_eq!(spans[names[0]].id, said["span"]);
    let last = &spans[names[4]];
    assert_eq!(
        (&*last.id, &*last.parent),
        (seen["span"].as_str().unwrap(), seen["parent"].as_str().unwrap())
    );
    let of_hub = &spans[names[2]].attributes;
    let network = if transport == "http" { "tcp" } else { "pipe" };
    assert_eq!(of_hub["network.transport"], network, "{of_hub:?}");
    assert_eq!(of_hub.get("client.address").map(|it| &**it), server.as_ref().map(|_| "127.0.0.1"));
    assert_eq!(of_hub.contains_key("mcp.session.id"), era == "legacy", "{of_hub:?}");
    let of_server = &spans[names[3]].attributes;
    assert_eq!((&*of_server["hobnob.server"], &*of_server["network.transport"]), ("up", "pipe"));
    assert_eq!(of_server["gen_ai.operation.name"], "execute_tool");
}

peer_tests! {
    a_legacy_client_on_a_pipe_is_in_one_trace_with_its_server: check("legacy", "stdio");
    a_modern_client_on_a_pipe_is_in_one_trace_with_its_server: check("modern", "stdio");
    a_legacy_client_over_http_is_in_one_trace_with_its_server: check("legacy", "http");
    a_modern_client_over_http_is_in_one_trace_with_its_server: check("modern", "http");
}
