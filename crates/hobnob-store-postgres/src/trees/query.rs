//! Pages of trees and of nodes. Read-only.
//!
//! A page of nodes with texts ends early once the texts are long.

use super::ancestors::{depth_of, path_part};
use super::rows::{
    CONTENT, SHAPE, find_node, load_tree, numbered_node, numbered_shape, read_nodes,
};
use super::work::{FoundTree, TreeWork, Worked};
use crate::columns::{number, optional_time};
use crate::error::Result;
use crate::value::values;
use hobnob_store::Time;
use hobnob_store::cursors::{cursor_at, number_in};
use hobnob_store::memory::{Page, PageRequest};
use hobnob_store::trees::{
    NodeContent, NodeRef, NodeShape, StoredTree, TreeError, TreeNode, TreeRef, TreeStateKind, life,
};
use std::collections::HashMap;
use tokio_postgres::Row;

/// A page ends after the node whose text makes it longer than this.
const PAGE_BYTES: usize = 1 << 20;
/// Nodes whose texts are read at once for a page that may end early.
const TEXTS_PER_READ: usize = 64;

/// The trees in one state, newest first.
pub(super) async fn trees(
    work: &TreeWork<'_>,
    state: TreeStateKind,
    page: &PageRequest,
) -> Worked<Page<StoredTree>> {
    let before = match &page.after {
        Some(cursor) => number_in(cursor).ok_or(TreeError::BadCursor)?,
        None => i64::MAX,
    };
    // The state as a range of release times: after the first bound, not after the second.
    let archived = life::archived_since(work.now());
    let (from, until) = match state {
        TreeStateKind::Active => (None, None),
        TreeStateKind::Scheduled => (Some(archived), Some(Time::from_millis(i64::MAX))),
        TreeStateKind::Archived => (Some(life::gone_since(work.now())), Some(archived)),
    };
    let sql = "SELECT number, released FROM trees WHERE owner = $1 AND number < $2 \
               AND (($3 IS NULL AND released IS NULL) OR ($3 < released AND released <= $4)) \
               ORDER BY number DESC LIMIT $5";
    let given = values![work.owner(), before, from, until, page.limit.saturating_add(1)];
    let rows = work
        .transaction
        .all(sql, given, |row| Ok((number(row, 0)?, optional_time(row, 1)?)))
        .await?;
    let more = page.limit < rows.len();
    let mut items = Vec::new();
    let mut last = None;
    for (number, released) in rows.into_iter().take(page.limit) {
        let Some(state) = life::state(released, work.now()) else { continue };
        items.push(load_tree(work, FoundTree { number, state }).await?);
        last = Some(number);
    }
    Ok(Page { items, next: last.filter(|_| more).map(cursor_at) })
}

/// The children of a node.
pub(super) async fn children(
    work: &TreeWork<'_>,
    tree: &TreeRef,
    node: &NodeRef,
    page: &PageRequest,
) -> Worked<Page<TreeNode>> {
    let found = work.find(tree).await?;
    let parent = find_node(work, found.number, tree, node).await?;
    nodes(work, "n.parent = $1", parent, page).await
}

/// The external nodes of a whole tree.
pub(super) async fn handles(
    work: &TreeWork<'_>,
    tree: &TreeRef,
    page: &PageRequest,
) -> Worked<Page<TreeNode>> {
    let found = work.find(tree).await?;
    nodes(work, "n.tree = $1 AND n.kind = 'external'", found.number, page).await
}

/// The nodes without children.
pub(super) async fn leaves(
    work: &TreeWork<'_>,
    tree: &TreeRef,
    page: &PageRequest,
) -> Worked<Page<NodeShape>> {
    let found = work.find(tree).await?;
    shapes(work, "n.tree = $1 AND n.children = 0", found.number, page).await
}

/// All nodes, without content.
pub(super) async fn skeleton(
    work: &TreeWork<'_>,
    tree: &TreeRef,
    page: &PageRequest,
) -> Worked<Page<NodeShape>> {
    let found = work.find(tree).await?;
    shapes(work, "n.tree = $1", found.number, page).await
}

/// The nodes from the root to this one.
pub(super) async fn path(
    work: &TreeWork<'_>,
    tree: &TreeRef,
    node: &NodeRef,
    page: &PageRequest,
) -> Worked<Page<TreeNode>> {
    let (numbers, next) = path_numbers(work, tree, node, page).await?;
    path_page(work, &numbers, next, page.limit).await
}

/// The same path without content.
pub(super) async fn path_shape(
    work: &TreeWork<'_>,
    tree: &TreeRef,
    node: &NodeRef,
    page: &PageRequest,
) -> Worked<Page<NodeShape>> {
    let (numbers, next) = path_numbers(work, tree, node, page).await?;
    let sql = format!("SELECT {SHAPE} FROM tree_nodes AS n WHERE n.number = ANY($1)");
    let found = work.transaction.all(&sql, values![numbers.as_slice()], numbered_shape).await?;
    let mut shapes: HashMap<i64, NodeShape> = found.into_iter().collect();
    let items = numbers.iter().filter_map(|number| shapes.remove(number)).collect();
    Ok(Page { items, next })
}

