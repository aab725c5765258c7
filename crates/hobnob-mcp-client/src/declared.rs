//! The caller's capabilities, which a modern server gets with every request.
//!
//! Successive calls mostly come from one caller, so `Remote` caches the text for the last one.

use hobnob_mcp_types::capabilities::{CapabilitySettings, ClientCapabilities};
use hobnob_mcp_types::tasks_ext;
use parking_lot::Mutex;
use std::sync::Arc;

/// A cache of one text, for the caller of the last call.
#[derive(Debug, Default)]
pub(crate) struct DeclaredCapabilities(Mutex<Option<(Arc<ClientCapabilities>, Arc<str>)>>);

impl DeclaredCapabilities {
    /// The capabilities of this caller as JSON text.
    pub(crate) fn text(&self, of_caller: &Arc<ClientCapabilities>) -> Arc<str> {
        let mut last = self.0.lock();
        if let Some((caller, text)) = &*last
            && Arc::ptr_eq(caller, of_caller)
        {
            return Arc::clone(text);
        }
        let text: Arc<str> = declared(of_caller).into();
        *last = Some((Arc::clone(of_caller), Arc::clone(&text)));
        text
    }
}

/// The caller's capabilities, plus tasks, which we can translate for any caller.
pub(crate) fn declared(of_caller: &ClientCapabilities) -> String {
    let mut able = of_caller.clone();
    able.tasks = None;
    if !able.extensions.contains(tasks_ext::EXTENSION) {
        able.extensions.insert(tasks_ext::EXTENSION, CapabilitySettings::default());
    }
    serde_json::to_string(&able).unwrap_or_else(|_| "{}".into())
}
