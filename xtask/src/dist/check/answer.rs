//! Runs `hobnob serve --http` inside a root and sends one request from outside: both share the
//! loopback interface.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::json;

use super::root::Root;
use crate::process::Companion;

/// How long the program may take to listen, and then to answer.
const LIMIT: Duration = Duration::from_secs(30);

/// The interval at which the log is read.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Starts the program, sends `initialize`, checks the answer, and ends the program.
pub(super) fn check(root: &Root, program: &str, version: &str, log: &Path) -> anyhow::Result<()> {
    let mut serve = root.command(program, ["serve", "--http", "127.0.0.1:0"]);
    let mut served = Companion::start(&mut serve, log)?;
    let address = address(&mut served, log)?;
    let answer = ask(&address)?;
    anyhow::ensure!(answer.starts_with("HTTP/1.1 200"), "serve --http answered {answer}");
    for expected in ["\"serverInfo\"", &format!("\"version\":\"{version}\"")] {
        anyhow::ensure!(answer.contains(expected), "no {expected} in the answer {answer}");
    }
    Ok(())
}

/// Waits until the log names the address on which the program listens.
fn address(served: &mut Companion, log: &Path) -> anyhow::Result<String> {
    let deadline = Instant::now() + LIMIT;
    while Instant::now() < deadline {
        let text = fs::read_to_string(log).context("cannot read what the program wrote")?;
        let line = text.lines().find(|line| line.contains("listening"));
        let found = line.and_then(|line| line.split_once("http://")?.1.split_once("/mcp"));
        if let Some((address, _)) = found {
            return Ok(address.to_owned());
        }
        if let Some(status) = served.ended()? {
            anyhow::bail!("serve --http ended with {status}: {}", text.trim());
        }
        thread::sleep(POLL_INTERVAL);
    }
    anyhow::bail!("serve --http did not listen within {LIMIT:?}")
}

/// Sends one minimal HTTP request; returns the whole response as text.
fn ask(address: &str) -> anyhow::Result<String> {
    let greeting = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "dist", "version": "1"}}})
    .to_string();
    let mut stream = TcpStream::connect(address).context("serve --http does not accept")?;
    stream.set_read_timeout(Some(LIMIT))?;
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         Content-Length: {}\r\n\r\n{greeting}",
        greeting.len()
    )?;
    let mut response = String::new();
    stream.read_to_string(&mut response).context("serve --http does not answer")?;
    Ok(response)
}
