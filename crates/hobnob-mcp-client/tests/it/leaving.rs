//! A call that nobody waits for stops over there, whatever carries it.
#![expect(clippy::unwrap_used, reason = "a helper that fails must fail the test that uses it")]

use crate::http::Open;
use crate::ours::{Visit, patiently};
use crate::support::{ALL, Answering, client, obliging};
use hobnob_mcp_client::EraHint;
use hobnob_mcp_engine::Notes;
use hobnob_mcp_server::Server;
use hobnob_mcp_server::toolbox::{Context, Kit, NoArguments, ToolSpec};
use tokio::sync::mpsc;

/// Tells when a call is dropped before its end.
struct Begun(mpsc::Sender<&'static str>);

impl Drop for Begun {
    fn drop(&mut self) {
        let _nobody_listens = self.0.try_send("dropped");
    }
}

fn waiting_room() -> (Server, mpsc::Receiver<&'static str>) {
    let (tell, told) = mpsc::channel(64);
    let spec = ToolSpec::new("wait", "Never ends.");
    let kit = Kit::plain("room").tool(spec, move |_: NoArguments, _: Context| {
        let tell = tell.clone();
        async move {
            let _nobody_listens = tell.try_send("begun");
            let _open = Begun(tell);
            std::future::pending::<()>().await;
            Ok("never")
        }
    });
    (Server::builder("room", "1").kit(kit.unwrap()).build().unwrap(), told)
}

async fn give_up(visit: Visit, told: &mut mpsc::Receiver<&'static str>) {
    let calling = client(&visit.remote, Answering(obliging));
    let silent = Notes::silent();
    tokio::select! {
        answer = calling.call_tool("wait", None, &silent) => panic!("{answer:?}"),
        began = patiently(told.recv()) => assert_eq!(began, Some("begun")),
    }
    assert_eq!(patiently(told.recv()).await, Some("dropped"));
    drop(calling);
    visit.leave().await;
}

#[tokio::test]
async fn over_a_socket() {
    let (server, mut told) = waiting_room();
    for revision in ALL {
        let visit = Visit::pay(&server, EraHint::Only(revision), Answering(obliging)).await;
        give_up(visit, &mut told).await;
    }
}

#[tokio::test]
async fn over_http() {
    let (server, mut told) = waiting_room();
    let open = Open::door(&server).await;
    for revision in ALL {
        let visit = open.visit("/mcp", EraHint::Only(revision)).await.unwrap();
        give_up(visit, &mut told).await;
    }
    let visit = open.visit("/sse", EraHint::Unknown).await.unwrap();
    give_up(visit, &mut told).await;
    open.close().await;
}
