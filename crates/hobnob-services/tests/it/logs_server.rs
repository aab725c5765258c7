//! The server for tests of logs: the service on the test's own folder, called directly.

use crate::calls::{call_of, pipe, result_of};
use crate::grants::TestGrants;
use hobnob_machine::files::RootIdentity;
use hobnob_machine::logs::{LogLimits, LogReader};
use hobnob_mcp_engine::Notes;
use hobnob_mcp_server::Server;
use hobnob_mcp_types::Method;
use hobnob_policy::{FolderSource, GrantSources, HardLinks, LogGrantSource, LogSource};
use hobnob_secrets::{Anonymiser, AnonymiserKey, KnownNames};
use hobnob_services::logs::{LazyAnonymiser, LogService};
use hobnob_services::{BuiltInService as _, Dialect, MachineAccess, Presentation};
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// A grant of a folder with logs, with this access to the service.
pub(crate) fn log_grants(access: &str, folder: Option<&Path>) -> GrantSources {
    let row = |folder: &Path| LogGrantSource {
        log: LogSource::Folder(FolderSource {
            path: folder.to_owned(),
            access: "read".into(),
            identity: RootIdentity::of_path(folder).unwrap().to_string(),
            hard_links: HardLinks::Refused,
        }),
        principal: None,
    };
    GrantSources {
        services: vec![("logs".into(), access.into())],
        logs: folder.map(row).into_iter().collect(),
        ..GrantSources::default()
    }
}

/// The service, its grants, and a granted folder.
pub(crate) struct LogServer {
    pub(crate) grants: Arc<TestGrants>,
    pub(crate) service: LogService,
    pub(crate) folder: PathBuf,
    presentation: Presentation,
    _above: tempfile::TempDir,
}

impl LogServer {
    pub(crate) fn new(dialect: Dialect) -> Self {
        Self::with(dialect, Some(LazyAnonymiser::new(|| Ok(anonymiser()))))
    }

    pub(crate) fn with(dialect: Dialect, anonymiser: Option<LazyAnonymiser>) -> Self {
        let above = tempfile::tempdir().unwrap();
        let folder = above.path().canonicalize().unwrap();
        let grants = Arc::new(TestGrants::default());
        grants.set(&log_grants("read-only", Some(&folder)));
        let machine = MachineAccess::new(Arc::clone(&grants) as _, None);
        let limits = LogLimits { poll: Duration::from_millis(5), ..LogLimits::default() };
        let reader = LogReader::with([], None, TimeZone::UTC, limits);
        let service = LogService::new(machine, reader, anonymiser);
        let presentation = Presentation { dialect, ..Presentation::default() };
        Self { grants, service, folder, presentation, _above: above }
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.folder.join(name), text).unwrap();
    }

    /// A server with the kit for the current grants.
    pub(crate) fn server(&self) -> Server {
        let kit = self.service.kit(&self.presentation).unwrap();
        Server::builder("probe", "1.0").kit(kit).build().unwrap()
    }

    /// The result of a method, in a view that has just been opened.
    pub(crate) async fn ask(&self, method: Method, params: Value, notes: Notes) -> Value {
        let caller = pipe();
        let call = call_of(&caller, method, &params);
        result_of(&self.server(), call, notes)
            .await
            .unwrap_or_else(|error| json!({"error": error.message}))
    }

    pub(crate) async fn tools(&self) -> Vec<String> {
        let listed = self.ask(Method::ToolsList, json!({}), Notes::silent()).await;
        let tools = listed["tools"].as_array().unwrap().iter();
        tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    /// The data of a tool's result.
    pub(crate) async fn data(&self, tool: &str, arguments: Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        let mut result = self.ask(Method::ToolsCall, params, Notes::silent()).await;
        assert!(result.get("structuredContent").is_some(), "{tool}: {result}");
        result["structuredContent"].take()
    }

    /// The message with which a tool fails.
    pub(crate) async fn failure(&self, tool: &str, arguments: Value) -> String {
        let params = json!({"name": tool, "arguments": arguments});
        let result = self.ask(Method::ToolsCall, params, Notes::silent()).await;
        assert_eq!(result["isError"], true, "{tool}: {result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// The message of a refused call: of a protocol error or of a failed result.
    pub(crate) async fn refusal(&self, tool: &str, arguments: Value) -> String {
        let params = json!({"name": tool, "arguments": arguments});
        let result = self.ask(Method::ToolsCall, params, Notes::silent()).await;
        let words = result["error"].as_str().or_else(|| result["content"][0]["text"].as_str());
        assert!(result.get("error").is_some() || result["isError"] == true, "{tool}: {result}");
        words.unwrap().to_owned()
    }
}

pub(crate) fn anonymiser() -> Anonymiser {
    let known = KnownNames::new(["alice".to_owned()], []);
    Anonymiser::new(AnonymiserKey::new(&[7; 32]), known)
}
