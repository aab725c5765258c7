//! The loop over one pipe: read, begin, go on reading. Nothing that takes time happens here.

use crate::reply::{Reply, Scope};
use crate::server::Server;
use crate::session::Session;
use mcp_engine::Principal;
use mcp_transport::{Line, Link, stdio_link};
use mcp_types::{ErrorCode, Incoming, RpcError, Undecodable};
use std::io;
use std::sync::Arc;
use tokio_util::task::TaskTracker;

/// Answers on standard input and output until the input ends or the server stops.
pub async fn serve_stdio(server: &Server) -> io::Result<()> {
    let (link, end) = stdio_link(server.limits().line_bytes)?;
    serve_link(server, link).await;
    // An output that nobody reads must not keep the process: the flush has the drain's time.
    let flushed = tokio::task::spawn_blocking(move || end.flush());
    drop(tokio::time::timeout(server.limits().drain, flushed).await);
    Ok(())
}

/// Answers on a link until its input ends or the server stops.
pub async fn serve_link(server: &Server, mut link: Link) {
    let name = server.token().unwrap_or_else(|_| "pipe".into());
    let outbox = Arc::clone(&link.outbox);
    let session = Session::new(server, Principal::anonymous(), &name, Arc::clone(&outbox));
    let reply = Reply::new(Arc::clone(&outbox), Scope::Connection);
    let calls = TaskTracker::new();
    loop {
        tokio::select! {
            () = server.stopping() => break,
            () = outbox.closed() => break,
            lines = link.lines.recv() => match lines {
                Some(lines) => begin(&session, &reply, &calls, lines),
                None => break,
            },
        }
    }
    calls.close();
    if tokio::time::timeout(server.limits().drain, calls.wait()).await.is_err() {
        tracing::warn!(calls = calls.len(), "calls still running at the end are cancelled");
    }
    session.end();
    calls.wait().await;
}

fn begin(session: &Arc<Session>, reply: &Reply, calls: &TaskTracker, lines: Vec<Line>) {
    for line in lines {
        let decoded = match line {
            Line::Text(bytes) => Incoming::decode_bytes(&bytes),
            Line::TooLong { limit } => Err(too_long(limit)),
        };
        if let Some(work) = session.receive(decoded, reply) {
            calls.spawn(work);
        }
    }
}

fn too_long(limit: usize) -> Undecodable {
    let message = format!("a line longer than {limit} bytes was skipped");
    Undecodable { error: RpcError::new(ErrorCode::INVALID_REQUEST, message), id: None }
}
