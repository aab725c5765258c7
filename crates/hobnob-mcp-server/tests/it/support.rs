//! Shared parts of the transcripts: a server to talk to, the handshake, and gates that hold a tool
//! until the test opens them.

use hobnob_mcp_server::Server;
use hobnob_mcp_toolbox::{Kit, KitBuilder, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Semaphore;

/// The revisions with a handshake, oldest first.
pub(crate) const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// Defines `${name}` for each pair, in front of a script.
pub(crate) fn with(words: &[(&str, &str)], script: &str) -> String {
    let lets = words.iter().map(|(name, text)| format!("let {name} = {text}\n"));
    lets.collect::<String>() + script
}

/// A script that follows the handshake of a client without capabilities.
pub(crate) fn greeted(version: &str, script: &str) -> String {
    greeted_with(version, "{}", script)
}

/// A script that follows a handshake with these capabilities. `${version}` is the revision.
pub(crate) fn greeted_with(version: &str, capabilities: &str, script: &str) -> String {
    let hello = r#"
        > {"jsonrpc":"2.0","id":"hello","method":"initialize","params":{
            "protocolVersion":"${version}","capabilities":${capabilities},
            "clientInfo":{"name":"script","version":"1"}}}
        < {"jsonrpc":"2.0","id":"hello","result":{"protocolVersion":"${version}",
            "capabilities":"$any","serverInfo":"$any"}}
        > {"jsonrpc":"2.0","method":"notifications/initialized"}
    "#;
    with(&[("version", version), ("capabilities", capabilities)], hello) + script
}

/// A script that follows a call that became a task of 2025-11-25. `${task}` is its id.
pub(crate) fn started(tool: &str, script: &str) -> String {
    let call = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","task":{}}}
        < {"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"$keep task","status":"working",
            "createdAt":"$any","lastUpdatedAt":"$any","ttl":"$any","pollInterval":"$any"}}}
    "#;
    with(&[("tool", tool)], call) + script
}

/// A modern script that follows a call that became a task. `${task}` is its id.
pub(crate) fn started_modern(tool: &str, script: &str) -> String {
    let call = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}",${can wait}}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"task","taskId":"$keep task",
            "status":"working","createdAt":"$any","lastUpdatedAt":"$any","ttlMs":"$any",
            "pollIntervalMs":"$any",${us}}}
    "#;
    modern(&(with(&[("tool", tool)], call) + script))
}

/// A script of modern requests. `${me}` is the `_meta` of a client without capabilities, and
/// `${can ask}` of one that can be asked anything; `${can wait}` of one that knows tasks. `${us}`
/// is the `_meta` of every result.
pub(crate) fn modern(script: &str) -> String {
    let words = r#"
        let about = "io.modelcontextprotocol/protocolVersion":"2026-07-28",
            "io.modelcontextprotocol/clientInfo":{"name":"script","version":"1"}
        let can = "io.modelcontextprotocol/clientCapabilities"
        let me = "_meta":{${about},${can}:{}}
        let can ask = "_meta":{${about},
            ${can}:{"sampling":{},"roots":{},"elicitation":{"form":{},"url":{}}}}
        let can wait = "_meta":{${about},
            ${can}:{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}}
        let us = "_meta":{"io.modelcontextprotocol/serverInfo":{"name":"probe","version":"1.0"}}
    "#;
    words.to_owned() + script
}

/// A server called `probe` with these kits.
pub(crate) fn server(kits: impl IntoIterator<Item = KitBuilder>) -> Server {
    let builder = Server::builder("probe", "1.0");
    let kits = kits.into_iter();
    let builder = kits.fold(builder, |builder, kit| builder.kit(kit));
    builder.build().expect("a sound server")
}

/// A tool's description, as a spec.
pub(crate) fn spec(name: &str) -> ToolSpec {
    ToolSpec::new(format!("The tool {name}."))
}

/// One text.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Saying {
    /// What to say.
    pub(crate) text: String,
}

/// `echo` returns its text, `fail` fails, `crash` panics.
pub(crate) fn plain_kit() -> KitBuilder {
    Kit::plain("plain")
        .tool("echo", spec("echo"), async |saying: Saying| Ok(saying.text))
        .tool("fail", spec("fail"), async || {
            Err::<String, _>(ToolError::failed("error: task not found: task_xyz"))
        })
        .tool("crash", spec("crash"), async || -> Result<String, ToolError> {
            panic!("a bug in a tool")
        })
}

/// Holds calls of `wait` until the test opens it, and counts how they end.
#[derive(Clone)]
pub(crate) struct Gate(Arc<Inside>);

struct Inside {
    places: Semaphore,
    begun: AtomicUsize,
    ended: AtomicUsize,
    dropped: AtomicUsize,
}

impl Gate {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Inside {
            places: Semaphore::new(0),
            begun: AtomicUsize::new(0),
            ended: AtomicUsize::new(0),
            dropped: AtomicUsize::new(0),
        }))
    }

    /// Lets one call through.
    pub(crate) fn open(&self) {
        self.0.places.add_permits(1);
    }

    /// Waits for the gate to open. A call dropped before that counts as dropped.
    pub(crate) async fn pass(&self) {
        let mut call = GatedCall { gate: self.clone(), is_over: false };
        self.0.begun.fetch_add(1, Ordering::Relaxed);
        self.0.places.acquire().await.expect("an open gate").forget();
        call.is_over = true;
    }

    /// How many calls have begun, ended, and been dropped.
    pub(crate) fn tally(&self) -> (usize, usize, usize) {
        let count = |number: &AtomicUsize| number.load(Ordering::Relaxed);
        (count(&self.0.begun), count(&self.0.ended), count(&self.0.dropped))
    }

    /// The tool `wait`, which ends when the gate opens.
    pub(crate) fn kit(&self) -> KitBuilder {
        let gate = self.clone();
        Kit::plain("gate").tool("wait", spec("wait"), move || {
            let gate = gate.clone();
            async move {
                gate.pass().await;
                Ok("through")
            }
        })
    }
}

struct GatedCall {
    gate: Gate,
    is_over: bool,
}

impl Drop for GatedCall {
    fn drop(&mut self) {
        let inside = &self.gate.0;
        let counter = if self.is_over { &inside.ended } else { &inside.dropped };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}
