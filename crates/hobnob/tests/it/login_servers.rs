//! A server that wants a login and its authorization server, in this process, on one port of the
//! loopback interface; and a person who logs in there.
//!
//! What must stay true: nothing of the program's own code is used, so that the two can disagree; a
//! refresh token is good for one use, and using it again ends the whole login.

use parking_lot::{Mutex, MutexGuard};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::program::within;
use crate::request_text::read_request;

/// The prefix of every secret here, so that tests can search for leaks.
pub(crate) const CANARY: &str = "canary";

/// What happened so far.
#[derive(Default)]
pub(crate) struct Happened {
    issued: usize,
    /// Valid access tokens, each with the login that it belongs to.
    access: BTreeMap<String, usize>,
    /// Refresh tokens, and whether they were used.
    refresh: BTreeMap<String, (usize, bool)>,
    /// Logins that were ended.
    ended: BTreeSet<usize>,
    codes: BTreeMap<String, usize>,
    logins: usize,
    pub(crate) registrations: usize,
    pub(crate) refreshes: usize,
    pub(crate) revocations: usize,
    /// Polls of a login on another device before the person is done.
    pub(crate) pending: usize,
    /// Requests to the server without a good token.
    pub(crate) refused: usize,
    /// The `Authorization` and `Cookie` of every request to the server.
    pub(crate) shown: BTreeSet<String>,
    /// The names of all headers of such requests.
    pub(crate) names: BTreeSet<String>,
    /// Whose logins were used in each session of the server.
    pub(crate) sessions: BTreeMap<String, BTreeSet<usize>>,
    /// The path and query of the page, if it is not the usual one.
    pub(crate) page: Option<String>,
    /// Everything secret that was given out or received so far.
    pub(crate) secrets: BTreeSet<String>,
    /// The path and query of every request.
    pub(crate) targets: BTreeSet<String>,
}

/// The two servers. They end with the value.
pub(crate) struct LoginServers {
    pub(crate) origin: String,
    happened: Arc<Mutex<Happened>>,
    _serving: JoinSet<()>,
}

/// One request of a client, with its body read to the end.
struct Request {
    method: String,
    target: String,
    path: String,
    query: BTreeMap<String, String>,
    headers: BTreeMap<String, String>,
    body: String,
}

impl LoginServers {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let happened: Arc<Mutex<Happened>> = Arc::default();
        let mut serving = JoinSet::new();
        let (world, base) = (Arc::clone(&happened), origin.clone());
        serving.spawn(async move {
            let mut open = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                open.spawn(serve(stream, base.clone(), Arc::clone(&world)));
                while open.try_join_next().is_some() {}
            }
        });
        Self { origin, happened, _serving: serving }
    }

    pub(crate) fn happened(&self) -> MutexGuard<'_, Happened> {
        self.happened.lock()
    }

    /// The address of the server.
    pub(crate) fn url(&self) -> String {
        format!("{}/mcp", self.origin)
    }

    /// Takes this token from now on.
    pub(crate) fn accept(&self, token: &str) {
        self.happened().access.insert(token.into(), 0);
    }

    /// Every access token is over from now on; refresh tokens are as good as before.
    pub(crate) fn expire(&self) {
        self.happened().access.clear();
    }
}

/// A person at a browser: opens the page, and returns where they are sent.
pub(crate) async fn log_in_at(page: &str) -> String {
    let answer = get(page).await;
    let location = answer.lines().find_map(|line| line.strip_prefix("Location: "));
    location.unwrap_or_else(|| panic!("no redirect: {answer}")).to_owned()
}

/// The whole answer to a GET.
pub(crate) async fn get(url: &str) -> String {
    let rest = url.strip_prefix("http://").unwrap();
    let (host, path) = rest.split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).await.unwrap();
    let request = format!("GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    within("the answer", stream.read_to_end(&mut answer)).await.unwrap();
    String::from_utf8(answer).unwrap().replace("\r\n", "\n")
}

