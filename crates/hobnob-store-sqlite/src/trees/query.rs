//! Pages of trees and of nodes. Read-only.
//!
//! A page of nodes with texts ends early once the texts are long.

use super::ancestors::{depth_of, path_part};
use super::rows::{
    CONTENT, NodeReader, SHAPE, find_node, load_tree, numbered_node, numbered_shape,
};
use super::transaction::{NumberedTree, TreeTransaction};
use crate::columns::{integer, optional_time};
use crate::convert::WorkError;
use hobnob_store::Time;
use hobnob_store::cursors::{cursor_at, number_in};
use hobnob_store::memory::{Page, PageRequest};
use hobnob_store::trees::{
    NodeContent, NodeKind, NodeRef, NodeShape, StoredTree, TreeError, TreeNode, TreeRef,
    TreeStateKind, life,
};
use rusqlite::{Result, Row, ToSql};

/// A page ends after the node whose text makes it longer than this.
const PAGE_BYTES: usize = 1 << 20;

/// The trees in one state, newest first.
pub(super) fn trees(
    transaction: &TreeTransaction<'_>,
    state: TreeStateKind,
    page: &PageRequest,
) -> Result<Page<StoredTree>, WorkError<TreeError>> {
    let before = match &page.after {
        Some(cursor) => number_in(cursor).ok_or(TreeError::BadCursor)?,
        None => i64::MAX,
    };
    // The state as a range of release times: after the first bound, not after the second.
    let archived = life::archived_since(transaction.now());
    let (from, until) = match state {
        TreeStateKind::Active => (None, None),
        TreeStateKind::Scheduled => (Some(archived), Some(Time::from_millis(i64::MAX))),
        TreeStateKind::Archived => (Some(life::gone_since(transaction.now())), Some(archived)),
    };
    let sql = "SELECT number, released FROM trees INDEXED BY trees_in_order \
               WHERE owner = ?1 AND number < ?2 AND ((?3 IS NULL AND released IS NULL) \
               OR (?3 < released AND released <= ?4)) ORDER BY number DESC LIMIT ?5";
    let mut statement = transaction.connection.prepare_cached(sql)?;
    let limit = integer(page.limit.saturating_add(1));
    let rows = statement
        .query_map(
            (transaction.owner(), before, from.map(Time::millis), until.map(Time::millis), limit),
            |row| Ok((row.get::<_, i64>(0)?, optional_time(row, 1)?)),
        )?
        .collect::<Result<Vec<_>>>()?;
    let more = page.limit < rows.len();
    let mut items = Vec::new();
    let mut last = None;
    for (number, released) in rows.into_iter().take(page.limit) {
        let Some(state) = life::state(released, transaction.now()) else { continue };
        items.push(load_tree(transaction, NumberedTree { number, state })?);
        last = Some(number);
    }
    Ok(Page { items, next: last.filter(|_| more).map(cursor_at) })
}

/// The children of a node.
pub(super) fn children(
    transaction: &TreeTransaction<'_>,
    tree: &TreeRef,
    node: &NodeRef,
    page: &PageRequest,
) -> Result<Page<TreeNode>, WorkError<TreeError>> {
    let found = transaction.find(tree)?;
    let parent = find_node(transaction, found.number, tree, node)?;
    nodes(transaction, "n.parent = ?1", parent, page)
}

/// The external nodes of a whole tree.
pub(super) fn handles(
    transaction: &TreeTransaction<'_>,
    tree: &TreeRef,
    page: &PageRequest,
) -> Result<Page<TreeNode>, WorkError<TreeError>> {
    let found = transaction.find(tree)?;
    nodes(transaction, "n.tree = ?1 AND n.kind = 'external'", found.number, page)
}

/// The nodes without children.
pub(super) fn leaves(
    transaction: &TreeTransaction<'_>,
    tree: &TreeRef,
    page: &PageRequest,
) -> Result<Page<NodeShape>, WorkError<TreeError>> {
    let found = transaction.find(tree)?;
    shapes(transaction, "n.tree = ?1 AND n.children = 0", found.number, page)
}

/// All nodes, without content.
pub(super) fn skeleton(
    transaction: &TreeTransaction<'_>,
    tree: &TreeRef,
    page: &PageRequest,
) -> Result<Page<NodeShape>, WorkError<TreeError>> {
    let found = transaction.find(tree)?;
    shapes(transaction, "n.tree = ?1", found.number, page)
}

/// The nodes from the root to this one.
pub(super) fn path(
    transaction: &TreeTransaction<'_>,
    tree: &TreeRef,
    node: &NodeRef,
    page: &PageRequest,
) -> Result<Page<TreeNode>, WorkError<TreeError>> {
    let (numbers, next) = path_numbers(transaction, tree, node, page)?;
    let mut reader = NodeReader::new(transaction)?;
    let mut builder = PageBuilder::new(page.limit);
    for number in numbers {
        let node = reader.read(number)?;
        let depth = i64::try_from(node.shape.depth).unwrap_or(i64::MAX);
        if !builder.push(depth, text_bytes(&node), node) {
            return Ok(builder.cut());
        }
    }
    Ok(Page { items: builder.items, next })
}

