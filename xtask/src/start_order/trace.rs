//! Starts of the program under callgrind, each as a client sees it: a greeting, the list of tools,
//! one call, and the end.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;

use super::names;
use crate::process::quiet;

/// How long a start may take under the emulator.
const START_LIMIT: Duration = Duration::from_secs(120);

const MESSAGES: [&str; 4] = [
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"start-order","version":"1"}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
    r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"health_check","arguments":{}}}"#,
];

/// Every function of the program that a start over standard input or over HTTP runs.
pub(super) fn functions(program: &Path, scratch: &Path) -> anyhow::Result<BTreeSet<String>> {
    let symbols = quiet(Command::new("nm").arg("--format=just-symbols").arg(program))
        .context("nm, which comes with the linker, lists the program's functions")?;
    let symbols: BTreeSet<&str> = symbols.lines().collect();
    let mut found = BTreeSet::new();
    for start in [over_stdio, over_http] {
        let output = scratch.join("callgrind.out");
        let home = scratch.join("home");
        // It is not there before the first start.
        let _ = fs::remove_dir_all(&home);
        let mut command = Command::new("valgrind");
        command.args(["--tool=callgrind", "--demangle=no"]);
        command.arg(format!("--callgrind-out-file={}", output.display()));
        command.arg(program).arg("serve").env("HOBNOB_HOME", &home).stderr(Stdio::null());
        start(&mut command)?;
        let written = fs::read_to_string(&output).context("callgrind wrote nothing")?;
        found.extend(names::functions(&written, &symbols));
    }
    anyhow::ensure!(!found.is_empty(), "no function of the program ran");
    Ok(found)
}

fn over_stdio(command: &mut Command) -> anyhow::Result<()> {
    let mut child = spawn(command.stdin(Stdio::piped()).stdout(Stdio::piped()))?;
    let mut input = child.stdin.take().context("no standard input")?;
    let mut output = BufReader::new(child.stdout.take().context("no standard output")?);
    for message in MESSAGES {
        writeln!(input, "{message}")?;
        if message.contains("\"id\"") {
            let mut answer = String::new();
            output.read_line(&mut answer)?;
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
