//! What every client of the matrix does with every server, and what it must see.
//!
//! The plan is data: clients get the steps as JSON, ours and rmcp's as well as other people's.

use hobnob_mcp_types::Revision;
use serde_json::{Value, json};

use crate::matrix_server::CLOCK;

/// One cell: a step of one client with one server.
pub(crate) struct Step {
    server: &'static str,
    what: &'static str,
    act: Value,
    expected: Expectation,
}

/// What must be seen.
enum Expectation {
    /// Exactly this.
    Is(&'static str),
    /// This among other things.
    Has(&'static str),
    /// This among other things if the client's revision, this or a later one, knows how to be
    /// asked that; if not, that it was said plainly.
    Asked(Revision, &'static str),
}

use Expectation::{Asked, Has, Is};

/// The answer to a client without elicitation.
const CANNOT_ELICIT: &str = "the client did not declare a capability this needs";

impl Step {
    /// Whether the server asks its caller something meanwhile.
    pub(crate) fn asks(&self) -> bool {
        ["elicit", "sample", "roots"].contains(&self.what)
    }

    fn key(&self) -> String {
        format!("{} {}", self.server, self.what)
    }

    /// What is wrong with what was seen.
    fn complaint(&self, saw: &str, revision: Revision) -> Option<String> {
        let fits = match self.expected {
            Is(text) => saw == text,
            Has(text) => saw.contains(text) && !saw.starts_with("error"),
            Asked(since, text) if revision >= since => {
                saw.contains(text) && !saw.starts_with("error")
            }
            Asked(..) => saw.contains(CANNOT_ELICIT),
        };
        (!fits).then(|| format!("{}: saw {saw:?}", self.key()))
    }
}

/// The plan of one client, whose label makes what it does its own.
pub(crate) fn plan(client: &str, revision: Revision) -> Vec<Step> {
    let mut steps =
        vec![step("hobnob", "revision", json!({"act": "revision"}), Is(revision.as_str()))];
    steps.extend(everything());
    steps.extend(references(client));
    for server in ["ours_modern", "ours_legacy"] {
        steps.extend(own_server_steps(server, client));
    }
    steps
}

/// The plan as clients read it.
pub(crate) fn as_json(steps: &[Step]) -> Value {
    let step = |step: &Step| {
        let mut act = step.act.clone();
        act["server"] = step.server.into();
        act["what"] = step.what.into();
        act
    };
    steps.iter().map(step).collect()
}

/// Compares what a client saw with the plan: every cell is there, and right.
pub(crate) fn complaints(
    client: &str,
    revision: Revision,
    steps: &[Step],
    cells: &[Value],
) -> Vec<String> {
    let wrong = |step: &Step| {
        let is_its = |cell: &&Value| cell["server"] == step.server && cell["what"] == step.what;
        match cells.iter().find(is_its).and_then(|cell| cell["saw"].as_str()) {
            Some(saw) => step.complaint(saw, revision),
            None => Some(format!("{}: no answer", step.key())),
        }
    };
    let surplus = (cells.len() > steps.len()).then(|| "cells that nobody planned".to_owned());
    let wrong = steps.iter().filter_map(wrong).chain(surplus);
    wrong.map(|complaint| format!("{client}: {complaint}")).collect()
}

fn step(server: &'static str, what: &'static str, act: Value, expected: Expectation) -> Step {
    Step { server, what, act, expected }
}

fn list(server: &'static str, count: &'static str) -> Step {
    step(server, "list", json!({"act": "list", "prefix": format!("mcp__{server}__")}), Is(count))
}

fn tool(server: &str, name: &str, arguments: &Value) -> Value {
    json!({"act": "call", "name": format!("mcp__{server}__{name}"), "arguments": arguments})
}

fn read(server: &str, uri: &str) -> Value {
    json!({"act": "read", "uri": format!("mcp://{server}/{uri}")})
}

/// Subscribes, and calls the tool until the update is received.
fn watch(server: &str, uri: &str, name: &str, arguments: &Value) -> Value {
    let uri = format!("mcp://{server}/{uri}");
    let name = format!("mcp__{server}__{name}");
    json!({"act": "watch", "uri": uri, "name": name, "arguments": arguments})
}

fn cancel(server: &str, name: &str, arguments: &Value) -> Value {
    json!({"act": "cancel", "name": format!("mcp__{server}__{name}"), "arguments": arguments})
}

fn prompt(server: &str, name: &str, arguments: &Value) -> Value {
    json!({"act": "prompt", "name": format!("mcp__{server}__{name}"), "arguments": arguments})
}

fn complete(server: &str, name: &str, argument: &str, value: &str) -> Value {
    let name = format!("mcp__{server}__{name}");
    json!({"act": "complete", "name": name, "argument": argument, "value": value})
}

/// The reference server that tries everything.
fn everything() -> Vec<Step> {
    const ME: &str = "everything";
    const FEATURES: &str = "demo://resource/static/document/features.md";
    let slow = json!({"duration": 20, "steps": 200});
    let question = json!({"prompt": "how many?", "maxTokens": 10});
    vec![
        list(ME, "17"),
        step(ME, "call", tool(ME, "get-sum", &json!({"a": 2, "b": 3})), Has("is 5")),
        step(ME, "read", read(ME, FEATURES), Has("mcp://everything/demo://resource/static")),
        step(ME, "read a template", read(ME, "demo://resource/dynamic/text/7"), Has("Resource 7")),
        step(
            ME,
            "watch",
            watch(ME, FEATURES, "toggle-subscriber-updates", &json!({})),
            Is("updated"),
        ),
        step(ME, "cancel", cancel(ME, "trigger-long-running-operation", &slow), Is("cancelled")),
        step(ME, "go on", tool(ME, "echo", &json!({"message": "hello"})), Is("Echo: hello")),
        step(
            ME,
            "elicit",
            // Its form has fields that came with this revision.
            tool(ME, "trigger-elicitation-request", &json!({})),
            Asked(Revision::V2025_11_25, "- Name: Ada"),
        ),
        step(ME, "sample", tool(ME, "trigger-sampling-request", &question), Has("forty-two")),
        step(ME, "prompt", prompt(ME, "args-prompt", &json!({"city": "Bonn"})), Has("Bonn?")),
        step(
            ME,
            "complete",
            complete(ME, "completable-prompt", "department", "S"),
            Is("Sales,Support"),
        ),
    ]
}

/// The other reference servers, and Hobnob behind Hobnob.
fn references(client: &str) -> Vec<Step> {
    let entity = |name: &str| json!({"entities": [{"name": name, "entityType": "person", "observations": ["counts"]}]});
    let name = format!("{client}-{{attempt}}");
    let noon = json!({"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"});
    const GRAPH: &str = "memory://knowledge-graph";
    vec![
        list("files", "14"),
        step(
            "files",
            "call",
            tool("files", "read_text_file", &json!({"path": "note.txt"})),
            Has("written down"),
        ),
        list("memory", "9"),
        step("memory", "call", tool("memory", "create_entities", &entity(client)), Has("counts")),
        step("memory", "read", read("memory", GRAPH), Has("\"counts\"")),
        step(
            "memory",
            "watch",
            watch("memory", GRAPH, "create_entities", &entity(&name)),
            Is("updated"),
        ),
        list("git", "12"),
        step(
            "git",
            "call",
            tool("git", "git_status", &json!({"repo_path": "."})),
            Has("On branch"),
        ),
        list("time", "2"),
        step("time", "call", tool("time", "convert_time", &noon), Has("T21:00:00+09:00")),
        list("hub", "68"),
        step("hub", "call", tool("hub", "health_check", &json!({})), Has(r#""status":"ok""#)),
        step("hub", "read", read("hub", "hobnob://status"), Has("mcp://hub/hobnob://status")),
    ]
}

/// Our own server, which knows whether a call was really stopped.
pub(crate) fn own_server_steps(me: &'static str, client: &str) -> Vec<Step> {
    let key = json!({"key": format!("{client} in {me}")});
    vec![
        list(me, "7"),
        step(me, "call", tool(me, "echo", &json!({"text": "Ä\n\"x\""})), Is("Ä\n\"x\"")),
        step(me, "read", read(me, CLOCK), Has("test://clock noon")),
        step(me, "watch", watch(me, CLOCK, "touch", &json!({})), Is("updated")),
        step(me, "cancel", cancel(me, "slow", &key), Is("cancelled")),
        step(me, "stop", tool(me, "stopped", &key), Is("stopped")),
        step(
            me,
            "elicit",
            tool(me, "person", &json!({})),
            Asked(Revision::V2025_06_18, "hello Ada"),
        ),
        step(me, "sample", tool(me, "model", &json!({})), Is("abacus says forty-two")),
        step(me, "roots", tool(me, "roots", &json!({})), Is("file:///home")),
        step(me, "prompt", prompt(me, "greet", &json!({"name": "Ada"})), Is("hello Ada")),
        step(me, "complete", complete(me, "greet", "name", "A"), Is("Ada,Alan")),
    ]
}
