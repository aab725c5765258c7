//! Builds the request to a model from a conversation and the offered tools, with hints for the
//! provider's prompt cache. Without tools, past calls are sent as text. No I/O.

use crate::history::{PastCalls, for_model};
use hobnob_llm::{CacheHints, CacheLifetime, CachePoint, ModelRequest, ModelTool};
use hobnob_store::trees::{TreeId, TreeNode};

/// Builds a request with this path. The tree's id is the key of the provider's prompt cache.
pub fn model_request(
    model: &str,
    path: &[TreeNode],
    tools: Vec<ModelTool>,
    tree: &TreeId,
) -> ModelRequest {
    let past = if tools.is_empty() { PastCalls::Text } else { PastCalls::Calls };
    let history = for_model(path, past);
    // The next request begins with all of this.
    let last = CachePoint::Message(history.turns.len().saturating_sub(1));
    let mut request = ModelRequest::new(model, history.turns);
    request.system = history.system.map(String::into_boxed_str);
    request.tools = tools;
    request.cache = CacheHints {
        points: match past {
            PastCalls::Text => vec![CachePoint::System, last],
            PastCalls::Calls => vec![CachePoint::Tools, CachePoint::System, last],
        },
        lifetime: CacheLifetime::Short,
        key: Some(tree.as_str().into()),
    };
    request
}
