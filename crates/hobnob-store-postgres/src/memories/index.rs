//! The postings and vectors of a memory, updated by the code that writes its row. Neighbours are
//! computed at search time, so a change touches only the memory itself.

use crate::columns::{optional_text, text, time};
use crate::error::Result;
use crate::transaction::Transaction;
use crate::value::{SqlValue, values};
use hobnob_store::memory::{Memory, Tag};
use hobnob_store::search::IndexedTexts;
use std::collections::BTreeMap;
use tokio_postgres::Row;

/// Indexes the current state of a memory, in any status, after it or its tags were written.
pub(super) async fn put(transaction: &Transaction, number: i64) -> Result<()> {
    let sql = "SELECT m.content, m.namespace, m.source, m.created, \
                      (SELECT string_agg(t.tag, ' ') FROM memory_tags AS t \
                       WHERE t.memory = m.number), \
                      (SELECT string_agg(s.source, ' ') FROM memory_sources AS s \
                       WHERE s.memory = m.number) \
               FROM memories AS m WHERE m.number = $1";
    let terms = transaction.first(sql, values![number], terms_of_row).await?;
    remove(transaction, number).await?;
    let Some(terms) = terms else { return Ok(()) };
    insert(transaction, number, &terms).await?;
    renew_vectors(transaction, number).await
}

/// Indexes a new memory, without removing an old entry.
pub(super) async fn put_new(transaction: &Transaction, number: i64, memory: &Memory) -> Result<()> {
    let tags: Vec<&str> = memory.tags.iter().map(Tag::as_str).collect();
    let texts = IndexedTexts {
        content: &memory.content,
        namespace: memory.namespace.as_str(),
        tags: &tags.join(" "),
        sources: memory.source.as_deref().unwrap_or_default(),
        created: memory.created,
    };
    insert(transaction, number, &texts.terms()).await?;
    let sql = "INSERT INTO memory_pending (model, memory) SELECT model, $1 FROM memory_models";
    transaction.execute(sql, values![number]).await?;
    Ok(())
}

/// Removes a memory from the index, before or after its row is deleted.
pub(super) async fn remove(transaction: &Transaction, number: i64) -> Result<()> {
    let sql = "DELETE FROM memory_postings WHERE memory = $1";
    transaction.execute(sql, values![number]).await?;
    Ok(())
}

async fn insert(
    transaction: &Transaction,
    number: i64,
    (body, labels): &(String, String),
) -> Result<()> {
    let mut counts: BTreeMap<&str, (i64, i64)> = BTreeMap::new();
    for term in body.split_ascii_whitespace() {
        counts.entry(term).or_default().0 += 1;
    }
    for term in labels.split_ascii_whitespace() {
        counts.entry(term).or_default().1 += 1;
    }
    let terms = SqlValue::texts(counts.keys().copied());
    let body: Vec<i64> = counts.values().map(|(body, _)| *body).collect();
    let labels: Vec<i64> = counts.values().map(|(_, labels)| *labels).collect();
    let sql = "INSERT INTO memory_postings (term, memory, body, labels) \
               SELECT u.term, $1, u.body, u.labels FROM unnest($2, $3, $4) \
               AS u (term, body, labels)";
    transaction.execute(sql, &[number.into(), terms, body.into(), labels.into()]).await?;
    Ok(())
}

fn terms_of_row(row: &Row) -> Result<(String, String)> {
    let (content, namespace) = (text(row, 0)?, text(row, 1)?);
    let sources =
        [optional_text(row, 2)?.unwrap_or_default(), optional_text(row, 5)?.unwrap_or_default()];
    let texts = IndexedTexts {
        content: &content,
        namespace: &namespace,
        tags: &optional_text(row, 4)?.unwrap_or_default(),
        sources: &sources.join(" "),
        created: time(row, 3)?,
    };
    Ok(texts.terms())
}

/// Deletes vectors of an older content, and queues the memory for every model without a vector.
async fn renew_vectors(transaction: &Transaction, number: i64) -> Result<()> {
    let steps = [
        "DELETE FROM memory_vectors WHERE memory = $1 \
         AND digest <> (SELECT digest FROM memories WHERE number = $1)",
        "DELETE FROM memory_pending WHERE memory = $1",
        "INSERT INTO memory_pending (model, memory) \
         SELECT d.model, m.number FROM memory_models AS d, memories AS m \
         WHERE m.number = $1 AND m.status = 'active' AND NOT EXISTS \
             (SELECT 1 FROM memory_vectors AS v WHERE v.memory = m.number AND v.model = d.model)",
    ];
    for sql in steps {
        transaction.execute(sql, values![number]).await?;
    }
    Ok(())
}
