//! Hobnob never ends up behind itself: not by `import`, `add` or a hand-written file, not by its
//! own address, and not through another hub. Processes are counted, since that is how it showed.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};

use crate::cli_config_home::{Home, read_json};
use crate::dialogue::Dialogue;
use crate::faults_setup::{Setup, all_processes, signal, until};
use crate::peers::Peer;
use crate::program::{HttpServer, PROGRAM, listening, within};

/// Entries that start this Hobnob, in the ways people write them.
fn ourselves() -> Vec<(&'static str, Value)> {
    vec![
        ("plain", json!({"command": "hobnob", "args": ["serve"]})),
        ("path", json!({"command": PROGRAM, "args": ["serve"]})),
        ("environment", json!({"command": "env", "args": ["A=1", PROGRAM, "serve"]})),
        ("shell", json!({"command": "sh", "args": ["-c", format!("exec {PROGRAM} serve")]})),
        ("runner", json!({"command": "npx", "args": ["-y", "hobnob", "serve"]})),
    ]
}

#[test]
fn import_leaves_hobnob_itself_out_and_says_why() {
    let home = Home::new();
    let mut servers = json!({"git": {"command": "uvx", "args": ["git"]}});
    for (name, entry) in ourselves() {
        servers[name] = entry;
    }
    servers["address"] = json!({"type": "http", "url": "http://localhost:4815/mcp"});
    home.write("home/.cursor/mcp.json", &json!({"mcpServers": servers}).to_string());
    let report = home.json(0, &["import", "--yes"]);
    assert_eq!(report["added"], json!(["git"]));
    let refused = report["refused"].as_array().unwrap();
    assert_eq!(refused.len(), ourselves().len() + 1, "{report}");
    for one in refused {
        assert!(one["why"].as_str().unwrap().contains("Hobnob itself"), "{one}");
    }
    let written = read_json(&home.own());
    assert_eq!(written["mcpServers"].as_object().unwrap().len(), 1, "{written}");
}

#[test]
fn add_refuses_hobnob_itself() {
    let home = Home::new();
    for words in [
        &["add", "me", "--", "hobnob", "serve"][..],
        &["add", "me", "--", PROGRAM, "serve", "--http"],
        &["add", "me", "--scope", "project", "--", "sh", "-c", "hobnob serve"],
        &["add", "me", "http://127.0.0.1:4815/mcp"],
        &["add", "me", "--type", "sse", "http://[::1]:4815/sse"],
    ] {
        let run = home.run(words);
        assert_eq!(run.code, 2, "{words:?}: {}", run.stderr);
        assert!(run.stderr.contains("Hobnob itself"), "{words:?}: {}", run.stderr);
    }
    assert!(!home.own().exists() && !home.path("project/.mcp.json").exists());
    home.ok(&["add", "other", "--", "hobnob", "serve", "--config-dir", "/elsewhere"]);
}

#[test]
fn an_address_that_a_running_hub_listens_on_is_not_added() {
    let home = Home::new();
    let mut hub = home.command(&["serve", "--http", "127.0.0.1:0"]);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = runtime.block_on(async {
        hub.stderr(Stdio::piped());
        listening(tokio::process::Command::from(hub)).await
    });
    let port = server.url.rsplit_once(':').unwrap().1;
    for host in ["127.0.0.1", "localhost", "[::1]", "0.0.0.0"] {
        let url = format!("http://{host}:{port}");
        let run = home.run(&["add", "me", &url]);
        assert_eq!(run.code, 2, "{url}: {}", run.stderr);
    }
    runtime.block_on(async { drop(server) });
}

/// All processes below this one, supervisors too.
fn descendants(of: u32) -> usize {
    let all = all_processes();
    let mut found = vec![of];
    let mut at = 0;
    while let Some(parent) = found.get(at).copied() {
        found.extend(all.iter().filter(|it| it.parent == parent).map(|it| it.id));
        at += 1;
    }
    found.len() - 1
}

/// The servers of a hub as `hobnob status` has them.
async fn status(setup: &Setup) -> Value {
    let asked = setup.hobnob(&["--json", "status"]).stdin(Stdio::null()).output();
    let output = within("status", asked).await.unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

/// One server in the output of `hobnob status`.
fn server_status<'a>(status: &'a Value, name: &str) -> &'a Value {
    let servers = status["servers"].as_array().unwrap();
    servers.iter().find(|it| it["name"] == name).unwrap_or_else(|| panic!("no {name}: {status}"))
}

async fn lists(dialogue: &mut Dialogue) -> Vec<String> {
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "it", "version": "1"}});
    let ask = |id: i64, method: &str, params: Value| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    dialogue.send(ask(1, "initialize", hello)).await;
    dialogue.answer_to(1).await;
    dialogue.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    dialogue.send(ask(2, "tools/list", json!({}))).await;
    names(&dialogue.answer_to(2).await)
}

