//! Commands without a running hub, and servers that Hobnob has never started: what is started, what
//! is remembered, and what a person sees.

use std::os::unix::fs::PermissionsExt as _;
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use crate::faults_client::Client;
use crate::faults_setup::{ALLOW, Setup};
use crate::program::within;

/// Runs a command to its end.
async fn run(setup: &Setup, arguments: &[&str]) -> Output {
    setup.write();
    let mut command = setup.hobnob(arguments);
    let running = command.stdin(Stdio::null()).output();
    within(&format!("the end of {arguments:?}"), running).await.unwrap()
}

/// Runs a command with `--json` and returns what it prints.
async fn json_of(setup: &Setup, arguments: &[&str]) -> Value {
    let output = run(setup, &[&["--json"], arguments].concat()).await;
    let text = String::from_utf8(output.stdout).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("{arguments:?}: {text}"))
}

async fn tools(setup: &Setup) -> Vec<String> {
    let listed = json_of(setup, &["tools"]).await;
    let tools = listed["tools"].as_array().unwrap().iter();
    tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

async fn status(setup: &Setup, name: &str) -> Value {
    let all = json_of(setup, &["status"]).await;
    let servers = all["servers"].as_array().unwrap();
    servers.iter().find(|it| it["name"] == name).unwrap().clone()
}

fn words(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[tokio::test]
async fn a_call_starts_only_the_server_it_names() {
    let Some(mut setup) = Setup::new("named").await else { return };
    setup.upstream("good", &[]).upstream("other", &[]).upstream("hung", &["--fault", "hang"]);
    for tool in ["good/echo", "mcp__good__echo"] {
        let output = run(&setup, &["call", tool, "message=hi"]).await;
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "hi", "{}", words(&output));
        assert_eq!(setup.noted("other", "start") + setup.noted("hung", "start"), 0, "{tool}");
    }
    // Known by now, so that its own names are enough.
    run(&setup, &["call", "echo", "message=hi"]).await;
    run(&setup, &["prompt", "good/greet", "topic=x"]).await;
    run(&setup, &["read", "good", "test://notes/1"]).await;
    run(&setup, &["tools", "--server", "good"]).await;
    assert_eq!(setup.noted("other", "start") + setup.noted("hung", "start"), 0);
}

#[tokio::test]
async fn a_mistyped_name_starts_nothing_and_names_the_nearest() {
    let Some(mut setup) = Setup::new("mistyped").await else { return };
    setup.upstream("good", &["--only", "echo"]);
    tools(&setup).await;
    setup.upstream("hung", &["--fault", "hang"]);
    let before = setup.noted("good", "start");
    let cases: [(&[&str], &str); 6] = [
        (&["call", "good/ehco"], "did you mean `mcp__good__echo`"),
        (&["call", "mcp__good__ehco"], "did you mean `mcp__good__echo`"),
        (&["call", "godo/echo"], "did you mean `good`"),
        (&["read", "godo", "test://notes/1"], "did you mean `good`"),
        (&["read", "mcp://godo/test://notes/1"], "did you mean `good`"),
        (&["prompt", "good/gret"], "did you mean `mcp__good__greet`"),
    ];
    for (arguments, wanted) in cases {
        let output = run(&setup, arguments).await;
        assert!(!output.status.success(), "{arguments:?}");
        assert!(words(&output).contains(wanted), "{arguments:?}: {}", words(&output));
    }
    assert_eq!((setup.noted("good", "start"), setup.noted("hung", "start")), (before, 0));
}

/// A command that ends takes its starts with it, so a list that did not wait would never have these tools.
#[tokio::test]
async fn a_list_for_a_person_waits_for_a_slow_first_start() {
    let Some(mut setup) = Setup::new("slow-start").await else { return };
    setup.settings(ALLOW).first_list_wait("100ms");
    setup.upstream("slow", &["--only", "echo", "--start-ms", "3000"]);
    assert!(tools(&setup).await.contains(&"mcp__slow__echo".to_owned()));
}

#[tokio::test]
async fn a_server_that_hangs_costs_one_command_and_is_remembered() {
    let Some(mut setup) = Setup::new("remembered").await else { return };
    setup.settings(&format!("[gateway]\n[timeouts]\nhandshake = \"4s\"\n{ALLOW}"));
    setup.upstream("good", &["--only", "echo"]).upstream("hung", &["--fault", "hang"]);
    assert_eq!(status(&setup, "hung").await["phase"], "unknown");
    assert!(tools(&setup).await.contains(&"mcp__good__echo".to_owned()));
    let starts = setup.noted("hung", "start");
    assert!(starts > 0);
    assert!(tools(&setup).await.contains(&"mcp__good__echo".to_owned()));
    assert_eq!(setup.noted("hung", "start"), starts, "it is not started again so soon");
    let hung = status(&setup, "hung").await;
    assert_eq!(hung["phase"], "failed", "{hung}");
    assert!(hung["reason"].as_str().unwrap().contains("no greeting"), "{hung}");
    assert!(hung["failed_at"].is_string(), "{hung}");
    let good = status(&setup, "good").await;
    assert_eq!((&good["phase"], &good["tools"]), (&json!("stopped"), &json!(1)), "{good}");
    // Nor does the first list of a hub wait for it, though it tries in the background.
    let mut client = Client::legacy(&setup).await;
    assert!(client.tools().await.contains(&"mcp__good__echo".to_owned()));
    assert_ne!(client.status_of("hung").await["first_start"], "awaited");
    client.end().await;
    // A call that names the server starts it again.
    let before = setup.noted("hung", "start");
    let output = run(&setup, &["call", "hung/echo"]).await;
    assert!(words(&output).contains("no greeting"), "{}", words(&output));
    assert!(setup.noted("hung", "start") > before);
    // A server with a changed entry counts as a new one.
    setup.upstream("hung", &["--only", "echo"]);
    assert!(tools(&setup).await.contains(&"mcp__hung__echo".to_owned()));
    assert_eq!(status(&setup, "hung").await["phase"], "stopped");
}

#[tokio::test]
async fn a_server_that_cannot_list_its_tools_is_remembered_with_the_reason() {
    let Some(mut setup) = Setup::new("no-list").await else { return };
    setup.upstream("mute", &["--fault", "tools"]);
    tools(&setup).await;
    let starts = setup.noted("mute", "start");
    assert!(starts > 0);
    tools(&setup).await;
    assert_eq!(setup.noted("mute", "start"), starts, "it is not started again so soon");
    let mute = status(&setup, "mute").await;
    assert_eq!(mute["phase"], "failed", "{mute}");
    assert!(mute["reason"].as_str().unwrap().contains("tools cannot be listed"), "{mute}");
    // A hub asks again, and forgets it when all is well.
    setup.upstream("mute", &["--fault", "tools", "--times", "2"]);
    let mut client = Client::legacy(&setup).await;
    client.tools().await;
    while !client.tools().await.contains(&"mcp__mute__echo".to_owned()) {
        client.notified("notifications/tools/list_changed").await;
    }
    client.end().await;
    assert_eq!(status(&setup, "mute").await["phase"], "stopped");
}

#[tokio::test]
async fn what_the_doctor_learns_is_kept() {
    let Some(mut setup) = Setup::new("doctor-keeps").await else { return };
    setup.upstream("good", &["--only", "echo"]);
    setup.upstream("flaky", &["--fault", "exit", "--times", "2"]);
    json_of(&setup, &["doctor"]).await;
    assert_eq!(status(&setup, "flaky").await["phase"], "failed");
    json_of(&setup, &["doctor", "flaky"]).await;
    for name in ["good", "flaky"] {
        let known = status(&setup, name).await;
        assert_eq!(known["phase"], "stopped", "{known}");
        assert_ne!(known["tools"], 0, "{known}");
    }
    let starts = setup.noted("good", "start") + setup.noted("flaky", "start");
    tools(&setup).await;
    assert_eq!(setup.noted("good", "start") + setup.noted("flaky", "start"), starts);
}

#[tokio::test]
async fn a_download_is_waited_for_beyond_the_time_of_a_list() {
    let Some(mut setup) = Setup::new("download").await else { return };
    setup.settings(&format!("[gateway]\n[timeouts]\nhandshake = \"1s\"\n{ALLOW}"));
    setup.first_list_wait("1s");
    // A package manager that takes longer than any server may.
    let wrapper = setup.file("npx");
    let server = setup.entry("slow", &["--only", "echo"]);
    let arguments: Vec<_> = server["args"].as_array().unwrap().iter().collect();
    let line = arguments.iter().map(|it| format!("'{}'", it.as_str().unwrap()));
    let line = line.collect::<Vec<_>>().join(" ");
    let python = server["command"].as_str().unwrap();
    let script = format!("#!/bin/sh\nsleep 4\nexec '{python}' {line}\n");
    std::fs::write(&wrapper, script).unwrap();
    std::fs::set_permissions(&wrapper, std::fs::Permissions::from_mode(0o755)).unwrap();
    setup.server("slow", json!({"command": wrapper, "args": ["-y", "some-server"]}));
    // The time that a call may take does not count while its server is being downloaded.
    let arguments = ["call", "slow/echo", "message=hi", "--timeout", "2s"];
    let output = run(&setup, &arguments).await;
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "hi", "{}", words(&output));
    assert!(tools(&setup).await.contains(&"mcp__slow__echo".to_owned()));
    assert_eq!(status(&setup, "slow").await["phase"], "stopped");
    assert!(setup.processes().is_empty(), "{:?}", setup.processes());
}

