//! A client of the built-in services, in raw messages: in the last legacy revision or the modern
//! one, on pipes or over HTTP.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::process::Command;
use tokio::time::{Instant, interval};

use crate::dialogue::{Dialogue, next_round};
use crate::program::{HttpServer, listening, within};
use crate::seed_wire::{Home, ServerTransport, Session, Wire};

/// What the protocol's own names in `_meta` begin with.
const META: &str = "io.modelcontextprotocol";

/// Far more than anything here takes, even on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The newest revision of each era.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    Legacy,
    Modern,
}

impl Era {
    pub(crate) const ALL: [Self; 2] = [Self::Legacy, Self::Modern];

    pub(crate) fn revision(self) -> &'static str {
        match self {
            Self::Legacy => "2025-11-25",
            Self::Modern => "2026-07-28",
        }
    }
}

/// How a client answers what it is asked: method and parameters to a result.
type AnswerQuestion = Box<dyn Fn(&str, &Value) -> Value + Send>;

/// What a client can be asked, and how it answers.
pub(crate) struct ClientAbilities {
    capabilities: Value,
    answering: AnswerQuestion,
}

impl ClientAbilities {
    /// It can be asked nothing.
    pub(crate) fn nothing() -> Self {
        let answering: AnswerQuestion = Box::new(|method, _| panic!("asked {method}"));
        Self { capabilities: json!({}), answering }
    }

    /// It says which folder it works in.
    pub(crate) fn root(folder: &str) -> Self {
        let roots = json!({"roots": [{"uri": format!("file://{folder}")}]});
        let answering: AnswerQuestion = Box::new(move |method, _| {
            assert_eq!(method, "roots/list");
            roots.clone()
        });
        Self { capabilities: json!({"roots": {}}), answering }
    }

    /// It can be asked what these capabilities say.
    pub(crate) fn asked(
        capabilities: Value,
        answering: impl Fn(&str, &Value) -> Value + Send + 'static,
    ) -> Self {
        Self { capabilities, answering: Box::new(answering) }
    }

    /// It can run tools as tasks.
    #[cfg(target_os = "linux")]
    pub(crate) fn tasks() -> Self {
        let mut able = Self::nothing();
        able.capabilities["extensions"] = json!({format!("{META}/tasks"): {}});
        able
    }
}

/// One client.
pub(crate) struct Client {
    connection: ClientConnection,
    era: Era,
    able: ClientAbilities,
    last: i64,
    /// Notifications in the order they came.
    received: Vec<Value>,
    _server: Option<HttpServer>,
}

enum ClientConnection {
    Wire(Wire),
    /// Modern requests over HTTP stand alone, and their headers say what is in them.
    Posts {
        authority: String,
    },
}

impl Client {
    /// Starts a server in the project's folder of a home, and gets ready to talk to it.
    pub(crate) async fn open(home: &Home, way: ServerTransport, era: Era) -> Self {
        Self::in_folder(home, "project", way, era).await
    }

    /// The same in another folder of the home.
    pub(crate) async fn in_folder(
        home: &Home,
        folder: &str,
        way: ServerTransport,
        era: Era,
    ) -> Self {
        let folder = home.0.join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        match way {
            ServerTransport::Stdio => {
                let mut command = home.hobnob(&["serve"]);
                Self::start(command.current_dir(folder), era, ClientAbilities::nothing()).await
            }
            ServerTransport::Http => {
                let mut command = home.hobnob(&["serve", "--http", "127.0.0.1:0"]);
                command.current_dir(folder);
                let server = listening(command).await;
                let client = Self::at(&server.url, era, ClientAbilities::nothing()).await;
                Self { _server: Some(server), ..client }
            }
        }
    }

    /// Starts a server on pipes.
    pub(crate) async fn start(command: &mut Command, era: Era, able: ClientAbilities) -> Self {
        let wire = Wire::Stdio(Box::new(Dialogue::with(command)));
        Self::greeted(ClientConnection::Wire(wire), era, able).await
    }

    /// Talks to a server that listens already.
    pub(crate) async fn at(url: &str, era: Era, able: ClientAbilities) -> Self {
        let connection = match era {
            Era::Legacy => ClientConnection::Wire(Wire::Http(Box::new(Session::to(url, None)))),
            Era::Modern => ClientConnection::Posts { authority: authority(url).to_owned() },
        };
        Self::greeted(connection, era, able).await
    }

