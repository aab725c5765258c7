//! The port `TreeRepository`: each method is one transaction on the store's threads.
//!
//! Nothing is decided here; the sibling files do the work.

use super::rows::{NodeReader, find_node, load_tree};
use super::transaction::{TreeTransaction, on_trees};
use super::{change, life, outline, query, search};
use crate::SqliteStore;
use crate::convert::WorkError;
use hobnob_store::cursors::{ListOwner, PartOfList};
use hobnob_store::memory::{Page, PageRequest};
use hobnob_store::trees::{
    Claimant, FoundNodes, NewNode, NewTree, NodeId, NodeRef, NodeShape, StoredTree, TreeAccess,
    TreeError, TreeNode, TreeOutline, TreeRef, TreeRepository, TreeStateKind,
};
use hobnob_store::{NewRecords, StoreError, StoreFuture, StoredKind, Time};
use std::num::NonZeroU32;

impl SqliteStore {
    /// Reads one page of a list of trees or nodes, opening and sealing its cursors.
    fn list_trees<T, F>(
        &self,
        access: TreeAccess,
        list: &'static str,
        page: PageRequest,
        work: F,
    ) -> StoreFuture<'_, Result<T, TreeError>>
    where
        T: PartOfList + Send + 'static,
        F: FnOnce(&TreeTransaction<'_>, &PageRequest) -> Result<T, WorkError<TreeError>>
            + Send
            + 'static,
    {
        let of = ListOwner { owner: access.owner.clone(), list };
        self.read_part(of, page, move |connection, page| {
            work(&TreeTransaction::new(connection, &access), page)
        })
    }

    /// Runs a write transaction that adds `count` nodes, after checking the quota.
    pub(crate) fn add_nodes<T, E, F>(
        &self,
        access: TreeAccess,
        count: usize,
        work: F,
    ) -> StoreFuture<'_, Result<T, E>>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
        F: FnOnce(&TreeTransaction<'_>) -> Result<T, WorkError<E>> + Send + 'static,
    {
        let more = NewRecords { owner: access.owner.clone(), kind: StoredKind::TreeNodes, count };
        Box::pin(self.write_more(more, on_trees(access, work)))
    }
}

impl TreeRepository for SqliteStore {
    fn create_tree(
        &self,
        access: TreeAccess,
        new: NewTree,
    ) -> StoreFuture<'_, Result<StoredTree, TreeError>> {
        self.add_nodes(access, 1, move |transaction| change::create(transaction, new))
    }

    fn tree(
        &self,
        access: TreeAccess,
        tree: TreeRef,
    ) -> StoreFuture<'_, Result<StoredTree, TreeError>> {
        Box::pin(self.read(on_trees(access, move |transaction| {
            Ok(load_tree(transaction, transaction.find(&tree)?)?)
        })))
    }

    fn trees(
        &self,
        access: TreeAccess,
        state: TreeStateKind,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<StoredTree>, TreeError>> {
        self.list_trees(access, "trees", page, move |transaction, page| {
            query::trees(transaction, state, page)
        })
    }

    fn set_metadata(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        metadata: Option<String>,
    ) -> StoreFuture<'_, Result<StoredTree, TreeError>> {
        Box::pin(self.write(on_trees(access, move |transaction| {
            life::set_metadata(transaction, &tree, metadata)
        })))
    }

    fn claim_tree(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        claimant: Claimant,
        count: NonZeroU32,
    ) -> StoreFuture<'_, Result<StoredTree, TreeError>> {
        Box::pin(self.write(on_trees(access, move |transaction| {
            life::claim(transaction, &tree, &claimant, count)
        })))
    }

    fn release_tree(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        claimant: Claimant,
        count: NonZeroU32,
    ) -> StoreFuture<'_, Result<StoredTree, TreeError>> {
        Box::pin(self.write(on_trees(access, move |transaction| {
            life::release(transaction, &tree, &claimant, count)
        })))
    }

    fn set_state(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        state: TreeStateKind,
    ) -> StoreFuture<'_, Result<StoredTree, TreeError>> {
        Box::pin(
            self.write(on_trees(access, move |transaction| {
                life::set_state(transaction, &tree, state)
            })),
        )
    }

    fn append_nodes(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        parent: NodeRef,
        nodes: Vec<NewNode>,
    ) -> StoreFuture<'_, Result<Vec<TreeNode>, TreeError>> {
        self.add_nodes(access, nodes.len(), move |transaction| {
            change::append(transaction, &tree, &parent, nodes)
        })
    }

    fn node(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        node: NodeRef,
    ) -> StoreFuture<'_, Result<TreeNode, TreeError>> {
        Box::pin(self.read(on_trees(access, move |transaction| {
            let found = transaction.find(&tree)?;
            let number = find_node(transaction, found.number, &tree, &node)?;
            Ok(NodeReader::new(transaction)?.read(number)?)
        })))
    }

    fn children(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        node: NodeRef,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<TreeNode>, TreeError>> {
        self.list_trees(access, "children", page, move |transaction, page| {
            query::children(transaction, &tree, &node, page)
        })
    }

    fn path(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        node: NodeRef,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<TreeNode>, TreeError>> {
        self.list_trees(access, "path", page, move |transaction, page| {
            query::path(transaction, &tree, &node, page)
        })
    }

    fn path_shape(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        node: NodeRef,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<NodeShape>, TreeError>> {
        self.list_trees(access, "path", page, move |transaction, page| {
            query::path_shape(transaction, &tree, &node, page)
        })
    }

    fn handles(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        node: Option<NodeRef>,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<TreeNode>, TreeError>> {
        self.list_trees(access, "handles", page, move |transaction, page| match &node {
            Some(node) => query::path_handles(transaction, &tree, node, page),
            None => query::handles(transaction, &tree, page),
        })
    }

    fn leaves(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<NodeShape>, TreeError>> {
        self.list_trees(access, "leaves", page, move |transaction, page| {
            query::leaves(transaction, &tree, page)
        })
    }

    fn skeleton(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<NodeShape>, TreeError>> {
        self.list_trees(access, "skeleton", page, move |transaction, page| {
            query::skeleton(transaction, &tree, page)
        })
    }

    fn outline(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<TreeOutline, TreeError>> {
        self.list_trees(access, "outline", page, move |transaction, page| {
            outline::outline(transaction, &tree, page)
        })
    }

    fn search_nodes(
        &self,
        access: TreeAccess,
        words: Vec<String>,
        limit: usize,
    ) -> StoreFuture<'_, Result<FoundNodes, StoreError>> {
        Box::pin(self.read(on_trees(access, move |transaction| {
            Ok(search::search(transaction, &words, limit)?)
        })))
    }

    fn tree_words(
        &self,
        access: TreeAccess,
        prefix: String,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<String>, StoreError>> {
        Box::pin(self.read(on_trees(access, move |transaction| {
            Ok(search::tree_words(transaction, &prefix, limit)?)
        })))
    }

    fn node_ids(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        prefix: String,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<NodeId>, TreeError>> {
        Box::pin(self.read(on_trees(access, move |transaction| {
            search::node_ids(transaction, &tree, &prefix, limit)
        })))
    }

    fn remove_gone(&self, now: Time, limit: usize) -> StoreFuture<'_, Result<usize, StoreError>> {
        Box::pin(self.write(move |connection| Ok(life::remove_gone(connection, now, limit)?)))
    }
}
