//! A server of our own with some of everything, reached over HTTP in either era.
//!
//! It can tell whether a call that was taken back has really stopped, which no peer's server does.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use hobnob_mcp_http::{HttpOptions, bind, serve_http};
use hobnob_mcp_server::Server;
use hobnob_mcp_toolbox::{Context, Kit, KitBuilder, ResourceSpec, ToolSpec, Toolbox};
use hobnob_mcp_types::content::SamplingContent;
use hobnob_mcp_types::sampling::{CreateMessageParams, SamplingMessage};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// The one resource.
pub(crate) const CLOCK: &str = "test://clock";

/// How long a call that was taken back may go on.
const GRACE: Duration = Duration::from_secs(30);

/// The server, until it is dropped.
pub(crate) struct MatrixServer {
    address: SocketAddr,
    _serving: JoinSet<()>,
}

impl MatrixServer {
    pub(crate) async fn open() -> Self {
        let toolbox_slot = ToolboxSlot::default();
        let kit = kit(&toolbox_slot);
        let server = Server::builder("test-server", "1").kit(kit).build().unwrap();
        toolbox_slot
            .set(Arc::clone(server.toolbox().unwrap()))
            .unwrap_or_else(|_| panic!("hung twice"));
        let options = HttpOptions::default();
        let listener = bind((Ipv4Addr::LOCALHOST, 0).into(), &options).await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            serve_http(&server, listener, options, std::future::pending()).await.unwrap();
        });
        Self { address, _serving: serving }
    }

    /// Where it speaks Streamable HTTP, modern unless greeted otherwise.
    pub(crate) fn modern(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Where it speaks HTTP+SSE, which nothing modern was ever served over.
    pub(crate) fn legacy(&self) -> String {
        format!("http://{}/sse", self.address)
    }
}

/// From a tool to the toolbox it is in, which exists only later.
type ToolboxSlot = Arc<OnceLock<Arc<Toolbox>>>;

#[derive(Deserialize, JsonSchema)]
struct EchoArguments {
    /// What to say back.
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct Named {
    /// Which of the slow calls.
    key: String,
}

#[derive(Deserialize, JsonSchema)]
struct Greet {
    /// Whom.
    name: String,
}

fn kit(toolbox_slot: &ToolboxSlot) -> KitBuilder {
    let toolbox_slot = Arc::clone(toolbox_slot);
    let kit = Kit::plain("test")
        .tool("echo", spec("echo"), async |saying: EchoArguments| saying.text)
        .tool("touch", spec("touch"), move || {
            toolbox_slot.get().unwrap().notify_resource_updated(CLOCK);
            async { "touched" }
        })
        .resource(CLOCK, ResourceSpec::new("clock").description("The time."), async || "noon")
        .prompt("greet", "Greets.", async |greet: Greet| format!("hello {}", greet.name))
        .complete("greet", "name", ["Ada", "Alan", "Grace"]);
    slow(asking(kit))
}

fn spec(name: &str) -> ToolSpec {
    ToolSpec::new(format!("The tool {name}."))
}

/// Tools that ask their caller.
fn asking(kit: KitBuilder) -> KitBuilder {
    kit.tool("person", spec("person"), async |context: Context| {
        let who: Who = context.elicit("who", "Who?")?;
        Ok(format!("hello {}", who.name))
    })
    .tool("model", spec("model"), async |context: Context| {
        let question = SamplingMessage::user(SamplingContent::text("how many?"));
        let said = context.sample("model", CreateMessageParams::new(vec![question], 10))?;
        let texts = said.content.as_slice().iter().filter_map(|piece| piece.as_text());
        Ok(format!("{} says {}", said.model, texts.collect::<String>()))
    })
    .tool("roots", spec("roots"), async |context: Context| {
        let uris = context.roots("where")?.roots.into_iter().map(|root| root.uri.to_string());
        Ok(uris.collect::<Vec<_>>().join(" "))
    })
}

#[derive(Deserialize, JsonSchema)]
struct Who {
    name: String,
}

/// A call that never ends by itself, and one that says when it was stopped.
fn slow(kit: KitBuilder) -> KitBuilder {
    let stopped = watch::Sender::new(BTreeSet::new());
    let watched = stopped.clone();
    kit.tool("slow", spec("slow"), move |named: Named, context: Context| {
        let running = Running { key: named.key, stopped: stopped.clone() };
        async move {
            context.progress(1.0, None, None);
            std::future::pending::<()>().await;
            drop(running);
            Ok("it ended by itself")
        }
    })
    .tool("stopped", spec("stopped"), move |named: Named| {
        let mut stopped = watched.subscribe();
        async move {
            let stops = stopped.wait_for(|keys| keys.contains(&named.key));
            match tokio::time::timeout(GRACE, stops).await {
                Ok(_) => Ok("stopped"),
                Err(_) => Ok("still running"),
            }
        }
    })
}

/// Says so when it is dropped.
struct Running {
    key: String,
    stopped: watch::Sender<BTreeSet<String>>,
}

impl Drop for Running {
    fn drop(&mut self) {
        let key = std::mem::take(&mut self.key);
        self.stopped.send_if_modified(|keys| keys.insert(key));
    }
}
