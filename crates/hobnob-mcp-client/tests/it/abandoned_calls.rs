//! A call that its caller has abandoned stops on the server, over every transport.
#![expect(clippy::unwrap_used, reason = "a helper that fails must fail the test that uses it")]

use crate::http::HttpTestServer;
use crate::ours::{TestConnection, with_timeout};
use crate::support::{ALL, Answering, client, obliging};
use hobnob_mcp_client::EraHint;
use hobnob_mcp_engine::Notes;
use hobnob_mcp_server::Server;
use hobnob_mcp_toolbox::Kit;
use tokio::sync::mpsc;

/// Reports when a call is dropped before its end.
struct Begun(mpsc::Sender<&'static str>);

impl Drop for Begun {
    fn drop(&mut self) {
        let _no_receiver = self.0.try_send("dropped");
    }
}

fn server_that_never_answers() -> (Server, mpsc::Receiver<&'static str>) {
    let (sender, sent) = mpsc::channel(64);
    let kit = Kit::plain("waiting").tool("wait", "Never ends.", move || {
        let sender = sender.clone();
        async move {
            let _no_receiver = sender.try_send("begun");
            let _open = Begun(sender);
            std::future::pending::<()>().await;
            "never"
        }
    });
    (Server::builder("waiting", "1").kit(kit).build().unwrap(), sent)
}

async fn give_up(connection: TestConnection, sent: &mut mpsc::Receiver<&'static str>) {
    let calling = client(&connection.remote, Answering(obliging));
    let silent = Notes::silent();
    tokio::select! {
        answer = calling.call_tool_text("wait", None, &silent) => panic!("{answer:?}"),
        began = with_timeout(sent.recv()) => assert_eq!(began, Some("begun")),
    }
    assert_eq!(with_timeout(sent.recv()).await, Some("dropped"));
    drop(calling);
    connection.close().await;
}

#[tokio::test]
async fn over_a_socket() {
    let (server, mut sent) = server_that_never_answers();
    for revision in ALL {
        let connection =
            TestConnection::open(&server, EraHint::Only(revision), Answering(obliging)).await;
        give_up(connection, &mut sent).await;
    }
}

#[tokio::test]
async fn over_http() {
    let (server, mut sent) = server_that_never_answers();
    let http_server = HttpTestServer::start(&server).await;
    for revision in ALL {
        let connection = http_server.connect("/mcp", EraHint::Only(revision)).await.unwrap();
        give_up(connection, &mut sent).await;
    }
    let connection = http_server.connect("/sse", EraHint::Unknown).await.unwrap();
    give_up(connection, &mut sent).await;
    http_server.close().await;
}
