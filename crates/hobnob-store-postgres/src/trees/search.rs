//! Finds nodes by their words, and names by prefix. Read-only.
//!
//! Scans texts one by one, newest first, up to a limit: people look for what was said lately, and
//! an index would make every node cost more.

use super::rows::{read_nodes, row_name};
use super::work::{TreeWork, Worked};
use crate::columns::{number, text, word};
use crate::error::Result;
use crate::value::values;
use hobnob_store::trees::{FoundNode, FoundNodes, NodeId, TreeId, TreeRef, life};
use hobnob_store::words::folded;

/// How many of the newest nodes of all trees a search examines.
const MAX_EXAMINED_NODES: i64 = 200_000;
/// Texts read at once.
const TEXTS_PER_READ: usize = 1_000;

/// Text nodes with all of these words, newest first.
pub(super) async fn search(
    work: &TreeWork<'_>,
    words: &[String],
    limit: usize,
) -> Result<FoundNodes> {
    let words: Vec<String> = words.iter().map(|word| folded(word)).collect();
    let sql = "SELECT coalesce(max(number), 0) FROM tree_nodes";
    let newest = work.transaction.one(sql, values![], |row| number(row, 0)).await?;
    let first = newest.saturating_sub(MAX_EXAMINED_NODES).max(0);
    let sql = "SELECT n.number, c.content, t.id, t.name FROM tree_nodes AS n \
               JOIN trees AS t ON t.number = n.tree JOIN tree_contents AS c ON c.node = n.number \
               WHERE $1 < n.number AND n.number <= $2 AND n.kind = 'text' AND t.owner = $3 \
               AND (t.released IS NULL OR $4 < t.released) ORDER BY n.number DESC LIMIT $5";
    let gone = life::gone_since(work.now());
    let (mut found, mut last) = (Vec::new(), newest);
    loop {
        let given = values![first, last, work.owner(), gone, TEXTS_PER_READ];
        let read = work.transaction.all(sql, given, |row| {
            let fits = word(row, 1, |text| {
                let text = folded(text);
                Some(words.iter().all(|word| text.contains(word.as_str())))
            })?;
            Ok((number(row, 0)?, fits, word(row, 2, TreeId::parse)?, row_name(row, 3)?))
        });
        let read = read.await?;
        let (count, lowest) = (read.len(), read.last().map_or(first, |(number, ..)| *number));
        found.extend(read.into_iter().filter(|(_, fits, ..)| *fits));
        if limit < found.len() || count < TEXTS_PER_READ {
            break;
        }
        last = lowest - 1;
    }
    let complete = first == 0 && found.len() <= limit;
    found.truncate(limit);
    let numbers: Vec<i64> = found.iter().map(|(number, ..)| *number).collect();
    let nodes = read_nodes(work, &numbers).await?.into_iter().zip(found);
    let nodes = nodes.map(|(node, (_, _, tree, name))| FoundNode { tree, name, node }).collect();
    Ok(FoundNodes { nodes, complete })
}

/// Names of trees that start with `prefix`, then ids.
pub(super) async fn tree_words(
    work: &TreeWork<'_>,
    prefix: &str,
    limit: usize,
) -> Result<Vec<String>> {
    let mut words = Vec::new();
    for column in ["name", "id"] {
        let sql = format!(
            "SELECT {column} FROM trees WHERE owner = $1 AND {column} IS NOT NULL \
             AND starts_with({column}, $2) AND (released IS NULL OR $3 < released) \
             ORDER BY number DESC LIMIT $4"
        );
        let gone = life::gone_since(work.now());
        let left = limit.saturating_sub(words.len());
        let given = values![work.owner(), prefix, gone, left];
        words.extend(work.transaction.all(&sql, given, |row| text(row, 0)).await?);
    }
    Ok(words)
}

/// Ids of a tree's nodes that start with `prefix`, newest first.
pub(super) async fn node_ids(
    work: &TreeWork<'_>,
    tree: &TreeRef,
    prefix: &str,
    limit: usize,
) -> Worked<Vec<NodeId>> {
    let found = work.find(tree).await?;
    let sql = "SELECT id FROM tree_nodes WHERE tree = $1 AND starts_with(id, $2) \
               ORDER BY number DESC LIMIT $3";
    let given = values![found.number, prefix, limit];
    let ids = work.transaction.all(sql, given, |row| word(row, 0, |raw| Some(NodeId::given(raw))));
    Ok(ids.await?)
}
