//! Two principals at one hub, over HTTP, who listen for the very same addresses in both eras: each
//! is notified of their own changes, and of no change by the other or by the person.
//!
//! Changes arrive in their order: what has not come before a later change of one's own never comes.

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::net::TcpStream;

use crate::memory_client::{Era, authority, modern_meta};
use crate::principals_http::Person;
use crate::program::within;
use crate::tokens::{create, home, send, serve};

const BOTH: &str = "application/json, text/event-stream";
/// A listener changes this address to know that all earlier notifications have come.
const MARKER: &str = "memory://user/marker";
/// The addresses that are reported together with the marker.
const WITH_MARKER: [&str; 3] = ["memory://topics", "memory://user", MARKER];

/// A stream of notifications of one principal.
struct Listening {
    lines: Lines<BufReader<TcpStream>>,
    era: Era,
    /// The addresses that a modern server says it will report.
    honoured: Vec<Value>,
}

impl Listening {
    /// Listens for these addresses, and for new lists.
    async fn begin(who: &Person<'_>, era: Era, uris: &[String]) -> Self {
        let request = match era {
            Era::Legacy => {
                let session = legacy_session(who, uris).await;
                format!("GET /mcp HTTP/1.1\r\nAccept: text/event-stream\r\n{session}\r\n")
            }
            Era::Modern => {
                let wanted = json!({"toolsListChanged": true, "promptsListChanged": true,
                    "resourcesListChanged": true, "resourceSubscriptions": uris});
                let params = json!({"notifications": wanted, "_meta": modern_meta(&json!({}))});
                let body = json!({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen",
                    "params": params})
                .to_string();
                format!(
                    "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nAccept: {BOTH}\r\n\
                     MCP-Protocol-Version: {}\r\nMcp-Method: subscriptions/listen\r\n\
                     Content-Length: {}\r\n\r\n{body}",
                    era.revision(),
                    body.len()
                )
            }
        };
        let authority = authority(&who.server.url);
        let (first, rest) = request.split_once("\r\n").unwrap();
        let request = format!(
            "{first}\r\nHost: {authority}\r\nAuthorization: Bearer {}\r\n{rest}",
            who.token
        );
        let mut stream = within("a connection", TcpStream::connect(authority)).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let lines = BufReader::new(stream).lines();
        let mut listening = Self { lines, era, honoured: Vec::new() };
        let status = within("a status", listening.lines.next_line()).await.unwrap().unwrap();
        assert!(status.contains("200"), "{status}");
        if era == Era::Modern {
            let said = listening.next().await;
            let uris = said["params"]["notifications"]["resourceSubscriptions"].as_array();
            listening.honoured = uris.unwrap_or_else(|| panic!("{said}")).clone();
            assert!(listening.honoured.contains(&json!(MARKER)), "{said}");
        }
        listening
    }

    async fn next(&mut self) -> Value {
        let found = async {
            loop {
                let line = self.lines.next_line().await.unwrap().expect("a line");
                let data = line.strip_prefix("data:").filter(|data| !data.trim().is_empty());
                if let Some(data) = data {
                    return serde_json::from_str(data).unwrap();
                }
            }
        };
        within("a notification", found).await
    }

    /// The notifications up to and including the update of this address: addresses of updates, and
    /// methods of all others.
    async fn until(&mut self, uri: &str) -> Vec<String> {
        let mut all = Vec::new();
        loop {
            let said = self.next().await;
            let method = said["method"].as_str().unwrap_or_else(|| panic!("{said}"));
            let what = said["params"]["uri"].as_str().unwrap_or(method).to_owned();
            all.push(what);
            if all.last().is_some_and(|last| last == uri) {
                return all;
            }
        }
    }
}

