//! The tools that a view shows, for code that lists them in another form than `tools/list`.
//!
//! Calls of these tools go through the view's service, as all calls do.

use crate::catalog::{ListKind, ToolTarget};
use crate::view::snapshot::Snapshot;
use std::sync::{Arc, Weak};

/// What a view showed at one moment.
pub struct ShownTools(pub(super) Arc<Snapshot>);

/// Identifies what a view showed at one moment without keeping that snapshot alive: servers that it
/// no longer shows can end.
#[derive(Clone)]
pub struct SnapshotMark(Weak<Snapshot>);

/// One tool of a view.
#[derive(Debug, Clone, Copy)]
pub struct ShownTool<'a> {
    /// The name in `tools/call`.
    pub name: &'a str,
    /// The service or server that answers its calls.
    pub owner: ToolOwner<'a>,
    /// The entry of `tools/list`, as JSON text.
    pub definition: &'a str,
}

/// The service or server that answers a tool's calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolOwner<'a> {
    /// A service of this process.
    BuiltIn {
        /// The service's own name for the tool, which no profile changes.
        own: &'a str,
    },
    /// A server behind the gateway.
    Server {
        /// Its name in the configuration.
        server: &'a str,
        /// What it calls the tool.
        original: &'a str,
    },
}

impl ShownTools {
    /// A mark to compare a later moment with.
    pub fn mark(&self) -> SnapshotMark {
        SnapshotMark(Arc::downgrade(&self.0))
    }

    /// Whether nothing has changed since the mark was taken.
    pub fn is_of(&self, mark: &SnapshotMark) -> bool {
        Weak::ptr_eq(&Arc::downgrade(&self.0), &mark.0)
    }

    /// The tools in the order of `tools/list`.
    pub fn iter(&self) -> impl Iterator<Item = ShownTool<'_>> {
        let catalogue = &self.0.catalogue;
        catalogue.list(ListKind::Tools).entries().filter_map(|(name, definition)| {
            let owner = match catalogue.tool(name)? {
                ToolTarget::BuiltIn(own) => ToolOwner::BuiltIn { own },
                ToolTarget::Upstream(route) => {
                    ToolOwner::Server { server: &route.server, original: &route.original }
                }
            };
            Some(ShownTool { name, owner, definition })
        })
    }
}

impl std::fmt::Debug for ShownTools {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ShownTools({})", self.iter().count())
    }
}

impl std::fmt::Debug for SnapshotMark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SnapshotMark")
    }
}