fn names(answer: &Value) -> Vec<String> {
    let tools = answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}"));
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_file_that_names_us_starts_no_process() {
    let Some(mut setup) = Setup::new("self-file").await else { return };
    for (name, entry) in ourselves() {
        setup.server(name, entry);
    }
    setup.write();
    // An entry of a project, which is refused even before it is approved.
    let project = json!({"mcpServers": {"here": {"command": PROGRAM, "args": ["serve"]}}});
    setup.put("project/.mcp.json", &project.to_string());
    let mut hub = Dialogue::with(&mut setup.hobnob(&["serve"]));
    let tools = lists(&mut hub).await;
    assert!(tools.iter().all(|name| !name.starts_with("mcp__")), "{tools:?}");
    assert_eq!(descendants(hub.child.id().unwrap()), 0);
    let status = status(&setup).await;
    for name in ourselves().iter().map(|(name, _)| *name).chain(["here"]) {
        let server = server_status(&status, name);
        assert_eq!(server["phase"], "refused", "{server}");
        assert!(server["reason"].as_str().unwrap().contains("Hobnob itself"), "{server}");
    }
    let examined = setup.hobnob(&["--json", "doctor", "plain"]).stdin(Stdio::null()).output();
    let examined = within("doctor", examined).await.unwrap();
    let said = String::from_utf8_lossy(&examined.stdout);
    assert!(said.contains("Hobnob itself") && said.contains("note"), "{said}");
    // A project's file may have it for other clients, so that no command need complain of it.
    let listed = setup.hobnob(&["tools"]).stdin(Stdio::null()).output();
    let listed = within("tools", listed).await.unwrap();
    assert!(!String::from_utf8_lossy(&listed.stderr).contains("refused"), "{listed:?}");
    hub.close_stdin();
    hub.ended().await;
}

#[tokio::test]
async fn a_program_that_starts_us_in_disguise_is_found_out_by_its_environment() {
    let Some(mut setup) = Setup::new("self-disguise").await else { return };
    // Nothing on its command line shows what it starts.
    let starts = setup.file("starts");
    let script = format!(
        "import os; open({starts:?}, 'a').write('.'); os.environ['HOBNOB_HOME'] = {home:?}; \
         os.execv({PROGRAM:?}, ['x', 'serve'])",
        home = setup.home
    );
    setup.script("disguised", &script).write();
    let mut hub = Dialogue::with(&mut setup.hobnob(&["serve"]));
    let tools = lists(&mut hub).await;
    assert!(tools.iter().all(|name| !name.starts_with("mcp__")), "{tools:?}");
    let status = status(&setup).await;
    let server = server_status(&status, "disguised");
    assert_eq!(server["phase"], "refused", "{server}");
    assert!(server["reason"].as_str().unwrap().contains("behind itself"), "{server}");
    // Each start ended by itself and started nothing: at most one is under way.
    let begun = std::fs::read_to_string(&starts).unwrap().len();
    assert!((1..=8).contains(&begun), "{begun} starts");
    assert!(descendants(hub.child.id().unwrap()) <= 4);
    hub.close_stdin();
    hub.ended().await;
}

#[tokio::test]
async fn a_command_in_a_servers_environment_works_and_serve_does_not() {
    let Some(mut setup) = Setup::new("self-inside").await else { return };
    let seen = setup.file("seen");
    let script = format!(
        "import os; open({seen:?}, 'w').write(os.environ['HOBNOB_INSTANCES']); raise SystemExit(1)"
    );
    setup.script("looks", &script).write();
    let first = setup.hobnob(&["tools"]).stdin(Stdio::null()).output();
    within("tools", first).await.unwrap();
    let chain = std::fs::read_to_string(&seen).unwrap();
    setup.without("looks").write();
    let inside = |words: &[&str], chain: &str| {
        let mut command = setup.hobnob(words);
        command.env("HOBNOB_INSTANCES", chain).stdin(Stdio::null()).kill_on_drop(true);
        async move { within("a command inside", command.output()).await.unwrap() }
    };
    let tools = inside(&["--json", "tools"], &chain).await;
    assert!(tools.status.success(), "{tools:?}");
    let deep = format!("8,{}", chain.split_once(',').unwrap().1);
    for (words, chain) in [(["serve"], &chain), (["serve"], &deep), (["tools"], &deep)] {
        let refused = inside(&words, chain).await;
        let said = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(1), "{words:?} {chain}: {said}");
        assert!(said.contains("behind itself"), "{words:?} {chain}: {said}");
    }
}

/// A hub over HTTP that has these settings.
async fn hub(setup: &Setup) -> HttpServer {
    listening(setup.hobnob(&["serve", "--http", "127.0.0.1:0"])).await
}

/// Other servers for a running hub.
fn replace_servers(setup: &mut Setup, hub: &HttpServer, servers: &[(&str, Value)]) {
    for (name, entry) in servers {
        setup.server(name, entry.clone());
    }
    setup.write();
    signal("HUP", hub.child.id().unwrap());
}

