//! The users' stored prompts in the table `prompts`, behind the port [`PromptRepository`].
//!
//! Each write records its change in the same transaction.

use crate::change_log;
use crate::columns::{optional_text, owner, text, time};
use crate::error::{Result, TransactionFailure};
use crate::store::PostgresStore;
use crate::transaction::{Scope, Transaction, in_transaction};
use crate::value::values;
use hobnob_store::changes::{ChangedRecord, RecordChange};
use hobnob_store::memory::{PromptRepository, StoredPrompt};
use hobnob_store::{Owner, StoreError, StoreFuture};
use tokio_postgres::Row;

impl PromptRepository for PostgresStore {
    fn save(&self, prompt: StoredPrompt) -> StoreFuture<'_, std::result::Result<(), StoreError>> {
        Box::pin(async move {
            in_transaction!(self, Scope::write(&prompt.owner), |transaction| {
                let sql = "INSERT INTO prompts (owner, name, description, template, updated) \
                           VALUES ($1, $2, $3, $4, $5) ON CONFLICT (owner, name) DO UPDATE SET \
                           description = excluded.description, template = excluded.template, \
                           updated = excluded.updated";
                let StoredPrompt { owner, name, description, template, updated } = &prompt;
                let row = values![owner, name, description, template, *updated];
                transaction.execute(sql, row).await?;
                record_change(&transaction, owner, name).await?;
                Ok::<_, TransactionFailure>(())
            })
        })
    }

    fn find(
        &self,
        owner: Owner,
        name: String,
    ) -> StoreFuture<'_, std::result::Result<Option<StoredPrompt>, StoreError>> {
        Box::pin(async move {
            in_transaction!(self, Scope::read(&owner), |transaction| {
                let sql = "SELECT owner, name, description, template, updated FROM prompts \
                           WHERE owner = $1 AND name = $2";
                Ok::<_, TransactionFailure>(
                    transaction.first(sql, values![&owner, &name], prompt).await?,
                )
            })
        })
    }

    fn all(
        &self,
        owner: Owner,
    ) -> StoreFuture<'_, std::result::Result<Vec<StoredPrompt>, StoreError>> {
        Box::pin(async move {
            in_transaction!(self, Scope::read(&owner), |transaction| {
                let sql = "SELECT owner, name, description, template, updated FROM prompts \
                           WHERE owner = $1 ORDER BY name";
                Ok::<_, TransactionFailure>(transaction.all(sql, values![&owner], prompt).await?)
            })
        })
    }

    fn remove(
        &self,
        owner: Owner,
        name: String,
    ) -> StoreFuture<'_, std::result::Result<bool, StoreError>> {
        Box::pin(async move {
            in_transaction!(self, Scope::write(&owner), |transaction| {
                let sql = "DELETE FROM prompts WHERE owner = $1 AND name = $2";
                let was_there = transaction.execute(sql, values![&owner, &name]).await? == 1;
                if was_there {
                    record_change(&transaction, &owner, &name).await?;
                }
                Ok::<_, TransactionFailure>(was_there)
            })
        })
    }
}

async fn record_change(transaction: &Transaction, owner: &Owner, name: &str) -> Result<()> {
    let what = ChangedRecord::Prompt { name: name.to_owned() };
    change_log::record_change(transaction, &RecordChange { owner: owner.clone(), what }).await
}

fn prompt(row: &Row) -> Result<StoredPrompt> {
    Ok(StoredPrompt {
        owner: owner(row, 0)?,
        name: text(row, 1)?,
        description: optional_text(row, 2)?,
        template: text(row, 3)?,
        updated: time(row, 4)?,
    })
}
