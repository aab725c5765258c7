//! The cost of walking a whole tree, in SQLite's own steps, which do not depend on machine load.

use super::outline;
use crate::SqliteStore;
use crate::trees::change::{append, create};
use crate::trees::query::{path, path_shape, skeleton};
use crate::trees::transaction::TreeTransaction;
use hobnob_store::memory::PageRequest;
use hobnob_store::suite::TemporaryFolder;
use hobnob_store::trees::{
    Claimant, NewNode, NewTree, NodeContent, NodeId, NodeRef, StoredTree, TreeAccess, TreeRef,
};
use hobnob_store::{Owner, Time};
use rusqlite::Connection;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The shape of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Form {
    /// Each node is below the one before it.
    Chain,
    /// A chain with one sibling at its top, so that every line is in a branch that begins far away.
    Branch,
    /// All nodes are below the root.
    Wide,
    /// A chain in which every node has a second child.
    Branches,
}

#[derive(Debug, Clone, Copy)]
enum Walk {
    Outline,
    Skeleton,
    Path,
    PathShape,
}

const WALKS: [Walk; 4] = [Walk::Outline, Walk::Skeleton, Walk::Path, Walk::PathShape];

/// Every walk through four times as many nodes, in parts of the same length, takes four times as
/// many steps: a part costs the same at any position.
#[tokio::test]
async fn whole_walks_are_linear() {
    let slow = std::env::var_os("SLOW_TESTS").is_some();
    let few = if slow { 10_000 } else { 500 };
    for form in [Form::Chain, Form::Branch, Form::Wide, Form::Branches] {
        let folder = TemporaryFolder::new().unwrap();
        let file = folder.file("store.db");
        drop(SqliteStore::open(&file).unwrap());
        let mut connection = Connection::open(&file).unwrap();
        let (small, small_leaf) = fill(&mut connection, form, few);
        let (large, large_leaf) = fill(&mut connection, form, 4 * few);
        for walk in WALKS {
            let (nodes, steps) = take(&mut connection, walk, &small, &small_leaf);
            let (more_nodes, more_steps) = take(&mut connection, walk, &large, &large_leaf);
            if matches!(walk, Walk::Outline | Walk::Skeleton) || form == Form::Chain {
                assert_eq!((nodes, more_nodes), (few + 1, 4 * few + 1), "{walk:?} of a {form:?}");
            }
            let limit = steps * 5 + 20_000;
            assert!(more_steps < limit, "{walk:?} of a {form:?}: {steps}, then {more_steps} steps");
        }
    }
}

/// A tree with `nodes` nodes besides its root, all in one commit; returns it and its last node.
fn fill(connection: &mut Connection, form: Form, nodes: usize) -> (TreeRef, NodeRef) {
    let text = || NodeContent::Text { role: "user".into(), text: "x".into() };
    let access = access();
    let commit = connection.transaction().unwrap();
    let transaction = TreeTransaction::new(&commit, &access);
    let claimant = Claimant::new("test");
    let new = NewTree { name: None, metadata: None, root: text(), claimant };
    let StoredTree { id, root, .. } = create(&transaction, new).unwrap();
    let tree = TreeRef::Id(id);
    let add = |parent: &NodeId, count: usize| {
        let parent = NodeRef::Id(parent.clone());
        let new = vec![NewNode { content: text(), metadata: None }; count];
        let made = append(&transaction, &tree, &parent, new).unwrap();
        made.into_iter().map(|node| node.shape.id).collect::<Vec<_>>()
    };
    let last = match form {
        Form::Chain => add(&root, nodes).pop().unwrap(),
        Form::Branch => {
            let last = add(&root, nodes - 1).pop().unwrap();
            add(&root, 1);
            last
        }
        Form::Wide => (0..nodes).fold(root.clone(), |_, _| add(&root, 1).pop().unwrap()),
        Form::Branches => {
            let chain = add(&root, nodes / 2);
            for parent in std::iter::once(&root).chain(&chain).take(nodes - chain.len()) {
                add(parent, 1);
            }
            chain.last().unwrap().clone()
        }
    };
    commit.commit().unwrap();
    (tree, NodeRef::Id(last))
}

fn access() -> TreeAccess {
    TreeAccess { owner: Owner::default(), now: Time::default() }
}

/// The number of nodes that a walk in parts visited, and the steps that SQLite took.
fn take(connection: &mut Connection, walk: Walk, tree: &TreeRef, leaf: &NodeRef) -> (usize, u64) {
    /// SQLite calls the handler once per this many steps.
    const STEPS_PER_CALL: u64 = 20;
    let calls = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&calls);
    let count = move || {
        counter.fetch_add(1, Ordering::Relaxed);
        false
    };
    connection.progress_handler(STEPS_PER_CALL as i32, Some(count)).unwrap();
    let access = access();
    let transaction = TreeTransaction::new(connection, &access);
    let (mut nodes, mut after) = (0, None);
    loop {
        let page = PageRequest { after, limit: 100 };
        let (count, next) = match walk {
            Walk::Outline => {
                let part = outline(&transaction, tree, &page).unwrap();
                (part.lines.len(), part.next)
            }
            Walk::Skeleton => {
                let part = skeleton(&transaction, tree, &page).unwrap();
                (part.items.len(), part.next)
            }
            Walk::Path => {
                let part = path(&transaction, tree, leaf, &page).unwrap();
                (part.items.len(), part.next)
            }
            Walk::PathShape => {
                let part = path_shape(&transaction, tree, leaf, &page).unwrap();
                (part.items.len(), part.next)
            }
        };
        nodes += count;
        after = next;
        if after.is_none() {
            return (nodes, calls.load(Ordering::Relaxed) * STEPS_PER_CALL);
        }
    }
}
