//! How fast large trees are walked: fills a store with one tree and calls the tools in process.
//! Writes one line of JSON; milliseconds each.
//!
//! `bench_trees chain|wide|bush [NODES]`.

use hobnob_mcp_engine::{
    Answers, Arrival, Call, Caller, ClientId, Notes, Outcome, Principal, Service as _, TaskOffer,
};
use hobnob_mcp_server::Server;
use hobnob_mcp_types::{Method, Params, Revision};
use hobnob_services::arbor::ArborService;
use hobnob_services::{BuiltInService as _, Presentation};
use hobnob_store::trees::{
    Claimant, NewNode, NewTree, NodeContent, NodeId, NodeRef, TreeAccess, TreeName, TreeRef,
    TreeRepository as _,
};
use hobnob_store::{Owner, Time};
use hobnob_store_sqlite::SqliteStore;
use serde_json::{Map, Value, json};
use std::error::Error;
use std::io::Write as _;
use std::sync::Arc;
use std::time::Instant;
use tokio::task::JoinSet;

/// Nodes that are added in one commit.
const TOGETHER: usize = 1_000;
/// Children of a node in a bush.
const EACH: usize = 100;

/// How the nodes of a tree follow each other.
#[derive(Debug, Clone, Copy)]
enum TreeForm {
    /// Each below the one before it.
    Chain,
    /// All below the root.
    Wide,
    /// A hundred below every node that has any.
    Bush,
}

fn main() -> Result<(), Box<dyn Error>> {
    let usage = "bench_trees chain|wide|bush [NODES]";
    let mut arguments = std::env::args().skip(1);
    let form = match arguments.next().as_deref() {
        Some("chain") => TreeForm::Chain,
        Some("wide") => TreeForm::Wide,
        Some("bush") => TreeForm::Bush,
        _ => return Err(usage.into()),
    };
    let nodes = arguments.next().map_or(Ok(100_000), |count| count.parse())?;
    let folder = tempfile::tempdir()?;
    let store = SqliteStore::open(&folder.path().join("trees.db"))?;
    let kit = ArborService::new(Arc::new(store.clone())).kit(&Presentation::default())?;
    let server = Server::builder("bench", "1").kit(kit).build()?;
    let runtime = tokio::runtime::Runtime::new()?;
    let figures = runtime.block_on(measure(&store, &server, form, nodes))?;
    writeln!(std::io::stdout().lock(), "{figures}")?;
    Ok(())
}

async fn measure(
    store: &SqliteStore,
    server: &Server,
    form: TreeForm,
    nodes: usize,
) -> Result<Value, Box<dyn Error>> {
    let name = format!("{form:?}");
    let mut figures = Map::new();
    let begin = Instant::now();
    let last = fill(store, &name, form, nodes).await?;
    put(&mut figures, "fill_ms", begin);
    let tree = json!({"tree_id": name});
    let node = json!({"tree_id": name, "node_id": last.as_str()});
    for (figure, tool, arguments) in [
        ("append_one_ms", "node_create_text", json!({"tree_id": name, "content": "one more"})),
        ("path_page_ms", "context_get_path", node.clone()),
        ("leaves_page_ms", "context_list_leaves", tree.clone()),
        ("skeleton_page_ms", "tree_skeleton", tree.clone()),
        ("render_part_ms", "tree_render", tree.clone()),
        ("search_ms", "node_search", json!({"query": "nowhere"})),
    ] {
        call(server, tool, arguments.clone()).await?;
        let begin = Instant::now();
        call(server, tool, arguments).await?;
        put(&mut figures, figure, begin);
    }
    for (figure, tool, arguments, limit) in [
        ("path_whole_ms", "context_get_path", &node, 500),
        ("path_ids_whole_ms", "node_get_path", &node, 2_000),
        ("leaves_whole_ms", "context_list_leaves", &tree, 2_000),
        ("skeleton_whole_ms", "tree_skeleton", &tree, 2_000),
        ("render_whole_ms", "tree_render", &tree, 2_000),
    ] {
        let begin = Instant::now();
        let mut arguments = arguments.clone();
        arguments["limit"] = json!(limit);
        loop {
            let page = call(server, tool, arguments.clone()).await?;
            match page.get("next_cursor") {
                Some(cursor) => arguments["cursor"] = cursor.clone(),
                None => break,
            }
        }
        put(&mut figures, figure, begin);
    }
    Ok(Value::Object(figures))
}