/// Asks for the status until it is as it should be; by the clock, since a count of answers is over
/// sooner the faster the machine is.
async fn status_until(setup: &Setup, holds: impl Fn(&Value) -> bool) -> Value {
    let end = Instant::now() + Duration::from_secs(90);
    loop {
        let found = status(setup).await;
        if holds(&found) {
            return found;
        }
        assert!(Instant::now() < end, "not so: {found}");
    }
}

fn is_refused(status: &Value, name: &str) -> bool {
    let servers = status["servers"].as_array().unwrap();
    servers.iter().any(|it| it["name"] == name && it["phase"] == "refused")
}

async fn listed(setup: &Setup, list: &str) -> String {
    let asked = setup.hobnob(&["--json", list]).stdin(Stdio::null()).output();
    String::from_utf8(within(list, asked).await.unwrap().stdout).unwrap()
}

#[tokio::test]
async fn our_own_address_is_refused_in_every_spelling() {
    let Some(mut setup) = Setup::new("self-address").await else { return };
    setup.write();
    let server = hub(&setup).await;
    let port = server.url.rsplit_once(':').unwrap().1.trim_end_matches("/mcp").to_owned();
    let entries = [
        ("number", json!({"url": format!("http://127.0.0.1:{port}/mcp")})),
        ("name", json!({"url": format!("http://localhost:{port}/")})),
        ("oldest", json!({"type": "sse", "url": format!("http://127.0.0.1:{port}/sse")})),
        ("profile", json!({"url": format!("http://127.0.0.1:{port}/p/bossman/mcp")})),
    ];
    replace_servers(&mut setup, &server, &entries);
    let all = |status: &Value| entries.iter().all(|(name, _)| is_refused(status, name));
    let status = status_until(&setup, all).await;
    let reason = server_status(&status, "number")["reason"].as_str().unwrap().to_owned();
    assert!(reason.contains("behind itself"), "{reason}");
    let resources = listed(&setup, "resources").await;
    assert!(!resources.contains("mcp://"), "{resources}");
    assert_eq!(descendants(server.child.id().unwrap()), 0);
}

#[tokio::test]
async fn two_hubs_that_have_each_other_do_not_feed_back() {
    let (Some(mut a), Some(mut b)) = (Setup::new("self-a").await, Setup::new("self-b").await)
    else {
        return;
    };
    a.upstream("mine", &["--only", "echo"]).write();
    b.upstream("mine", &["--only", "echo"]).write();
    let (hub_a, hub_b) = (hub(&a).await, hub(&b).await);
    // One hub behind another is as it should be.
    replace_servers(&mut a, &hub_a, &[("b", json!({"url": hub_b.url}))]);
    status_until(&a, |status| is_ready(status, "b")).await;
    let tools = listed(&a, "tools").await;
    assert!(tools.contains("mcp__b__mcp__mine__echo"), "{tools}");
    // The second way round closes the circle.
    replace_servers(&mut b, &hub_b, &[("a", json!({"url": hub_a.url}))]);
    let status = status_until(&b, |status| is_refused(status, "a")).await;
    assert!(
        server_status(&status, "a")["reason"].as_str().unwrap().contains("behind itself"),
        "{status}"
    );
    let (of_a, of_b) = (listed(&a, "tools").await, listed(&b, "tools").await);
    assert!(of_a.contains("mcp__b__mcp__mine__echo"), "{of_a}");
    assert!(!of_a.contains("mcp__a__") && !of_b.contains("mcp__a__"), "{of_a}\n{of_b}");
    for hub in [&hub_a, &hub_b] {
        // Its one upstream and the supervisor of that.
        let id = hub.child.id().unwrap();
        until("few processes", Duration::from_secs(30), || descendants(id) <= 4).await;
    }
}

#[tokio::test]
async fn a_gateway_of_another_make_does_not_close_the_circle() {
    let Some(peer) = Peer::find("fastmcp") else { return };
    let Some(mut setup) = Setup::new("self-foreign").await else { return };
    // The hub's list waits for the proxy, whose list waits for the hub's.
    setup.first_list_wait("1s");
    setup.upstream("mine", &["--only", "echo"]).write();
    let server = hub(&setup).await;
    let mut proxy = peer.python("proxy.py");
    proxy.arg(&server.url).env("HOME", &setup.home).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut proxy = proxy.stderr(Stdio::null()).kill_on_drop(true).spawn().unwrap();
    let mut lines = BufReader::new(proxy.stdout.take().unwrap()).lines();
    let url = within("the proxy", lines.next_line()).await.unwrap().unwrap();
    replace_servers(&mut setup, &server, &[("proxy", json!({"url": url}))]);
    let status = status_until(&setup, |status| is_refused(status, "proxy")).await;
    let reason = server_status(&status, "proxy")["reason"].as_str().unwrap();
    assert!(reason.contains("behind itself"), "{reason}");
    let tools = listed(&setup, "tools").await;
    assert!(tools.contains("mcp__mine__echo") && !tools.contains("mcp__proxy__"), "{tools}");
}

fn is_ready(status: &Value, name: &str) -> bool {
    let servers = status["servers"].as_array().unwrap();
    servers.iter().any(|it| it["name"] == name && it["phase"] == "ready")
}
