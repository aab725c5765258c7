//! A25, T55: an authorization server that tries to run a program on the machine of the person who
//! logs in.
//!
//! The page that it names is opened by one program, as one argument, and by no shell.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use serde_json::json;
use tokio::process::Command;

use crate::cli_config_home::Home;
use crate::faults_setup::{ALLOW, until};
use crate::login::{TOOL, make_executable, write_servers};
use crate::login_servers::{LoginServers, get, log_in_at};
use crate::program::within;

/// Writes down its arguments, one to a line, and begins to be read when it is complete.
const BROWSER: &str = "#!/bin/sh\nfor word; do printf '%s\\n' \"$word\" >> \"$0.part\"; done\nmv \"$0.part\" \"$0.words\"\n";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_is_one_argument_of_one_program_and_nothing_in_it_is_run() {
    for page in [
        "/authorize?x=$(touch${IFS}pwned)",
        "/authorize?x=`touch${IFS}pwned`",
        "/authorize?x=1;touch${IFS}pwned;",
        "/authorize?x=1&touch${IFS}pwned&",
        "/authorize?x=1|touch${IFS}pwned|",
        "/authorize?x='$(touch${IFS}pwned)'",
        "/authorize?x=1$'\\n'touch pwned",
    ] {
        let (home, servers) = (Home::new(), LoginServers::start().await);
        servers.happened().page = Some(page.to_owned());
        write_servers(&home, &json!({"private": {"url": servers.url()}}));
        home.write("hobnob/config/config.toml", ALLOW);
        home.write("home/browser", BROWSER);
        let browser = home.path("home/browser");
        make_executable(&browser);
        let mut command = Command::from(home.command(&["--json", "login", "private"]));
        command.env("BROWSER", &browser).env_remove("SSH_CONNECTION").env_remove("SSH_TTY");
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let child = command.spawn().unwrap();
        let words = home.path("home/browser.words");
        until("the browser", Duration::from_secs(60), || words.exists()).await;
        let opened = fs::read_to_string(&words).unwrap();
        let lines: Vec<_> = opened.lines().collect();
        let [one] = lines[..] else { panic!("{page}: {opened}") };
        assert!(one.starts_with(&format!("{}/authorize?x=", servers.origin)), "{page}: {one}");
        let answer = log_in_at(one).await;
        assert!(get(&answer).await.contains("You are logged in"));
        let output = within("the end of the login", child.wait_with_output()).await.unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(home.ok(&["call", TOOL]).stdout.trim(), "login 1");
        for folder in ["", "home", "project", "hobnob", "hobnob/config", "hobnob/state"] {
            assert!(!home.path(folder).join("pwned").exists(), "{page} was run in {folder}");
        }
    }
}

/// A page that no browser should be sent to is not opened, and no browser is started for it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_that_is_no_page_starts_no_program() {
    for page in ["@evil.example/authorize", "0/authorize", "#fragment"] {
        let (home, servers) = (Home::new(), LoginServers::start().await);
        servers.happened().page = Some(page.to_owned());
        write_servers(&home, &json!({"private": {"url": servers.url()}}));
        home.write("home/browser", BROWSER);
        let browser = home.path("home/browser");
        make_executable(&browser);
        let mut command = Command::from(home.command(&["login", "private"]));
        command.env("BROWSER", &browser).env_remove("SSH_CONNECTION").env_remove("SSH_TTY");
        let output = within("the login", command.kill_on_drop(true).output()).await.unwrap();
        assert!(!output.status.success(), "{page}");
        assert!(!home.path("home/browser.words").exists(), "{page}");
        assert_eq!(servers.happened().registrations, 0, "{page}");
    }
}