    async fn greeted(connection: ClientConnection, era: Era, able: ClientAbilities) -> Self {
        let mut client =
            Self { connection, era, able, last: 0, received: Vec::new(), _server: None };
        if era == Era::Legacy {
            let hello = json!({"protocolVersion": era.revision(),
                "capabilities": client.able.capabilities,
                "clientInfo": {"name": "it", "version": "1"}});
            let hello = client.result("initialize", hello).await;
            assert_eq!(hello["protocolVersion"], era.revision(), "{hello}");
            client.tell("notifications/initialized", json!({})).await;
        }
        client
    }

    /// The process behind the pipes.
    #[cfg(target_os = "linux")]
    pub(crate) fn child(&mut self) -> &mut tokio::process::Child {
        match &mut self.connection {
            ClientConnection::Wire(Wire::Stdio(dialogue)) => &mut dialogue.child,
            _ => panic!("no process of our own"),
        }
    }

    /// Sends a notification.
    pub(crate) async fn tell(&mut self, method: &str, params: Value) {
        let note = json!({"jsonrpc": "2.0", "method": method, "params": params});
        match &mut self.connection {
            ClientConnection::Wire(wire) => wire.send(note).await,
            ClientConnection::Posts { .. } => {
                panic!("modern clients send no notifications over HTTP")
            }
        }
    }

