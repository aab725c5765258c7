//! What tests of the registry ask with: the service with grants of the test's own, called directly.

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

/// Keys with their access, while the service has another.
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

/// The service and the grants it asks.
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

    /// The result of a method, asked of a view that was opened just now.
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

    /// What a tool answers, as data.
    pub(crate) async fn data(&self, tool: &str, arguments: Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        let mut result = self.ask(Method::ToolsCall, params).await;
        assert!(result.get("structuredContent").is_some(), "{tool}: {result}");
        result["structuredContent"].take()
    }

    /// The words a tool fails in.
    pub(crate) async fn failure(&self, tool: &str, arguments: Value) -> String {
        let params = json!({"name": tool, "arguments": arguments});
        let result = self.ask(Method::ToolsCall, params).await;
        assert_eq!(result["isError"], true, "{tool}: {result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// The words in which a call is refused: those of an error of its parameters, or of a result.
    pub(crate) async fn refusal(&self, tool: &str, arguments: Value) -> String {
        let params = json!({"name": tool, "arguments": arguments});
        let result = self.ask(Method::ToolsCall, params).await;
        let words = result["error"].as_str().or_else(|| result["content"][0]["text"].as_str());
        assert!(result.get("error").is_some() || result["isError"] == true, "{tool}: {result}");
        words.unwrap().to_owned()
    }
}
