//! The service of trees: what it is made of, and what every handler shares.
//!
//! Handlers check names, sizes and secrets here before anything reaches the store.

use crate::argument_checks::{ArgumentChecks, client_name};
use crate::listed_entries::ListedEntries;
use crate::presentation::{Failure, Presentation};
use hobnob_mcp_toolbox::{CallContext, ToolError};
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

/// The most bytes of a node's text.
const MAX_TEXT: usize = 1 << 20;
/// The most bytes of the metadata of a tree, a node or a handle.
const MAX_METADATA: usize = 64 << 10;
/// The most bytes of the identifier of a handle.
const MAX_IDENTIFIER: usize = 4 << 10;
/// The most characters of an id that is repeated in a message.
const MAX_SHOWN: usize = 64;

/// Trees of conversations. Cheap to clone.
#[derive(Clone)]
pub struct ArborService {
    pub(super) trees: Arc<dyn TreeRepository>,
    /// Looks for secrets in what is written; nothing is looked for without it.
    scanner: Option<Scanner>,
    /// The trees that kits list, as they were read last: a name, or an id where there is none.
    pub(super) listed: Arc<ListedEntries<TreeRef>>,
}

impl ArborService {
    /// The service's name in settings and profiles.
    pub const NAME: &'static str = "arbor";

    /// Keeps trees behind this port.
    pub fn new(trees: Arc<dyn TreeRepository>) -> Self {
        Self { trees, scanner: None, listed: Arc::default() }
    }

    /// The same, and texts in which this finds something are refused.
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

/// The service in one presentation, as every handler gets it. Cheap to clone.
#[derive(Clone)]
pub(super) struct PresentedTrees {
    pub(super) service: ArborService,
    pub(super) presentation: Arc<Presentation>,
}

impl PresentedTrees {
    pub(super) fn trees(&self) -> &dyn TreeRepository {
        &*self.service.trees
    }

    /// Whose trees are asked about: the caller's, now.
    pub(super) fn access(context: &CallContext) -> TreeAccess {
        let owner = Owner::named(context.caller().principal.as_str());
        TreeAccess { owner, now: Time::now() }
    }

    /// A tree as the caller named it. What nothing can be called is not found.
    pub(super) fn tree(&self, raw: &str) -> Result<TreeRef, ToolError> {
        TreeRef::parse(raw).ok_or_else(|| {
            let message = format!("tree not found: {}; list trees with tree_list", shown(raw));
            self.presentation.fail(Failure::NotFound, message)
        })
    }

    /// A node as the caller named it; the root if none is named.
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

    /// A name for a tree, if there is to be one.
    pub(super) fn tree_name(&self, raw: Option<&str>) -> Result<Option<TreeName>, ToolError> {
        let Some(raw) = raw else { return Ok(None) };
        self.checks().name("name", raw)?;
        TreeName::parse(raw).map(Some).map_err(|error| self.invalid(format!("name: {error}")))
    }

    /// Who claims or releases: what the caller says, or what its client calls itself.
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

    /// A short word, such as a role.
    pub(super) fn word(&self, what: &str, raw: String) -> Result<String, ToolError> {
        self.checks().name(what, &raw)?;
        Ok(raw)
    }

    /// What a node says.
    pub(super) fn text(&self, text: String) -> Result<String, ToolError> {
        self.checks().text("content", text, MAX_TEXT)
    }

    /// What a thing is called where it is kept.
    pub(super) fn identifier(&self, text: String) -> Result<String, ToolError> {
        if text.is_empty() {
            return Err(self.invalid("handle.identifier: it is empty"));
        }
        self.checks().text("handle.identifier", text, MAX_IDENTIFIER)
    }

    /// Metadata as the store keeps it: the text of an object.
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

    /// Well-formed, but it cannot be done.
    pub(super) fn invalid(&self, message: impl Into<String>) -> ToolError {
        self.presentation.fail(Failure::Invalid, message)
    }

    /// What the port refused, as the caller sees it, and what to do about it.
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

/// The part of a list that is asked for.
pub(super) fn page(limit: Option<u32>, usual: u32, cursor: Option<String>) -> PageRequest {
    let limit = usize::try_from(limit.unwrap_or(usual)).unwrap_or(usize::MAX);
    PageRequest { after: cursor, limit }
}

/// Somebody's text, short enough for a message.
fn shown(text: &str) -> String {
    escaped_start(text, MAX_SHOWN)
}
