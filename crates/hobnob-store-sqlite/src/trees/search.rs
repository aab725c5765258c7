//! Finds nodes by their words, and names by prefix. Read-only.
//!
//! Scans texts one by one, newest first, up to a limit: people look for what was said lately, and
//! an index would make every node cost more.

use super::rows::{NodeReader, row_name};
use super::transaction::TreeTransaction;
use crate::columns::{integer, word};
use crate::convert::WorkError;
use hobnob_store::trees::{FoundNode, FoundNodes, NodeId, TreeError, TreeId, TreeRef, life};
use hobnob_store::words::folded;
use rusqlite::Result;

/// How many of the newest nodes of all trees a search examines.
const MAX_EXAMINED_NODES: i64 = 200_000;

/// Text nodes with all of these words, newest first.
pub(super) fn search(
    transaction: &TreeTransaction<'_>,
    words: &[String],
    limit: usize,
) -> Result<FoundNodes> {
    let words: Vec<String> = words.iter().map(|word| folded(word)).collect();
    let newest: i64 = transaction
        .connection
        .prepare_cached("SELECT coalesce(max(number), 0) FROM tree_nodes")?
        .query_row((), |row| row.get(0))?;
    let sql = "SELECT n.number, c.content, t.id, t.name FROM tree_nodes AS n \
               CROSS JOIN trees AS t ON t.number = n.tree \
               CROSS JOIN tree_contents AS c ON c.node = n.number \
               WHERE ?1 < n.number AND n.kind = 'text' AND t.owner = ?2 \
               AND (t.released IS NULL OR ?3 < t.released) ORDER BY n.number DESC";
    let mut statement = transaction.connection.prepare_cached(sql)?;
    let first = newest.saturating_sub(MAX_EXAMINED_NODES).max(0);
    let gone = life::gone_since(transaction.now()).millis();
    let mut rows = statement.query((first, transaction.owner(), gone))?;
    let mut reader = NodeReader::new(transaction)?;
    let mut nodes = Vec::new();
    while let Some(row) = rows.next()? {
        let fits = word(row, 1, |text| {
            let text = folded(text);
            Some(words.iter().all(|word| text.contains(word.as_str())))
        })?;
        if !fits {
            continue;
        }
        if nodes.len() == limit {
            return Ok(FoundNodes { nodes, complete: false });
        }
        nodes.push(FoundNode {
            tree: word(row, 2, TreeId::parse)?,
            name: row_name(row, 3)?,
            node: reader.read(row.get(0)?)?,
        });
    }
    Ok(FoundNodes { nodes, complete: first == 0 })
}

/// Names of trees that start with `prefix`, then ids.
pub(super) fn tree_words(
    transaction: &TreeTransaction<'_>,
    prefix: &str,
    limit: usize,
) -> Result<Vec<String>> {
    let mut words = Vec::new();
    for column in ["name", "id"] {
        let sql = format!(
            "SELECT {column} FROM trees WHERE owner = ?1 AND {column} IS NOT NULL \
             AND substr({column}, 1, length(?2)) = ?2 \
             AND (released IS NULL OR ?3 < released) ORDER BY number DESC LIMIT ?4"
        );
        let mut statement = transaction.connection.prepare_cached(&sql)?;
        let gone = life::gone_since(transaction.now()).millis();
        let left = integer(limit.saturating_sub(words.len()));
        let found = statement
            .query_map((transaction.owner(), prefix, gone, left), |row| row.get::<_, String>(0))?;
        words.extend(found.collect::<Result<Vec<_>>>()?);
    }
    Ok(words)
}

/// Ids of a tree's nodes that start with `prefix`, newest first.
pub(super) fn node_ids(
    transaction: &TreeTransaction<'_>,
    tree: &TreeRef,
    prefix: &str,
    limit: usize,
) -> Result<Vec<NodeId>, WorkError<TreeError>> {
    let found = transaction.find(tree)?;
    let sql = "SELECT id FROM tree_nodes INDEXED BY tree_nodes_in_order WHERE tree = ?1 \
               AND substr(id, 1, length(?2)) = ?2 ORDER BY number DESC LIMIT ?3";
    let mut statement = transaction.connection.prepare_cached(sql)?;
    let ids = statement.query_map((found.number, prefix, integer(limit)), |row| {
        word(row, 0, |raw| Some(NodeId::given(raw)))
    })?;
    Ok(ids.collect::<Result<_>>()?)
}
