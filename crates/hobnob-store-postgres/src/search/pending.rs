//! Tracks the models in use and the memories that lack a vector of each; stores new vectors and
//! deletes those of unused models.
//!
//! A vector of an older version of a memory is not stored. A model is noted under a lock that every
//! write of a memory shares, so that no new memory is missed.

use crate::columns::{count as read_count, get, number, small, text, word};
use crate::error::Result;
use crate::memories::MemoryClause;
use crate::transaction::Transaction;
use crate::value::{SqlValue, values};
use hobnob_store::Time;
use hobnob_store::memory::{MemoryAccess, MemoryFilter, MemoryId, Unembedded, WantedWords};
use hobnob_store::search::QuantizedVector;
use std::time::Duration;

/// Vectors deleted per write, so that other writes need not wait for long.
const VECTORS_PER_DELETE: u32 = 2_000;
/// How long a model counts as in use before the use is recorded again.
const USE_INTERVAL: Duration = Duration::from_secs(3_600);

/// Whether the model's use is recorded, and so the memories that lack a vector of it are tracked.
pub(super) async fn is_noted(
    transaction: &Transaction,
    model: &str,
    words: WantedWords,
    now: Time,
) -> Result<bool> {
    let sql = "SELECT 1 FROM memory_models WHERE model = $1 AND $2 <= used AND (words OR NOT $3)";
    let given = values![model, now.minus(USE_INTERVAL), words == WantedWords::Yes];
    transaction.exists(sql, given).await
}

/// Records that a model is in use. On first use, also queues the memories that lack a vector of it,
/// or word vectors.
pub(super) async fn note(
    transaction: &Transaction,
    model: &str,
    words: WantedWords,
    now: Time,
) -> Result<()> {
    let sql = "UPDATE memory_models SET used = greatest(used, $2) WHERE model = $1";
    if transaction.execute(sql, values![model, now]).await? == 0 {
        let sql = "INSERT INTO memory_models (model, used) VALUES ($1, $2)";
        transaction.execute(sql, values![model, now]).await?;
        let sql = "INSERT INTO memory_pending (model, memory) \
                   SELECT $1, m.number FROM memories AS m WHERE m.status = 'active' AND NOT EXISTS \
                   (SELECT 1 FROM memory_vectors AS v WHERE v.memory = m.number AND v.model = $1)";
        transaction.execute(sql, values![model]).await?;
    }
    let sql = "UPDATE memory_models SET words = true WHERE model = $1 AND NOT words";
    if words == WantedWords::Yes && transaction.execute(sql, values![model]).await? == 1 {
        // Vectors that were stored without word vectors stay until they are replaced.
        let sql = "INSERT INTO memory_pending (model, memory) \
                   SELECT $1, m.number FROM memories AS m \
                   JOIN memory_vectors AS v ON v.memory = m.number AND v.model = $1 \
                   WHERE m.status = 'active' AND NOT EXISTS \
                   (SELECT 1 FROM memory_word_vectors AS w WHERE w.vector = v.number) \
                   ON CONFLICT DO NOTHING";
        transaction.execute(sql, values![model]).await?;
    }
    Ok(())
}

async fn is_known(transaction: &Transaction, model: &str) -> Result<bool> {
    transaction.exists("SELECT 1 FROM memory_models WHERE model = $1", values![model]).await
}

/// Memories without a vector, newest first.
pub(super) async fn pending(
    transaction: &Transaction,
    model: &str,
    limit: usize,
) -> Result<Vec<Unembedded>> {
    let sql = "SELECT m.id, m.version, m.content \
               FROM memory_pending AS p JOIN memories AS m ON m.number = p.memory \
               WHERE p.model = $1 ORDER BY p.memory DESC LIMIT $2";
    let read = |row: &_| {
        let id = word(row, 0, MemoryId::parse)?;
        Ok(Unembedded { id, version: small(row, 1)?, text: text(row, 2)? })
    };
    transaction.all(sql, values![model, limit], read).await
}

