//! Profiles from outside: several beside everything on one socket, one alone on a pipe, and what
//! is said of those that do not hold.

use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::process::Child;
use tokio::task::JoinSet;

use crate::dialogue::Dialogue;
use crate::faults_setup::Setup;
use crate::program::within;

const MODERN: &str = "2026-07-28";

const READER: &str = r#"
    description = "Reads, and changes nothing"
    services = ["health"]
    hobnob_tools = false
    [server]
    name = "library"
    version = "7"
    instructions = "Read."
    [tools."mcp__up__*"]
    enabled = false
    [tools.mcp__up__echo]
    enabled = true
    name = "say"
    description = "Says it again"
    [tools.health_check]
    name = "well"
    [prompts."*"]
    enabled = false
    [resources."*"]
    enabled = false
    [templates."*"]
    enabled = false
"#;

/// A stage with one upstream and these profiles.
async fn setup(name: &str, profiles: &[(&str, &str)]) -> Option<Setup> {
    let mut setup = Setup::new(name).await?;
    setup.upstream("up", &["--only", "echo", "--only", "count"]).write();
    std::fs::create_dir_all(setup.home.join("config/profiles")).unwrap();
    for (name, text) in profiles {
        setup.put(&format!("config/profiles/{name}.toml"), text);
    }
    Some(setup)
}

/// A server over HTTP, and what it said before it listened.
struct HttpServer {
    authority: String,
    said: Vec<String>,
    _child: Child,
    /// Keeps reading what it says, so that it never blocks.
    _drain: JoinSet<()>,
}

impl HttpServer {
    async fn open(setup: &Setup, profiles: &[&str]) -> Self {
        let mut words = vec!["serve", "--http", "127.0.0.1:0"];
        words.extend(profiles.iter().flat_map(|name| ["--profile", name]));
        let mut command = setup.hobnob(&words);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut said = Vec::new();
        let url = loop {
            let line = within("the address", lines.next_line()).await.unwrap();
            let line = line.unwrap_or_else(|| panic!("it ended; it said {said:?}"));
            let log: Value = serde_json::from_str(&line).unwrap_or_default();
            if log["fields"]["message"] == "listening" {
                break log["fields"]["url"].as_str().unwrap().to_owned();
            }
            said.push(line);
        };
        let authority = url.strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap();
        let authority = authority.to_owned();
        let mut drain = JoinSet::new();
        drain.spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Self { authority, said, _child: child, _drain: drain }
    }

    /// Sends a modern request to a path; status and body of the answer.
    async fn ask(&self, path: &str, method: &str, mut params: Value) -> (u16, Value) {
        let name = params["name"].as_str().map(|name| format!("Mcp-Name: {name}\r\n"));
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let body = body.to_string();
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Accept: application/json\r\nConnection: close\r\nMCP-Protocol-Version: {MODERN}\r\n\
             Mcp-Method: {method}\r\n{}Content-Length: {}\r\n\r\n{body}",
            self.authority,
            name.unwrap_or_default(),
            body.len(),
        );
        let connecting = TcpStream::connect(&self.authority);
        let mut stream = within("a connection", connecting).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        within("an answer", stream.read_to_string(&mut answer)).await.unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(body).unwrap_or_else(|_| panic!("{answer}")))
    }

    /// The beginning of a stream of events.
    async fn open_events(&self, path: &str) -> String {
        let mut stream = within("a connection", TcpStream::connect(&self.authority)).await.unwrap();
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nAccept: text/event-stream\r\n\r\n",
            self.authority
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut lines = BufReader::new(stream).lines();
        let mut read = String::new();
        while !read.contains("data:") {
            let line = within("an event", lines.next_line()).await.unwrap();
            read += &line.unwrap_or_else(|| panic!("it ended after {read}"));
            read.push('\n');
        }
        read
    }

    async fn tools(&self, path: &str) -> Vec<String> {
        let (_, answer) = self.ask(path, "tools/list", json!({})).await;
        let tools = answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}"));
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    async fn call(&self, path: &str, tool: &str, arguments: Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        self.ask(path, "tools/call", params).await.1
    }
}

fn text_of(answer: &Value) -> &str {
    let text = answer["result"]["content"][0]["text"].as_str();
    text.unwrap_or_else(|| panic!("{answer}"))
}

