//! Logins at a third-party authorization server: npm `oidc-provider`, with a small server behind it
//! that checks its tokens; a script fills in the forms.
//!
//! A31, A32: refresh tokens change with every use, and one that is used twice ends the login.

use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::task::JoinSet;

use crate::cli_config_home::Home;
use crate::embedded_login::free_port;
use crate::faults_setup::ALLOW;
use crate::login::{TOOL, assert_absent_below, hub, make_executable, text, write_servers};
use crate::login_servers::get;
use crate::peers::{Peer, report_of};
use crate::program::within;

/// The authorization server, the server behind it, and a home that has it configured.
pub(crate) struct Stage {
    peer: Peer,
    pub(crate) home: Home,
    pub(crate) url: String,
    pub(crate) issuer: String,
    control: String,
    _servers: Child,
}

impl Stage {
    pub(crate) async fn start() -> Option<Self> {
        let peer = Peer::find("oidc-provider")?;
        let mut command = peer.script("oidc.mjs");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut servers = command.kill_on_drop(true).spawn().unwrap();
        let mut lines = BufReader::new(servers.stdout.take().unwrap()).lines();
        let line = within("the servers", lines.next_line()).await.unwrap().unwrap();
        let places: Value = serde_json::from_str(&line).unwrap();
        let home = Home::new();
        // The usual port is that of every test, and with another one a client registers anew.
        let oauth = json!({"callbackPort": free_port()});
        write_servers(&home, &json!({"private": {"url": places["url"], "oauth": oauth}}));
        home.write("hobnob/config/config.toml", ALLOW);
        let place = |name: &str| places[name].as_str().unwrap().to_owned();
        let (url, issuer, control) = (place("url"), place("issuer"), place("control"));
        Some(Self { peer, home, url, issuer, control, _servers: servers })
    }

    /// Logs in with a browser that is a program of ours; it is started without a shell.
    async fn log_in(&self) {
        let person = self.peer.script("oidc_person.mjs");
        let words: Vec<_> = std::iter::once(person.as_std().get_program())
            .chain(person.as_std().get_args())
            .map(|word| word.to_str().unwrap().to_owned())
            .collect();
        let script = format!("#!/bin/sh\nexec {} \"$1\" open\n", words.join(" "));
        self.home.write("home/browser", &script);
        make_executable(&self.home.path("home/browser"));
        let mut command = Command::from(self.home.command(&["--json", "login", "private"]));
        command.env("BROWSER", self.home.path("home/browser"));
        command.env_remove("SSH_CONNECTION").env_remove("SSH_TTY");
        let output = within("the login", command.kill_on_drop(true).output()).await.unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&report["new"], &report["renews"]), (&true.into(), &true.into()), "{said}");
    }

    /// Ends every access token that was used so far, or only asks for something.
    pub(crate) async fn control(&self, what: &str) -> Value {
        let answer = get(&format!("{}/{what}", self.control)).await;
        let body = answer.split_once("\n\n").unwrap().1;
        // The body may come in pieces.
        let begin = body.find('{').unwrap();
        let end = body.rfind('}').unwrap();
        serde_json::from_str(&body[begin..=end]).unwrap()
    }
}

#[tokio::test]
async fn a_person_logs_in_through_the_forms_and_out_again() {
    let Some(stage) = Stage::start().await else { return };
    stage.log_in().await;
    assert_eq!(stage.home.ok(&["call", TOOL]).stdout.trim(), "hello ada");
    let counts = stage.control("counts").await;
    assert_eq!(counts["registrations"], 1);
    for token in counts["tokens"].as_array().unwrap() {
        assert!(4 < assert_absent_below(&stage.home.path("hobnob"), token.as_str().unwrap()));
    }
    assert_eq!(stage.home.json(0, &["logout", "private"])["outcome"], "revoked");
    let refused = stage.home.run(&["call", TOOL]);
    assert!(refused.stderr.contains("hobnob login private"), "{}", refused.stderr);
    stage.log_in().await;
    assert_eq!(stage.control("counts").await["registrations"], 1, "it is registered already");
}

#[tokio::test]
async fn a_person_types_the_code_on_another_device() {
    let Some(stage) = Stage::start().await else { return };
    let mut command = Command::from(stage.home.command(&["login", "private", "--device"]));
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let page = loop {
        let line = within("the page", lines.next_line()).await.unwrap().unwrap();
        if line.starts_with("http") {
            break line;
        }
    };
    let code = within("the code", lines.next_line()).await.unwrap().unwrap();
    let mut person = stage.peer.script("oidc_person.mjs");
    let report = report_of(person.args([&page, &code])).await;
    assert!(report["page"].as_str().unwrap().contains("successful"), "{report}");
    let output = within("the login", child.wait_with_output()).await.unwrap();
    assert!(output.status.success());
    assert_eq!(stage.home.ok(&["call", TOOL]).stdout.trim(), "hello ada");
}

#[tokio::test]
async fn fifty_calls_and_two_hubs_share_one_rotating_login() {
    let Some(stage) = Stage::start().await else { return };
    stage.log_in().await;
    let ((_one, first), (_two, second)) = tokio::join!(hub(&stage.home), hub(&stage.home));
    let clients = [std::sync::Arc::new(first), std::sync::Arc::new(second)];
    for client in &clients {
        assert_eq!(text(client).await, "hello ada");
    }
    for round in 1..4 {
        stage.control("expire").await;
        let mut calls = JoinSet::new();
        for number in 0..50 {
            let client = std::sync::Arc::clone(&clients[number % 2]);
            calls.spawn(async move { text(&client).await });
        }
        assert_eq!(calls.join_all().await, vec!["hello ada"; 50], "round {round}");
        assert_eq!(stage.control("counts").await["refreshes"], round, "one for all");
    }
}