/// Stores a vector, unless the memory is at another version.
pub(super) async fn put(
    transaction: &Transaction,
    model: &str,
    (id, version): (&MemoryId, u32),
    vector: &QuantizedVector,
    words: Option<&[u8]>,
) -> Result<()> {
    // The lock keeps the version until the vector is stored.
    let sql = "SELECT number, digest FROM memories WHERE id = $1 AND version = $2 FOR SHARE";
    let found = transaction.first(sql, values![id.as_str(), version], |row| {
        Ok((number(row, 0)?, get::<Vec<u8>>(row, 1)?))
    });
    let Some((memory, digest)) = found.await? else { return Ok(()) };
    let sql = "DELETE FROM memory_vectors WHERE memory = $1 AND model = $2";
    transaction.execute(sql, values![memory, model]).await?;
    let sql = "INSERT INTO memory_vectors (memory, model, digest, scale, vector) \
               VALUES ($1, $2, $3, $4, $5) RETURNING number";
    let parts: Vec<u8> = vector.parts.iter().map(|part| part.cast_unsigned()).collect();
    let row = values![memory, model, digest, f64::from(vector.scale), parts];
    let number = transaction.one(sql, row, |row| number(row, 0)).await?;
    if let Some(words) = words {
        let sql = "INSERT INTO memory_word_vectors (vector, words) VALUES ($1, $2)";
        transaction.execute(sql, values![number, words]).await?;
    }
    let sql = "DELETE FROM memory_pending WHERE model = $1 AND memory = $2";
    transaction.execute(sql, values![model, memory]).await?;
    Ok(())
}

/// How many active memories have a vector, and how many there are.
pub(super) async fn count(transaction: &Transaction, model: &str) -> Result<(u64, u64)> {
    let sql = "SELECT count(*) FROM memories WHERE status = 'active'";
    let all = transaction.one(sql, values![], |row| read_count(row, 0)).await?;
    let having = if is_known(transaction, model).await? {
        let sql = "SELECT count(*) FROM memory_pending WHERE model = $1";
        let pending = transaction.one(sql, values![model], |row| read_count(row, 0)).await?;
        all.saturating_sub(pending)
    } else {
        let sql = "SELECT count(*) FROM memory_vectors AS v \
                   JOIN memories AS m ON m.number = v.memory \
                   WHERE v.model = $1 AND m.status = 'active'";
        transaction.one(sql, values![model], |row| read_count(row, 0)).await?
    };
    Ok((having, all))
}

/// The same two counts over what a caller can reach.
pub(super) async fn count_within(
    transaction: &Transaction,
    access: &MemoryAccess,
    model: &str,
) -> Result<(u64, u64)> {
    let MemoryClause(mut clause) = MemoryClause::wanted(access, &MemoryFilter::default());
    let number = |sql: String, values: Vec<SqlValue>| async move {
        transaction.one(&sql, &values, |row| read_count(row, 0)).await
    };
    let sql = |sql: &str| format!("SELECT count(*) FROM memories AS m WHERE {sql}");
    let all = number(sql(&clause.sql), clause.values.clone()).await?;
    let term = match is_known(transaction, model).await? {
        true => {
            "NOT EXISTS (SELECT 1 FROM memory_pending AS p \
             WHERE p.memory = m.number AND p.model = ?)"
        }
        false => {
            "EXISTS (SELECT 1 FROM memory_vectors AS v \
             WHERE v.memory = m.number AND v.model = ?)"
        }
    };
    clause.and(term, values![model]);
    Ok((number(sql(&clause.sql), clause.values).await?, all))
}

/// Whether there are models that were not used since `since`, or vectors of such models.
pub(super) async fn any_unused(transaction: &Transaction, since: Time) -> Result<bool> {
    let sql = "SELECT 1 FROM memory_models WHERE used < $1";
    Ok(transaction.exists(sql, values![since]).await? || unwanted(transaction).await?.is_some())
}

/// Removes models that were not used since `since`, and some vectors of one of them.
pub(super) async fn forget_some(transaction: &Transaction, since: Time) -> Result<()> {
    transaction.execute("DELETE FROM memory_models WHERE used < $1", values![since]).await?;
    let Some(model) = unwanted(transaction).await? else { return Ok(()) };
    let sql = "DELETE FROM memory_vectors WHERE number IN \
               (SELECT number FROM memory_vectors WHERE model = $1 LIMIT $2)";
    transaction.execute(sql, values![model, VECTORS_PER_DELETE]).await?;
    Ok(())
}

/// A model with vectors that is not in use. The recursive query skips from one model to the next,
/// since each may have very many vectors.
async fn unwanted(transaction: &Transaction) -> Result<Option<String>> {
    let sql = "WITH RECURSIVE had (model) AS ( \
                   SELECT min(model::text COLLATE \"C\") FROM memory_vectors UNION ALL \
                   SELECT (SELECT min(v.model::text COLLATE \"C\") FROM memory_vectors AS v \
                           WHERE had.model < v.model) FROM had WHERE had.model IS NOT NULL) \
               SELECT had.model FROM had WHERE had.model IS NOT NULL \
               AND NOT EXISTS (SELECT 1 FROM memory_models AS d WHERE d.model = had.model) LIMIT 1";
    transaction.first(sql, values![], |row| text(row, 0)).await
}
