//! The server for tests of the registry: the service with the test's own grants, called directly.

use crate::calls::{call_of, pipe, result_of};
use crate::grants::TestGrants;
use hobnob_machine::registry::Registry;
use hobnob_mcp_engine::Notes;
use hobnob_mcp_server::Server;
use hobnob_mcp_types::Method;
use hobnob_policy::{GrantSources, KeyGrantSource};
use hobnob_services::registry::RegistryService;
use hobnob_services::{BuiltInService as _, Dialect, MachineAccess, Presentation};
use serde_json::{Value, json};
use std::sync::Arc;

/// Grants of keys with their access, and the access to the service.
pub(crate) fn key_grants(service: &str, keys: &[(&str, &str)]) -> GrantSources {
    let keys = keys.iter().map(|(key, access)| KeyGrantSource {
        key: (*key).into(),
        access: (*access).into(),
        view: None,
        principal: None,
    });
    GrantSources {
        services: vec![("registry".into(), service.into())],
        keys: keys.collect(),
        ..GrantSources::default()
    }
}

/// The service and its grants.
pub(crate) struct RegistryServer {
    pub(crate) grants: Arc<TestGrants>,
    service: RegistryService,
    presentation: Presentation,
}

impl RegistryServer {
    pub(crate) fn new(dialect: Dialect, registry: Option<Registry>) -> Self {
        let grants = Arc::new(TestGrants::default());
        let machine = MachineAccess::new(Arc::clone(&grants) as _, None);
        let service = RegistryService::new(machine, registry);
        let presentation = Presentation { dialect, ..Presentation::default() };
        Self { grants, service, presentation }
    }

    /// The result of a method, in a view that has just been opened.
    async fn ask(&self, method: Method, params: Value) -> Value {
        let kit = self.service.kit(&self.presentation).unwrap();
        let server = Server::builder("probe", "1.0").kit(kit).build().unwrap();
        let caller = pipe();
        let call = call_of(&caller, method, &params);
        result_of(&server, call, Notes::silent())
            .await
            .unwrap_or_else(|error| json!({"error": error.message}))
    }

    pub(crate) async fn tools(&self) -> Vec<String> {
        let listed = self.ask(Method::ToolsList, json!({})).await;
        let tools = listed["tools"].as_array().cloned().unwrap_or_default();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    /// The data of a tool's result.
    pub(crate) async fn data(&self, tool: &str, arguments: Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        let mut result = self.ask(Method::ToolsCall, params).await;
        assert!(result.get("structuredContent").is_some(), "{tool}: {result}");
        result["structuredContent"].take()
    }

    /// The message with which a tool fails.
    pub(crate) async fn failure(&self, tool: &str, arguments: Value) -> String {
        let params = json!({"name": tool, "arguments": arguments});
        let result = self.ask(Method::ToolsCall, params).await;
        assert_eq!(result["isError"], true, "{tool}: {result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// The message of a refused call: of a protocol error or of a failed result.
    pub(crate) async fn refusal(&self, tool: &str, arguments: Value) -> String {
        let params = json!({"name": tool, "arguments": arguments});
        let result = self.ask(Method::ToolsCall, params).await;
        let words = result["error"].as_str().or_else(|| result["content"][0]["text"].as_str());
        assert!(result.get("error").is_some() || result["isError"] == true, "{tool}: {result}");
        words.unwrap().to_owned()
    }
}