/// External nodes on the path from the root to this one. Every page examines a bounded part of the
/// path, so a page may be empty and still have a next one.
pub(super) async fn path_handles(
    work: &TreeWork<'_>,
    tree: &TreeRef,
    node: &NodeRef,
    page: &PageRequest,
) -> Worked<Page<TreeNode>> {
    const NODES_PER_PAGE: usize = 10_000;
    let part = PageRequest { after: page.after.clone(), limit: NODES_PER_PAGE };
    let (numbers, next) = path_numbers(work, tree, node, &part).await?;
    let sql = "SELECT number FROM tree_nodes WHERE number = ANY($1) AND kind = 'external' \
               ORDER BY depth";
    let external = work.transaction.all(sql, values![numbers], |row| number(row, 0)).await?;
    path_page(work, &external, next, page.limit).await
}

/// A page of these nodes of a path; their depth is its cursor.
async fn path_page(
    work: &TreeWork<'_>,
    numbers: &[i64],
    next: Option<String>,
    limit: usize,
) -> Worked<Page<TreeNode>> {
    let mut builder = PageBuilder::new(limit);
    for part in numbers.chunks(TEXTS_PER_READ) {
        for node in read_nodes(work, part).await? {
            let depth = i64::try_from(node.shape.depth).unwrap_or(i64::MAX);
            if !builder.push(depth, text_bytes(&node), node) {
                return Ok(builder.cut());
            }
        }
    }
    Ok(Page { items: builder.items, next })
}

/// A part of a path from the top down, and the cursor of the next part: a depth.
async fn path_numbers(
    work: &TreeWork<'_>,
    tree: &TreeRef,
    node: &NodeRef,
    page: &PageRequest,
) -> Worked<(Vec<i64>, Option<String>)> {
    let found = work.find(tree).await?;
    let number = find_node(work, found.number, tree, node).await?;
    let first = match &page.after {
        Some(cursor) => number_in(cursor).ok_or(TreeError::BadCursor)?.saturating_add(1),
        None => 0,
    };
    let depth = depth_of(work, number).await?;
    if depth < first || page.limit == 0 {
        return Ok((Vec::new(), None));
    }
    let limit = i64::try_from(page.limit).unwrap_or(i64::MAX);
    let last = depth.min(first.saturating_add(limit).saturating_sub(1));
    let numbers = path_part(work, number, first, last).await?;
    Ok((numbers, (last < depth).then(|| cursor_at(last))))
}

/// One page of the nodes for which the SQL condition `term` holds for `of`, with content.
async fn nodes(
    work: &TreeWork<'_>,
    term: &str,
    of: i64,
    page: &PageRequest,
) -> Worked<Page<TreeNode>> {
    let sql = format!(
        "SELECT {SHAPE}, {CONTENT}, c.content FROM tree_nodes AS n \
         JOIN tree_contents AS c ON c.node = n.number \
         WHERE {term} AND $2 < n.number ORDER BY n.number LIMIT $3"
    );
    fill(work, &sql, (of, TEXTS_PER_READ), page, numbered_node, text_bytes).await
}

/// One page of the nodes for which the SQL condition `term` holds for `of`, without content.
async fn shapes(
    work: &TreeWork<'_>,
    term: &str,
    of: i64,
    page: &PageRequest,
) -> Worked<Page<NodeShape>> {
    let sql = format!(
        "SELECT {SHAPE} FROM tree_nodes AS n WHERE {term} AND $2 < n.number \
         ORDER BY n.number LIMIT $3"
    );
    fill(work, &sql, (of, usize::MAX), page, numbered_shape, |_| 0).await
}

async fn fill<T>(
    work: &TreeWork<'_>,
    sql: &str,
    (of, at_once): (i64, usize),
    page: &PageRequest,
    read: fn(&Row) -> Result<(i64, T)>,
    bytes: fn(&T) -> usize,
) -> Worked<Page<T>> {
    let mut after = match &page.after {
        Some(cursor) => number_in(cursor).ok_or(TreeError::BadCursor)?,
        None => 0,
    };
    let mut builder = PageBuilder::new(page.limit);
    loop {
        let limit = page.limit.saturating_add(1).saturating_sub(builder.items.len()).min(at_once);
        let rows = work.transaction.all(sql, values![of, after, limit], read).await?;
        let is_last = rows.len() < limit;
        for (number, item) in rows {
            after = number;
            if !builder.push(number, bytes(&item), item) {
                return Ok(builder.cut());
            }
        }
        if is_last {
            return Ok(Page { items: builder.items, next: None });
        }
    }
}

/// A page that is being filled.
struct PageBuilder<T> {
    items: Vec<T>,
    limit: usize,
    bytes: usize,
    /// The number or depth of the last item.
    last: Option<i64>,
}

impl<T> PageBuilder<T> {
    fn new(limit: usize) -> Self {
        Self { items: Vec::new(), limit, bytes: 0, last: None }
    }

    /// Adds an item if there is room for it; returns whether there was.
    fn push(&mut self, key: i64, bytes: usize, item: T) -> bool {
        if self.limit <= self.items.len() || PAGE_BYTES <= self.bytes {
            return false;
        }
        self.bytes = self.bytes.saturating_add(bytes);
        self.items.push(item);
        self.last = Some(key);
        true
    }

    /// The page, with a cursor because more items follow.
    fn cut(self) -> Page<T> {
        Page { items: self.items, next: self.last.map(cursor_at) }
    }
}

fn text_bytes(node: &TreeNode) -> usize {
    let metadata = node.metadata.as_ref().map_or(0, String::len);
    metadata
        + match &node.content {
            NodeContent::Text { text, .. } => text.len(),
            NodeContent::External(handle) => handle.metadata.as_ref().map_or(0, String::len),
        }
}
