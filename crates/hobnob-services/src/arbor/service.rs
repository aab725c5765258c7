//! The tree service: its parts, and the checks and errors that all its handlers share.
//!
//! Handlers check names, sizes and secrets here before anything reaches the store.

use crate::argument_checks::{ArgumentChecks, client_name};
use crate::listed_entries::ListedEntries;
use crate::presentation::{Failure, Presentation};
use hobnob_mcp_toolbox::{CallContext, Context, ToolError};
use hobnob_secrets::Scanner;
use hobnob_store::memory::PageRequest;
use hobnob_store::trees::{
    Claimant, NodeRef, TreeAccess, TreeError, TreeName, TreeRef, TreeRepository,
};
use hobnob_store::{Owner, Time};
use hobnob_text::escaped_start;
use serde_json::{Map, Value};
use std::fmt;
use std::sync::Arc;

/// Longest text of a node, in bytes.
const MAX_TEXT: usize = 1 << 20;
/// Largest metadata of a tree, a node or a handle, in bytes.
const MAX_METADATA: usize = 64 << 10;
/// Longest identifier of a handle, in bytes.
const MAX_IDENTIFIER: usize = 4 << 10;
/// How many characters of an id a message repeats.
const MAX_SHOWN: usize = 64;

/// The conversation trees of all callers. Cheap to clone.
#[derive(Clone)]
pub struct ArborService {
    pub(super) trees: Arc<dyn TreeRepository>,
    /// Finds secrets in new texts; without it, none are looked for.
    scanner: Option<Scanner>,
    /// The trees that kits list, as last read: by name, or by id if they have no name.
    pub(super) listed: Arc<ListedEntries<TreeRef>>,
}

impl ArborService {
    /// The service's name in settings and profiles.
    pub const NAME: &'static str = "arbor";

    /// Makes the service on this store.
    pub fn new(trees: Arc<dyn TreeRepository>) -> Self {
        Self { trees, scanner: None, listed: Arc::default() }
    }

    /// The same service, which refuses texts in which the scanner finds a secret.
    #[must_use]
    pub fn refusing(self, scanner: Scanner) -> Self {
        Self { scanner: Some(scanner), ..self }
    }
}

impl fmt::Debug for ArborService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArborService").field("listed", &self.listed.get()).finish_non_exhaustive()
    }
}

/// The context of a call of this service.
pub(super) type TreeCall = Context<PresentedTrees>;

/// The service in one presentation; every handler works with this. Cheap to clone.
#[derive(Clone)]
pub(super) struct PresentedTrees {
    pub(super) service: ArborService,
    pub(super) presentation: Arc<Presentation>,
}

impl PresentedTrees {
    pub(super) fn trees(&self) -> &dyn TreeRepository {
        &*self.service.trees
    }

    /// Access to the caller's own trees, at the current time.
    pub(super) fn access(context: &CallContext) -> TreeAccess {
        let owner = Owner::named(context.caller().principal.as_str());
        TreeAccess { owner, now: Time::now() }
    }

    /// The tree that the caller named; a malformed name is not found.
    pub(super) fn tree(&self, raw: &str) -> Result<TreeRef, ToolError> {
        TreeRef::parse(raw).ok_or_else(|| {
            let message = format!("tree not found: {}; list trees with tree_list", shown(raw));
            self.presentation.fail(Failure::NotFound, message)
        })
    }

    /// The node that the caller named, or the root if none is named.
    pub(super) fn node(&self, raw: Option<&str>) -> Result<NodeRef, ToolError> {
        match raw {
            None => Ok(NodeRef::Root),
            Some(raw) if MAX_SHOWN < raw.len() => {
                let message = format!("node not found: {}", shown(raw));
                Err(self.presentation.fail(Failure::NotFound, message))
            }
            Some(raw) => Ok(NodeRef::parse(raw)),
        }
    }

    /// The name for a tree, if one is given.
    pub(super) fn tree_name(&self, raw: Option<&str>) -> Result<Option<TreeName>, ToolError> {
        let Some(raw) = raw else { return Ok(None) };
        self.checks().name("name", raw)?;
        TreeName::parse(raw).map(Some).map_err(|error| self.invalid(format!("name: {error}")))
    }

    /// Who claims or releases a tree: the given owner, or else the name of the caller's client.
    pub(super) fn claimant(
        &self,
        raw: Option<&str>,
        context: &CallContext,
    ) -> Result<Claimant, ToolError> {
        match raw {
            Some(raw) => self.checks().name("owner_id", raw).map(Claimant::new),
            None => Ok(Claimant::new(&client_name(context))),
        }
    }

    /// A short word, such as a role, once it is checked.
    pub(super) fn word(&self, what: &str, raw: String) -> Result<String, ToolError> {
        self.checks().name(what, &raw)?;
        Ok(raw)
    }

    /// The text of a node, once it is checked.
    pub(super) fn text(&self, text: String) -> Result<String, ToolError> {
        self.checks().text("content", text, MAX_TEXT)
    }

    /// The identifier of an external thing, once it is checked.
    pub(super) fn identifier(&self, text: String) -> Result<String, ToolError> {
        if text.is_empty() {
            return Err(self.invalid("handle.identifier: it is empty"));
        }
        self.checks().text("handle.identifier", text, MAX_IDENTIFIER)
    }

    /// Metadata in the form in which the store keeps it: the JSON text of an object.
    pub(super) fn metadata(
        &self,
        what: &str,
        metadata: Option<Map<String, Value>>,
    ) -> Result<Option<String>, ToolError> {
        let Some(metadata) = metadata else { return Ok(None) };
        self.checks().text(what, Value::Object(metadata).to_string(), MAX_METADATA).map(Some)
    }

    fn checks(&self) -> ArgumentChecks<'_> {
        ArgumentChecks { presentation: &self.presentation, scanner: self.service.scanner }
    }

    /// The error for a well-formed request that cannot be carried out.
    pub(super) fn invalid(&self, message: impl Into<String>) -> ToolError {
        self.presentation.fail(Failure::Invalid, message)
    }

    /// The store's refusal as the caller sees it, with what to do about it.
    pub(super) fn refused(&self, error: TreeError) -> ToolError {
        let message = error.to_string();
        match error {
            TreeError::NotFound(_) => {
                let message = format!("{message}; list trees with tree_list");
                self.presentation.fail(Failure::NotFound, message)
            }
            TreeError::NodeNotFound { .. } => {
                let message = format!("{message}; list nodes with tree_skeleton");
                self.presentation.fail(Failure::NotFound, message)
            }
            TreeError::Store(error) => self.presentation.store_failed(&error),
            TreeError::NotActive { .. } => self.invalid(format!("{message} (tree_claim)")),
            TreeError::NameTaken { .. } | TreeError::NotClaimed { .. } | TreeError::BadCursor => {
                self.invalid(message)
            }
        }
    }
}

/// The requested part of a list.
pub(super) fn page(limit: Option<u32>, default_limit: u32, cursor: Option<String>) -> PageRequest {
    let limit = usize::try_from(limit.unwrap_or(default_limit)).unwrap_or(usize::MAX);
    PageRequest { after: cursor, limit }
}

/// The beginning of a caller's text, escaped for a message.
fn shown(text: &str) -> String {
    escaped_start(text, MAX_SHOWN)
}