#[tokio::test]
async fn a_profile_is_served_beside_everything() {
    let profiles = [("reader", READER), ("other", "servers = []"), ("more", "servers = []")];
    let Some(setup) = setup("profiles", &profiles).await else { return };
    let site = HttpServer::open(&setup, &["reader", "more", "reader"]).await;
    let (all, narrow) = (site.tools("/mcp").await, site.tools("/p/reader/mcp").await);
    assert_eq!(narrow, ["well", "say"]);
    for name in ["mcp__up__echo", "mcp__up__count", "health_check", "ListMcpResources"] {
        assert!(all.contains(&name.to_owned()), "{name} is not in {all:?}");
    }
    let said = site.call("/p/reader/mcp", "say", json!({"message": "hello"})).await;
    assert_eq!(text_of(&said), "hello");
    assert!(text_of(&site.call("/p/reader/", "well", json!({})).await).contains("\"ok\""));
    for hidden in ["mcp__up__echo", "mcp__up__count", "health_check", "health.check"] {
        let refused = site.call("/p/reader/mcp", hidden, json!({})).await;
        let error = json!({"code": -32602, "message": format!("Unknown tool: {hidden}")});
        assert_eq!(refused["error"], error);
    }
    let (_, hello) = site.ask("/p/reader/mcp", "server/discover", json!({})).await;
    let hello = &hello["result"];
    assert_eq!(hello["instructions"], "Read.");
    let about = &hello["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!(*about, json!({"name": "library", "version": "7"}));
    assert_eq!((&hello["capabilities"]["prompts"], &hello["capabilities"]["resources"]), {
        (&Value::Null, &Value::Null)
    });
    // One process for both, and for commands too.
    assert_eq!(text_of(&site.call("/mcp", "mcp__up__echo", json!({"message": "x"})).await), "x");
    let command = setup.hobnob(&["call", "mcp__up__count"]).stdin(Stdio::null()).output();
    let counted = within("a command", command).await.unwrap();
    assert_eq!(String::from_utf8_lossy(&counted.stdout).trim(), "1");
    assert_eq!(setup.noted("up", "start"), 1);
    // Only what was named is served, and a wrong path says where to go.
    for path in ["/p/other/mcp", "/p/subcog/mcp", "/p/none/mcp"] {
        let (status, answer) = site.ask(path, "tools/list", json!({})).await;
        let message = "no such path; MCP is served at /mcp, /p/more/mcp, /p/reader/mcp";
        assert_eq!((status, &answer["error"]["message"]), (404, &json!(message)), "{path}");
    }
}

#[tokio::test]
async fn over_http_too_a_single_profile_is_all_there_is() {
    let Some(setup) = setup("profiles-root", &[("reader", READER)]).await else { return };
    // The same name twice is still one profile.
    for names in [&["reader"][..], &["reader", "reader"]] {
        let site = HttpServer::open(&setup, names).await;
        for path in ["/mcp", "/", "/p/reader/mcp"] {
            assert_eq!(site.tools(path).await, ["well", "say"], "{path}");
        }
        let hidden = site.call("/mcp", "mcp__up__count", json!({})).await;
        assert_eq!(hidden["error"]["message"], "Unknown tool: mcp__up__count");
        let (_, hello) = site.ask("/mcp", "server/discover", json!({})).await;
        let about = &hello["result"]["_meta"]["io.modelcontextprotocol/serverInfo"];
        assert_eq!(about["name"], "library");
        let oldest = site.open_events("/sse").await;
        assert!(oldest.contains("event: endpoint"), "{oldest}");
        let (status, _) = site.ask("/p/subcog/mcp", "tools/list", json!({})).await;
        assert_eq!(status, 404);
    }
}

#[tokio::test]
async fn without_a_word_all_profiles_are_served_that_hold() {
    let profiles = [
        ("reader", READER),
        ("broken", "services = [\"health\"]\n[tools.a]\nnmae = \"b\""),
        ("lost", "services = [\"helth\"]"),
        ("torn", "[tools.health_check]\narguments = [\"depth\"]"),
        ("bossman", "services = [\"health\"]\nservers = []\n[server]\nname = \"mine\""),
    ];
    let Some(setup) = setup("profiles-all", &profiles).await else { return };
    let site = HttpServer::open(&setup, &[]).await;
    let (status, answer) = site.ask("/p/nobody/mcp", "tools/list", json!({})).await;
    let message = "no such path; MCP is served at /mcp, /p/bossman/mcp, /p/reader/mcp, \
                   /p/subcog/mcp, /p/substrate/mcp, /p/sysmcp/mcp, /p/torn/mcp";
    assert_eq!((status, &answer["error"]["message"]), (404, &json!(message)));
    for (path, name) in [("/p/subcog/mcp", "subcog"), ("/p/bossman/mcp", "mine")] {
        let (_, hello) = site.ask(path, "server/discover", json!({})).await;
        let about = &hello["result"]["_meta"]["io.modelcontextprotocol/serverInfo"];
        assert_eq!(about["name"], name, "{hello}");
    }
    // A problem that only the services know is reported to each request, from the first one on.
    for _ in 0..2 {
        let (status, answer) = site.ask("/p/torn/mcp", "tools/list", json!({})).await;
        let said = answer["error"]["message"].as_str().unwrap_or_default();
        let part = "profile `torn`: the profile cannot be applied: `health_check` has no";
        assert_eq!((status, said.starts_with(part)), (503, true), "{answer}");
    }
    let folder = setup.file("config/profiles");
    for part in [
        format!("not served: {folder}/broken.toml:3:1: unknown field `nmae`"),
        format!("not served: {folder}/lost.toml:1:13: services.0: there is no service `helth`"),
    ] {
        let said = site.said.iter().any(|line| {
            let log: Value = serde_json::from_str(line).unwrap_or_default();
            log["level"] == "WARN"
                && log["fields"]["message"].as_str().is_some_and(|it| it.contains(&part))
        });
        assert!(said, "{part} is not in {:?}", site.said);
    }
}

#[tokio::test]
async fn a_profile_that_was_named_must_hold() {
    let profiles = [("broken", "[tools.a]\nnmae = \"b\""), ("torn", "[uris]\nmemory = \"mcp\"")];
    let Some(setup) = setup("profiles-named", &profiles).await else { return };
    let http = ["serve", "--http", "127.0.0.1:0", "--profile"];
    for (words, code, part) in [
        (&["serve", "--profile", "broken"][..], 1, "broken.toml:2:1: unknown field `nmae`"),
        (&[&http[..], &["broken"]].concat(), 1, "broken.toml:2:1: unknown field `nmae`"),
        (
            &["serve", "--profile", "torn"],
            1,
            "torn.toml:2:10: uris.memory: \\\"mcp\\\" is reserved",
        ),
        (&["serve", "--profile", "none"], 1, "there is no profile `none`: create it as"),
        (&[&http[..], &["none"]].concat(), 1, "there is no profile `none`: create it as"),
        (&["serve", "--profile", "../x"], 1, "cannot name a profile"),
        (
            &["serve", "--profile", "subcog", "--profile", "bossman"],
            2,
            "name only one, or use --http",
        ),
    ] {
        let ended = setup.hobnob(words).stdin(Stdio::null()).output();
        let ended = within("the end", ended).await.unwrap();
        let said = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(code), "{words:?}: {said}");
        assert!(said.contains(part), "{words:?}: {said}");
        assert!(ended.stdout.is_empty(), "{words:?}");
    }
}

