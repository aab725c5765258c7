//! Agent sessions in the table `agent_sessions`, behind the port [`AgentSessionRepository`].
//!
//! Each write is one transaction: a fork changes both sessions or neither.

use super::columns::{integer, time};
use super::convert::WorkError;
use super::store::SqliteStore;
use hobnob_store::agents::{
    AgentHead, AgentSession, AgentSessionError, AgentSessionRepository, MAX_AGENT_SESSIONS,
};
use hobnob_store::{Owner, StoreError, StoreFuture, Time};
use rusqlite::{Connection, OptionalExtension as _, Result, Row};

/// Every column, in the order in which [`session`] reads them.
const COLUMNS: &str = "owner, name, agent, folder, model, system_prompt, resume_id, fork_id, chats, \
                       created, updated";

impl AgentSessionRepository for SqliteStore {
    fn add_session(&self, session: AgentSession) -> StoreFuture<'_, Result<(), AgentSessionError>> {
        Box::pin(self.write(move |connection| add(connection, &session)))
    }

    fn find_session(
        &self,
        owner: Owner,
        name: String,
    ) -> StoreFuture<'_, Result<Option<AgentSession>, StoreError>> {
        Box::pin(self.read(move |connection| Ok(find(connection, &owner, &name)?)))
    }

    fn list_sessions(
        &self,
        owner: Owner,
        after: Option<String>,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<AgentSession>, StoreError>> {
        Box::pin(self.read(move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM agent_sessions \
                 WHERE owner = ?1 AND (?2 IS NULL OR ?2 < name) ORDER BY name LIMIT ?3"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let sessions = statement.query_map((owner.as_str(), after, integer(limit)), session)?;
            Ok(sessions.collect::<Result<_>>()?)
        }))
    }

    fn set_head(
        &self,
        owner: Owner,
        name: String,
        head: AgentHead,
        now: Time,
    ) -> StoreFuture<'_, Result<bool, StoreError>> {
        Box::pin(self.write(move |connection| Ok(set(connection, &owner, &name, &head, now)?)))
    }

    fn count_chat(
        &self,
        owner: Owner,
        name: String,
        now: Time,
    ) -> StoreFuture<'_, Result<bool, StoreError>> {
        Box::pin(self.write(move |connection| {
            let sql = "UPDATE agent_sessions SET chats = chats + 1, updated = ?3 \
                       WHERE owner = ?1 AND name = ?2";
            Ok(connection.prepare_cached(sql)?.execute((owner.as_str(), name, now.millis()))? == 1)
        }))
    }

    fn fork_session(
        &self,
        owner: Owner,
        name: String,
        new_name: String,
        now: Time,
    ) -> StoreFuture<'_, Result<AgentSession, AgentSessionError>> {
        Box::pin(self.write(move |connection| fork(connection, &owner, &name, new_name, now)))
    }

    fn remove_session(
        &self,
        owner: Owner,
        name: String,
    ) -> StoreFuture<'_, Result<bool, StoreError>> {
        Box::pin(self.write(move |connection| {
            let sql = "DELETE FROM agent_sessions WHERE owner = ?1 AND name = ?2";
            Ok(connection.prepare_cached(sql)?.execute((owner.as_str(), name))? == 1)
        }))
    }
}

fn add(
    connection: &Connection,
    session: &AgentSession,
) -> Result<(), WorkError<AgentSessionError>> {
    let owner = session.owner.as_str();
    if find(connection, &session.owner, &session.name)?.is_some() {
        return Err(AgentSessionError::NameTaken.into());
    }
    let sql = "SELECT count(*) FROM agent_sessions WHERE owner = ?1";
    let count: i64 = connection.prepare_cached(sql)?.query_row([owner], |row| row.get(0))?;
    if MAX_AGENT_SESSIONS <= usize::try_from(count).unwrap_or(usize::MAX) {
        return Err(AgentSessionError::TooMany.into());
    }
    let sql = format!(
        "INSERT INTO agent_sessions ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"
    );
    let (resume, fork) = heads(&session.head);
    connection.prepare_cached(&sql)?.execute((
        owner,
        &session.name,
        &session.agent,
        &session.folder,
        &session.model,
        &session.system_prompt,
        resume,
        fork,
        session.chats,
        session.created.millis(),
        session.updated.millis(),
    ))?;
    Ok(())
}

fn find(connection: &Connection, owner: &Owner, name: &str) -> Result<Option<AgentSession>> {
    let sql = format!("SELECT {COLUMNS} FROM agent_sessions WHERE owner = ?1 AND name = ?2");
    connection.prepare_cached(&sql)?.query_row((owner.as_str(), name), session).optional()
}

fn set(
    connection: &Connection,
    owner: &Owner,
    name: &str,
    head: &AgentHead,
    now: Time,
) -> Result<bool> {
    let sql = "UPDATE agent_sessions SET resume_id = ?3, fork_id = ?4, updated = ?5 \
               WHERE owner = ?1 AND name = ?2";
    let (resume, fork) = heads(head);
    let row = (owner.as_str(), name, resume, fork, now.millis());
    Ok(connection.prepare_cached(sql)?.execute(row)? == 1)
}

fn fork(
    connection: &Connection,
    owner: &Owner,
    name: &str,
    new_name: String,
    now: Time,
) -> Result<AgentSession, WorkError<AgentSessionError>> {
    let original = find(connection, owner, name)?;
    let original = original.ok_or(AgentSessionError::NotFound)?;
    let head = match &original.head {
        AgentHead::Fresh => AgentHead::Fresh,
        AgentHead::Resume(id) | AgentHead::Fork(id) => AgentHead::Fork(id.clone()),
    };
    let copy = AgentSession {
        name: new_name,
        head: head.clone(),
        chats: 0,
        created: now,
        updated: now,
        ..original.clone()
    };
    add(connection, &copy)?;
    if original.head != head {
        set(connection, owner, name, &head, now)?;
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

fn session(row: &Row<'_>) -> Result<AgentSession> {
    let (resume, fork): (Option<String>, Option<String>) = (row.get(6)?, row.get(7)?);
    Ok(AgentSession {
        owner: Owner::named(&row.get::<_, String>(0)?),
        name: row.get(1)?,
        agent: row.get(2)?,
        folder: row.get(3)?,
        model: row.get(4)?,
        system_prompt: row.get(5)?,
        head: match (resume, fork) {
            (Some(id), _) => AgentHead::Resume(id),
            (None, Some(id)) => AgentHead::Fork(id),
            (None, None) => AgentHead::Fresh,
        },
        chats: row.get(8)?,
        created: time(row, 9)?,
        updated: time(row, 10)?,
    })
}
