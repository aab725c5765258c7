//! The tree service as a `BuiltInService`: its kit for a presentation, how it reacts to changes in
//! the store, and its background task.
//!
//! Kits list the roots of active trees from a snapshot, which `refresh` reads anew.

use super::addresses::tree_uri;
use super::resources::{root_uri, with_resources};
use super::service::{ArborService, PresentedTrees};
use super::tools::with_tools;
use super::views::address_of;
use crate::built_in::{BuiltInService, KitChange, KitStaleness};
use crate::presentation::{ListedOwner, Presentation};
use hobnob_mcp_engine::BoxFuture;
use hobnob_mcp_toolbox::{Kit, KitError};
use hobnob_store::changes::{ChangedRecord, RecordChange, TreeListing};
use hobnob_store::memory::PageRequest;
use hobnob_store::trees::{TreeAccess, TreeError, TreeRef, TreeStateKind};
use hobnob_store::{Owner, StoreError, Time};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The newest trees have their roots listed, this many; the others are reached by templates.
const MAX_LISTED: usize = 500;
/// Expired trees that one transaction removes: each may have many nodes.
const REMOVE_BATCH: usize = 5;
/// How often expired trees are removed.
const REMOVE_INTERVAL: Duration = Duration::from_secs(60 * 60);

impl BuiltInService for ArborService {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn kit(&self, presentation: &Presentation) -> Result<Kit, KitError> {
        let presented =
            PresentedTrees { service: self.clone(), presentation: Arc::new(presentation.clone()) };
        let kit = with_tools(Kit::service(Self::NAME).with_state(presented));
        with_resources(kit, presentation, &self.listed.shown_in(presentation)).build()
    }

    /// The tools are of use only to a person who has trees.
    fn is_everyday(&self, _tool: &str, listed: ListedOwner) -> bool {
        listed == ListedOwner::Person && !self.listed.get().is_empty()
    }

    fn refresh(&self) -> BoxFuture<'_, Result<KitChange, StoreError>> {
        Box::pin(async { Ok(self.listed.replace(self.read_listed().await?)) })
    }

    fn staleness(&self, change: &RecordChange) -> KitStaleness {
        match &change.what {
            ChangedRecord::Tree { listing: TreeListing::Changed, .. } => KitStaleness::Stale,
            ChangedRecord::Tree { .. }
            | ChangedRecord::Memory { .. }
            | ChangedRecord::Prompt { .. }
            | ChangedRecord::ModelSession { .. }
            | ChangedRecord::Task { .. } => KitStaleness::Current,
        }
    }

    /// A node never changes; its tree changes when nodes are added.
    fn changed_resources(&self, presentation: &Presentation, change: &RecordChange) -> Vec<String> {
        let ChangedRecord::Tree { id, name, listing } = &change.what else { return Vec::new() };
        let mut uris = Vec::new();
        for word in name.iter().chain([id]) {
            uris.push(tree_uri(presentation, word));
            if let (TreeListing::Changed, Some(tree)) = (listing, TreeRef::parse(word)) {
                uris.push(root_uri(presentation, &tree));
            }
        }
        uris
    }

    fn all_resources(&self, presentation: &Presentation) -> Vec<String> {
        let trees = self.listed.get();
        let uris =
            |tree: &TreeRef| [tree_uri(presentation, tree.as_str()), root_uri(presentation, tree)];
        trees.iter().flat_map(uris).collect()
    }

    fn run(&self, stop: CancellationToken) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let mut hours = tokio::time::interval(REMOVE_INTERVAL);
            loop {
                tokio::select! {
                    () = stop.cancelled() => return,
                    _ = hours.tick() => self.remove_gone().await,
                }
            }
        })
    }
}

impl ArborService {
    /// The trees without a named owner, since a view does not belong to one caller.
    async fn read_listed(&self) -> Result<Arc<[TreeRef]>, StoreError> {
        let access = TreeAccess { owner: Owner::default(), now: Time::now() };
        let page = PageRequest { after: None, limit: MAX_LISTED };
        match self.trees.trees(access, TreeStateKind::Active, page).await {
            Ok(trees) => Ok(trees.items.iter().map(address_of).collect()),
            Err(TreeError::Store(error)) => Err(error),
            Err(other) => Err(StoreError::Failed(other.to_string())),
        }
    }

    /// Removes the trees that have expired. After a failure it tries again an hour later.
    async fn remove_gone(&self) {
        loop {
            match self.trees.remove_gone(Time::now(), REMOVE_BATCH).await {
                Ok(REMOVE_BATCH) => {}
                Ok(_) => return,
                Err(error) => {
                    tracing::debug!(%error, "trees that are gone cannot be removed now");
                    return;
                }
            }
        }
    }
}
