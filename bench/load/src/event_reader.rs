//! A WebSocket client of the native RPC, with the library that the product and `raw-stream` use.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use futures_util::{SinkExt as _, StreamExt as _};
use serde::Deserialize;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::server::{START_LIMIT, Server};

/// How long to wait for one message.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The interval at which to check whether a starting server listens.
const RETRY_INTERVAL: Duration = Duration::from_millis(1);

/// Starts the server on a free port, and connects as soon as it listens.
pub(crate) async fn start(command: &[String]) -> anyhow::Result<(Server, EventReader)> {
    let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
    let mut server = Server::on_port(command, address.port())?;
    loop {
        match EventReader::connect(address).await {
            Ok(reader) => return Ok((server, reader)),
            Err(_) if server.started().elapsed() < START_LIMIT => server.check_alive()?,
            Err(error) => return Err(error).context("the server does not listen"),
        }
        tokio::time::sleep(RETRY_INTERVAL).await;
    }
}

pub(crate) struct EventReader {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    next_id: usize,
}

/// The members of a message that matter here.
#[derive(Deserialize)]
pub(crate) struct EventMessage<'a> {
    #[serde(borrow)]
    pub(crate) params: EventParams<'a>,
}

#[derive(Deserialize)]
pub(crate) struct EventParams<'a> {
    pub(crate) sequence: usize,
    #[serde(borrow)]
    pub(crate) result: EventResult<'a>,
}

#[derive(Deserialize)]
pub(crate) struct EventResult<'a> {
    #[serde(rename = "type")]
    pub(crate) kind: &'a str,
    pub(crate) nanoseconds: Option<u64>,
}

impl EventReader {
    async fn connect(address: SocketAddr) -> anyhow::Result<Self> {
        let (socket, _) = connect_async(format!("ws://{address}/ws")).await?;
        Ok(Self { socket, next_id: 0 })
    }

    /// Sends a request and waits for nothing.
    pub(crate) async fn ask(&mut self, method: &str, params: &str) -> anyhow::Result<()> {
        self.next_id += 1;
        let id = self.next_id;
        let request =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#);
        Ok(self.socket.send(Message::text(request)).await?)
    }

    /// Reads the response to the request.
    pub(crate) async fn subscribed(&mut self) -> anyhow::Result<()> {
        let response = self.next().await?;
        ensure!(response.contains(r#""result""#), "no subscription: {response}");
        Ok(())
    }

    pub(crate) async fn next(&mut self) -> anyhow::Result<Utf8Bytes> {
        loop {
            let message = timeout(TIMEOUT, self.socket.next()).await.context("no event in time")?;
            match message.context("the server closed the connection")?? {
                Message::Text(text) => return Ok(text),
                Message::Ping(_) | Message::Pong(_) => {}
                other => bail!("no event: {other:?}"),
            }
        }
    }
}
