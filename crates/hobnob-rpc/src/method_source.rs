//! Builds directories from what a view of the gateway currently shows.

use crate::directory::{MethodDirectory, MethodEntry};
use hobnob_gateway::{GatewayService, ShownTool, SnapshotMark, ToolOwner};
use parking_lot::Mutex;
use std::sync::Arc;

/// The service name for tools without a service: those about the hub itself.
const OWN_SERVICE: &str = "hobnob";

/// The current methods; they change, since servers come and go.
pub trait MethodSource: Send + Sync + 'static {
    /// All methods that can be called now.
    fn directory(&self) -> Arc<MethodDirectory>;
}

/// The tools of one view as methods.
pub struct GatewayMethods {
    view: GatewayService,
    /// A cache: the last directory, with the mark of what it was built from.
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
        let mut made = self.made.lock();
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

/// The service of a built-in is the part of its public name before a dot or the first underscore,
/// as in `tools/call`. The service of a server's tool is the server, the method its original name.
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
