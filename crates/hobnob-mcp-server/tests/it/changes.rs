//! Which changes a legacy session is notified of: its subscriptions, and changed lists.

use crate::features::library_kit;
use crate::support::{LEGACY, greeted, modern, plain_kit, server, spec, with};
use hobnob_mcp_engine::Limits;
use hobnob_mcp_server::Server;
use hobnob_mcp_testkit::transcript::{converse, converse_doing};
use hobnob_mcp_toolbox::{Kit, KitBuilder};

/// A subscription lasts until `unsubscribe`; other resources send nothing.
#[tokio::test(start_paused = true)]
async fn a_subscriber_is_notified_of_its_resource() {
    let script = r#"
        do touch test://hello
        !
        > {"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"test://hello"}}
        < {"jsonrpc":"2.0","id":1,"result":{}}
        do touch test://hello
        < {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test://hello"}}
        do touch test://bytes
        !
        # Twice is once.
        > {"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"test://hello"}}
        < {"jsonrpc":"2.0","id":2,"result":{}}
        do touch test://hello
        < {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test://hello"}}
        > {"jsonrpc":"2.0","id":3,"method":"resources/unsubscribe","params":{"uri":"test://hello"}}
        < {"jsonrpc":"2.0","id":3,"result":{}}
        do touch test://hello
        !
        # Taking back what was not there is no error.
        > {"jsonrpc":"2.0","id":4,"method":"resources/unsubscribe","params":{"uri":"test://hello"}}
        < {"jsonrpc":"2.0","id":4,"result":{}}
        > {"jsonrpc":"2.0","id":5,"method":"resources/subscribe","params":{}}
        < {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"`params.uri` must be a string"}}
    "#;
    for version in LEGACY {
        let server = server([library_kit()]);
        converse_doing(&server, &greeted(version, script), |deed| act(&server, deed)).await;
    }
}

/// Kits are added and removed during the session: each list is announced once, if it differs.
#[tokio::test(start_paused = true)]
async fn a_kit_that_comes_or_goes_changes_its_lists() {
    let script = r#"
        do add tools
        < {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}
        > {"jsonrpc":"2.0","id":1,"method":"tools/list"}
        < {"jsonrpc":"2.0","id":1,"result":{"tools":[
            {"name":"late","description":"$any","inputSchema":"$any"}]}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"late"}}
        < {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"late"}]}}
        do add resources
        < {"jsonrpc":"2.0","method":"notifications/resources/list_changed"}
        do add prompts
        < {"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}
        # The same again is no change, and a kit that was never there neither.
        do replace tools
        do remove nothing
        !
        do remove tools
        < {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"late"}}
        < {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Unknown tool: late"}}
        do remove resources
        < {"jsonrpc":"2.0","method":"notifications/resources/list_changed"}
        # What was declared once is still answered, with an empty list.
        > {"jsonrpc":"2.0","id":4,"method":"resources/list"}
        < {"jsonrpc":"2.0","id":4,"result":{"resources":[]}}
    "#;
    for version in LEGACY {
        let server = server([]);
        converse_doing(&server, &greeted(version, script), |deed| act(&server, deed)).await;
    }
}

/// Until the handshake is done, the server sends only the handshake's own answers.
#[tokio::test(start_paused = true)]
async fn nobody_is_notified_before_the_handshake_is_over() {
    let script = r#"
        do add tools
        !
        > {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",
            "capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
        < {"jsonrpc":"2.0","id":1,"result":"$any"}
        do remove tools
        !
        > {"jsonrpc":"2.0","method":"notifications/initialized"}
        do add tools
        < {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}
    "#;
    let server = server([]);
    converse_doing(&server, script, |deed| act(&server, deed)).await;
}

/// Changes that pile up unread are sent once, each in its place.
#[tokio::test(start_paused = true)]
async fn equal_notifications_are_merged() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"test://hello"}}
        < {"jsonrpc":"2.0","id":1,"result":{}}
        do flood
        < {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test://hello"}}
        < {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}
        !
    "#;
    let server = server([library_kit()]);
    converse_doing(&server, &greeted("2025-11-25", script), |_| {
        for _ in 0..1000 {
            act(&server, "touch test://hello");
        }
        for _ in 0..10 {
            act(&server, "add tools");
            act(&server, "remove tools");
        }
    })
    .await;
}