async fn serve(mut stream: TcpStream, origin: String, world: Arc<Mutex<Happened>>) {
    while let Some(request) = read(&mut stream).await {
        let (status, headers, body) = answer(&request, &origin, &world);
        let head = format!(
            "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n{headers}\
             Content-Length: {}\r\n\r\n",
            body.len()
        );
        let written = stream.write_all((head + &body).as_bytes()).await;
        if written.is_err() || request.headers.get("connection").is_some_and(|it| it == "close") {
            return;
        }
    }
}

async fn read(stream: &mut TcpStream) -> Option<Request> {
    let (head, body) = read_request(stream).await?;
    let mut lines = head.lines();
    let mut words = lines.next()?.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
        .collect();
    let body = String::from_utf8(body).ok()?;
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let (path, query) = (path.to_owned(), pairs(query));
    Some(Request { method, target, path, query, headers, body })
}

fn pairs(text: &str) -> BTreeMap<String, String> {
    let url = hobnob_mcp_auth::Url::parse(&format!("http://x/?{text}")).unwrap();
    url.query_pairs().into_owned().collect()
}

type Answer = (u16, String, String);

fn answer(request: &Request, origin: &str, world: &Mutex<Happened>) -> Answer {
    let plain = |status: u16, body: Value| (status, String::new(), body.to_string());
    let mut world = world.lock();
    world.targets.insert(request.target.clone());
    match (request.method.as_str(), request.path.as_str()) {
        ("POST", "/mcp") => resource(request, origin, &mut world),
        ("GET", "/mcp") => plain(405, json!({})),
        ("DELETE", "/mcp") => plain(200, json!({})),
        ("GET", "/.well-known/oauth-protected-resource/mcp") => plain(
            200,
            json!({"resource": format!("{origin}/mcp"), "authorization_servers": [origin]}),
        ),
        ("GET", "/.well-known/oauth-authorization-server") => {
            plain(200, metadata(origin, world.page.as_deref()))
        }
        ("POST", "/register") => {
            world.registrations += 1;
            let id = format!("client-{}", world.registrations);
            plain(201, json!({"client_id": id, "token_endpoint_auth_method": "none"}))
        }
        ("GET", "/authorize") => {
            world.logins += 1;
            let (code, login) = (format!("{CANARY}-code-{}", world.logins), world.logins);
            world.codes.insert(code.clone(), login);
            world.secrets.insert(code.clone());
            let (redirect, state) = (&request.query["redirect_uri"], &request.query["state"]);
            let place = format!("Location: {redirect}?code={code}&state={state}&iss={origin}\r\n");
            (302, place, String::new())
        }
        ("POST", "/device") => plain(
            200,
            json!({"device_code": format!("{CANARY}-device"), "user_code": "WXYZ-1234",
                "verification_uri": format!("{origin}/type-it"), "expires_in": 300, "interval": 1}),
        ),
        ("POST", "/token") => {
            let form = pairs(&request.body);
            let secret = ["code_verifier", "client_secret", "refresh_token"];
            world.secrets.extend(secret.iter().filter_map(|name| form.get(*name)).cloned());
            token(&form, &mut world)
        }
        ("POST", "/revoke") => {
            world.revocations += 1;
            let form = pairs(&request.body);
            if let Some((login, _)) = world.refresh.get(&form["token"]).copied() {
                world.end(login);
            }
            plain(200, json!({}))
        }
        _ => plain(404, json!({})),
    }
}

fn metadata(origin: &str, page: Option<&str>) -> Value {
    json!({
        "issuer": origin,
        "authorization_endpoint": format!("{origin}{}", page.unwrap_or("/authorize")),
        "token_endpoint": format!("{origin}/token"),
        "registration_endpoint": format!("{origin}/register"),
        "revocation_endpoint": format!("{origin}/revoke"),
        "device_authorization_endpoint": format!("{origin}/device"),
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none", "client_secret_post"],
        "authorization_response_iss_parameter_supported": true,
    })
}

impl Happened {
    fn end(&mut self, login: usize) {
        self.ended.insert(login);
        self.access.retain(|_, of| *of != login);
    }