#[tokio::test]
async fn on_a_pipe_a_profile_is_all_there_is() {
    let Some(setup) = setup("profiles-pipe", &[("reader", READER)]).await else { return };
    for (profile, name, tools) in
        [("reader", "library", &["well", "say"][..]), ("plain", "hobnob", &[])]
    {
        setup
            .put("config/profiles/plain.toml", "servers = []\nservices = []\nhobnob_tools = false");
        let mut dialogue = Dialogue::with(&mut setup.hobnob(&["serve", "--profile", profile]));
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "it", "version": "1"}});
        let ask = |id: i64, method: &str, params: Value| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        dialogue.send(ask(1, "initialize", hello)).await;
        let answer = dialogue.answer_to(1).await;
        assert_eq!(answer["result"]["serverInfo"]["name"], name, "{answer}");
        dialogue.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        dialogue.send(ask(2, "tools/list", json!({}))).await;
        let answer = dialogue.answer_to(2).await;
        let listed = answer["result"]["tools"].as_array().unwrap();
        let listed: Vec<_> = listed.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(listed, tools, "{answer}");
        dialogue.close_stdin();
        assert_eq!(dialogue.ended().await.code(), Some(0));
    }
    // The second one has no servers, so none was started for it.
    assert_eq!(setup.noted("up", "start"), 1);
}
