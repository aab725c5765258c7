//! Agent sessions in the table `agent_sessions`, behind the port [`AgentSessionRepository`].
//!
//! Each write is one transaction: a fork changes both sessions or neither.

use crate::columns::{number, optional_text, owner, small, text, time};
use crate::error::{Result, TransactionFailure};
use crate::store::PostgresStore;
use crate::transaction::{Scope, Transaction, in_transaction};
use crate::value::values;
use hobnob_store::agents::{
    AgentHead, AgentSession, AgentSessionError, AgentSessionRepository, MAX_AGENT_SESSIONS,
};
use hobnob_store::{Owner, StoreError, StoreFuture, Time};
use tokio_postgres::Row;

/// Every column, in the order in which [`session`] reads them.
const COLUMNS: &str = "owner, name, agent, folder, model, system_prompt, resume_id, fork_id, chats, \
                       created, updated";

/// One write of an owner's sessions at a time.
fn scope(owner: &Owner) -> Scope<'_> {
    Scope::write(owner).locked("agents", owner.as_str())
}

impl AgentSessionRepository for PostgresStore {
    fn add_session(
        &self,
        session: AgentSession,
    ) -> StoreFuture<'_, std::result::Result<(), AgentSessionError>> {
        Box::pin(async move {
            in_transaction!(self, scope(&session.owner), |transaction| add(&transaction, &session)
                .await)
        })
    }

    fn find_session(
        &self,
        owner: Owner,
        name: String,
    ) -> StoreFuture<'_, std::result::Result<Option<AgentSession>, StoreError>> {
        Box::pin(async move {
            in_transaction!(self, Scope::read(&owner), |transaction| Ok::<_, TransactionFailure>(
                find(&transaction, &owner, &name).await?
            ))
        })
    }

    fn list_sessions(
        &self,
        owner: Owner,
        after: Option<String>,
        limit: usize,
    ) -> StoreFuture<'_, std::result::Result<Vec<AgentSession>, StoreError>> {
        Box::pin(async move {
            in_transaction!(self, Scope::read(&owner), |transaction| {
                let sql = format!(
                    "SELECT {COLUMNS} FROM agent_sessions \
                     WHERE owner = $1 AND ($2 IS NULL OR $2 < name) ORDER BY name LIMIT $3"
                );
                let given = values![&owner, &after, limit];
                Ok::<_, TransactionFailure>(transaction.all(&sql, given, session).await?)
            })
        })
    }

    fn set_head(
        &self,
        owner: Owner,
        name: String,
        head: AgentHead,
        now: Time,
    ) -> StoreFuture<'_, std::result::Result<bool, StoreError>> {
        Box::pin(async move {
            in_transaction!(self, scope(&owner), |transaction| Ok::<_, TransactionFailure>(
                set(&transaction, (&owner, &name), &head, now).await?
            ))
        })
    }

    fn count_chat(
        &self,
        owner: Owner,
        name: String,
        now: Time,
    ) -> StoreFuture<'_, std::result::Result<bool, StoreError>> {
        Box::pin(async move {
            in_transaction!(self, scope(&owner), |transaction| {
                let sql = "UPDATE agent_sessions SET chats = chats + 1, updated = $3 \
                           WHERE owner = $1 AND name = $2";
                let given = values![&owner, &name, now];
                Ok::<_, TransactionFailure>(transaction.execute(sql, given).await? == 1)
            })
        })
    }

    fn fork_session(
        &self,
        owner: Owner,
        name: String,
        new_name: String,
        now: Time,
    ) -> StoreFuture<'_, std::result::Result<AgentSession, AgentSessionError>> {
        Box::pin(async move {
            in_transaction!(self, scope(&owner), |transaction| {
                fork(&transaction, (&owner, &name), &new_name, now).await
            })
        })
    }

    fn remove_session(
        &self,
        owner: Owner,
        name: String,
    ) -> StoreFuture<'_, std::result::Result<bool, StoreError>> {
        Box::pin(async move {
            in_transaction!(self, scope(&owner), |transaction| {
                let sql = "DELETE FROM agent_sessions WHERE owner = $1 AND name = $2";
                Ok::<_, TransactionFailure>(
                    transaction.execute(sql, values![&owner, &name]).await? == 1,
                )
            })
        })
    }
}