/// Adds all nodes; the last one.
async fn fill(
    store: &SqliteStore,
    name: &str,
    form: TreeForm,
    nodes: usize,
) -> Result<NodeId, Box<dyn Error>> {
    let said = |number: usize| NodeContent::Text {
        role: "user".into(),
        text: format!("Message {number} of a long conversation about pruning roses. ").repeat(4),
    };
    let new = NewTree {
        name: Some(TreeName::parse(name)?),
        metadata: None,
        root: said(0),
        claimant: Claimant::new("bench"),
    };
    let which = TreeRef::Name(TreeName::parse(name)?);
    let mut made = vec![store.create_tree(access(), new).await?.root];
    while made.len() <= nodes {
        let parent = match form {
            TreeForm::Chain => made.last(),
            TreeForm::Wide => made.first(),
            TreeForm::Bush => made.get(made.len() / EACH),
        };
        let parent = NodeRef::Id(parent.ok_or("a tree has a root")?.clone());
        let left = nodes + 1 - made.len();
        let new = |number| NewNode { content: said(number), metadata: None };
        // One write of a whole chain, or many writes at once, which share a commit.
        let writes: Vec<Vec<NewNode>> = match form {
            TreeForm::Chain => vec![(0..left.min(TOGETHER)).map(new).collect()],
            TreeForm::Wide => (0..left.min(TOGETHER)).map(|number| vec![new(number)]).collect(),
            TreeForm::Bush => (0..left.min(EACH)).map(|number| vec![new(number)]).collect(),
        };
        let mut writing = JoinSet::new();
        for write in writes {
            let (store, which, parent) = (store.clone(), which.clone(), parent.clone());
            writing.spawn(async move { store.append_nodes(access(), which, parent, write).await });
        }
        while let Some(written) = writing.join_next().await {
            made.extend(written??.into_iter().map(|node| node.shape.id));
        }
    }
    Ok(made.last().ok_or("a tree has a root")?.clone())
}

fn access() -> TreeAccess {
    TreeAccess { owner: Owner::default(), now: Time::now() }
}

fn put(figures: &mut Map<String, Value>, name: &str, begin: Instant) {
    let micros = u32::try_from(begin.elapsed().as_micros()).unwrap_or(u32::MAX);
    figures.insert(name.to_owned(), json!(f64::from(micros) / 1_000.0));
}

/// The data of a tool's answer.
async fn call(server: &Server, tool: &str, arguments: Value) -> Result<Value, Box<dyn Error>> {
    let params = json!({"name": format!("arbor_{tool}"), "arguments": arguments});
    let caller = Caller {
        revision: Revision::NEWEST,
        capabilities: Arc::default(),
        client: None,
        client_id: ClientId::next(),
        principal: Principal::anonymous(),
        log_level: None,
        via: None,
        arrival: Arrival::next(),
    };
    let call = Call {
        method: Method::ToolsCall,
        params: Arc::new(Params::from_json(params.to_string())?),
        caller,
        answers: Answers::default(),
        task: TaskOffer::No,
        mirrored: None,
    };
    let toolbox = server.toolbox().ok_or("a server with kits has a toolbox")?;
    match toolbox.call(call, Notes::silent()).await {
        Ok(Outcome::Complete(answer)) => {
            let mut result: Value = serde_json::from_str(&answer.body)?;
            match result.get_mut("structuredContent") {
                Some(data) => Ok(data.take()),
                None => Err(format!("{tool}: {result}").into()),
            }
        }
        other => Err(format!("{tool}: {other:?}").into()),
    }
}
