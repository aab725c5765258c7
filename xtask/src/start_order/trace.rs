//! Runs of the program under callgrind, each as a client sees it: two starts with a greeting, the list
//! of tools, one call and the end, and one run with many calls of each kind.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;

use super::names::{self, Traced};
use crate::process::quiet;

/// How long a start may take under the emulator.
const START_LIMIT: Duration = Duration::from_secs(120);

const MESSAGES: [&str; 4] = [
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"start-order","version":"1"}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
    r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"health_check","arguments":{}}}"#,
];

/// How often a call is made. What runs less often for it belongs to the start.
const ROUNDS: u64 = 20;

/// The usual calls, of the services and of a server behind the gateway.
const CALLS: [(&str, &str); 6] = [
    ("memory_capture", r#"{"namespace":"trace","content":"The parser is slow on long lines"}"#),
    ("memory_recall", r#"{"query":"what is slow"}"#),
    ("tasks_create", r#"{"description":"Make the parser faster"}"#),
    ("tasks_list", "{}"),
    ("shell_run", r#"{"argv":["true"]}"#),
    ("mcp__again__health_check", "{}"),
];

/// Traces the program, whose symbols must be in it.
pub(super) fn functions(program: &Path, scratch: &Path) -> anyhow::Result<Traced> {
    let symbols = quiet(Command::new("nm").arg("--format=just-symbols").arg(program))
        .context("nm, which comes with the linker, lists the program's functions")?;
    let symbols: BTreeSet<String> = symbols.lines().map(str::to_owned).collect();
    let home = scratch.join("home");
    let trace = |run: &dyn Fn(&mut Command) -> anyhow::Result<()>| {
        let output = scratch.join("callgrind.out");
        let mut command = Command::new("valgrind");
        command.args(["--tool=callgrind", "--demangle=no"]);
        command.arg(format!("--callgrind-out-file={}", output.display()));
        command.arg(program).arg("serve").env("HOBNOB_HOME", &home).stderr(Stdio::null());
        run(&mut command)?;
        let written = fs::read_to_string(&output).context("callgrind wrote nothing")?;
        let found = names::functions(&written, &symbols);
        anyhow::ensure!(!found.is_empty(), "no function of the program ran");
        Ok(found)
    };
    let mut by_start = BTreeSet::new();
    for start in [over_stdio, over_http] {
        // It is not there before the first start.
        let _ = fs::remove_dir_all(&home);
        by_start.extend(trace(&start)?.into_keys());
    }
    grant_and_add(program, &home)?;
    let without = trace(&over_stdio)?;
    let by_call = CALLS.map(|call| {
        let mut found = trace(&|command| with_calls(command, call))?;
        let before = |name: &str| without.get(name).copied().unwrap_or_default();
        found.retain(|name, count| before(name) + ROUNDS <= *count);
        Ok::<_, anyhow::Error>(found.into_keys().collect())
    });
    let by_call = by_call.into_iter().collect::<Result<_, _>>()?;
    Ok(Traced { by_call, by_start, symbols })
}

/// Has everything granted and added that the usual calls need.
fn grant_and_add(program: &Path, home: &Path) -> anyhow::Result<()> {
    let hobnob = |words: &[&str]| {
        quiet(Command::new(program).args(words).env("HOBNOB_HOME", home)).map(drop)
    };
    hobnob(&["enable", "shell"])?;
    hobnob(&["grant", "shell", "--", "/bin/true"])?;
    // A second one of us, in a home of its own.
    let other = format!("HOBNOB_HOME={}", home.with_extension("again").display());
    let program = program.to_str().context("the program's path is no text")?;
    hobnob(&["add", "again", "--allow", "--", "/usr/bin/env", &other, program, "serve"])
}

fn over_stdio(command: &mut Command) -> anyhow::Result<()> {
    talk(command, MESSAGES.map(str::to_owned))
}

fn with_calls(command: &mut Command, (tool, arguments): (&str, &str)) -> anyhow::Result<()> {
    let calls = (0..ROUNDS).map(|at| {
        let id = 100 + at;
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
        )
    });
    talk(command, MESSAGES.map(str::to_owned).into_iter().chain(calls))
}

/// Sends the messages one after the other, and reads the answer of each that has one.
fn talk(command: &mut Command, messages: impl IntoIterator<Item = String>) -> anyhow::Result<()> {
    let mut child = spawn(command.stdin(Stdio::piped()).stdout(Stdio::piped()))?;
    let mut input = child.stdin.take().context("no standard input")?;
    let output = BufReader::new(child.stdout.take().context("no standard output")?);
    let mut answers = output.lines();
    for message in messages {
        writeln!(input, "{message}")?;
        if message.contains("\"id\"") {
            let is_answer = |line: &io::Result<String>| {
                line.as_ref().is_ok_and(|line| !line.contains("\"method\":\"notifications/"))
            };
            let answer = answers.find(is_answer).context("no answer")??;
            anyhow::ensure!(answer.contains("\"result\""), "no result: {answer}");
        }
    }
    drop(input);
    finish(child)
}

fn over_http(command: &mut Command) -> anyhow::Result<()> {
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
    let address = format!("127.0.0.1:{port}");
    let mut child = spawn(command.args(["--http", &address]).stdout(Stdio::null()))?;
    let done = converse(&address);
    let ended = quiet(Command::new("kill").arg(child.id().to_string()));
    if done.is_err() || ended.is_err() {
        child.kill()?;
    }
    let finished = finish(child);
    done.and(ended).and(finished)
}

/// The same messages, each as a request; the session's name comes with the first answer.
fn converse(address: &str) -> anyhow::Result<String> {
    let mut session = String::new();
    for message in MESSAGES {
        let mut stream = connect(address)?;
        write!(
            stream,
            "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nConnection: close\r\n{session}\
             Content-Length: {}\r\n\r\n{message}",
            message.len()
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        anyhow::ensure!(answer.starts_with("HTTP/1.1 2"), "refused: {answer}");
        let named = |line: &&str| line.to_ascii_lowercase().starts_with("mcp-session-id:");
        if let Some(line) = answer.lines().find(named) {
            session = format!("{line}\r\n");
        }
    }
    Ok(session)
}

fn connect(address: &str) -> anyhow::Result<TcpStream> {
    let deadline = Instant::now() + START_LIMIT;
    loop {
        match TcpStream::connect(address) {
            Ok(stream) => return Ok(stream),
            Err(error) if deadline < Instant::now() => return Err(error.into()),
            Err(_) => thread::sleep(Duration::from_millis(50)),
        }
    }
}

fn spawn(command: &mut Command) -> anyhow::Result<Child> {
    command.spawn().context("cannot start valgrind, which says what runs")
}

fn finish(mut child: Child) -> anyhow::Result<()> {
    let status = child.wait()?;
    anyhow::ensure!(status.success(), "the program ended with {status}");
    Ok(())
}
