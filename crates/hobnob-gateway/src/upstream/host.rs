//! What the gateway answers an upstream that asks outside of any call.
//!
//! The client of each connection asks it. Questions inside a call never come here: they go to
//! whoever made the call, unless roots are configured. On a connection that is reserved for one
//! client, a question for roots waits for that client's next call.

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

/// Passes on what is asked during a call; knows only the configured roots itself.
#[derive(Debug)]
pub(crate) struct PassThrough {
    /// Folders; none if the entry names none, and then callers are asked for theirs.
    pub(crate) roots: Vec<PathBuf>,
    /// Who calls over the connection.
    pub(crate) callers: ConnectionCallers,
}

/// Who may call over a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConnectionCallers {
    /// Anybody: what comes outside of a call is nobody's in particular.
    Many,
    /// One client, so that every question is a question to it.
    One,
}

impl Host for PassThrough {
    /// Everything a caller might be able to answer. A caller that cannot is not asked, and the
    /// upstream gets the reason.
    fn capabilities(&self) -> ClientCapabilities {
        let yes = || Some(CapabilitySettings::default());
        ClientCapabilities {
            // Of many callers nobody's roots are those of the connection.
            roots: Some(RootsCapability { list_changed: self.callers == ConnectionCallers::One }),
            sampling: Some(SamplingCapability { context: None, tools: yes() }),
            elicitation: Some(ElicitationCapability { form: yes(), url: yes() }),
            ..ClientCapabilities::default()
        }
    }

    /// Configured roots are the same for every caller.
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
                "nobody can be asked: no call is running that this could belong to",
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
