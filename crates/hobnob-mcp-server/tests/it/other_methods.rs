//! Requests of another protocol: passed on before any handshake, and never a method of MCP.

use crate::support::{greeted, plain_kit, server};
use hobnob_mcp_engine::{BoxFuture, HandshakeRules};
use hobnob_mcp_server::{
    OtherCalls, OtherClient, OtherDelivery, OtherMethods, OtherMethodsAccess, Server, ServiceCalls,
};
use hobnob_mcp_testkit::transcript::converse;
use hobnob_mcp_transport::{FrameCounter, FrameHold, Outbox};
use hobnob_mcp_types::{Request, encode};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Answers with the method's name, and sends one more message.
#[derive(Default)]
struct Naming {
    opened: AtomicUsize,
    ended: Arc<AtomicUsize>,
}

struct NamingCalls(Arc<AtomicUsize>);

/// A counter for frames that are not limited.
#[derive(Debug)]
struct Uncounted;

impl FrameCounter for Uncounted {
    fn held(&self, _bytes: usize) {}

    fn taken(&self, _bytes: usize) {}
}

impl OtherMethods for Naming {
    fn open(&self, _service: ServiceCalls, _client: OtherClient) -> Arc<dyn OtherCalls> {
        self.opened.fetch_add(1, Ordering::Relaxed);
        Arc::new(NamingCalls(Arc::clone(&self.ended)))
    }
}

impl OtherCalls for NamingCalls {
    fn answer(
        &self,
        request: Request,
        outbox: Arc<Outbox>,
        delivery: OtherDelivery,
    ) -> BoxFuture<'static, ()> {
        assert_eq!(delivery, OtherDelivery::Stream);
        Box::pin(async move {
            let name = format!("\"{}\"", request.method.as_str());
            outbox.reply(encode::result(&request.id, |out| out.push_str(&name)), None);
            let hold = FrameHold::new(Arc::new(Uncounted), 1);
            outbox.event(r#"{"jsonrpc":"2.0","method":"more"}"#, hold);
        })
    }

    fn end(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

const SCRIPT: &str = r#"
    > {"jsonrpc":"2.0","id":1,"method":"bash.execute","params":["ls"]}
    < {"jsonrpc":"2.0","id":1,"result":"bash.execute"}
    < {"jsonrpc":"2.0","method":"more"}
    # Its id may be used again: no call of MCP has it.
    > {"jsonrpc":"2.0","id":1,"method":"what","params":{}}
    < {"jsonrpc":"2.0","id":1,"result":"what"}
    < {"jsonrpc":"2.0","method":"more"}
    > {"jsonrpc":"2.0","id":2,"method":"ping"}
    < {"jsonrpc":"2.0","id":2,"result":{}}
    > {"jsonrpc":"2.0","id":3,"method":"bash/execute","params":{}}
    < {"jsonrpc":"2.0","id":3,"error":{"code":"$any","message":"$any"}}
"#;

#[tokio::test(start_paused = true)]
async fn other_methods_need_no_handshake_and_leave_mcp_alone() {
    let server = server([plain_kit()]);
    let naming = Arc::new(Naming::default());
    server.set_other_methods(Arc::clone(&naming) as Arc<dyn OtherMethods>);
    for script in [SCRIPT.to_owned(), greeted("2025-11-25", SCRIPT)] {
        converse(&server, &script).await;
    }
    // Once for each connection with such a request.
    converse(&server, r#"> {"jsonrpc":"2.0","method":"bash.execute"}"#).await;
    assert_eq!(naming.opened.load(Ordering::Relaxed), 2);
    assert_eq!(naming.ended.load(Ordering::Relaxed), 2);
}

#[tokio::test(start_paused = true)]
async fn without_anybody_to_answer_them_they_are_unknown() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"bash.execute","params":{}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found: bash.execute"}}
    "#;
    converse(&server([plain_kit()]), &greeted("2025-11-25", script)).await;
}

/// Before the end of the handshake, such a request gets the error that an MCP request gets.
#[tokio::test(start_paused = true)]
async fn a_server_may_ask_for_the_handshake_first() {
    for (rules, early, late) in [
        (HandshakeRules::Strict, (-32600, "server not initialized"), "server not initialized"),
        (HandshakeRules::KnownRevisions, (-32002, "Server not initialized"), "Server initializing"),
    ] {
        let server = Server::builder("probe", "1.0")
            .handshake(rules)
            .other_methods_access(OtherMethodsAccess::AfterHandshake)
            .kit(plain_kit())
            .build()
            .expect("a sound server");
        let naming = Arc::new(Naming::default());
        server.set_other_methods(Arc::clone(&naming) as Arc<dyn OtherMethods>);
        let (code, early) = early;
        let script = format!(
            r#"
            > {{"jsonrpc":"2.0","id":1,"method":"bash.execute","params":["ls"]}}
            < {{"jsonrpc":"2.0","id":1,"error":{{"code":{code},"message":"{early}"}}}}
            > {{"jsonrpc":"2.0","id":2,"method":"initialize","params":{{
                "protocolVersion":"2025-03-26","capabilities":{{}},
                "clientInfo":{{"name":"script","version":"1"}}}}}}
            < {{"jsonrpc":"2.0","id":2,"result":"$any"}}
            > {{"jsonrpc":"2.0","id":3,"method":"bash.execute","params":["ls"]}}
            < {{"jsonrpc":"2.0","id":3,"error":{{"code":{code},"message":"{late}"}}}}
            > {{"jsonrpc":"2.0","method":"notifications/initialized"}}
            > {{"jsonrpc":"2.0","id":4,"method":"bash.execute","params":["ls"]}}
            < {{"jsonrpc":"2.0","id":4,"result":"bash.execute"}}
            < {{"jsonrpc":"2.0","method":"more"}}
            "#
        );
        converse(&server, &script).await;
        assert_eq!(naming.opened.load(Ordering::Relaxed), 1, "{rules:?}");
    }
}
