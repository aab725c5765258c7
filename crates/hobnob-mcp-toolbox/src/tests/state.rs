//! State that handlers share, and the forms that a handler may have.

use super::{Bench, call, call_of};
use crate::{CompletionRequest, Context, Kit, Structured, TaskMode, ToolError, ToolSpec};
use hobnob_mcp_engine::{ClientId, Service as _};
use hobnob_mcp_types::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A state that is neither `Clone` nor wrapped in an `Arc`.
#[derive(Default)]
struct Counter(AtomicUsize);

#[derive(Deserialize, JsonSchema)]
struct Add {
    /// How many.
    by: usize,
}

#[derive(Serialize, JsonSchema)]
struct Counted {
    /// How many there are now.
    count: usize,
}

async fn add(args: Add, context: Context<Counter>) -> Result<Structured<Counted>, ToolError> {
    let before = context.state().0.fetch_add(args.by, Ordering::Relaxed);
    Ok(Structured(Counted { count: before + args.by }))
}

async fn count(context: Context<Counter>) -> String {
    context.state().0.load(Ordering::Relaxed).to_string()
}

#[tokio::test]
async fn handlers_of_every_shape_share_one_state() {
    let later = ToolSpec::new("Counts later").tasks(TaskMode::Chosen);
    let kit = Kit::plain("k")
        .tool("ping", "Answers", || async { "pong" })
        .with_state(Counter::default())
        .tool("add", "Adds", add)
        .tool("count", "Counts", count)
        .tool("echo", "Repeats", |args: Add| async move { args.by.to_string() })
        .blocking_tool("blocking", "Counts", |context: Context<Counter>| {
            context.state().0.load(Ordering::Relaxed).to_string()
        })
        .tool("later", later, |context: Context<Counter>| async move {
            context.start_task(async |context| Ok(count(context).await)).await
        })
        .resource("k://count", "Count", count)
        .prompt("count", "Counts", count)
        .template("k://plus/{by}", "Sum", |args: Add, context: Context<Counter>| async move {
            (context.state().0.load(Ordering::Relaxed) + args.by).to_string()
        })
        .complete("k://plus/{by}", "by", async |typed: CompletionRequest, context: Context<_>| {
            typed.matching([count(context).await])
        });
    let bench = Bench::new([kit]);
    let added = bench.shown(call_of("add", json!({"by": 3}))).await;
    assert_eq!(added["structuredContent"], json!({"count": 3}));
    for (tool, expected) in
        [("ping", "pong"), ("count", "3"), ("echo", "5"), ("blocking", "3"), ("later", "3")]
    {
        let arguments = if tool == "echo" { json!({"by": 5}) } else { json!({}) };
        let shown = bench.shown(call_of(tool, arguments)).await;
        assert_eq!(shown["content"][0]["text"], expected, "{tool} {shown}");
    }
    for (uri, expected) in [("k://count", "3"), ("k://plus/4", "7")] {
        let shown = bench.shown(call(Method::ResourcesRead, json!({"uri": uri}))).await;
        assert_eq!(shown["contents"][0]["text"], expected, "{shown}");
    }
    let shown = bench.shown(call(Method::PromptsGet, json!({"name": "count"}))).await;
    assert_eq!(shown["messages"][0]["content"]["text"], "3");
    let params = json!({"ref": {"type": "ref/resource", "uri": "k://plus/{by}"},
        "argument": {"name": "by", "value": ""}});
    let shown = bench.shown(call(Method::Complete, params)).await;
    assert_eq!(shown["completion"]["values"], json!(["3"]));
}

/// Every kit with a hook is notified of each client that goes, but only while the toolbox has the
/// kit.
#[tokio::test]
async fn kits_hear_of_clients_that_have_gone() {
    let kit = |name: &str| {
        Kit::plain(name)
            .with_state(Counter::default())
            .tool(format!("{name}_count"), "Counts", count)
            .on_client_gone(|counter: &Counter, _| {
                counter.0.fetch_add(1, Ordering::Relaxed);
            })
    };
    let bench = Bench::new([kit("a"), kit("b")]);
    bench.toolbox.client_gone(ClientId::next());
    bench.toolbox.remove("b");
    bench.toolbox.client_gone(ClientId::next());
    let counted = bench.shown(call_of("a_count", json!({}))).await;
    assert_eq!(counted["content"][0]["text"], "2");
}