async fn add(
    transaction: &Transaction,
    session: &AgentSession,
) -> std::result::Result<(), TransactionFailure<AgentSessionError>> {
    if find(transaction, &session.owner, &session.name).await?.is_some() {
        return Err(AgentSessionError::NameTaken.into());
    }
    let sql = "SELECT count(*) FROM agent_sessions WHERE owner = $1";
    let count = transaction.one(sql, values![&session.owner], |row| number(row, 0)).await?;
    if MAX_AGENT_SESSIONS <= usize::try_from(count).unwrap_or(usize::MAX) {
        return Err(AgentSessionError::TooMany.into());
    }
    let sql = format!(
        "INSERT INTO agent_sessions ({COLUMNS}) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"
    );
    let (resume, fork) = heads(&session.head);
    let row = values![
        &session.owner,
        &session.name,
        &session.agent,
        &session.folder,
        &session.model,
        &session.system_prompt,
        resume,
        fork,
        session.chats,
        session.created,
        session.updated,
    ];
    transaction.execute(&sql, row).await?;
    Ok(())
}

async fn find(
    transaction: &Transaction,
    owner: &Owner,
    name: &str,
) -> Result<Option<AgentSession>> {
    let sql = format!("SELECT {COLUMNS} FROM agent_sessions WHERE owner = $1 AND name = $2");
    transaction.first(&sql, values![owner, name], session).await
}

async fn set(
    transaction: &Transaction,
    (owner, name): (&Owner, &str),
    head: &AgentHead,
    now: Time,
) -> Result<bool> {
    let sql = "UPDATE agent_sessions SET resume_id = $3, fork_id = $4, updated = $5 \
               WHERE owner = $1 AND name = $2";
    let (resume, fork) = heads(head);
    Ok(transaction.execute(sql, values![owner, name, resume, fork, now]).await? == 1)
}

async fn fork(
    transaction: &Transaction,
    (owner, name): (&Owner, &str),
    new_name: &str,
    now: Time,
) -> std::result::Result<AgentSession, TransactionFailure<AgentSessionError>> {
    let original = find(transaction, owner, name).await?.ok_or(AgentSessionError::NotFound)?;
    let head = match &original.head {
        AgentHead::Fresh => AgentHead::Fresh,
        AgentHead::Resume(id) | AgentHead::Fork(id) => AgentHead::Fork(id.clone()),
    };
    let copy = AgentSession {
        name: new_name.to_owned(),
        head: head.clone(),
        chats: 0,
        created: now,
        updated: now,
        ..original.clone()
    };
    add(transaction, &copy).await?;
    if original.head != head {
        set(transaction, (owner, name), &head, now).await?;
    }
    Ok(copy)
}

fn heads(head: &AgentHead) -> (Option<&str>, Option<&str>) {
    match head {
        AgentHead::Fresh => (None, None),
        AgentHead::Resume(id) => (Some(id), None),
        AgentHead::Fork(id) => (None, Some(id)),
    }
}

fn session(row: &Row) -> Result<AgentSession> {
    Ok(AgentSession {
        owner: owner(row, 0)?,
        name: text(row, 1)?,
        agent: text(row, 2)?,
        folder: text(row, 3)?,
        model: optional_text(row, 4)?,
        system_prompt: optional_text(row, 5)?,
        head: match (optional_text(row, 6)?, optional_text(row, 7)?) {
            (Some(id), _) => AgentHead::Resume(id),
            (None, Some(id)) => AgentHead::Fork(id),
            (None, None) => AgentHead::Fresh,
        },
        chats: small(row, 8)?,
        created: time(row, 9)?,
        updated: time(row, 10)?,
    })
}
