//! Static tokens through the binary: made by a person, shown once, used by clients of
//! `serve --http`, and of no use from the moment they are revoked.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::cli_config_home::{Home, mode, read_json};
use crate::memory_client::{Era, authority, modern_meta};
use crate::program::{HttpServer, hobnob, listening, within};

const PUBLIC: &str = "https://hub.example.com";

/// A home whose listener asks for tokens.
pub(crate) fn home() -> Home {
    let home = Home::new();
    home.write(
        "hobnob/config/config.toml",
        // Tests compare the lists of different callers, so each gets all that it may see.
        &format!(
            "[gateway]\ntool_search = \"never\"\n[listener]\nmode = \"token\"\n\
             public_url = \"{PUBLIC}\"\n"
        ),
    );
    home
}

/// Makes a token and returns it.
pub(crate) fn create(home: &Home, words: &[&str]) -> String {
    let all: Vec<_> = ["token", "create"].iter().chain(words).copied().collect();
    home.json(0, &all)["token"].as_str().unwrap().to_owned()
}

pub(crate) async fn serve(home: &Home, words: &[&str]) -> HttpServer {
    let mut command = hobnob(words);
    command
        .env("HOME", home.path("home"))
        .env("HOBNOB_HOME", home.path("hobnob"))
        .current_dir(home.path("project"));
    listening(command).await
}

/// What came back: the status, the head and the body.
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Response {
    /// The result of a call, as its text and whether it failed.
    fn said(&self) -> (String, bool) {
        let answer: Value = serde_json::from_str(&self.body).unwrap();
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
        (text.to_owned(), result["isError"] == true)
    }
}