#[tokio::test]
async fn a_url_that_is_down_at_first_is_there_once_it_is_up() {
    let Some(mut setup) = Setup::new("down-at-first").await else { return };
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let url = format!("http://127.0.0.1:{port}/mcp");
    setup.server("late", json!({"type": "http", "url": url}));
    let mut client = Client::legacy(&setup).await;
    let listed = client.tools().await;
    assert!(!listed.iter().any(|tool| tool.starts_with("mcp__late__")), "{listed:?}");
    let inner = setup.home.join("inner");
    let mut upstream = crate::program::hobnob(&["serve", "--http", &format!("127.0.0.1:{port}")]);
    upstream.env("HOBNOB_HOME", &inner).env("HOME", &inner);
    std::fs::create_dir_all(&inner).unwrap();
    let _upstream = crate::program::listening(upstream).await;
    let changed = |received: &Vec<Value>| {
        received.iter().filter(|it| it["method"] == "notifications/tools/list_changed").count()
    };
    let mut seen = changed(&client.received);
    loop {
        let listed = client.tools().await;
        if listed.iter().any(|tool| tool.starts_with("mcp__late__")) {
            break;
        }
        while changed(&client.received) == seen {
            within("the tools change", client.next()).await;
        }
        seen = changed(&client.received);
    }
    client.end().await;
}
