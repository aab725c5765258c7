//! The user's stored prompts in the table `prompts`, behind the port [`PromptRepository`].
//!
//! Each write records its change in the same transaction.

use super::change_log;
use super::columns::time;
use super::store::SqliteStore;
use hobnob_store::changes::{ChangedRecord, RecordChange};
use hobnob_store::memory::{PromptRepository, StoredPrompt};
use hobnob_store::{Owner, StoreError, StoreFuture};
use rusqlite::{Connection, OptionalExtension as _, Result, Row};

impl PromptRepository for SqliteStore {
    fn save(&self, prompt: StoredPrompt) -> StoreFuture<'_, Result<(), StoreError>> {
        Box::pin(self.write(move |connection| Ok(save(connection, &prompt)?)))
    }

    fn find(
        &self,
        owner: Owner,
        name: String,
    ) -> StoreFuture<'_, Result<Option<StoredPrompt>, StoreError>> {
        Box::pin(self.read(move |connection| {
            let sql = "SELECT owner, name, description, template, updated FROM prompts \
                       WHERE owner = ?1 AND name = ?2";
            let mut statement = connection.prepare_cached(sql)?;
            Ok(statement.query_row((owner.as_str(), name), prompt).optional()?)
        }))
    }

    fn all(&self, owner: Owner) -> StoreFuture<'_, Result<Vec<StoredPrompt>, StoreError>> {
        Box::pin(self.read(move |connection| {
            let sql = "SELECT owner, name, description, template, updated FROM prompts \
                       WHERE owner = ?1 ORDER BY name";
            let mut statement = connection.prepare_cached(sql)?;
            Ok(statement.query_map([owner.as_str()], prompt)?.collect::<Result<_>>()?)
        }))
    }

    fn remove(&self, owner: Owner, name: String) -> StoreFuture<'_, Result<bool, StoreError>> {
        Box::pin(self.write(move |connection| Ok(remove(connection, owner, name)?)))
    }
}

fn save(connection: &Connection, prompt: &StoredPrompt) -> Result<()> {
    let sql = "INSERT INTO prompts (owner, name, description, template, updated) \
               VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE SET \
               description = excluded.description, template = excluded.template, \
               updated = excluded.updated";
    connection.prepare_cached(sql)?.execute((
        prompt.owner.as_str(),
        &prompt.name,
        &prompt.description,
        &prompt.template,
        prompt.updated.millis(),
    ))?;
    record_change(connection, prompt.owner.clone(), prompt.name.clone())
}

fn remove(connection: &Connection, owner: Owner, name: String) -> Result<bool> {
    let sql = "DELETE FROM prompts WHERE owner = ?1 AND name = ?2";
    let was_there = connection.prepare_cached(sql)?.execute((owner.as_str(), &name))? == 1;
    if was_there {
        record_change(connection, owner, name)?;
    }
    Ok(was_there)
}

fn record_change(connection: &Connection, owner: Owner, name: String) -> Result<()> {
    change_log::record_change(
        connection,
        &RecordChange { owner, what: ChangedRecord::Prompt { name } },
    )
}

fn prompt(row: &Row<'_>) -> Result<StoredPrompt> {
    Ok(StoredPrompt {
        owner: Owner::named(&row.get::<_, String>(0)?),
        name: row.get(1)?,
        description: row.get(2)?,
        template: row.get(3)?,
        updated: time(row, 4)?,
    })
}
