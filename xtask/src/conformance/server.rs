//! The server under test: our fixture on a free loopback port, as long as the suites run.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;

use crate::process::Companion;
use crate::workspace::Workspace;

/// How long the fixture may take until it listens.
const START_TIMEOUT: Duration = Duration::from_secs(20);
/// How long to wait between two attempts to connect.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// The running fixture; dropping this kills it.
pub(crate) struct Server {
    _process: Companion,
    /// The endpoint. The suite's rebinding checks want `localhost`, not the address.
    pub(crate) url: String,
}

/// Starts the fixture and waits until it accepts connections.
pub(crate) fn start(workspace: &Workspace) -> anyhow::Result<Server> {
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|it| it.local_addr());
    let address = free.context("no free port on the loopback interface")?;
    let program = workspace.built("conformance-server");
    let log = workspace.peers().join("conformance-server.txt");
    let port = address.port().to_string();
    let mut process = Companion::start(Command::new(program).arg(port), &log)?;
    await_listener(&mut process, address)?;
    let url = format!("http://localhost:{}/mcp", address.port());
    Ok(Server { _process: process, url })
}

fn await_listener(process: &mut Companion, address: SocketAddr) -> anyhow::Result<()> {
    let deadline = Instant::now() + START_TIMEOUT;
    loop {
        if TcpStream::connect_timeout(&address, RETRY_INTERVAL).is_ok() {
            return Ok(());
        }
        if let Some(status) = process.ended()? {
            anyhow::bail!("conformance-server ended before it listened ({status})");
        }
        anyhow::ensure!(
            Instant::now() < deadline,
            "conformance-server does not listen on {address} after {START_TIMEOUT:?}"
        );
        thread::sleep(RETRY_INTERVAL);
    }
}
