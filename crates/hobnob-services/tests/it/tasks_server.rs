//! The server for tests of tasks: the service on its own store, called directly or by scripts.

use crate::calls::{ask, converse_with_store, data_in};
use hobnob_mcp_server::Server;
use hobnob_mcp_types::Method;
use hobnob_services::tasks::TaskService;
use hobnob_services::{BuiltInService as _, Presentation};
use hobnob_store::tasks::{
    ListName, StoredTask, StoredTaskStatus, TaskAccess, TaskEdit, TaskId, TaskRepository as _,
};
use hobnob_store::{Owner, Time};
use hobnob_store_sqlite::SqliteStore;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The list for callers that name none.
pub(crate) const LIST: &str = "example.org/team/project";

/// A server with the task service, and its store.
pub(crate) struct TaskServer {
    pub(crate) service: TaskService,
    pub(crate) server: Server,
    pub(crate) store: SqliteStore,
    _folder: Folder,
}

impl TaskServer {
    pub(crate) fn new(presentation: &Presentation) -> Self {
        let folder = Folder::new();
        let store = SqliteStore::open(&folder.0.join("store.db")).unwrap();
        let service = TaskService::new(Arc::new(store.clone()), ListName::new(LIST));
        let kit = service.kit(presentation).unwrap();
        let server = Server::builder("probe", "1.0").kit(kit).build().unwrap();
        Self { service, server, store, _folder: folder }
    }

    /// The result of a method, or its error, for the caller `who`.
    pub(crate) async fn ask(&self, who: &str, method: Method, params: Value) -> Value {
        ask(&self.server, (who, &format!("{who}'s client")), method, &params).await
    }

    /// The data of a tool's result, for an unnamed caller.
    pub(crate) async fn data(&self, tool: &str, arguments: Value) -> Value {
        self.data_for("", tool, arguments).await
    }

    /// The data of a tool's result, for the caller `who`.
    pub(crate) async fn data_for(&self, who: &str, tool: &str, arguments: Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        data_in(tool, self.ask(who, Method::ToolsCall, params).await)
    }

    /// The message with which a tool fails.
    pub(crate) async fn failure(&self, tool: &str, arguments: Value) -> String {
        self.failure_for("", tool, arguments).await
    }

    /// The message with which a tool fails for the caller `who`.
    pub(crate) async fn failure_for(&self, who: &str, tool: &str, arguments: Value) -> String {
        let params = json!({"name": tool, "arguments": arguments});
        let result = self.ask(who, Method::ToolsCall, params).await;
        assert_eq!(result["isError"], true, "{tool}: {result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Creates a task with this description; returns its id.
    pub(crate) async fn make(&self, description: &str) -> String {
        let made = self.data("tasks_create", json!({"description": description})).await;
        made["id"].as_str().unwrap().to_owned()
    }

    /// A task as the store has it.
    pub(crate) async fn stored(&self, id: &str) -> StoredTask {
        self.store.get(access(), TaskId::given(id)).await.unwrap()
    }

    pub(crate) async fn complete(&self, id: &str) {
        let edit = TaskEdit { status: Some(StoredTaskStatus::Completed), ..TaskEdit::default() };
        self.store.update(access(), TaskId::given(id), edit).await.unwrap();
    }

    pub(crate) async fn converse(&self, script: &str) {
        converse_with_store(&self.server, script).await;
    }
}

fn access() -> TaskAccess {
    TaskAccess { owner: Owner::default(), now: Time::now() }
}

/// A folder of one test, removed when the value is dropped.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("tasks-{}-{number}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}
