//! The port `TreeRepository`: each method is one transaction.
//!
//! Nothing is decided here; the sibling files do the work.

use super::rows::{find_node, load_tree, read_nodes};
use super::work::TreeWork;
use super::{change, life, outline, query, search};
use crate::error::TransactionFailure;
use crate::quota;
use crate::store::PostgresStore;
use crate::transaction::{Scope, in_transaction};
use hobnob_store::cursors::ListOwner;
use hobnob_store::memory::{Page, PageRequest};
use hobnob_store::trees::{
    Claimant, FoundNodes, NewNode, NewTree, NodeId, NodeRef, NodeShape, StoredTree, TreeAccess,
    TreeError, TreeNode, TreeOutline, TreeRef, TreeRepository, TreeStateKind,
};
use hobnob_store::{StoreError, StoreFuture, StoredKind, Time};
use std::num::NonZeroU32;

/// Reads an owner's trees.
macro_rules! reading {
    ($store:expr, $access:expr, |$work:ident| $done:expr) => {
        Box::pin(async move {
            in_transaction!($store, Scope::read(&$access.owner), |transaction| {
                let $work = TreeWork::new(&transaction, &$access);
                $done
            })
        })
    };
}

/// Changes an owner's trees, one change at a time.
macro_rules! writing {
    ($store:expr, $access:expr, |$work:ident| $done:expr) => {
        Box::pin(async move {
            in_transaction!($store, TreeWork::write_scope(&$access), |transaction| {
                let $work = TreeWork::new(&transaction, &$access);
                $done
            })
        })
    };
}

/// Reads one page of a list of trees or nodes, opening and sealing its cursors.
macro_rules! listing {
    ($store:expr, $access:expr, $list:literal, $page:expr, |$work:ident, $opened:ident| $done:expr) => {
        Box::pin(async move {
            let of = ListOwner { owner: $access.owner.clone(), list: $list };
            let $opened = $store.open_cursor::<TreeError>(&of, $page).await?;
            let part = in_transaction!($store, Scope::read(&$access.owner), |transaction| {
                let $work = TreeWork::new(&transaction, &$access);
                $done
            });
            $store.seal_cursor(&of, part).await
        })
    };
}

impl TreeRepository for PostgresStore {
    fn create_tree(
        &self,
        access: TreeAccess,
        new: NewTree,
    ) -> StoreFuture<'_, Result<StoredTree, TreeError>> {
        writing!(self, access, |work| {
            let records = (work.owner(), StoredKind::TreeNodes);
            quota::check(work.transaction, &self.quotas(), records, 1).await?;
            change::create(&work, new.clone()).await
        })
    }

    fn tree(
        &self,
        access: TreeAccess,
        tree: TreeRef,
    ) -> StoreFuture<'_, Result<StoredTree, TreeError>> {
        reading!(self, access, |work| {
            let found = work.find(&tree).await?;
            Ok(load_tree(&work, found).await?)
        })
    }

    fn trees(
        &self,
        access: TreeAccess,
        state: TreeStateKind,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<StoredTree>, TreeError>> {
        listing!(self, access, "trees", page, |work, page| {
            query::trees(&work, state, &page).await
        })
    }

    fn set_metadata(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        metadata: Option<String>,
    ) -> StoreFuture<'_, Result<StoredTree, TreeError>> {
        writing!(self, access, |work| {
            life::set_metadata(&work, &tree, metadata.as_deref()).await
        })
    }

    fn claim_tree(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        claimant: Claimant,
        count: NonZeroU32,
    ) -> StoreFuture<'_, Result<StoredTree, TreeError>> {
        writing!(self, access, |work| life::claim(&work, &tree, &claimant, count).await)
    }

    fn release_tree(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        claimant: Claimant,
        count: NonZeroU32,
    ) -> StoreFuture<'_, Result<StoredTree, TreeError>> {
        writing!(self, access, |work| life::release(&work, &tree, &claimant, count).await)
    }

    fn set_state(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        state: TreeStateKind,
    ) -> StoreFuture<'_, Result<StoredTree, TreeError>> {
        writing!(self, access, |work| life::set_state(&work, &tree, state).await)
    }

    fn append_nodes(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        parent: NodeRef,
        nodes: Vec<NewNode>,
    ) -> StoreFuture<'_, Result<Vec<TreeNode>, TreeError>> {
        writing!(self, access, |work| {
            let records = (work.owner(), StoredKind::TreeNodes);
            quota::check(work.transaction, &self.quotas(), records, nodes.len()).await?;
            change::append(&work, &tree, &parent, nodes.clone()).await
        })
    }

    fn node(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        node: NodeRef,
    ) -> StoreFuture<'_, Result<TreeNode, TreeError>> {
        reading!(self, access, |work| {
            let found = work.find(&tree).await?;
            let number = find_node(&work, found.number, &tree, &node).await?;
            let gone = || TreeError::NodeNotFound { tree: tree.clone(), node: node.clone() };
            Ok(read_nodes(&work, &[number]).await?.pop().ok_or_else(gone)?)
        })
    }

    fn children(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        node: NodeRef,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<TreeNode>, TreeError>> {
        listing!(self, access, "children", page, |work, page| {
            query::children(&work, &tree, &node, &page).await
        })
    }

    fn path(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        node: NodeRef,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<TreeNode>, TreeError>> {
        listing!(self, access, "path", page, |work, page| {
            query::path(&work, &tree, &node, &page).await
        })
    }

    fn path_shape(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        node: NodeRef,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<NodeShape>, TreeError>> {
        listing!(self, access, "path", page, |work, page| {
            query::path_shape(&work, &tree, &node, &page).await
        })
    }

    fn handles(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        node: Option<NodeRef>,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<TreeNode>, TreeError>> {
        listing!(self, access, "handles", page, |work, page| match &node {
            Some(node) => query::path_handles(&work, &tree, node, &page).await,
            None => query::handles(&work, &tree, &page).await,
        })
    }

    fn leaves(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<NodeShape>, TreeError>> {
        listing!(self, access, "leaves", page, |work, page| {
            query::leaves(&work, &tree, &page).await
        })
    }

    fn skeleton(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<NodeShape>, TreeError>> {
        listing!(self, access, "skeleton", page, |work, page| {
            query::skeleton(&work, &tree, &page).await
        })
    }

    fn outline(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<TreeOutline, TreeError>> {
        listing!(self, access, "outline", page, |work, page| {
            outline::outline(&work, &tree, &page).await
        })
    }

    fn search_nodes(
        &self,
        access: TreeAccess,
        words: Vec<String>,
        limit: usize,
    ) -> StoreFuture<'_, Result<FoundNodes, StoreError>> {
        reading!(self, access, |work| Ok::<_, TransactionFailure>(
            search::search(&work, &words, limit).await?
        ))
    }

    fn tree_words(
        &self,
        access: TreeAccess,
        prefix: String,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<String>, StoreError>> {
        reading!(self, access, |work| Ok::<_, TransactionFailure>(
            search::tree_words(&work, &prefix, limit).await?
        ))
    }

    fn node_ids(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        prefix: String,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<NodeId>, TreeError>> {
        reading!(self, access, |work| search::node_ids(&work, &tree, &prefix, limit).await)
    }

    fn remove_gone(&self, now: Time, limit: usize) -> StoreFuture<'_, Result<usize, StoreError>> {
        Box::pin(async move {
            in_transaction!(self, Scope::write_all(), |transaction| Ok::<_, TransactionFailure>(
                life::remove_gone(&transaction, now, limit).await?
            ))
        })
    }
}
