//! How the gateway answers requests that an upstream sends outside of any call.
//!
//! The client of each connection asks here. Questions inside a call go to the caller instead,
//! except for configured roots. On a connection that is reserved for one client, a request for
//! roots waits for that client's next call.

use hobnob_mcp_client::Host;
use hobnob_mcp_engine::BoxFuture;
use hobnob_mcp_toolbox::encode_uri_component;
use hobnob_mcp_types::capabilities::{
    CapabilitySettings, ClientCapabilities, ElicitationCapability, RootsCapability,
    SamplingCapability,
};
use hobnob_mcp_types::input::InputRequest;
use hobnob_mcp_types::json::{object, write_string};
use hobnob_mcp_types::{ErrorCode, RpcError};
use serde_json::value::RawValue;
use std::path::PathBuf;

/// Lets callers answer the questions of a call; itself it knows only the configured roots.
#[derive(Debug)]
pub(crate) struct PassThrough {
    /// The configured folders; if there are none, callers are asked for theirs.
    pub(crate) roots: Vec<PathBuf>,
    /// The clients that call over the connection.
    pub(crate) callers: ConnectionCallers,
}

/// Which clients call over a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConnectionCallers {
    /// Many clients: a question outside of a call belongs to none of them.
    Many,
    /// A single client, which every question is for.
    One,
}

impl Host for PassThrough {
    /// All capabilities that a caller may have. A caller without one is not asked, and the upstream
    /// gets the reason.
    fn capabilities(&self) -> ClientCapabilities {
        let yes = || Some(CapabilitySettings::default());
        ClientCapabilities {
            // With many callers, no client's roots are those of the connection.
            roots: Some(RootsCapability { list_changed: self.callers == ConnectionCallers::One }),
            sampling: Some(SamplingCapability { context: None, tools: yes() }),
            elicitation: Some(ElicitationCapability { form: yes(), url: yes() }),
            ..ClientCapabilities::default()
        }
    }

    /// Configured roots answer the question for every caller.
    fn knows(&self, question: &InputRequest) -> bool {
        matches!(question, InputRequest::ListRoots(_)) && !self.roots.is_empty()
    }

    /// The one client is asked for its roots with its next call.
    fn waits_for_call(&self, question: &InputRequest) -> bool {
        let is_roots = matches!(question, InputRequest::ListRoots(_));
        is_roots && self.callers == ConnectionCallers::One
    }

    fn answer<'a>(
        &'a self,
        question: &'a InputRequest,
    ) -> BoxFuture<'a, Result<Box<RawValue>, RpcError>> {
        let answer = match question {
            InputRequest::ListRoots(_) => {
                RawValue::from_string(self.roots_text()).map_err(|_| RpcError::internal())
            }
            _ => Err(RpcError::new(
                ErrorCode::METHOD_NOT_FOUND,
                "no caller can answer: the question does not belong to a running call",
            )),
        };
        Box::pin(std::future::ready(answer))
    }
}

impl PassThrough {
    fn roots_text(&self) -> String {
        object(|result| {
            let list = result.key("roots");
            list.push('[');
            for (index, root) in self.roots.iter().enumerate() {
                if index > 0 {
                    list.push(',');
                }
                list.push_str("{\"uri\":");
                write_string(list, &file_uri(root));
                list.push('}');
            }
            list.push(']');
        })
    }
}

/// A path as a `file:` URI.
fn file_uri(path: &std::path::Path) -> String {
    let path = path.to_string_lossy();
    let parts = path.split('/').map(|part| encode_uri_component(part).to_string());
    format!("file://{}", parts.collect::<Vec<_>>().join("/"))
}
