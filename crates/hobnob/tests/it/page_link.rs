//! `hobnob ui`: a link that opens the page of a hub once, whichever way the hub was started, and
//! that no program of a hub gets.

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::process::Command;

use crate::cli_config_home::{Home, read_json};
use crate::dialogue::Dialogue;
use crate::faults_setup::until;
use crate::principal_logs::{home_with_servers, script};
use crate::program::{OWNER_SECRET, PROGRAM, TIMEOUT, hobnob, within};
use crate::tokens::{Response, send, serve};

const LISTENER: [&str; 3] = ["serve", "--http", "127.0.0.1:0"];

/// A page that a link has opened.
pub(crate) struct Page {
    origin: String,
    cookie: String,
    csrf: String,
}

/// The parts of a link.
fn parts(url: &str) -> (&str, &str) {
    let (origin, token) = url.split_once("/ui#link=").unwrap_or_else(|| panic!("{url}"));
    assert!(origin.starts_with("http://127.0.0.1:"), "{url}");
    (origin, token)
}

/// Asks for a link as a person does.
fn link(home: &Home) -> String {
    home.json(0, &["ui"])["url"].as_str().unwrap().to_owned()
}

async fn redeem(url: &str) -> Response {
    let (origin, token) = parts(url);
    let head = format!(
        "POST /ui/api/session HTTP/1.1\r\nContent-Type: application/json\r\nOrigin: {origin}"
    );
    send(&format!("{origin}/"), &head, &json!({ "link": token }).to_string()).await
}

impl Page {
    pub(crate) async fn open(url: &str) -> Self {
        let session = redeem(url).await;
        assert_eq!(session.status, 200, "{}", session.body);
        let cookie = session.head.lines().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case("set-cookie").then(|| value.split(';').next().unwrap())
        });
        let body: Value = serde_json::from_str(&session.body).unwrap();
        Self {
            origin: parts(url).0.to_owned(),
            cookie: cookie.unwrap_or_else(|| panic!("{}", session.head)).to_owned(),
            csrf: body["csrf"].as_str().unwrap().to_owned(),
        }
    }

    pub(crate) async fn get(&self, path: &str) -> Response {
        let head = format!("GET {path} HTTP/1.1\r\nCookie: {}", self.cookie);
        send(&format!("{}/", self.origin), &head, "").await
    }

    async fn state(&self) -> Value {
        let state = self.get("/ui/api/state").await;
        assert_eq!(state.status, 200, "{}", state.body);
        serde_json::from_str(&state.body).unwrap()
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Response {
        let head = format!(
            "POST {path} HTTP/1.1\r\nCookie: {}\r\nX-Hobnob-Csrf: {}\r\nOrigin: {}\r\n\
             Content-Type: application/json",
            self.cookie, self.csrf, self.origin
        );
        send(&format!("{}/", self.origin), &head, &body.to_string()).await
    }

    /// The event stream, which has begun.
    async fn events(&self) -> Events {
        let authority = self.origin.trim_start_matches("http://");
        let mut stream = TcpStream::connect(authority).await.unwrap();
        let head = format!(
            "GET /ui/events HTTP/1.1\r\nHost: {authority}\r\nAccept: text/event-stream\r\n\
             Cookie: {}\r\n\r\n",
            self.cookie
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut events = Events(tokio::io::BufReader::new(stream));
        events.until(|line| line.contains("event: state")).await;
        events
    }
}

/// The lines of an event stream.
struct Events(tokio::io::BufReader<TcpStream>);

impl Events {
    /// Reads until such a line; `None` at the end of the stream.
    async fn find(&mut self, wanted: impl Fn(&str) -> bool) -> Option<String> {
        loop {
            let mut line = Vec::new();
            let read = within("an event", self.0.read_until(b'\n', &mut line)).await;
            if read.unwrap_or(0) == 0 {
                return None;
            }
            let line = String::from_utf8_lossy(&line);
            if wanted(&line) {
                return Some(line.into_owned());
            }
        }
    }

    async fn until(&mut self, wanted: impl Fn(&str) -> bool) -> String {
        self.find(wanted).await.expect("the stream has ended")
    }
}

fn names(state: &Value) -> Vec<&str> {
    let servers = state["status"]["servers"].as_array().unwrap_or_else(|| panic!("{state}"));
    servers.iter().map(|server| server["name"].as_str().unwrap()).collect()
}

/// `hobnob serve` on a pipe, in this home.
async fn pipe(home: &Home) -> Dialogue {
    let mut command = in_home(home, hobnob(&["serve"]));
    let mut dialogue = Dialogue::with(&mut command);
    dialogue.greet().await;
    dialogue
}

fn in_home(home: &Home, mut command: Command) -> Command {
    command
        .env("HOME", home.path("home"))
        .env("HOBNOB_HOME", home.path("hobnob"))
        .current_dir(home.path("project"));
    command
}

async fn is_closed(origin: &str) -> bool {
    TcpStream::connect(origin.trim_start_matches("http://")).await.is_err()
}

/// Waits until nothing listens there.
async fn until_closed(origin: &str) {
    let closed = async { while !is_closed(origin).await {} };
    within("the end of the listener", closed).await;
}

/// The files in which hubs announce where they listen.
fn announced(home: &Home) -> Vec<PathBuf> {
    let files = std::fs::read_dir(home.path("hobnob/run")).unwrap();
    let paths = files.map(|file| file.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|it| it == "json")).collect()
}

