//! A legacy client's roots: asked for once if the client announces changes. A client that does not
//! list them is served without roots.

use crate::support::{LEGACY, greeted_with, server, spec};
use hobnob_mcp_engine::Limits;
use hobnob_mcp_server::Server;
use hobnob_mcp_testkit::transcript::converse;
use hobnob_mcp_toolbox::{Context, Kit, KitBuilder};
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn roots_are_asked_for_once_until_they_change() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"roots"}}
        < {"jsonrpc":"2.0","id":"$keep first","method":"roots/list","params":"$any"}
        > {"jsonrpc":"2.0","id":${first},"result":{"roots":[{"uri":"file:///a"}]}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"file:///a"}]}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"roots"}}
        < {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"file:///a"}]}}
        > {"jsonrpc":"2.0","method":"notifications/roots/list_changed"}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"roots"}}
        < {"jsonrpc":"2.0","id":"$keep second","method":"roots/list","params":"$any"}
        # What arrives after a change may be what was true before it.
        > {"jsonrpc":"2.0","method":"notifications/roots/list_changed"}
        > {"jsonrpc":"2.0","id":${second},"result":{"roots":[{"uri":"file:///b"}]}}
        < {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"file:///b"}]}}
        > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"roots"}}
        < {"jsonrpc":"2.0","id":"$keep third","method":"roots/list","params":"$any"}
        > {"jsonrpc":"2.0","id":${third},"result":{"roots":[{"uri":"file:///c"}]}}
        < {"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"file:///c"}]}}
    "#;
    for version in LEGACY {
        let script = greeted_with(version, r#"{"roots":{"listChanged":true}}"#, script);
        converse(&server([kit()]), &script).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_never_says_when_is_asked_each_time() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"roots"}}
        < {"jsonrpc":"2.0","id":"$keep first","method":"roots/list","params":"$any"}
        > {"jsonrpc":"2.0","id":${first},"result":{"roots":[{"uri":"file:///a"}]}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"file:///a"}]}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"roots"}}
        < {"jsonrpc":"2.0","id":"$keep second","method":"roots/list","params":"$any"}
        > {"jsonrpc":"2.0","id":${second},"result":{"roots":[{"uri":"file:///b"}]}}
        < {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"file:///b"}]}}
    "#;
    let script = greeted_with("2025-11-25", r#"{"roots":{}}"#, script);
    converse(&server([kit()]), &script).await;
}

/// The paused clock advances by itself when every task waits.
#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_list_its_roots_is_served_without() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"roots_if_given"}}
        < {"jsonrpc":"2.0","id":"$keep first","method":"roots/list","params":"$any"}
        > {"jsonrpc":"2.0","id":${first},"error":{"code":-32601,"message":"no workspace"}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"none"}]}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"roots_if_given"}}
        < {"jsonrpc":"2.0","id":"$keep second","method":"roots/list","params":"$any"}
        < {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${second}}}
        < {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"none"}]}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"roots_if_given"}}
        < {"jsonrpc":"2.0","id":"$keep third","method":"roots/list","params":"$any"}
        > {"jsonrpc":"2.0","id":${third},"result":{"roots":[{"uri":"file:///a"}]}}
        < {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"file:///a"}]}}
    "#;
    let limits = Limits { ask_timeout: Duration::from_secs(1), ..Limits::default() };
    let server = Server::builder("probe", "1.0").limits(limits);
    let server = server.kit(kit()).build().expect("a server");
    for version in LEGACY {
        converse(&server, &greeted_with(version, r#"{"roots":{}}"#, script)).await;
    }
}

fn kit() -> KitBuilder {
    Kit::plain("roots")
        .tool("roots", spec("roots"), async |context: Context| {
            let roots = context.roots("roots")?.roots;
            Ok(roots.into_iter().map(|root| root.uri).collect::<Vec<_>>().join(" "))
        })
        .tool("roots_if_given", spec("roots_if_given"), async |context: Context| {
            let result = context.roots_if_given("roots")?;
            let first = result.and_then(|result| result.roots.into_iter().next());
            Ok(first.map_or_else(|| "none".to_owned(), |root| root.uri))
        })
}