    /// A request and its response; what is asked meanwhile is answered, in the era's own way.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        let mut asked = params.clone();
        loop {
            let response = self.round(method, asked).await;
            let next = next_round(&params, &response["result"], |question| {
                let method = question["method"].as_str().unwrap();
                (self.able.answering)(method, &question["params"])
            });
            match next {
                Some(next) => asked = next,
                None => return response,
            }
        }
    }

    /// Sends a request and does not wait.
    pub(crate) async fn send(&mut self, method: &str, params: Value) -> i64 {
        let request = self.request(method, params);
        match &mut self.connection {
            ClientConnection::Wire(wire) => wire.send(request).await,
            ClientConnection::Posts { .. } => panic!("only on a pipe"),
        }
        self.last
    }

    async fn round(&mut self, method: &str, params: Value) -> Value {
        if let ClientConnection::Posts { authority } = &self.connection {
            let authority = authority.clone();
            let request = self.request(method, params);
            return answer_in(&whole(post(&authority, &request, "application/json").await).await);
        }
        let id = self.send(method, params).await;
        loop {
            let message = self.next().await;
            if message["method"].is_null() && message["id"] == id {
                return message;
            }
        }
    }

    fn request(&mut self, method: &str, mut params: Value) -> Value {
        self.last += 1;
        if self.era == Era::Modern {
            params["_meta"] = modern_meta(&self.able.capabilities);
        }
        json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})
    }

    /// The next message. A question is answered at once, a notification is kept.
    async fn next(&mut self) -> Value {
        let ClientConnection::Wire(wire) = &mut self.connection else {
            panic!("only where messages come")
        };
        let message = wire.next().await;
        if let Some(method) = message["method"].as_str() {
            if message["id"].is_null() {
                self.received.push(message.clone());
            } else {
                let result = (self.able.answering)(method, &message["params"]);
                // An answer with an `error` member is a refusal.
                let kind = if result["error"].is_object() { "error" } else { "result" };
                let answer = if kind == "error" { result["error"].clone() } else { result };
                wire.send(json!({"jsonrpc": "2.0", "id": message["id"], kind: answer})).await;
            }
        }
        message
    }

    /// Waits for a notification, or finds it among those that came.
    pub(crate) async fn notified(&mut self, method: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let is_it = |note: &Value| note["method"] == method && fits(&note["params"]);
        let waiting = async {
            loop {
                if let Some(at) = self.received.iter().position(is_it) {
                    return self.received.remove(at);
                }
                self.next().await;
            }
        };
        within(method, waiting).await
    }

    /// Whether such a notification came that no call of `notified` has taken.
    pub(crate) fn has_received(&self, fits: impl Fn(&Value) -> bool) -> bool {
        self.received.iter().any(fits)
    }

    /// The result of a request.
    pub(crate) async fn result(&mut self, method: &str, params: Value) -> Value {
        let response = self.ask(method, params).await;
        assert!(response["result"].is_object(), "{method}: {response}");
        response["result"].clone()
    }

    /// The error of a request.
    pub(crate) async fn error(&mut self, method: &str, params: Value) -> Value {
        let response = self.ask(method, params).await;
        assert!(response["error"].is_object(), "{method}: {response}");
        response["error"].clone()
    }

    /// The data of a tool's result, which its text says too.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let asked = json!({"name": tool, "arguments": arguments});
        let result = self.result("tools/call", asked).await;
        assert_ne!(result["isError"], true, "{tool}: {result}");
        let text = result["content"][0]["text"].as_str().unwrap_or_default();
        let data: Value = serde_json::from_str(text).unwrap_or_else(|_| panic!("{tool}: {result}"));
        assert_eq!(data, result["structuredContent"], "{tool}");
        data
    }

    /// The text of a tool's result that says that it failed.
    pub(crate) async fn failure(&mut self, tool: &str, arguments: Value) -> String {
        let asked = json!({"name": tool, "arguments": arguments});
        let result = self.result("tools/call", asked).await;
        assert_eq!(result["isError"], true, "{tool}: {result}");
        assert!(result["structuredContent"].is_null(), "{tool}: {result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// The text of a resource.
    pub(crate) async fn read(&mut self, uri: &str) -> String {
        let result = self.result("resources/read", json!({"uri": uri})).await;
        let contents = result["contents"].as_array().unwrap();
        assert_eq!(contents.len(), 1, "{result}");
        assert_eq!(contents[0]["uri"], uri, "{result}");
        contents[0]["text"].as_str().unwrap().to_owned()
    }

    /// The data of a resource.
    pub(crate) async fn data(&mut self, uri: &str) -> Value {
        serde_json::from_str(&self.read(uri).await).unwrap()
    }

    /// Something of every entry of a list.
    pub(crate) async fn listed(&mut self, method: &str, list: &str, member: &str) -> Vec<String> {
        let result = self.result(method, json!({})).await;
        assert!(result["nextCursor"].is_null(), "{result}");
        texts(&result[list], member)
    }

    /// Polls until the condition holds, for events without a notification.
    pub(crate) async fn until(
        &mut self,
        what: &str,
        mut holds: impl AsyncFnMut(&mut Self) -> bool,
    ) {
        let end = Instant::now() + TIMEOUT;
        let mut looks = interval(Duration::from_millis(20));
        while !holds(self).await {
            assert!(Instant::now() < end, "{what}: not after {TIMEOUT:?}");
            looks.tick().await;
        }
    }

    /// Ends a server on pipes, which must end well.
    pub(crate) async fn end(self) {
        let ClientConnection::Wire(Wire::Stdio(mut dialogue)) = self.connection else {
            panic!("not on pipes")
        };
        dialogue.close_stdin();
        while dialogue.receive().await.is_some() {}
        assert_eq!(dialogue.ended().await.code(), Some(0));
    }
}

/// A member of every object of a list.
pub(crate) fn texts(list: &Value, member: &str) -> Vec<String> {
    let list = list.as_array().unwrap_or_else(|| panic!("no list: {list}"));
    list.iter().map(|it| it[member].as_str().unwrap_or_default().to_owned()).collect()
}

/// What a modern request says about itself.
pub(crate) fn modern_meta(capabilities: &Value) -> Value {
    json!({
        format!("{META}/protocolVersion"): Era::Modern.revision(),
        format!("{META}/clientInfo"): {"name": "it", "version": "1"},
        format!("{META}/clientCapabilities"): capabilities,
    })
}

/// The host and port of an address.
pub(crate) fn authority(url: &str) -> &str {
    let rest = url.strip_prefix("http://").expect("an address");
    rest.split_once('/').expect("a path").0
}

/// The address of a hub's WebSocket.
pub(crate) fn websocket_of(url: &str) -> String {
    url.replacen("http", "ws", 1).replace("/mcp", "/ws")
}

/// Sends a modern request on a connection of its own; the answer is what comes until it closes.
pub(crate) async fn post(authority: &str, request: &Value, accept: &str) -> TcpStream {
    let (method, params) = (request["method"].as_str().unwrap(), &request["params"]);
    let name = params["name"].as_str().or(params["uri"].as_str());
    let name = name.map(|name| format!("Mcp-Name: {name}\r\n")).unwrap_or_default();
    let body = request.to_string();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {authority}\r\nContent-Type: application/json\r\n\
         Accept: {accept}\r\nConnection: close\r\nMCP-Protocol-Version: {}\r\n\
         Mcp-Method: {method}\r\n{name}Content-Length: {}\r\n\r\n",
        Era::Modern.revision(),
        body.len(),
    );
    let mut stream = within("a connection", TcpStream::connect(authority)).await.unwrap();
    stream.write_all((head + &body).as_bytes()).await.unwrap();
    stream
}

async fn whole(mut stream: TcpStream) -> String {
    let mut answer = String::new();
    within("an answer", stream.read_to_string(&mut answer)).await.unwrap();
    answer
}

fn answer_in(response: &str) -> Value {
    let (_, body) = response.split_once("\r\n\r\n").expect("a head");
    serde_json::from_str(body).unwrap_or_else(|_| panic!("{response}"))
}