/// Sends one request on a connection of its own.
pub(crate) async fn send(url: &str, head: &str, body: &str) -> Response {
    let authority = authority(url);
    let request = format!(
        "{head}\r\nHost: {authority}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = within("a connection", TcpStream::connect(authority)).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    within("an answer", stream.read_to_string(&mut answer)).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Response { status, head: head.to_owned(), body: body.to_owned() }
}

/// Calls a tool with a token, at the root or at a profile.
async fn call(
    server: &HttpServer,
    path: &str,
    token: Option<&str>,
    tool: &str,
    arguments: Value,
) -> Response {
    let params = json!({"name": tool, "arguments": arguments});
    ask(server, path, token, "tools/call", params).await
}

/// Sends a request of the newest revision with a token, at the root or at a profile.
pub(crate) async fn ask(
    server: &HttpServer,
    path: &str,
    token: Option<&str>,
    method: &str,
    params: Value,
) -> Response {
    ask_at(&server.url, path, token, method, params).await
}

/// The same, where only the address is known.
pub(crate) async fn ask_at(
    url: &str,
    path: &str,
    token: Option<&str>,
    method: &str,
    mut params: Value,
) -> Response {
    params["_meta"] = modern_meta(&json!({}));
    let name = params.get("name").or_else(|| params.get("uri")).and_then(Value::as_str);
    let name = name.map(|it| format!("\r\nMcp-Name: {it}")).unwrap_or_default();
    let token = token.map(|it| format!("\r\nAuthorization: Bearer {it}")).unwrap_or_default();
    let head = format!(
        "POST {path} HTTP/1.1\r\nContent-Type: application/json\r\nAccept: application/json\r\n\
         MCP-Protocol-Version: {}\r\nMcp-Method: {method}{name}{token}",
        Era::Modern.revision()
    );
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    send(url, &head, &body.to_string()).await
}

#[test]
fn a_token_is_made_listed_and_taken_back() {
    let home = home();
    assert_eq!(home.json(0, &["token", "list"]), json!([]));
    let made =
        home.json(0, &["token", "create", "ci", "--scope", "memory:call", "--expires", "1h"]);
    let token = made["token"].as_str().unwrap();
    let id = made["id"].as_str().unwrap();
    assert!(token.starts_with(&format!("hob_{id}_")) && token.len() == 4 + id.len() + 1 + 43);
    assert_eq!(made["principal"], "token:ci");
    let listed = home.json(0, &["token", "list"]);
    assert_eq!((&listed[0]["name"], &listed[0]["scopes"]), (&json!("ci"), &json!(["memory:call"])));
    assert!(listed[0]["expires"].is_string() && listed[0].get("token").is_none());
    let file = home.path("hobnob/state/tokens.json");
    assert_eq!(mode(&file), 0o600);
    assert_eq!(read_json(&file)["tokens"][0]["sha256"].as_str().unwrap().len(), 64);
    // A39: the token is nowhere but in what was shown.
    let audit = home.path("hobnob/state/audit-decisions.jsonl");
    let audit = std::fs::read_to_string(audit).unwrap();
    for text in [std::fs::read_to_string(&file).unwrap(), audit.clone(), listed.to_string()] {
        assert!(!text.contains(token) && !text.contains(&token[token.len() - 43..]), "{text}");
    }
    assert!(audit.contains("tokens/create") && audit.contains("memory:call"), "{audit}");
    for (words, code, complaint) in [
        (&["token", "create", "ci"][..], 1, "there is a token `ci` already"),
        (&["token", "create", "a b"], 2, "the name of a token"),
        (&["token", "create", "x", "--scope", "write"], 2, "`write` is no scope"),
        (&["token", "create", "x", "--scope", "memory:admin"], 2, "`memory:admin` is no scope"),
        (&["token", "create", "x", "--profile", "../x"], 2, "profile"),
        (&["token", "create", "x", "--expires", "0s"], 2, "it would end at once"),
        (&["token", "create", "x", "--expires", "soon"], 2, "--expires"),
        (&["token", "revoke", "nobody"], 1, "there is no such token"),
    ] {
        let run = home.run(words);
        assert_eq!(run.code, code, "{words:?}: {}", run.stderr);
        assert!(run.stderr.contains(complaint), "{words:?}: {}", run.stderr);
    }
    assert_eq!(home.json(0, &["token", "revoke", id])["name"], "ci");
    assert_eq!(home.json(0, &["token", "list"]), json!([]));
    assert_eq!(home.json(0, &["token", "create", "ci"])["scopes"], json!(["read", "call"]));
}

#[test]
fn a_file_of_tokens_that_others_may_use_holds_none() {
    let home = home();
    create(&home, &["ci"]);
    let file = home.path("hobnob/state/tokens.json");
    let loose = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    std::fs::set_permissions(&file, loose).unwrap();
    for words in [&["token", "list"][..], &["token", "create", "more"]] {
        let run = home.run(words);
        assert_eq!(run.code, 1);
        assert!(run.stderr.contains("chmod 600"), "{}", run.stderr);
    }
}

#[tokio::test]
async fn a_listener_answers_tokens_and_nobody_else() {
    let home = home();
    let (ci, reader) = (create(&home, &["ci"]), create(&home, &["reader", "--scope", "read"]));
    let profile = create(&home, &["only", "--profile", "subcog"]);
    let memory = create(&home, &["memory", "--scope", "memory:call"]);
    let server = serve(&home, &["serve", "--http", "127.0.0.1:0"]).await;
    let health = || json!({});
    for (path, token, status, challenge) in [
        ("/mcp", None, 401, "Bearer resource_metadata=\""),
        ("/mcp", Some("nonsense"), 401, "error=\"invalid_token\""),
        ("/mcp", Some(&*ci), 200, ""),
        ("/mcp", Some(&*reader), 403, "error=\"insufficient_scope\""),
        ("/mcp", Some(&*memory), 403, "scope=\"health:read health:call\""),
        ("/mcp", Some(&*profile), 401, "error=\"invalid_token\""),
        ("/p/subcog/mcp", None, 401, "/.well-known/oauth-protected-resource/p/subcog/mcp\""),
        ("/p/subcog/mcp?access_token=x", Some(&*ci), 400, "error=\"invalid_request\""),
    ] {
        let answer = call(&server, path, token, "health_check", health()).await;
        assert_eq!(answer.status, status, "{path}: {}\n{}", answer.head, answer.body);
        assert!(answer.head.contains(challenge), "{path}: {}", answer.head);
        let any_url = answer.head.split('"').find(|it| it.starts_with("http"));
        assert!(any_url.is_none_or(|url| url.starts_with(PUBLIC)), "A14: {}", answer.head);
    }
    let below = call(&server, "/p/subcog/mcp", Some(&profile), "no_such_tool", health()).await;
    assert!(![401, 403].contains(&below.status), "{}", below.head);
    // A01, A14: the document is where the challenge says, in spite of the header of a proxy.
    let document = send(
        &server.url,
        "GET /.well-known/oauth-protected-resource/mcp HTTP/1.1\r\nX-Forwarded-Host: evil.example",
        "",
    );
    let document: Value = serde_json::from_str(&document.await.body).unwrap();
    assert_eq!(document["resource"], format!("{PUBLIC}/mcp"));

    let listed = home.json(0, &["token", "list"]);
    assert!(listed[0]["last_used"].is_string(), "{listed}");
    home.ok(&["token", "revoke", "ci"]);
    let gone = call(&server, "/mcp", Some(&ci), "health_check", health()).await;
    assert_eq!(gone.status, 401, "from the next request on");
    let fresh = create(&home, &["ci"]);
    let again = call(&server, "/mcp", Some(&fresh), "health_check", health()).await;
    assert_eq!(again.status, 200, "a new one counts without a restart");
    let audit = std::fs::read_to_string(home.path("hobnob/state/audit.jsonl")).unwrap();
    assert!(audit.contains("tokens/unknown") && audit.contains("token:ci"), "{audit}");
    let called = audit.lines().find(|line| line.contains("health_check")).unwrap();
    assert!(called.contains("\"address\":\"127.0.0.1\""), "{called}");
    for token in [&ci, &reader, &fresh] {
        assert!(!audit.contains(&token[token.len() - 43..]), "A39: no token in the audit");
    }
}

/// Each principal has memories and grants of their own, which no other principal can use.
#[tokio::test]
async fn principals_have_their_own_memories_and_grants() {
    let home = home();
    let (ann, bob) = (create(&home, &["ann"]), create(&home, &["bob"]));
    home.ok(&["enable", "shell"]);
    home.ok(&["grant", "shell", "--as-root", "--for", "token:ann", "--", "printf", "%s", "*"]);
    home.ok(&["grant", "shell", "--as-root", "--", "printf", "%s", "local"]);
    let server = serve(&home, &["serve", "--http", "127.0.0.1:0"]).await;
    let secret = json!({"content": "the canary sings at noon", "namespace": "decisions"});
    let captured = call(&server, "/mcp", Some(&ann), "memory_capture", secret).await;
    assert!(!captured.said().1, "{}", captured.body);
    let recall = || json!({"query": "canary"});
    let own = call(&server, "/mcp", Some(&ann), "memory_recall", recall()).await;
    assert!(own.body.contains("sings at noon"), "{}", own.body);
    let others = call(&server, "/mcp", Some(&bob), "memory_recall", recall()).await;
    assert!(!others.body.contains("sings"), "{}", others.body);
    for (token, text, runs) in
        [(&ann, "hi", true), (&bob, "hi", false), (&bob, "local", false), (&ann, "local", true)]
    {
        let argv = json!({"argv": ["printf", "%s", text]});
        let answer = call(&server, "/mcp", Some(token), "shell_run", argv).await;
        assert_eq!(!answer.said().1, runs, "{text}: {}", answer.body);
    }
}

#[test]
fn settings_that_ask_for_less_than_they_seem_are_refused() {
    for (listener, words, code, complaint) in [
        ("mode = \"token\"", &["serve", "--http", "127.0.0.1:0"][..], 1, "needs `public_url`"),
        ("mode = \"extern\"", &["serve", "--http"], 1, "unknown variant"),
        (
            "mode = \"external\"\npublic_url = \"https://hub.example.com\"",
            &["serve", "--http", "127.0.0.1:0"],
            1,
            "needs `issuers`",
        ),
        (
            "mode = \"token\"\npublic_url = \"https://hub.example.com/hub\"",
            &["serve", "--http", "127.0.0.1:0"],
            1,
            "it must be an origin",
        ),
        (
            "mode = \"token\"\npublic_url = \"http://hub.example.com\"",
            &["serve", "--http", "127.0.0.1:0"],
            1,
            "it is not encrypted",
        ),
        (
            "mode = \"external\"\npublic_url = \"https://hub.example.com\"\n\
             issuers = [{ issuer = \"https://i\", jwks = \"http://i/keys\" }]",
            &["serve", "--http", "127.0.0.1:0"],
            1,
            "https://i",
        ),
        (
            "mode = \"token\"\npublic_url = \"https://hub.example.com\"",
            &["serve", "--http", "127.0.0.1:0", "--allow-remote-without-auth"],
            2,
            "contradicts the mode",
        ),
        ("mode = \"local\"", &["serve", "--http", "0.0.0.0:0"], 1, "reached from other machines"),
    ] {
        let home = Home::new();
        home.write("hobnob/config/config.toml", &format!("[listener]\n{listener}\n"));
        let run = home.run(words);
        assert_eq!(run.code, code, "{listener}: {}", run.stderr);
        assert!(run.stderr.contains(complaint), "{listener}: {}", run.stderr);
    }
}

/// The names of all tools that a token is shown.
async fn listed(server: &HttpServer, path: &str, token: &str) -> Vec<String> {
    let answer = ask(server, path, Some(token), "tools/list", json!({})).await;
    let answer: Value = serde_json::from_str(&answer.body).unwrap();
    assert!(answer["result"].get("nextCursor").is_none(), "more than one page");
    let tools = answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}"));
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

/// T54: the scopes of a token decide in the same way what it is shown and what it may call.
#[tokio::test]
async fn a_token_is_shown_exactly_the_tools_that_it_may_call() {
    let home = home();
    let all = create(&home, &["all", "--scope", "admin"]);
    let scopes = [
        "read",
        "call",
        "memory:read",
        "memory:call",
        "tasks:call health:call",
        "memory:call tasks:read",
        "p/subcog:read",
        "p/subcog:call",
        "p/subcog:call memory:call",
    ];
    let tokens: Vec<(&str, String)> = scopes
        .iter()
        .enumerate()
        .map(|(number, scopes)| {
            let name = format!("t{number}");
            (*scopes, create(&home, &[&name, "--scope", scopes]))
        })
        .collect();
    let server = serve(&home, &["serve", "--http", "127.0.0.1:0"]).await;
    let (mut shown_to_some, mut kept_from_some) = (0, 0);
    for path in ["/mcp", "/p/subcog/mcp"] {
        let everything = listed(&server, path, &all).await;
        assert!(5 < everything.len(), "{path}: {everything:?}");
        for (scopes, token) in &tokens {
            let allowed = ask(&server, path, Some(token), "tools/list", json!({})).await.status;
            let shown = match allowed {
                200 => listed(&server, path, token).await,
                status => {
                    assert_eq!(status, 403, "{path} with {scopes}");
                    Vec::new()
                }
            };
            for tool in &everything {
                // No tool takes these arguments: the test is whether it may be called at all.
                let arguments = json!({"no such argument": true});
                let status = call(&server, path, Some(token), tool, arguments).await.status;
                assert_eq!(shown.contains(tool), status != 403, "{path}: {tool} with {scopes}");
                *if status == 403 { &mut kept_from_some } else { &mut shown_to_some } += 1;
            }
            assert!(shown.iter().all(|tool| everything.contains(tool)), "{shown:?}");
        }
    }
    assert!(20 < shown_to_some && 20 < kept_from_some, "{shown_to_some} and {kept_from_some}");
}

#[tokio::test]
async fn a_token_is_shown_the_prompts_and_resources_that_it_may_use() {
    let home = home();
    let tokens = ["admin", "call", "memory:read", "tasks:call"]
        .map(|scope| create(&home, &[&scope.replace(':', "-"), "--scope", scope]));
    let server = serve(&home, &["serve", "--http", "127.0.0.1:0"]).await;
    let mut found = [0; 4];
    for (method, member, key, get) in [
        ("prompts/list", "prompts", "name", "prompts/get"),
        ("resources/list", "resources", "uri", "resources/read"),
    ] {
        let list = async |token: &str| {
            let answer = ask(&server, "/mcp", Some(token), method, json!({})).await;
            let answer: Value = serde_json::from_str(&answer.body).unwrap();
            let entries = answer["result"][member].as_array().unwrap().clone();
            entries.iter().map(|it| it[key].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let everything = list(&tokens[0]).await;
        for (token, found) in tokens.iter().zip(&mut found) {
            let shown = list(token).await;
            *found += shown.len();
            for entry in &everything {
                let status =
                    ask(&server, "/mcp", Some(token), get, json!({ key: entry })).await.status;
                assert_eq!(shown.contains(entry), status != 403, "{entry}");
            }
        }
    }
    let [admin, call, memory, tasks] = found;
    assert!(call <= admin && 0 < memory && memory < call && tasks < call, "{found:?}");
}