#[tokio::test]
async fn a_link_to_a_listener_opens_the_page_once() {
    let home = home_with_servers();
    let server = serve(&home, &LISTENER).await;
    let (url, other) = (link(&home), link(&home));
    let (origin, token) = parts(&url);
    assert_eq!(format!("{origin}/mcp"), server.url, "the page is at the hub's own listener");
    assert_eq!(announced(&home).len(), 1);
    let shown = send(&server.url, "GET /ui HTTP/1.1", "").await;
    assert_eq!(shown.status, 200, "{}", shown.body);
    assert!(!shown.body.contains(token));
    let page = Page::open(&url).await;
    assert!(names(&page.state().await).contains(&"loud"));
    // Each link is good once, and only for what it is.
    let again = redeem(&url).await;
    assert_eq!(again.status, 403, "{}", again.body);
    assert!(again.body.contains("hobnob ui"), "{}", again.body);
    let forged = format!("{origin}/ui#link={}", "0".repeat(token.len()));
    assert_eq!(redeem(&forged).await.status, 403);
    Page::open(&other).await.state().await;
    let stranger = send(&server.url, "GET /ui/api/state HTTP/1.1", "").await;
    assert_eq!(stranger.status, 401, "{}", stranger.body);
}

#[tokio::test]
async fn a_call_of_a_client_appears_on_the_page_of_a_hub_on_a_pipe() {
    let home = home_with_servers();
    let mut client = pipe(&home).await;
    let url = link(&home);
    let page = Page::open(&url).await;
    // The listener has the page and no MCP, and is announced like others.
    assert_eq!(announced(&home).len(), 1);
    let posted = send(&format!("{}/", page.origin), "POST /mcp HTTP/1.1", "{}").await;
    assert_eq!(posted.status, 404, "{}", posted.body);
    let port = page.origin.rsplit(':').next().unwrap();
    let added = home.run(&["add", "loop", &format!("http://127.0.0.1:{port}/ui")]);
    assert!(
        added.code != 0 && added.stderr.contains("address of Hobnob itself"),
        "{}",
        added.stderr
    );
    assert!(names(&page.state().await).contains(&"loud"));
    let mut events = page.events().await;
    client
        .send(json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call",
                     "params": {"name": "mcp__loud__say", "arguments": {}}}))
        .await;
    client.answer_to(7).await;
    let is_end = |line: &str| line.starts_with("data:") && line.contains("\"outcome\":\"ok\"");
    let calls = events.until(is_end).await;
    let calls: Value = serde_json::from_str(calls.trim_start_matches("data:").trim()).unwrap();
    assert_eq!(calls["ended"][0]["target"], "mcp__loud__say", "{calls}");
    assert_eq!(calls["ended"][0]["client"], "it", "{calls}");
    // The hub ends with its client, and the page with its hub.
    client.close_stdin();
    assert!(client.ended().await.success());
    events.until(|line| line.contains("event: end")).await;
    assert!(events.find(|_| false).await.is_none());
    until_closed(&page.origin).await;
    assert_eq!(announced(&home), Vec::<PathBuf>::new());
}