/// Two peers of one server are notified of a change, each by its own subscriptions.
#[tokio::test(start_paused = true)]
async fn each_session_has_its_own_subscriptions() {
    let server = server([library_kit()]);
    let subscribed = r#"
        > {"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"test://hello"}}
        < {"jsonrpc":"2.0","id":1,"result":{}}
        do touch test://hello
        < {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test://hello"}}
    "#;
    let other = "!";
    let (subscribed, other) = (greeted("2025-06-18", subscribed), greeted("2025-06-18", other));
    let first = converse_doing(&server, &subscribed, |deed| act(&server, deed));
    tokio::join!(first, converse(&server, &other));
}

/// The number of subscriptions per session is limited; unsubscribing makes room again.
#[tokio::test(start_paused = true)]
async fn subscriptions_are_bounded() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"test://a"}}
        < {"jsonrpc":"2.0","id":1,"result":{}}
        > {"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"test://b"}}
        < {"jsonrpc":"2.0","id":2,"result":{}}
        > {"jsonrpc":"2.0","id":3,"method":"resources/subscribe","params":{"uri":"test://c"}}
        < {"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"$has 2 subscriptions"}}
        > {"jsonrpc":"2.0","id":4,"method":"resources/subscribe","params":{"uri":"test://a"}}
        < {"jsonrpc":"2.0","id":4,"result":{}}
        > {"jsonrpc":"2.0","id":5,"method":"resources/unsubscribe","params":{"uri":"test://a"}}
        < {"jsonrpc":"2.0","id":5,"result":{}}
        > {"jsonrpc":"2.0","id":6,"method":"resources/subscribe","params":{"uri":"test://c"}}
        < {"jsonrpc":"2.0","id":6,"result":{}}
    "#;
    let limits = Limits { subscriptions: 2, ..Limits::default() };
    let server = Server::builder("probe", "1.0").limits(limits);
    let server = server.kit(library_kit()).build().expect("a server");
    converse(&server, &greeted("2025-03-26", script)).await;
}

/// Client notifications that change nothing here are ignored.
#[tokio::test(start_paused = true)]
async fn other_notifications_are_ignored() {
    let notifications = [
        "notifications/roots/list_changed",
        "notifications/progress",
        "notifications/message",
        "notifications/tools/list_changed",
        "notifications/nonsense",
        "tools/list",
        "tools/call",
        "initialize",
        "ping",
    ];
    let script = r#"
        > {"jsonrpc":"2.0","method":"${method}"}
        > {"jsonrpc":"2.0","method":"${method}","params":{"name":"echo","arguments":{"text":"a"}}}
        !
        > {"jsonrpc":"2.0","id":1,"method":"ping"}
        < {"jsonrpc":"2.0","id":1,"result":{}}
    "#;
    for version in LEGACY {
        for method in notifications {
            let script = with(&[("method", method)], script);
            converse(&server([plain_kit()]), &greeted(version, &script)).await;
        }
    }
}

/// Runs a script's `do` line on the server's toolbox.
pub(crate) fn act(server: &Server, deed: &str) {
    let toolbox = server.toolbox().expect("a toolbox");
    match deed.split_once(' ') {
        Some(("touch", uri)) => toolbox.notify_resource_updated(uri),
        Some(("add", kit)) => toolbox.add(late_kit(kit)).expect("a free name"),
        Some(("replace", kit)) => toolbox.replace(late_kit(kit)).expect("a kit"),
        Some(("remove", kit)) => drop(toolbox.remove(kit)),
        _ => panic!("nobody knows how to do {deed}"),
    }
}

fn late_kit(kind: &str) -> KitBuilder {
    let kit = Kit::plain(kind);
    match kind {
        "tools" => kit.tool("late", spec("late"), async || "late"),
        "resources" => kit.resource("test://late", "late", async || "late"),
        _ => kit.prompt("late", "Late.", async || "late"),
    }
}

/// A kit may hide changes of a resource from a client, in both eras.
#[tokio::test(start_paused = true)]
async fn a_kit_decides_who_hears_of_a_resource() {
    let kit = || library_kit().may_subscribe(|(), _, uri| uri != "test://hello");
    let legacy = r#"
        > {"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"test://hello"}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"you may not subscribe to `test://hello`"}}
        > {"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"test://bytes"}}
        < {"jsonrpc":"2.0","id":2,"result":{}}
        do touch test://hello
        do touch test://bytes
        < {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test://bytes"}}
    "#;
    let other = server([kit()]);
    converse_doing(&other, &greeted("2025-06-18", legacy), |deed| act(&other, deed)).await;
    let listening = r#"
        let tag = "_meta":{"io.modelcontextprotocol/subscriptionId":1}
        > {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{
            "notifications":{"resourceSubscriptions":["test://hello","test://bytes"]},${me}}}
        < {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{
            "notifications":{"resourceSubscriptions":["test://bytes"]},${tag}}}
        do touch test://hello
        do touch test://bytes
        < {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test://bytes",${tag}}}
    "#;
    let other = server([kit()]);
    converse_doing(&other, &modern(listening), |deed| act(&other, deed)).await;
}
