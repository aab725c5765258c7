//! Parses and builds a call that `sandbox learn` makes while it watches a server.

use hobnob_config::ServerName;
use hobnob_gateway::names::public_name;
use hobnob_mcp_engine::{Answers, Call, Caller, ClientId, Principal, TaskOffer};
use hobnob_mcp_types::{Method, Params};
use serde_json::{Value, json};
use std::sync::Arc;

/// One call that is made while the server is watched.
#[derive(Debug, Clone)]
pub(super) struct LearnCall {
    pub(super) tool: String,
    arguments: Value,
}

impl LearnCall {
    /// Parses the name of a tool and, after a space, the JSON object of its arguments.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (tool, arguments) = text.split_once(' ').unwrap_or((text, "{}"));
        match serde_json::from_str(arguments) {
            Ok(arguments @ Value::Object(_)) => Ok(Self { tool: tool.into(), arguments }),
            _ => Err(
                "write a tool and the JSON object of its arguments, as 'read {\"path\": \"a\"}'"
                    .into(),
            ),
        }
    }

    /// Builds the call as a client on this machine makes it.
    pub(super) fn of(&self, server: &ServerName) -> Call {
        let name = public_name(server.as_str(), &self.tool);
        let params = json!({"name": name.as_str(), "arguments": self.arguments});
        Call {
            method: Method::ToolsCall,
            params: Arc::new(Params::from_json(params.to_string()).unwrap_or_default()),
            caller: Caller::new(ClientId::OURSELVES, Principal::anonymous()),
            answers: Answers::default(),
            task: TaskOffer::No,
            mirrored: None,
        }
    }
}