    fn issue(&mut self, login: usize) -> Answer {
        self.issued += 1;
        let access = format!("{CANARY}-access-{}", self.issued);
        let refresh = format!("{CANARY}-refresh-{}", self.issued);
        self.access.insert(access.clone(), login);
        self.refresh.insert(refresh.clone(), (login, false));
        self.secrets.extend([access.clone(), refresh.clone()]);
        let body = json!({"access_token": access, "token_type": "Bearer", "expires_in": 3600,
            "refresh_token": refresh});
        (200, String::new(), body.to_string())
    }
}

fn token(form: &BTreeMap<String, String>, world: &mut Happened) -> Answer {
    let refuse = |code: &str| (400, String::new(), json!({"error": code}).to_string());
    match form["grant_type"].as_str() {
        "authorization_code" => match world.codes.remove(&form["code"]) {
            Some(login) if form.contains_key("code_verifier") => world.issue(login),
            _ => refuse("invalid_grant"),
        },
        "refresh_token" => {
            world.refreshes += 1;
            let Some((login, used)) = world.refresh.get_mut(&form["refresh_token"]) else {
                return refuse("invalid_grant");
            };
            let login = *login;
            if std::mem::replace(used, true) || world.ended.contains(&login) {
                // A reused refresh token was copied, so the whole login ends.
                world.end(login);
                return refuse("invalid_grant");
            }
            world.access.retain(|_, of| *of != login);
            world.issue(login)
        }
        "client_credentials" => {
            world.logins += 1;
            let login = world.logins;
            world.issue(login)
        }
        _ if form["device_code"] == format!("{CANARY}-device") => {
            if 0 < world.pending {
                world.pending -= 1;
                return refuse("authorization_pending");
            }
            world.logins += 1;
            let login = world.logins;
            world.issue(login)
        }
        _ => refuse("invalid_grant"),
    }
}

/// The server itself: one tool, which says whose login it was called with.
fn resource(request: &Request, origin: &str, world: &mut Happened) -> Answer {
    let header = |name: &str| request.headers.get(name).cloned().unwrap_or_default();
    world.shown.insert(format!("{} {}", header("authorization"), header("cookie")));
    world.names.extend(request.headers.keys().cloned());
    let token = header("authorization");
    let login = token.strip_prefix("Bearer ").and_then(|it| world.access.get(it)).copied();
    let Some(login) = login else {
        world.refused += 1;
        let place = format!("{origin}/.well-known/oauth-protected-resource/mcp");
        let challenge = format!("WWW-Authenticate: Bearer resource_metadata=\"{place}\"\r\n");
        return (401, challenge, json!({"error": "no token"}).to_string());
    };
    let call: Value = serde_json::from_str(&request.body).unwrap();
    if let Some(session) = request.headers.get("mcp-session-id") {
        world.sessions.entry(session.clone()).or_default().insert(login);
    }
    let mut more = String::new();
    if call["method"] == "initialize" {
        more = format!("Mcp-Session-Id: session-{}\r\n", world.sessions.len());
        world.sessions.insert(format!("session-{}", world.sessions.len()), BTreeSet::new());
    }
    match call["params"]["arguments"]["how"].as_str() {
        // A server that shows what it was sent, in every place where an error may have text.
        Some("fail") => return (500, String::new(), format!("you sent {token}")),
        Some("forbid") => {
            let challenge = format!(
                "WWW-Authenticate: Bearer error=\"insufficient_scope\", scope=\"more\", \
                 error_description=\"you sent {token}\"\r\n"
            );
            return (403, challenge, json!({"error": token}).to_string());
        }
        _ => {}
    }
    let result = match call["method"].as_str().unwrap() {
        "initialize" => json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
            "serverInfo": {"name": "private", "version": "1"}}),
        "tools/list" => json!({"tools": [{"name": "whoami", "description": "Says who calls.",
            "inputSchema": {"type": "object"}}]}),
        "tools/call" => json!({"content": [{"type": "text", "text": format!("login {login}")}]}),
        _ if call.get("id").is_none() => return (202, String::new(), String::new()),
        _ => {
            let error = json!({"jsonrpc": "2.0", "id": call["id"],
                "error": {"code": -32601, "message": "Method not found"}});
            return (200, String::new(), error.to_string());
        }
    };
    (200, more, json!({"jsonrpc": "2.0", "id": call["id"], "result": result}).to_string())
}