/// A session that has subscribed, as the headers of its next requests.
async fn legacy_session(who: &Person<'_>, uris: &[String]) -> String {
    let post = |headers: &str| {
        format!(
            "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nAccept: {BOTH}\r\n\
             Authorization: Bearer {}{headers}",
            who.token
        )
    };
    let revision = Era::Legacy.revision();
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": revision, "capabilities": {},
        "clientInfo": {"name": "it", "version": "1"}}});
    let answer = send(&who.server.url, &post(""), &hello.to_string()).await;
    let id = answer.head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("mcp-session-id").then(|| value.trim().to_owned())
    });
    let id = id.unwrap_or_else(|| panic!("{}", answer.head));
    let session = format!("Mcp-Session-Id: {id}\r\nMCP-Protocol-Version: {revision}\r\n");
    let headers = format!("\r\n{}", session.trim_end());
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    send(&who.server.url, &post(&headers), &ready.to_string()).await;
    for (number, uri) in uris.iter().enumerate() {
        let asked = json!({"jsonrpc": "2.0", "id": number + 2, "method": "resources/subscribe",
            "params": {"uri": uri}});
        let answer = send(&who.server.url, &post(&headers), &asked.to_string()).await;
        assert!(answer.status == 200 && !answer.body.contains("error"), "{uri}: {}", answer.body);
    }
    session
}

/// Changes something of every kind that belongs to this person. The last change is of a task.
async fn change_everything(who: &Person<'_>) {
    let text = |value: &Value| value.as_str().unwrap_or_else(|| panic!("{value}")).to_owned();
    for scope in ["project", "user"] {
        let new = json!({"content": format!("of scope {scope}"), "namespace": "decisions",
            "scope": scope, "tags": ["tag"]});
        let id = text(&who.get("memory_capture", new).await["id"]);
        let edit = json!({"id": id, "content": format!("of scope {scope}, again")});
        who.get("memory_update", edit).await;
        who.get("memory_delete", json!({"id": id})).await;
    }
    who.get("memory_prompt_save", json!({"name": "greeting", "template": "Hello"})).await;
    who.get("cone_create", json!({"name": "chat"})).await;
    who.get("arbor_node_create_text", json!({"tree_id": "garden", "content": "a leaf"})).await;
    who.get("tasks_create", json!({"description": "Sweep"})).await;
}

/// The addresses that such changes make new, the same for everybody, and the marker.
fn addresses() -> Vec<String> {
    let same = [
        "memory://project",
        "memory://project/decisions",
        "memory://user",
        "memory://user/decisions",
        "memory://org",
        "memory://org/decisions",
        "memory://topics",
        "arbor://tree/garden",
        "tasks://ready",
        MARKER,
    ];
    same.map(str::to_owned).to_vec()
}

/// Changes the marker, which must be the only change that the streams report.
async fn hears_only_the_marker(who: &Person<'_>, streams: &mut [Listening], when: &str) {
    let content = format!("marker {when}");
    let new = json!({"content": content, "namespace": "marker", "scope": "user"});
    who.get("memory_capture", new).await;
    for stream in streams {
        let heard = stream.until(MARKER).await;
        assert_eq!(heard, WITH_MARKER, "{when}, {:?}", stream.era);
    }
}

#[tokio::test]
async fn each_principal_hears_of_their_own_changes_and_of_no_others() {
    let home = home();
    let (ann, bob) = (create(&home, &["ann"]), create(&home, &["bob"]));
    let server = &serve(&home, &["serve", "--http", "127.0.0.1:0"]).await;
    let (ann, bob) = (Person { server, token: ann }, Person { server, token: bob });
    let mut uris = addresses();
    for who in [&ann, &bob] {
        who.get("arbor_tree_create", json!({"name": "garden", "content": "root"})).await;
    }
    let memory = json!({"content": "of Ann", "namespace": "decisions"});
    let memory = ann.get("memory_capture", memory).await["id"].clone();
    uris.push(format!("memory://project/decisions/{}", memory.as_str().unwrap()));
    let mut of_bob = [
        Listening::begin(&bob, Era::Legacy, &uris).await,
        Listening::begin(&bob, Era::Modern, &uris).await,
    ];
    let mut of_ann = [
        Listening::begin(&ann, Era::Legacy, &uris).await,
        Listening::begin(&ann, Era::Modern, &uris).await,
    ];
    // What was done before they listened may still come.
    let new = json!({"content": "at first", "namespace": "marker", "scope": "user"});
    bob.get("memory_capture", new).await;
    for stream in &mut of_bob {
        stream.until(MARKER).await;
    }
    change_everything(&ann).await;
    ann.get("memory_update", json!({"id": memory, "content": "of Ann still"})).await;
    hears_only_the_marker(&bob, &mut of_bob, "after Ann's").await;
    // Ann was notified of all her changes, so there was something to report.
    let new = json!({"content": "marker", "namespace": "marker", "scope": "user"});
    ann.get("memory_capture", new).await;
    for stream in &mut of_ann {
        let heard = stream.until(MARKER).await;
        for uri in uris.iter().filter(|uri| !uri.starts_with("memory://org")) {
            assert!(heard.contains(uri), "{:?}: no {uri} in {heard:?}", stream.era);
        }
    }
    // Changes by the person are not reported to principals either.
    home.ok(&["memory", "capture", "of the person", "-n", "decisions"]);
    home.ok(&["memory", "capture", "of the person", "-n", "decisions", "--scope", "user"]);
    home.ok(&["memory", "capture", "of the person", "-n", "decisions", "--scope", "org"]);
    home.ok(&["call", "memory_prompt_save", "name=person", "template=Hello"]);
    home.ok(&["call", "arbor_tree_create", "name=garden", "content=root"]);
    home.ok(&["call", "cone_create", "name=person"]);
    home.ok(&["tasks", "add", "Of the person"]);
    hears_only_the_marker(&bob, &mut of_bob, "after the person's").await;
    let lists = ["resources/list", "prompts/list", "resources/templates/list"];
    for method in lists {
        let listed = bob.ask(method, json!({})).await.to_string();
        assert!(!listed.contains("person\"") && !listed.contains("garden"), "{method}: {listed}");
    }
}