/// The same path without content.
pub(super) fn path_shape(
    transaction: &TreeTransaction<'_>,
    tree: &TreeRef,
    node: &NodeRef,
    page: &PageRequest,
) -> Result<Page<NodeShape>, WorkError<TreeError>> {
    let (numbers, next) = path_numbers(transaction, tree, node, page)?;
    let sql = format!("SELECT {SHAPE} FROM tree_nodes AS n WHERE n.number = ?1");
    let mut statement = transaction.connection.prepare_cached(&sql)?;
    let mut items = Vec::with_capacity(numbers.len());
    for number in numbers {
        items.push(statement.query_row([number], |row| Ok(numbered_shape(row)?.1))?);
    }
    Ok(Page { items, next })
}

/// External nodes on the path from the root to this one. Every page examines a bounded part of the
/// path, so a page may be empty and still have a next one.
pub(super) fn path_handles(
    transaction: &TreeTransaction<'_>,
    tree: &TreeRef,
    node: &NodeRef,
    page: &PageRequest,
) -> Result<Page<TreeNode>, WorkError<TreeError>> {
    const NODES_PER_PAGE: usize = 10_000;
    let part = PageRequest { after: page.after.clone(), limit: NODES_PER_PAGE };
    let (numbers, next) = path_numbers(transaction, tree, node, &part)?;
    let sql = "SELECT kind FROM tree_nodes WHERE number = ?1";
    let mut statement = transaction.connection.prepare_cached(sql)?;
    let mut reader = NodeReader::new(transaction)?;
    let mut builder = PageBuilder::new(page.limit);
    for number in numbers {
        let kind: String = statement.query_row([number], |row| row.get(0))?;
        if kind != NodeKind::External.as_str() {
            continue;
        }
        let node = reader.read(number)?;
        let depth = i64::try_from(node.shape.depth).unwrap_or(i64::MAX);
        if !builder.push(depth, text_bytes(&node), node) {
            return Ok(builder.cut());
        }
    }
    Ok(Page { items: builder.items, next })
}

/// A part of a path from the top down, and the cursor of the next part: a depth.
fn path_numbers(
    transaction: &TreeTransaction<'_>,
    tree: &TreeRef,
    node: &NodeRef,
    page: &PageRequest,
) -> Result<(Vec<i64>, Option<String>), WorkError<TreeError>> {
    let found = transaction.find(tree)?;
    let number = find_node(transaction, found.number, tree, node)?;
    let first = match &page.after {
        Some(cursor) => number_in(cursor).ok_or(TreeError::BadCursor)?.saturating_add(1),
        None => 0,
    };
    let depth = depth_of(transaction, number)?;
    if depth < first || page.limit == 0 {
        return Ok((Vec::new(), None));
    }
    let last = depth.min(first.saturating_add(integer(page.limit)).saturating_sub(1));
    let numbers = path_part(transaction, number, first, last)?;
    Ok((numbers, (last < depth).then(|| cursor_at(last))))
}

/// One page of the nodes for which the SQL condition `term` holds for `of`, with content.
fn nodes(
    transaction: &TreeTransaction<'_>,
    term: &str,
    of: i64,
    page: &PageRequest,
) -> Result<Page<TreeNode>, WorkError<TreeError>> {
    let sql = format!(
        "SELECT {SHAPE}, {CONTENT}, c.content FROM tree_nodes AS n \
         JOIN tree_contents AS c ON c.node = n.number \
         WHERE {term} AND ?2 < n.number ORDER BY n.number LIMIT ?3"
    );
    fill(transaction, &sql, of, page, numbered_node, text_bytes)
}

/// One page of the nodes for which the SQL condition `term` holds for `of`, without content.
fn shapes(
    transaction: &TreeTransaction<'_>,
    term: &str,
    of: i64,
    page: &PageRequest,
) -> Result<Page<NodeShape>, WorkError<TreeError>> {
    let sql = format!(
        "SELECT {SHAPE} FROM tree_nodes AS n WHERE {term} AND ?2 < n.number \
         ORDER BY n.number LIMIT ?3"
    );
    fill(transaction, &sql, of, page, numbered_shape, |_| 0)
}

fn fill<T>(
    transaction: &TreeTransaction<'_>,
    sql: &str,
    of: i64,
    page: &PageRequest,
    read: fn(&Row<'_>) -> Result<(i64, T)>,
    bytes: fn(&T) -> usize,
) -> Result<Page<T>, WorkError<TreeError>> {
    let after = match &page.after {
        Some(cursor) => number_in(cursor).ok_or(TreeError::BadCursor)?,
        None => 0,
    };
    let mut statement = transaction.connection.prepare_cached(sql)?;
    let limit = integer(page.limit.saturating_add(1));
    let params: [&dyn ToSql; 3] = [&of, &after, &limit];
    let mut rows = statement.query(params)?;
    let mut builder = PageBuilder::new(page.limit);
    while let Some(row) = rows.next()? {
        let (number, item) = read(row)?;
        if !builder.push(number, bytes(&item), item) {
            return Ok(builder.cut());
        }
    }
    Ok(Page { items: builder.items, next: None })
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