#[tokio::test]
async fn the_page_makes_requests_as_one_more_client() {
    let home = home_with_servers();
    let _server = serve(&home, &LISTENER).await;
    let page = Page::open(&link(&home)).await;
    let ask = async |method: &str, params: Value| {
        let answer = page.post("/ui/api/mcp", &json!({"method": method, "params": params})).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        serde_json::from_str::<Value>(&answer.body).unwrap()
    };
    let listed = ask("tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().unwrap_or_else(|| panic!("{listed}"));
    assert!(tools.iter().any(|tool| tool["name"] == "mcp__loud__say"), "{listed}");
    let unknown = ask("tools/call", json!({"name": "no_such_tool", "arguments": {}})).await;
    assert!(unknown["error"]["code"].is_i64(), "{unknown}");
    // A rule asks the page as it asks every client, and its answer lets the call run.
    home.ok(&["ask", "loud"]);
    ask("tools/list", json!({})).await;
    let call = json!({"name": "mcp__loud__say", "arguments": {"text": "hi"}});
    let asked = ask("tools/call", call.clone()).await;
    let asked = &asked["input_required"];
    let keys = asked["inputRequests"].as_object().unwrap_or_else(|| panic!("{asked}"));
    let answer = json!({"action": "accept", "content": {"answer": "once"}});
    let mut round = call;
    round["inputResponses"] = keys.keys().map(|key| (key.clone(), answer.clone())).collect();
    round["requestState"] = asked["requestState"].clone();
    let done = ask("tools/call", round).await;
    assert_eq!(done["result"]["content"][0]["text"], "said", "{done}");
    let log = home.ok(&["audit", "--json"]).stdout;
    assert!(log.lines().any(|it| it.contains("hobnob page") && it.contains("mcp__loud__say")));
}

#[tokio::test]
async fn servers_are_switched_as_with_commands() {
    let home = home_with_servers();
    let _server = serve(&home, &LISTENER).await;
    let page = Page::open(&link(&home)).await;
    let off = page.post("/ui/api/servers/loud/disable", &json!({})).await;
    assert_eq!(off.status, 204, "{}", off.body);
    assert_eq!(read_json(&home.own())["mcpServers"]["loud"]["disabled"], true);
    let on = page.post("/ui/api/servers/loud/enable", &json!({})).await;
    assert_eq!(on.status, 204, "{}", on.body);
    assert_eq!(read_json(&home.own())["mcpServers"]["loud"]["disabled"], Value::Null);
    let unknown = page.post("/ui/api/servers/nobody/disable", &json!({})).await;
    assert_eq!(unknown.status, 404, "{}", unknown.body);
    let log = home.ok(&["audit", "--json"]).stdout;
    for method in ["servers/disable", "servers/enable"] {
        assert_eq!(log.lines().filter(|line| line.contains(method)).count(), 1, "{log}");
    }
    let health = page.get("/ui/api/health").await;
    assert_eq!(health.status, 200, "{}", health.body);
    let health: Value = serde_json::from_str(&health.body).unwrap();
    assert_eq!(health["listener"], page.origin.as_str());
    assert_eq!(health["audit"]["enabled"], true);
}

#[tokio::test]
async fn without_a_hub_one_is_started_in_the_background() {
    let home = home_with_servers();
    let mut command = home.command(&["--json", "ui"]);
    let output = command.env_remove("HOBNOB_NO_BACKGROUND").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    let page = Page::open(said["url"].as_str().unwrap()).await;
    assert!(names(&page.state().await).contains(&"loud"));
    let hubs = home.json(0, &["hubs"]);
    assert_eq!(hubs[0]["kind"], "background", "{hubs}");
    assert_eq!(hubs[0]["clients"], 1, "the page keeps it: {hubs}");
    // The next link is to the same page.
    assert_eq!(parts(&link(&home)).0, page.origin);
    home.ok(&["stop"]);
    until_closed(&page.origin).await;
}

#[tokio::test]
async fn a_command_without_a_terminal_gets_no_link_unless_it_shows_the_owners_secret() {
    let home = home_with_servers();
    let _client = pipe(&home).await;
    for words in [&["ui"][..], &["--json", "ui"], &["ui", "--no-open"]] {
        let mut command = home.command(words);
        let output = command.env_remove(OWNER_SECRET.0).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(4), "{words:?}: {said}");
        assert!(said.contains(OWNER_SECRET.0) && output.stdout.is_empty(), "{words:?}: {said}");
    }
    assert!(link(&home).contains("#link="));
}

#[tokio::test]
async fn without_a_hub_and_without_background_hubs_it_says_what_to_do() {
    let home = home_with_servers();
    home.write("hobnob/config/config.toml", "[gateway]\nbackground_hub = \"off\"\n");
    let refused = home.run(&["ui"]);
    assert_ne!(refused.code, 0);
    for words in ["no hub runs", "hobnob serve --http"] {
        assert!(refused.stderr.contains(words), "{}", refused.stderr);
    }
}

