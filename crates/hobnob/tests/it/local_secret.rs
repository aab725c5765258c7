//! A listener in mode `local` where the kernel does not say whose socket connects: a filter of
//! system calls refuses netlink sockets to the hub, as gVisor and some containers do.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use serde_json::{Value, json};
use tokio::process::Command;

use crate::program::{HttpServer, PROGRAM, listening, within};
use crate::seed_wire::Home;

/// Becomes a program that can open no netlink socket.
const WITHOUT_NETLINK: &str = include_str!("local_secret/without_netlink.py");

/// Posts a request with these headers, and prints the status and the body.
const POST: &str = "import json, sys, urllib.request, urllib.error\n\
    url, headers, body = sys.argv[1:]\n\
    headers = {**json.loads(headers), 'Content-Type': 'application/json', \
               'Accept': 'application/json, text/event-stream'}\n\
    try:\n\
    \x20   with urllib.request.urlopen(urllib.request.Request(url, body.encode(), headers)) as answer:\n\
    \x20       print(answer.status, answer.read().decode())\n\
    except urllib.error.HTTPError as error: print(error.code, error.read().decode())";

async fn post(server: &HttpServer, headers: Value) -> String {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "health.check", "params": []});
    let mut command = Command::new("python3");
    command.args(["-c", POST, &server.url, &headers.to_string(), &body.to_string()]);
    let output = within("an answer", command.stdin(Stdio::null()).output()).await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The hub, without netlink.
async fn serve(home: &Home) -> HttpServer {
    let hub = home.hobnob(&["serve", "--http", "127.0.0.1:0"]);
    let hub = hub.as_std();
    let mut command = Command::new("python3");
    command.args(["-c", WITHOUT_NETLINK, PROGRAM]).args(hub.get_args()).stderr(Stdio::piped());
    for (name, value) in hub.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.current_dir(hub.get_current_dir().unwrap());
    listening(command).await
}

#[tokio::test]
async fn a_secret_of_the_owner_opens_a_listener_that_cannot_ask_the_kernel() {
    let home = Home::new("local-secret");
    let server = serve(&home).await;
    let file = home.0.join("state/listener-secret");
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let said = server.said.join("\n");
    assert!(said.contains("does not say which user connects"), "{said}");
    assert!(said.contains(file.to_str().unwrap()), "{said}");
    let secret = std::fs::read_to_string(&file).unwrap().trim().to_owned();
    assert!(!said.contains(&secret));

    let bearing = |secret: &str| json!({"Authorization": format!("Bearer {secret}")});
    let wrong = "0".repeat(secret.len());
    for headers in [json!({}), bearing(&wrong), bearing(&secret[1..])] {
        let refused = post(&server, headers.clone()).await;
        assert!(refused.starts_with("401 "), "{headers}: {refused}");
    }
    let answered = post(&server, bearing(&secret)).await;
    assert!(answered.starts_with("200 ") && answered.contains("\"complete\""), "{answered}");
    drop(server);

    // The next hub has the same secret, so that clients can keep it.
    let server = serve(&home).await;
    let answered = post(&server, bearing(&secret)).await;
    assert!(answered.starts_with("200 "), "{answered}");
    drop(server);

    // The secret lets a program call tools, and change nothing that is allowed.
    let mut grant = home.hobnob(&["grant", "files", "/var"]);
    grant.env("HOBNOB_OWNER_SECRET", &secret).stdin(Stdio::null());
    let output = within("the end of the command", grant.output()).await.unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("person at a terminal"), "{said}");
    let log = within("the log", home.hobnob(&["audit", "--json"]).output()).await.unwrap();
    assert!(String::from_utf8_lossy(&log.stdout).contains("tokens/unknown"));
}
