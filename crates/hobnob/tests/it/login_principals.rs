//! A37, A38: two people at one hub, over HTTP, and one server behind it that wants a login.
//!
//! Each has a login, a connection and answers of their own, and neither uses the login of the
//! other. The credentials that they show to the hub never reach the server.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::cli_config_home::Home;
use crate::faults_setup::ALLOW;
use crate::login::{TOOL, Way, log_in, write_servers};
use crate::login_servers::LoginServers;
use crate::program::HttpServer;
use crate::tokens::{ask, create, home, serve};

/// A principal with a token.
struct Person<'a> {
    server: &'a HttpServer,
    token: String,
}

impl Person<'_> {
    async fn ask(&self, method: &str, params: Value) -> Value {
        let answer = ask(self.server, "/mcp", Some(&self.token), method, params).await;
        assert_eq!(answer.status, 200, "an upstream's refusal is never ours: {}", answer.body);
        serde_json::from_str(&answer.body).unwrap_or_else(|_| panic!("{}", answer.body))
    }

    /// What the tool of the server says, and whether that is an error.
    async fn call(&self) -> (String, bool) {
        let answer = self.ask("tools/call", json!({"name": TOOL, "arguments": {}})).await;
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
        (text.to_owned(), result["isError"] == true)
    }

    async fn says(&self, expected: &str) {
        assert_eq!(self.call().await, (expected.to_owned(), false));
    }

    /// Calls the tool, whose error must name the login command for exactly this person.
    async fn must_log_in(&self, name: &str) {
        let (text, failed) = self.call().await;
        assert!(failed, "{text}");
        let command = format!("hobnob login private --as token:{name}");
        assert!(text.ends_with(&command), "{text}");
    }
}

async fn log_in_as(home: &Home, principal: &str) {
    let (report, said) = log_in(home, &["--as", principal], Way::Port).await;
    assert_eq!(report["logged_in"], true, "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_principal_has_a_login_of_their_own_and_nobody_uses_anothers() {
    let (home, servers) = (home(), LoginServers::start().await);
    write_servers(&home, &json!({"private": {"url": servers.url()}}));
    let settings = std::fs::read_to_string(home.path("hobnob/config/config.toml")).unwrap();
    home.write("hobnob/config/config.toml", &format!("{settings}{ALLOW}"));
    let (ann, bob) = (create(&home, &["ann"]), create(&home, &["bob"]));
    // The list of tools is known from the login of another person.
    log_in(&home, &[], Way::Port).await;
    home.ok(&["call", TOOL]);
    home.ok(&["logout", "private"]);
    servers.happened().shown.clear();

    let server = &serve(&home, &["serve", "--http", "127.0.0.1:0"]).await;
    let (ann, bob) = (Person { server, token: ann }, Person { server, token: bob });
    ann.must_log_in("ann").await;
    bob.must_log_in("bob").await;
    log_in_as(&home, "token:ann").await;
    ann.says("login 2").await;
    bob.must_log_in("bob").await;
    // Nor does the user of this machine have it.
    let local = home.run(&["call", TOOL]);
    let said = local.stdout + &local.stderr;
    assert!(said.contains("hobnob login private"), "{said}");
    log_in_as(&home, "token:bob").await;
    bob.says("login 3").await;
    ann.says("login 2").await;

    for round in 1..3 {
        servers.expire();
        let ((), ()) = tokio::join!(ann.says("login 2"), bob.says("login 3"));
        assert_eq!(servers.happened().refreshes, 2 * round, "one for each");
    }
    let gone = home.json(0, &["logout", "private", "--as", "token:ann"]);
    assert_eq!(gone["outcome"], "revoked");
    ann.must_log_in("ann").await;
    bob.says("login 3").await;

    let happened = servers.happened();
    for (session, logins) in &happened.sessions {
        assert!(logins.len() <= 1, "{session} served the logins {logins:?}");
    }
    let used: BTreeSet<usize> = happened.sessions.values().flatten().copied().collect();
    assert_eq!(used, BTreeSet::from([1, 2, 3]), "each had a session of their own");
    for shown in &happened.shown {
        for token in [&ann.token, &bob.token] {
            let secret = &token[token.len() - 43..];
            assert!(!shown.contains(secret), "a caller's token reached the server");
        }
    }
}

/// A38: the headers and cookies that a caller sends stay at the hub.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_callers_show_to_the_hub_does_not_reach_servers() {
    let (home, servers) = (home(), LoginServers::start().await);
    servers.accept("of-the-server");
    let headers = json!({"Authorization": "Bearer of-the-server"});
    write_servers(&home, &json!({"private": {"url": servers.url(), "headers": headers}}));
    let settings = std::fs::read_to_string(home.path("hobnob/config/config.toml")).unwrap();
    home.write("hobnob/config/config.toml", &format!("{settings}{ALLOW}"));
    let token = create(&home, &["ann"]);
    let server = &serve(&home, &["serve", "--http", "127.0.0.1:0"]).await;
    let with_more = format!("{token}\r\nCookie: session=canary-cookie\r\nX-Api-Key: canary-key");
    let ann = Person { server, token: with_more };
    ann.says("login 0").await;
    let happened = servers.happened();
    assert_eq!(happened.shown.len(), 1, "{:?}", happened.shown);
    assert_eq!(happened.shown.first().unwrap().trim(), "Bearer of-the-server");
    for name in ["x-api-key", "cookie"] {
        assert!(!happened.names.contains(name), "{:?}", happened.names);
    }
}

/// Only named principals log in, so the hub learns from their logins what the server offers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tools_are_listed_where_only_named_principals_have_logged_in() {
    let (home, servers) = (home(), LoginServers::start().await);
    write_servers(&home, &json!({"private": {"url": servers.url()}}));
    let settings = std::fs::read_to_string(home.path("hobnob/config/config.toml")).unwrap();
    home.write("hobnob/config/config.toml", &format!("{settings}{ALLOW}"));
    let (ann, bob) = (create(&home, &["ann"]), create(&home, &["bob"]));
    let listed = async |person: &Person<'_>| {
        let answer = person.ask("tools/list", json!({})).await;
        let tools = answer["result"]["tools"].as_array().unwrap();
        tools.iter().any(|tool| tool["name"] == TOOL)
    };
    {
        let server = &serve(&home, &["serve", "--http", "127.0.0.1:0"]).await;
        let ann = Person { server, token: ann.clone() };
        let bob = Person { server, token: bob.clone() };
        assert!(!listed(&ann).await && !listed(&bob).await, "nobody has logged in");
        bob.must_log_in("bob").await;
        log_in_as(&home, "token:ann").await;
        assert!(listed(&ann).await);
        ann.says("login 1").await;
        // All callers see what a server offers, but each needs a login to use it.
        assert!(listed(&bob).await);
        bob.must_log_in("bob").await;
    }
    // A hub that starts later, and has never seen what the server offers.
    std::fs::remove_dir_all(home.path("hobnob/state/catalogues")).unwrap();
    let server = &serve(&home, &["serve", "--http", "127.0.0.1:0"]).await;
    let (ann, bob) = (Person { server, token: ann }, Person { server, token: bob });
    assert!(!listed(&bob).await, "bob has no login, and nobody else has asked yet");
    assert!(listed(&ann).await, "she is asked nothing");
    assert!(listed(&bob).await);
    bob.must_log_in("bob").await;
    ann.says("login 1").await;
}
