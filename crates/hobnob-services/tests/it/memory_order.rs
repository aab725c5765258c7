//! Captures of one source that are executed in another order than they arrived.

use crate::calls::{call_of, pipe, result_of};
use hobnob_mcp_engine::{Caller, Notes};
use hobnob_mcp_server::Server;
use hobnob_mcp_types::Method;
use hobnob_policy::GrantSet;
use hobnob_secrets::{ScanScope, Scanner};
use hobnob_services::memory::recall::Recall;
use hobnob_services::memory::{MemoryOptions, MemoryParts, MemoryService};
use hobnob_services::{BuiltInService as _, NoProgramLog, Presentation};
use hobnob_store_sqlite::SqliteStore;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

const TURNS: [&str; 5] = ["aardvark", "buffalo", "camel", "dolphin", "elephant"];

#[tokio::test]
async fn neighbours_are_those_that_came_in_beside_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path());
    // All calls have arrived before the first one runs.
    let callers: Vec<Caller> = TURNS.iter().map(|_| pipe()).collect();
    for turn in [3, 0, 4, 2, 1] {
        let arguments = json!({"content": TURNS[turn], "namespace": "context", "source": "talk"});
        call(&server, &callers[turn], "memory_capture", arguments).await;
    }
    for (turn, word) in TURNS.iter().enumerate() {
        let found = call(&server, &pipe(), "memory_recall", json!({"query": word})).await;
        let hits = found["memories"].as_array().unwrap();
        let mut found: Vec<&str> =
            hits.iter().map(|hit| hit["snippet"].as_str().unwrap()).collect();
        found.sort_unstable();
        let beside = turn.saturating_sub(1)..TURNS.len().min(turn + 2);
        assert_eq!(found, TURNS[beside], "beside {word}");
    }
}

pub(crate) fn server(folder: &Path) -> Server {
    let store = SqliteStore::open(&folder.join("store.db")).unwrap();
    let service = MemoryService::new(MemoryParts {
        memories: Arc::new(store.clone()),
        prompts: Arc::new(store.clone()),
        marks: Arc::new(store.clone()),
        recall: Recall::new(Arc::new(store), None),
        scanner: Scanner::new(ScanScope::default()),
        settings: MemoryOptions::default(),
        folder: folder.to_owned(),
        sync_folder: folder.join("sync"),
        programs: Arc::new(NoProgramLog),
        vector_lock: Box::new(|| None),
        model: None,
        grants: Arc::new(GrantSet::nothing()),
    });
    let kit = service.kit(&Presentation::default()).unwrap();
    Server::builder("probe", "1.0").kit(kit).build().unwrap()
}

pub(crate) async fn call(server: &Server, caller: &Caller, tool: &str, arguments: Value) -> Value {
    let params = json!({"name": tool, "arguments": arguments});
    let call = call_of(caller, Method::ToolsCall, &params);
    let mut result = result_of(server, call, Notes::silent()).await.unwrap();
    assert!(result.get("structuredContent").is_some(), "{tool}: {result}");
    result["structuredContent"].take()
}
