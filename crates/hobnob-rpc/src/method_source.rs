//! Where a directory comes from: what a view of the gateway shows right now.

use crate::directory::{MethodDirectory, MethodEntry};
use hobnob_gateway::{GatewayService, ShownTool, SnapshotMark, ToolOwner};
use std::sync::{Arc, Mutex, PoisonError};

/// The service of tools that belong to no service: those about the hub itself.
const OWN_SERVICE: &str = "hobnob";

/// What can be called changes: servers come and go.
pub trait MethodSource: Send + Sync + 'static {
    /// Everything that can be called now.
    fn directory(&self) -> Arc<MethodDirectory>;
}

/// The tools that one view shows, as methods.
pub struct GatewayMethods {
    view: GatewayService,
    /// The last directory, with what it was made from.
    made: Mutex<Option<(SnapshotMark, Arc<MethodDirectory>)>>,
}

impl GatewayMethods {
    /// The methods of this view.
    pub fn new(view: GatewayService) -> Self {
        Self { view, made: Mutex::default() }
    }
}

impl MethodSource for GatewayMethods {
    fn directory(&self) -> Arc<MethodDirectory> {
        let shown = self.view.shown_tools();
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        match &*made {
            Some((before, directory)) if shown.is_of(before) => Arc::clone(directory),
            _ => {
                let directory = Arc::new(MethodDirectory::new(shown.iter().map(entry)));
                *made = Some((shown.mark(), Arc::clone(&directory)));
                directory
            }
        }
    }
}

impl std::fmt::Debug for GatewayMethods {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GatewayMethods({:?})", self.view)
    }
}

/// A built-in's public name says which service it is of, with a dot or with its first underscore, as
/// `tools/call` takes it. A server's tool is the server's, under its own name there.
fn entry(tool: ShownTool<'_>) -> MethodEntry {
    let (service, method) = match tool.owner {
        ToolOwner::Server { server, original } => (server, original),
        ToolOwner::BuiltIn { .. } => match tool.name.split_once('.') {
            Some(parts) => parts,
            None => tool.name.split_once('_').unwrap_or((OWN_SERVICE, tool.name)),
        },
    };
    MethodEntry {
        service: service.to_owned(),
        method: method.to_owned(),
        tool: tool.name.to_owned(),
        definition: tool.definition.to_owned(),
    }
}