#[tokio::test]
async fn shared_memories_are_announced_to_those_with_a_role() {
    let home = home();
    let (ann, bob) = (create(&home, &["ann"]), create(&home, &["bob"]));
    home.ok(&["grant", "memory", "--for", "token:ann", "--role", "writer"]);
    let server = &serve(&home, &["serve", "--http", "127.0.0.1:0"]).await;
    let (ann, bob) = (Person { server, token: ann }, Person { server, token: bob });
    let uris = addresses();
    let mut of_bob = [
        Listening::begin(&bob, Era::Legacy, &uris).await,
        Listening::begin(&bob, Era::Modern, &uris).await,
    ];
    let share = async |content: &str| {
        let new = json!({"content": content, "namespace": "decisions", "scope": "org"});
        ann.get("memory_capture", new).await;
    };
    share("before Bob has a role").await;
    hears_only_the_marker(&bob, &mut of_bob, "before the grant").await;
    home.ok(&["grant", "memory", "--for", "token:bob", "--role", "reader"]);
    share("while Bob has a role").await;
    for stream in &mut of_bob {
        let heard = stream.until("memory://org/decisions").await;
        let expected = ["memory://org", "memory://org/decisions", "memory://topics"];
        assert!(heard.iter().all(|uri| expected.contains(&uri.as_str())), "{heard:?}");
    }
    home.ok(&["revoke", "memory", "--for", "token:bob"]);
    share("after Bob had a role").await;
    let new = json!({"content": "marker", "namespace": "marker", "scope": "user"});
    bob.get("memory_capture", new).await;
    for stream in &mut of_bob {
        let heard = stream.until(MARKER).await;
        // The topics may be those of the change before.
        let known = |uri: &String| WITH_MARKER.contains(&uri.as_str());
        assert!(heard.iter().all(known), "{:?}: {heard:?}", stream.era);
    }
}

/// Bob is on this machine too, but the person's folders are granted to their own programs.
#[tokio::test]
async fn files_are_watched_by_those_they_are_granted_to() {
    let home = home();
    let bob = create(&home, &["bob"]);
    home.write("shared/there", "text");
    let folder = home.path("shared").display().to_string();
    home.ok(&["enable", "files"]);
    home.ok(&["grant", "files", &folder]);
    let server = &serve(&home, &["serve", "--http", "127.0.0.1:0"]).await;
    let bob = Person { server, token: bob };
    let mut uris = ["there", "missing"].map(|name| format!("file://{folder}/{name}")).to_vec();
    uris.push(MARKER.to_owned());
    let without = Listening::begin(&bob, Era::Modern, &uris).await;
    assert_eq!(without.honoured, [json!(MARKER)], "both alike");
    home.ok(&["grant", "files", &folder, "--for", "token:bob"]);
    let with = Listening::begin(&bob, Era::Modern, &uris).await;
    assert_eq!(with.honoured.len(), 3, "{:?}", with.honoured);
}
