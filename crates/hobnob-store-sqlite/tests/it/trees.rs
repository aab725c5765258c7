//! Trees in SQLite: the suite, durability, many writers on one file, and the changes in every feed.

use hobnob_store::changes::{
    ChangeFeed, ChangeSource as _, ChangedRecord, FeedEvent, RecordChange, TreeListing,
};
use hobnob_store::memory::PageRequest;
use hobnob_store::suite::{self, TemporaryFolder};
use hobnob_store::trees::{
    Claimant, NewNode, NewTree, NodeContent, NodeId, NodeRef, StoredTree, TreeAccess, TreeName,
    TreeRef, TreeRepository,
};
use hobnob_store::{Owner, Store, Time};
use hobnob_store_sqlite::SqliteStore;
use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::task::JoinSet;

#[tokio::test]
async fn sqlite_does_what_the_port_says() {
    let folder = TemporaryFolder::new().unwrap();
    let count = AtomicUsize::new(0);
    suite::trees(async || {
        let name = format!("{}.db", count.fetch_add(1, Ordering::Relaxed));
        let store: Arc<dyn TreeRepository> =
            Arc::new(SqliteStore::open(&folder.file(&name)).unwrap());
        store
    })
    .await
    .unwrap();
}

#[tokio::test]
async fn sqlite_does_what_the_port_of_sessions_says() {
    let folder = TemporaryFolder::new().unwrap();
    let count = AtomicUsize::new(0);
    suite::model_sessions(async || {
        let name = format!("{}.db", count.fetch_add(1, Ordering::Relaxed));
        let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&folder.file(&name)).unwrap());
        store
    })
    .await
    .unwrap();
}

/// Each store has its own connection and writer, like a separate process.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_writers_append_to_one_tree() {
    const EACH: usize = 50;
    let folder = TemporaryFolder::new().unwrap();
    let stores: Vec<SqliteStore> =
        (0..4).map(|_| SqliteStore::open(&folder.file("store.db")).unwrap()).collect();
    let tree = stores[0].create_tree(access(0), new("main")).await.unwrap();
    let mut writing = JoinSet::new();
    for store in stores {
        let which = by_id(&tree);
        writing.spawn(async move {
            let mut parent = NodeRef::Root;
            let mut made = Vec::new();
            for _ in 0..EACH {
                let nodes = vec![text("a"), text("b")];
                let nodes =
                    store.append_nodes(access(0), which.clone(), parent, nodes).await.unwrap();
                made.extend(nodes.into_iter().map(|node| node.shape.id));
                parent = NodeRef::Id(made.last().unwrap().clone());
            }
            made
        });
    }
    let made: BTreeSet<NodeId> = writing.join_all().await.into_iter().flatten().collect();
    assert_eq!(made.len(), 4 * EACH * 2);

    // A handle opened later has every acknowledged node.
    let store = SqliteStore::open(&folder.file("store.db")).unwrap();
    let stored = store.tree(access(0), by_id(&tree)).await.unwrap();
    assert_eq!(stored.nodes, made.len() as u64 + 1);
    let page = PageRequest { after: None, limit: 1_000 };
    let skeleton = store.skeleton(access(0), by_id(&tree), page.clone()).await.unwrap();
    let found: BTreeSet<NodeId> = skeleton.items[1..].iter().map(|it| it.id.clone()).collect();
    assert_eq!(found, made);
    let leaves = store.leaves(access(0), by_id(&tree), page).await.unwrap();
    assert_eq!(leaves.items.len(), 4, "one conversation of each writer");
    assert!(leaves.items.iter().all(|leaf| leaf.depth == EACH as u64 * 2));
}

#[tokio::test]
async fn every_change_is_in_the_feed() {
    let folder = TemporaryFolder::new().unwrap();
    let store = SqliteStore::open(&folder.file("store.db")).unwrap();
    let other = SqliteStore::open(&folder.file("store.db")).unwrap();
    let mut feed = other.feed().await.unwrap();
    let tree = store.create_tree(access(0), new("main")).await.unwrap();
    let (which, ada) = (by_id(&tree), Claimant::new("ada"));
    assert_eq!(changed(&mut *feed, &tree).await, [TreeListing::Changed]);
    let nodes = vec![text("a"); 100];
    store.append_nodes(access(0), which.clone(), NodeRef::Root, nodes).await.unwrap();
    assert_eq!(changed(&mut *feed, &tree).await, [TreeListing::Same], "one for all nodes");
    store.set_metadata(access(0), which.clone(), Some("{}".into())).await.unwrap();
    assert_eq!(changed(&mut *feed, &tree).await, [TreeListing::Same]);
    let once = NonZeroU32::MIN;
    store.claim_tree(access(0), which.clone(), ada.clone(), once).await.unwrap();
    assert_eq!(changed(&mut *feed, &tree).await, [TreeListing::Same], "one more claim");
    store.release_tree(access(0), which.clone(), ada.clone(), once).await.unwrap();
    assert_eq!(changed(&mut *feed, &tree).await, [TreeListing::Same], "one less");
    store.release_tree(access(0), which.clone(), ada.clone(), once).await.unwrap();
    assert_eq!(changed(&mut *feed, &tree).await, [TreeListing::Changed], "the last");
    store.claim_tree(access(1), which.clone(), ada.clone(), once).await.unwrap();
    assert_eq!(changed(&mut *feed, &tree).await, [TreeListing::Changed], "back again");
    store.release_tree(access(1), which, ada, once).await.unwrap();
    assert_eq!(changed(&mut *feed, &tree).await, [TreeListing::Changed]);
    assert_eq!(store.remove_gone(access(38).now, 9).await.unwrap(), 1);
    assert_eq!(changed(&mut *feed, &tree).await, [TreeListing::Changed], "gone");
}

/// How lists of trees changed; each operation here is one commit.
async fn changed(feed: &mut dyn ChangeFeed, tree: &StoredTree) -> Vec<TreeListing> {
    let FeedEvent::Changes(changes) = feed.next().await.unwrap() else {
        panic!("too much changed")
    };
    let listing = |changed: RecordChange| match changed.what {
        ChangedRecord::Tree { id, name, listing }
            if changed.owner == Owner::named("ada") && id == tree.id.as_str() =>
        {
            assert_eq!(name.as_deref(), Some("main"));
            listing
        }
        other => panic!("{other:?} of {:?}", changed.owner),
    };
    changes.into_iter().map(listing).collect()
}

fn access(day: i64) -> TreeAccess {
    let now = Time::from_millis(day * 24 * 60 * 60 * 1_000);
    TreeAccess { owner: Owner::named("ada"), now }
}

fn new(name: &str) -> NewTree {
    NewTree {
        name: Some(TreeName::parse(name).unwrap()),
        metadata: None,
        root: text("root").content,
        claimant: Claimant::new("ada"),
    }
}

fn text(said: &str) -> NewNode {
    let content = NodeContent::Text { role: "user".into(), text: said.into() };
    NewNode { content, metadata: None }
}

fn by_id(tree: &StoredTree) -> TreeRef {
    TreeRef::Id(tree.id.clone())
}
