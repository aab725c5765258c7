//! The shell through the binary: a person grants a command, a client runs it, and nothing of it
//! survives, however Hobnob ends.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::interval;

use crate::memory_client::{Client, ClientAbilities, Era, authority, modern_meta, post};
use crate::program::{listening, within};
use crate::seed_wire::{Home, ServerTransport, Session, Wire};

/// What a program must do that is hard to end: daemons, and signals that it ignores.
const STUBBORN: &str = "trap '' TERM HUP; setsid sleep MARK </dev/null >/dev/null 2>&1 & \
                        echo up; while :; do sleep MARK; done";

/// A command of the person, which must succeed.
pub(crate) async fn person(home: &Home, words: &[&str]) {
    let output = within("a command of the person", home.hobnob(words).output()).await.unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A home whose person grants every line of `sh` in one folder.
pub(crate) async fn granted(label: &str) -> (Home, PathBuf) {
    let home = Home::new(label);
    let folder = home.0.canonicalize().unwrap().join("granted");
    std::fs::create_dir(&folder).unwrap();
    person(&home, &["enable", "shell"]).await;
    person(&home, &["grant", "shell", "--as-root", "--in", folder.to_str().unwrap(), "--line"])
        .await;
    (home, folder)
}

/// The data of a tool's result, whose text is the output itself.
async fn data(client: &mut Client, tool: &str, arguments: Value) -> Value {
    let asked = json!({"name": tool, "arguments": arguments});
    let result = client.result("tools/call", asked).await;
    assert_ne!(result["isError"], true, "{tool}: {result}");
    result["structuredContent"].clone()
}

/// A number of seconds that no other process sleeps.
pub(crate) fn mark() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    format!("7{:07}.{:04}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// How many processes have this in their command line.
fn count(mark: &str) -> usize {
    let pids = std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.parse::<u32>().ok());
    let lines = pids.filter_map(|pid| std::fs::read(format!("/proc/{pid}/cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(mark)).count()
}

pub(crate) async fn until_count(mark: &str, fits: impl Fn(usize) -> bool) {
    let waiting = async {
        let mut looks = interval(Duration::from_millis(10));
        while !fits(count(mark)) {
            looks.tick().await;
        }
    };
    within("processes to come or go", waiting).await;
}

#[tokio::test]
async fn a_granted_command_runs_on_every_way_in() {
    let (home, folder) = granted("shell").await;
    for way in ServerTransport::ALL {
        for era in Era::ALL {
            let mut client = Client::open(&home, way, era).await;
            let line = json!({"command": "pwd; cat; exit 3", "stdin": "given"});
            let done = data(&mut client, "shell_run", line).await;
            assert_eq!(done["exit_code"], 3, "{way:?} {era:?}: {done}");
            assert_eq!(done["stdout"], format!("{}\ngiven", folder.display()));
            let mark = mark();
            let line = STUBBORN.replace("MARK", &mark);
            let started = data(&mut client, "shell_start", json!({"command": line})).await;
            let process = json!({"process": started["process"]});
            until_count(&mark, |count| count >= 2).await;
            let stopped = data(&mut client, "shell_stop", process).await;
            assert_eq!(stopped["signal"], "SIGKILL", "{way:?} {era:?}: {stopped}");
            assert_eq!(count(&mark), 0);
        }
    }
}

#[tokio::test]
async fn tools_follow_what_the_person_allows() {
    let home = Home::new("shell-grants");
    let mut serve = home.hobnob(&["serve"]);
    let mut client = Client::start(&mut serve, Era::Modern, ClientAbilities::nothing()).await;
    let listed = async |client: &mut Client| {
        let mut names = client.listed("tools/list", "tools", "name").await;
        names.retain(|name| name.starts_with("shell_"));
        names.len()
    };
    assert_eq!(listed(&mut client).await, 0);
    person(&home, &["enable", "shell"]).await;
    assert_eq!(listed(&mut client).await, 7);
    let run = json!({"argv": ["printf", "%s", "a b"]});
    let refused = client.failure("shell_run", run.clone()).await;
    assert!(refused.contains("hobnob grant shell --in FOLDER -- printf %s 'a b'"), "{refused}");
    person(&home, &["grant", "shell", "--as-root", "--", "printf", "%s", "*"]).await;
    assert_eq!(data(&mut client, "shell_run", run).await["stdout"], "a b");
    // Hobnob itself is never run, and grants are never changed by a command.
    let own = env!("CARGO_BIN_EXE_hobnob");
    let refused = client.failure("shell_run", json!({"argv": [own, "grants"]})).await;
    assert!(refused.contains("Hobnob itself is never run"), "{refused}");
    person(&home, &["grant", "shell", "--as-root", "--sandbox", "off", "--line"]).await;
    for (before, change) in [
        ("", "grant files /usr"),
        ("env -u HOBNOB_INSTANCES", "grant files /usr"),
        ("env -i", "approve --all --yes"),
        ("setsid env -i", "allow '*'"),
        ("env -i", "add evil -- sh"),
    ] {
        let line = format!("{before} env HOBNOB_HOME={} {own} {change}; :", home.0.display());
        let done = data(&mut client, "shell_run", json!({"command": line})).await;
        let said = done["stderr"].as_str().unwrap();
        assert!(said.contains("changed by a person"), "{before} {change}: {done}");
    }
    person(&home, &["disable", "shell"]).await;
    assert_eq!(listed(&mut client).await, 0);
    client.end().await;
}

/// A confined command sees neither Hobnob's files nor its secrets.
#[tokio::test]
async fn a_command_sees_nothing_of_hobnob() {
    let (home, _folder) = granted("shell-secrets").await;
    let mut serve = home.hobnob(&["serve"]);
    serve.env("HOBNOB_CANARY", "canary-1").env("API_TOKEN", "canary-2");
    let mut client = Client::start(&mut serve, Era::Modern, ClientAbilities::nothing()).await;
    let state = home.0.join("state").display().to_string();
    let line = format!("env; cat {state}/grants.json; ls {state}; cat /proc/*/environ; :");
    let done = data(&mut client, "shell_run", json!({"command": line})).await;
    let seen = done.to_string();
    assert!(!seen.contains("canary"), "{seen}");
    let confined =
        hobnob_mcp_process::landlock_support() != hobnob_mcp_process::LandlockSupport::Missing;
    if confined {
        assert!(!seen.contains("\\\"version\\\""), "{seen}");
    }
    client.end().await;
}

/// A client on a pipe that has started a stubborn command, and waits for another one.
async fn running_two(home: &Home, era: Era, mark: &str, line: &Value) -> Client {
    let mut serve = home.hobnob(&["serve"]);
    let mut client = Client::start(&mut serve, era, ClientAbilities::nothing()).await;
    data(&mut client, "shell_start", line.clone()).await;
    client.send("tools/call", json!({"name": "shell_run", "arguments": line})).await;
    until_count(mark, |count| count >= 4).await;
    client
}

/// SIGKILL of Hobnob, on pipes and over HTTP, leaves no process that it started or waited for.
#[tokio::test]
async fn nothing_survives_when_hobnob_is_killed() {
    let (home, _folder) = granted("shell-killed").await;
    for era in Era::ALL {
        let mark = mark();
        let line = json!({"command": STUBBORN.replace("MARK", &mark)});
        let mut client = running_two(&home, era, &mark, &line).await;
        client.child().kill().await.unwrap();
        until_count(&mark, |count| count == 0).await;

        let mut server = listening(home.hobnob(&["serve", "--http", "127.0.0.1:0"])).await;
        let mut client = Client::at(&server.url, era, ClientAbilities::nothing()).await;
        data(&mut client, "shell_start", line).await;
        until_count(&mark, |count| count >= 2).await;
        server.child.kill().await.unwrap();
        until_count(&mark, |count| count == 0).await;
    }
}

/// Answers come from many tasks, and a client may let them wait: each is one line, and what it
/// asked for goes on meanwhile.
#[tokio::test]
async fn answers_that_nobody_reads_hold_nothing_up() {
    // Together more than a pipe holds, each around what one write to it takes as a whole.
    const LENGTHS: std::ops::Range<usize> = 1270..1310;
    let (home, folder) = granted("shell-unread").await;
    let mut wire = Wire::open(&home, ServerTransport::Stdio, None).await;
    let hello = json!({"protocolVersion": Era::Legacy.revision(), "capabilities": {},
        "clientInfo": {"name": "it", "version": "1"}});
    wire.result("initialize", hello).await;
    wire.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    let lengths: Vec<_> = LENGTHS.collect();
    for some in lengths.chunks(4) {
        for length in some {
            let line = format!("head -c {length} /dev/zero | tr '\\0' x; touch {length}");
            let params = json!({"name": "shell_run", "arguments": {"command": line}});
            let call =
                json!({"jsonrpc": "2.0", "id": length, "method": "tools/call", "params": params});
            wire.send(call).await;
        }
        let run = async {
            let mut looks = interval(Duration::from_millis(10));
            while !some.iter().all(|length| folder.join(length.to_string()).exists()) {
                looks.tick().await;
            }
        };
        within("commands to run", run).await;
    }
    let mut answered = Vec::new();
    for _ in &lengths {
        let answer = wire.next().await;
        let length = usize::try_from(answer["id"].as_u64().unwrap()).unwrap();
        let stdout = answer["result"]["structuredContent"]["stdout"].as_str().unwrap();
        assert_eq!(stdout, "x".repeat(length));
        answered.push(length);
    }
    answered.sort_unstable();
    assert_eq!(answered, lengths);
}

/// A client on a pipe that closes it: Hobnob ends, and so does everything it ran.
#[tokio::test]
async fn nothing_survives_the_client() {
    let (home, _folder) = granted("shell-closed").await;
    for era in Era::ALL {
        let mark = mark();
        let line = json!({"command": STUBBORN.replace("MARK", &mark)});
        let client = running_two(&home, era, &mark, &line).await;
        client.end().await;
        until_count(&mark, |count| count == 0).await;
    }
}

/// Over HTTP a modern client that drops its connection has gone. A legacy one may come back for the
/// rest of a stream, so it goes by ending its session.
#[tokio::test]
async fn nothing_survives_a_client_over_http() {
    let (home, _folder) = granted("shell-dropped").await;
    let server = listening(home.hobnob(&["serve", "--http", "127.0.0.1:0"])).await;
    let run = |mark: &str| json!({"name": "shell_run", "arguments": {"command": STUBBORN.replace("MARK", mark)}});
    for accept in ["application/json", "application/json, text/event-stream"] {
        let mark = mark();
        let mut params = run(&mark);
        params["_meta"] = modern_meta(&json!({}));
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let connection = post(authority(&server.url), &request, accept).await;
        until_count(&mark, |count| count >= 2).await;
        drop(connection);
        until_count(&mark, |count| count == 0).await;
    }

    let mut session = Session::to(&server.url, None);
    let hello = json!({"protocolVersion": Era::Legacy.revision(), "capabilities": {},
        "clientInfo": {"name": "it", "version": "1"}});
    session
        .post(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}))
        .await;
    session.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    let mark = mark();
    let request = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": run(&mark)});
    let _stream = session.begin("POST", &request.to_string()).await;
    until_count(&mark, |count| count >= 2).await;
    let _ended = session.begin("DELETE", "").await;
    until_count(&mark, |count| count == 0).await;
}

/// Numbers of processes run out where they are counted wrongly: within one command, and over many.
/// With `SLOW_TESTS=1` ten thousand processes in one command and a thousand commands in one hub.
#[tokio::test]
async fn neither_many_processes_nor_many_commands_wear_the_shell_out() {
    let (processes, commands) = match std::env::var("SLOW_TESTS").is_ok_and(|value| value == "1") {
        true => (10_000, 1000),
        false => (700, 40),
    };
    let (home, _folder) = granted("shell-many").await;
    let mut client = Client::open(&home, ServerTransport::Stdio, Era::Modern).await;
    // A pipe needs several processes at once.
    let line = format!(
        "i=0; while [ $i -lt {processes} ]; do /bin/true || exit 9; i=$((i+1)); done; \
         echo $i | cat | cat"
    );
    let ended =
        data(&mut client, "shell_run", json!({"command": line, "timeout_ms": 300_000})).await;
    assert_eq!(
        (&ended["exit_code"], &ended["stdout"]),
        (&json!(0), &json!(format!("{processes}\n")))
    );
    for _ in 0..commands {
        let ended = data(&mut client, "shell_run", json!({"command": "echo a | cat | cat"})).await;
        assert_eq!((&ended["exit_code"], &ended["stdout"]), (&json!(0), &json!("a\n")), "{ended}");
    }
    client.end().await;
}
