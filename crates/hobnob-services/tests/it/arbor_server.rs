//! The server for tests of trees: the service on its own store, called directly or by scripts.

use crate::calls::{ask, converse_with_store, data_in};
use hobnob_mcp_server::Server;
use hobnob_mcp_types::Method;
use hobnob_secrets::{ScanScope, Scanner};
use hobnob_services::arbor::ArborService;
use hobnob_services::{BuiltInService as _, Presentation};
use hobnob_store_sqlite::SqliteStore;
use serde_json::{Value, json};
use std::sync::Arc;
use tempfile::TempDir;

/// A server with the tree service on its own store.
pub(crate) struct ArborServer {
    pub(crate) service: ArborService,
    pub(crate) server: Server,
    _folder: TempDir,
}

impl ArborServer {
    pub(crate) fn new(presentation: &Presentation) -> Self {
        let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let store = SqliteStore::open(&folder.path().join("store.db")).unwrap();
        let service =
            ArborService::new(Arc::new(store)).refusing(Scanner::new(ScanScope::secrets()));
        let kit = service.kit(presentation).unwrap();
        let server = Server::builder("probe", "1.0").kit(kit).build().unwrap();
        Self { service, server, _folder: folder }
    }

    /// The result of a method, or its error, for the caller `who`.
    pub(crate) async fn ask(&self, who: &str, method: Method, params: Value) -> Value {
        ask(&self.server, (who, "client"), method, &params).await
    }

    /// The data of a tool's result, for an unnamed caller.
    pub(crate) async fn data(&self, tool: &str, arguments: Value) -> Value {
        self.data_for("", tool, arguments).await
    }

    /// The data of a tool's result, for the caller `who`.
    pub(crate) async fn data_for(&self, who: &str, tool: &str, arguments: Value) -> Value {
        let params = json!({"name": format!("arbor_{tool}"), "arguments": arguments});
        data_in(tool, self.ask(who, Method::ToolsCall, params).await)
    }

    /// The message with which a tool fails.
    pub(crate) async fn failure(&self, tool: &str, arguments: Value) -> String {
        let params = json!({"name": format!("arbor_{tool}"), "arguments": arguments});
        let result = self.ask("", Method::ToolsCall, params).await;
        assert_eq!(result["isError"], true, "{tool}: {result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Adds a text below a node of the tree `main`; returns its id.
    pub(crate) async fn say(&self, parent: &str, role: &str, content: &str) -> String {
        let node = json!({"tree_id": "main", "parent": parent, "role": role, "content": content});
        let made = self.data("node_create_text", node).await;
        made["node_id"].as_str().unwrap().to_owned()
    }

    /// The contents of a resource, as data.
    pub(crate) async fn read(&self, uri: &str) -> Value {
        let read = self.ask("", Method::ResourcesRead, json!({"uri": uri})).await;
        let contents = &read["contents"][0];
        assert_eq!(contents["uri"], uri, "{read}");
        assert_eq!(contents["mimeType"], "application/json");
        serde_json::from_str(contents["text"].as_str().unwrap()).unwrap()
    }

    pub(crate) async fn converse(&self, script: &str) {
        converse_with_store(&self.server, script).await;
    }
}