#[tokio::test]
async fn an_older_hub_is_named_as_the_reason() {
    let home = home_with_servers();
    let mut client = pipe(&home).await;
    let names = std::fs::read_dir(home.path("hobnob/run")).unwrap();
    let names = names.map(|file| file.unwrap().file_name().into_string().unwrap());
    let control = names.filter(|name| name.ends_with(".control")).collect::<Vec<_>>();
    let key = control[0].split('-').next().unwrap().to_owned();
    client.close_stdin();
    client.ended().await;
    // It answers what it does not know as hubs without a page do.
    let socket = home.path("hobnob/run").join(format!("{key}-1.control"));
    let old = UnixListener::bind(socket).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for stream in old.incoming().take(2) {
                let mut stream = stream.unwrap();
                let mut line = String::new();
                BufReader::new(&stream).read_line(&mut line).unwrap();
                let why = "this `hobnob serve` does not know the request";
                writeln!(stream, "{}", json!({ "failed": why })).unwrap();
            }
        });
        let refused = home.run(&["ui"]);
        assert_ne!(refused.code, 0);
        for words in ["older than this program", "hobnob stop"] {
            assert!(refused.stderr.contains(words), "{}", refused.stderr);
        }
    });
}

/// A tool that runs the program with the arguments after the script.
const SPY: &str = r#"*'"method":"tools/call"'*)
      said=$("$@" 2>&1 | tr -d '\n"\\')
      result='{"content":[{"type":"text","text":"'$said'"}]}' ;;"#;

/// Asks the private socket directly, without the command of this program.
const ASK_SOCKET: &str = r#"
import glob, socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(glob.glob(sys.argv[1] + '/*.control')[0])
s.sendall(b'"open-page"\n')
print(s.recv(4096).decode())
"#;

#[tokio::test]
async fn a_program_that_the_hub_started_gets_no_link() {
    let home = home_with_servers();
    let of = |name: &str, folder: &str| format!("{name}={}", home.path(folder).display());
    let project = home.path("project").display().to_string();
    let run = home.path("hobnob/run").display().to_string();
    let (own, hobnob_home) = (of("HOME", "home"), of("HOBNOB_HOME", "hobnob"));
    let path = format!("PATH={}", std::env::var("PATH").unwrap());
    // What the hub says of itself in the environment is not what it is known by.
    let clean = ["env", "-i", &own, &hobnob_home, &path];
    let command = [&clean[..], &[PROGRAM, "ui", "--no-open", "--project", &project]].concat();
    let direct = [&clean[..], &["python3", "-c", ASK_SOCKET, &run]].concat();
    let mut servers = read_json(&home.own());
    for (name, words) in [("command", command), ("direct", direct)] {
        let spy = script(name, "look", SPY);
        let args: Vec<&str> = ["-c", &spy, "spy"].into_iter().chain(words).collect();
        servers["mcpServers"][name] = json!({"command": "sh", "args": args});
    }
    home.write("hobnob/config/mcp.json", &servers.to_string());
    home.ok(&["allow", "command"]);
    home.ok(&["allow", "direct"]);
    let mut client = pipe(&home).await;
    for (id, name, words) in [
        (1, "command", "this program was started by Hobnob"),
        (2, "direct", "the page is not for programs that Hobnob started"),
    ] {
        let tool = format!("mcp__{name}__look");
        client
            .send(json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
                         "params": {"name": tool, "arguments": {}}}))
            .await;
        let answer = client.answer_to(id).await.to_string();
        assert!(answer.contains(words) && !answer.contains("link="), "{answer}");
    }
    assert_eq!(announced(&home), Vec::<PathBuf>::new(), "no listener was opened for them");
}

#[tokio::test]
async fn people_get_the_link_alone_on_standard_output() {
    let home = home_with_servers();
    let _client = pipe(&home).await;
    let mut command = home.command(&["ui"]);
    // No terminal: nothing may open a browser.
    command.env("BROWSER", "false").stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = command.output().unwrap();
    let (said, notes) = (String::from_utf8(output.stdout), String::from_utf8(output.stderr));
    let (said, notes) = (said.unwrap(), notes.unwrap());
    parts(said.trim_end());
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(notes.contains("within two minutes"), "{notes}");
    until("the listener is announced", TIMEOUT, || announced(&home).len() == 1).await;
}
