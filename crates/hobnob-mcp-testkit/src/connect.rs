//! Connects a client to a server in the same process: both are the real ones, over memory.
//!
//! Authors of servers call it in their tests. The server ends when the client does.

use crate::pipe::LineWriter;
use hobnob_mcp_client::{Client, ClientBuilder, ConnectError};
use hobnob_mcp_server::{Server, serve_link};
use hobnob_mcp_transport::{Link, Outbox, OutboxLimits};
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncWriteExt, DuplexStream};
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

/// How many bytes the server can write before the client must read.
const UNREAD_BYTES: usize = 1 << 20;

/// Connects a client to this server, in the newest revision. It declines the server's questions.
///
/// The example is [this crate's front page](crate).
pub async fn connect(server: &Server) -> Result<Client, ConnectError> {
    connect_with(server, Client::builder()).await
}

/// Connects a client with settings of its own, such as another revision or answers to questions.
///
/// ```
/// # use hobnob_mcp_client::{Client, EraHint};
/// # use hobnob_mcp_types::Revision;
/// # use hobnob_mcp_server::Server;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let server = Server::builder("greeter", "1.0.0").build()?;
/// let old = Client::builder().era(EraHint::Legacy);
/// let client = hobnob_mcp_testkit::connect_with(&server, old).await?;
/// assert_eq!(client.server_info().revision, Revision::NEWEST_LEGACY);
/// # Ok(()) }
/// ```
pub async fn connect_with(server: &Server, builder: ClientBuilder) -> Result<Client, ConnectError> {
    let outbox = Arc::new(Outbox::new(OutboxLimits::default()));
    let (sender, lines) = mpsc::channel(Link::WAITING_READS);
    let writer = LineWriter::new(server.limits().line_bytes, sender);
    let (written, read) = tokio::io::duplex(UNREAD_BYTES);
    let tasks = TaskTracker::new();
    let link = Link { lines, outbox: Arc::clone(&outbox) };
    let server = server.clone();
    tasks.spawn(async move {
        serve_link(&server, link).await;
    });
    tasks.spawn(async move {
        let _client_is_gone = pass_frames_on(&outbox, written).await;
        outbox.close();
    });
    builder.over_with_tasks(read, writer, tasks).await
}

async fn pass_frames_on(outbox: &Outbox, mut client: DuplexStream) -> io::Result<()> {
    while let Some(frame) = outbox.frame().await {
        client.write_all(&frame.bytes).await?;
        client.write_all(b"\n").await?;
    }
    Ok(())
}
