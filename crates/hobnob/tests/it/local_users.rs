//! Other users of the machine at a listener that asks for no tokens: they are refused, unless the
//! settings say otherwise. Only root can act as another user; without it, this tests only the
//! owner.

use std::process::Stdio;

use tokio::process::Command;

use crate::program::{HttpServer, listening, within};
use crate::seed_wire::Home;

/// Asks for a page and prints the status.
const ASK: &str = "import sys, urllib.request, urllib.error\n\
    try: print(urllib.request.urlopen(sys.argv[1], timeout=30).status)\n\
    except urllib.error.HTTPError as error: print(error.code, error.read().decode())";

/// The answer that a program of this user gets.
async fn answer(server: &HttpServer, user: Option<&str>) -> String {
    let url = server.url.replace("/mcp", "/health");
    let mut words = vec!["/usr/bin/env".to_owned()];
    if let Some(user) = user {
        words = vec!["setpriv".into(), format!("--reuid={user}"), "--clear-groups".into()];
        words.push(format!("--regid={user}"));
    }
    words.extend(["python3".into(), "-c".into(), ASK.into(), url]);
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).env("PATH", "/usr/bin:/bin").stdin(Stdio::null());
    let output = within("an answer", command.output()).await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

#[tokio::test]
async fn only_the_owner_connects_to_a_local_listener() {
    let home = Home::new("users");
    let server = listening(home.hobnob(&["serve", "--http", "127.0.0.1:0"])).await;
    assert_eq!(answer(&server, None).await, "200");
    if !rustix::process::getuid().is_root() {
        return;
    }
    let refused = answer(&server, Some("65534")).await;
    assert!(refused.starts_with("403 ") && refused.contains("takes tokens"), "{refused}");
    drop(server);
    let log = within("the log", home.hobnob(&["audit", "--json"]).output()).await.unwrap();
    let log = String::from_utf8_lossy(&log.stdout).into_owned();
    assert!(log.contains("connections/other-user"), "{log}");

    let settings = home.0.join("config/config.toml");
    std::fs::write(&settings, "[listener]\nmode = \"open\"\n").unwrap();
    let server = listening(home.hobnob(&["serve", "--http", "127.0.0.1:0"])).await;
    assert_eq!(answer(&server, Some("65534")).await, "200");
}
