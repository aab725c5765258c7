//! The server for tests of files: the service on real folders, with grants that the test changes.

use crate::calls::{call_of, pipe};
use crate::grants::TestGrants;
use hobnob_machine::files::RootIdentity;
use hobnob_mcp_engine::{
    Call, Caller, ClientId, Note, NoteSink, Notes, Outcome, Principal, Service as _,
};
use hobnob_mcp_server::Server;
use hobnob_mcp_toolbox::Toolbox;
use hobnob_mcp_types::Method;
use hobnob_mcp_types::hello::Implementation;
use hobnob_mcp_types::logging::LoggingLevel;
use hobnob_policy::{FileGrantSource, FolderSource, GrantSources, HardLinks};
use hobnob_services::files::FileService;
use hobnob_services::{BuiltInService as _, MachineAccess, Presentation};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// Content that must never be readable through a granted folder.
pub(crate) const SECRET: &str = "a secret outside of the grant";

/// The folders: `granted/`, and beside it `outside/secret.txt` and `granted-sibling/secret.txt`;
/// inside it `own/`, which is Hobnob's.
pub(crate) struct FileServer {
    pub(crate) service: FileService,
    pub(crate) server: Server,
    pub(crate) grants: Arc<TestGrants>,
    pub(crate) above: PathBuf,
    pub(crate) inside: PathBuf,
    presentation: Presentation,
    _folder: TempDir,
}

/// The caller: on this machine, remote, or with a name.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Asker {
    /// An unnamed program on this machine.
    Local,
    /// A caller with this principal, at a remote address.
    Named(&'static str),
    /// An unnamed remote caller.
    Remote,
}

impl FileServer {
    /// A server that grants callers on this machine write access to `granted/`.
    pub(crate) fn new() -> Self {
        Self::with(&Presentation::default(), |inside| {
            grants("read-write", &[(inside, "write", None)])
        })
    }

    pub(crate) fn with(
        presentation: &Presentation,
        sources: impl Fn(&Path) -> GrantSources,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let above = folder.path().canonicalize().unwrap();
        let inside = above.join("granted");
        for name in ["granted", "granted/own", "outside", "granted-sibling"] {
            fs::create_dir(above.join(name)).unwrap();
        }
        for name in ["outside/secret.txt", "granted-sibling/secret.txt", "granted/own/own.db"] {
            fs::write(above.join(name), SECRET).unwrap();
        }
        let source = Arc::new(TestGrants::default());
        source.set(&sources(&inside));
        let access = MachineAccess::new(Arc::clone(&source) as _, None);
        let service = FileService::new(access, [inside.join("own")]);
        let server = server(&service, presentation);
        let presentation = presentation.clone();
        Self { service, server, grants: source, above, inside, presentation, _folder: folder }
    }

    /// Replaces the server by one with the kit for the current grants.
    pub(crate) fn refresh(&mut self) {
        self.server = server(&self.service, &self.presentation);
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.inside.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.inside.join(name).to_str().unwrap().to_owned()
    }

    pub(crate) fn toolbox(&self) -> &Toolbox {
        self.server.toolbox().unwrap()
    }

    /// The result of a method, or its error, for this caller.
    pub(crate) async fn ask(&self, who: Asker, method: Method, params: Value) -> Value {
        self.ask_with(who, method, params, Notes::silent()).await
    }

    pub(crate) async fn ask_with(
        &self,
        who: Asker,
        method: Method,
        params: Value,
        notes: Notes,
    ) -> Value {
        let call = call(who, method, &params);
        let caller = call.caller.clone();
        match self.toolbox().call(call, notes).await {
            Ok(Outcome::Complete(answer)) => serde_json::from_str(&answer.body).unwrap(),
            Ok(other) => panic!("{other:?}"),
            Err(error) => {
                let error = error.to_rpc(&caller);
                json!({"code": error.code.0, "message": error.message})
            }
        }
    }

    /// The whole result of a tool for a local caller.
    pub(crate) async fn tool(&self, tool: &str, arguments: Value) -> Value {
        self.ask(Asker::Local, Method::ToolsCall, json!({"name": tool, "arguments": arguments}))
            .await
    }

    /// The data of a tool's result for a local caller.
    pub(crate) async fn data(&self, tool: &str, arguments: Value) -> Value {
        let mut result = self.tool(tool, arguments).await;
        assert!(result.get("structuredContent").is_some(), "{tool}: {result}");
        result["structuredContent"].take()
    }

    /// The text of a tool's result for a local caller.
    pub(crate) async fn text(&self, tool: &str, arguments: Value) -> String {
        let result = self.tool(tool, arguments).await;
        assert!(result.get("isError").is_none(), "{tool}: {result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// The message with which a tool fails.
    pub(crate) async fn failure(&self, who: Asker, tool: &str, arguments: Value) -> String {
        let params = json!({"name": tool, "arguments": arguments});
        let result = self.ask(who, Method::ToolsCall, params).await;
        assert_eq!(result["isError"], true, "{tool}: {result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// The names of the listed tools.
    pub(crate) fn tools(&self) -> Vec<String> {
        self.toolbox().lists().tools().into_iter().map(|tool| tool.key.to_string()).collect()
    }
}

fn server(service: &FileService, presentation: &Presentation) -> Server {
    let kit = service.kit(presentation).unwrap();
    Server::builder("probe", "1.0").kit(kit).build().unwrap()
}

/// A call as this caller's transport would make it.
pub(crate) fn call(who: Asker, method: Method, params: &Value) -> Call {
    let (principal, client_id) = match who {
        Asker::Local => (Principal::anonymous(), ClientId::next()),
        Asker::Named(name) => {
            (Principal::named(name), ClientId::next_at("192.0.2.1".parse().unwrap()))
        }
        Asker::Remote => (Principal::anonymous(), ClientId::next_at("192.0.2.1".parse().unwrap())),
    };
    let client = Some(Arc::new(Implementation::new("probe", "1")));
    call_of(&Caller { client, client_id, principal, ..pipe() }, method, params)
}

/// Grants of folders: path, access, and principal.
pub(crate) fn grants(access: &str, folders: &[(&Path, &str, Option<&str>)]) -> GrantSources {
    let row = |(path, access, principal): &(&Path, &str, Option<&str>)| FileGrantSource {
        folder: FolderSource {
            path: path.to_path_buf(),
            access: (*access).to_owned(),
            identity: RootIdentity::of_path(path).unwrap().to_string(),
            hard_links: HardLinks::Refused,
        },
        principal: principal.map(str::to_owned),
    };
    GrantSources {
        services: vec![("files".into(), access.into())],
        files: folders.iter().map(row).collect(),
        ..GrantSources::default()
    }
}

/// Collects the progress messages of a call.
#[derive(Default)]
pub(crate) struct HeardProgress(Mutex<Vec<(f64, String)>>);

impl HeardProgress {
    pub(crate) fn heard(&self) -> Vec<(f64, String)> {
        self.0.lock().clone()
    }
}

impl NoteSink for HeardProgress {
    fn wants_progress(&self) -> bool {
        true
    }

    fn wants_log(&self, _: LoggingLevel) -> bool {
        false
    }

    fn send(&self, note: Note) {
        if let Note::Progress { progress, message, .. } = note {
            self.0.lock().push((progress, message.unwrap_or_default()));
        }
    }
}
