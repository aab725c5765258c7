//! Sessions with models in the table `model_sessions`, behind the port [`ModelSessionRepository`].
//!
//! Each write is one transaction, which changes the session and its tree together.

use super::change_log;
use super::columns::time;
use super::columns::word;
use super::convert::WorkError;
use super::store::SqliteStore;
use super::trees::{TreeTransaction, append, create, find_node, on_trees, release};
use hobnob_store::StoreFuture;
use hobnob_store::changes::{ChangedRecord, RecordChange};
use hobnob_store::memory::{Page, PageRequest};
use hobnob_store::model_sessions::{
    AnswerPlace, MAX_MODEL_SESSIONS, ModelSession, ModelSessionError, ModelSessionName,
    ModelSessionRepository, NewModelSession, StoredAnswer,
};
use hobnob_store::trees::{
    Claimant, NewNode, NewTree, NodeContent, NodeId, NodeRef, TreeAccess, TreeError, TreeId,
    TreeRef, life,
};
use rusqlite::{OptionalExtension as _, Result, Row};
use std::num::NonZeroU32;

/// The columns of a [`ModelSession`], of `model_sessions AS s`.
const COLUMNS: &str = "s.name, s.model, s.system_prompt, s.settings, s.metadata, \
     (SELECT t.id FROM trees AS t WHERE t.number = s.tree), \
     (SELECT n.id FROM tree_nodes AS n WHERE n.number = s.head), s.created, s.updated";

impl ModelSessionRepository for SqliteStore {
    fn create_model_session(
        &self,
        access: TreeAccess,
        new: NewModelSession,
    ) -> StoreFuture<'_, Result<ModelSession, ModelSessionError>> {
        self.add_nodes(access, 1, move |transaction| create_session(transaction, new))
    }

    fn model_session(
        &self,
        access: TreeAccess,
        name: ModelSessionName,
    ) -> StoreFuture<'_, Result<ModelSession, ModelSessionError>> {
        Box::pin(self.read(on_trees(access, move |transaction| find(transaction, &name))))
    }

    fn model_sessions(
        &self,
        access: TreeAccess,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<ModelSession>, ModelSessionError>> {
        Box::pin(self.read(on_trees(access, move |transaction| list(transaction, &page))))
    }

    fn move_session_head(
        &self,
        access: TreeAccess,
        name: ModelSessionName,
        node: NodeRef,
    ) -> StoreFuture<'_, Result<ModelSession, ModelSessionError>> {
        Box::pin(self.write(on_trees(access, move |transaction| {
            let session = find(transaction, &name)?;
            move_head(transaction, &session, &node)?;
            find(transaction, &name)
        })))
    }

    fn add_answer(
        &self,
        access: TreeAccess,
        place: AnswerPlace,
        answer: NewNode,
    ) -> StoreFuture<'_, Result<StoredAnswer, ModelSessionError>> {
        self.add_nodes(access, 1, move |transaction| add(transaction, &place, answer))
    }

    fn delete_model_session(
        &self,
        access: TreeAccess,
        name: ModelSessionName,
    ) -> StoreFuture<'_, Result<ModelSession, ModelSessionError>> {
        Box::pin(self.write(on_trees(access, move |transaction| delete(transaction, &name))))
    }
}

fn create_session(
    transaction: &TreeTransaction<'_>,
    new: NewModelSession,
) -> Result<ModelSession, WorkError<ModelSessionError>> {
    match find(transaction, &new.name) {
        Err(WorkError::Port(ModelSessionError::NotFound(_))) => {}
        Err(other) => return Err(other),
        Ok(found) => return Err(ModelSessionError::NameTaken(found.name).into()),
    }
    let sql = "SELECT count(*) FROM model_sessions WHERE owner = ?1";
    let mut statement = transaction.connection.prepare_cached(sql)?;
    let count: i64 = statement.query_row([transaction.owner()], |row| row.get(0))?;
    if MAX_MODEL_SESSIONS <= usize::try_from(count).unwrap_or(usize::MAX) {
        return Err(ModelSessionError::TooMany.into());
    }
    let text = new.system_prompt.clone().unwrap_or_default();
    let tree = create(
        transaction,
        NewTree {
            name: None,
            metadata: Some(format!("{{\"cone_session\":\"{}\"}}", new.name)),
            root: NodeContent::Text { role: "system".into(), text },
            claimant: claimant(&new.name),
        },
    )?;
    // An old session of the same name may be left over from a tree that is gone.
    let sql = "INSERT OR REPLACE INTO model_sessions \
               (owner, name, model, system_prompt, settings, metadata, created, updated, tree, head) \
               SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, t.number, n.number \
               FROM trees AS t JOIN tree_nodes AS n ON n.id = ?9 WHERE t.id = ?8";
    transaction.connection.prepare_cached(sql)?.execute((
        transaction.owner(),
        new.name.as_str(),
        &new.model,
        &new.system_prompt,
        &new.settings,
        &new.metadata,
        transaction.now().millis(),
        tree.id.as_str(),
        tree.root.as_str(),
    ))?;
    record_change(transaction, &new.name)?;
    find(transaction, &new.name)
}

fn find(
    transaction: &TreeTransaction<'_>,
    name: &ModelSessionName,
) -> Result<ModelSession, WorkError<ModelSessionError>> {
    let sql =
        format!("SELECT {COLUMNS} FROM model_sessions AS s WHERE s.owner = ?1 AND s.name = ?2");
    let mut statement = transaction.connection.prepare_cached(&sql)?;
    let found = statement.query_row((transaction.owner(), name.as_str()), session).optional()?;
    let gone = || ModelSessionError::NotFound(name.clone());
    let found = found.ok_or_else(gone)?;
    // The rows of a tree that is gone may still exist.
    match transaction.find(&TreeRef::Id(found.tree.clone())) {
        Ok(_) => Ok(found),
        Err(WorkError::Port(TreeError::NotFound(_))) => Err(gone().into()),
        Err(other) => Err(other.into()),
    }
}

fn list(
    transaction: &TreeTransaction<'_>,
    page: &PageRequest,
) -> Result<Page<ModelSession>, WorkError<ModelSessionError>> {
    let after = match &page.after {
        Some(cursor) => {
            ModelSessionName::parse(cursor).ok_or(ModelSessionError::BadCursor)?.to_string()
        }
        None => String::new(),
    };
    let sql = format!(
        "SELECT {COLUMNS} FROM model_sessions AS s JOIN trees AS owned ON owned.number = s.tree \
         WHERE s.owner = ?1 AND ?2 < s.name AND (owned.released IS NULL OR ?4 < owned.released) \
         ORDER BY s.name LIMIT ?3"
    );
    let mut statement = transaction.connection.prepare_cached(&sql)?;
    let limit = i64::try_from(page.limit.saturating_add(1)).unwrap_or(i64::MAX);
    let gone = life::gone_since(transaction.now()).millis();
    let rows = statement.query_map((transaction.owner(), after, limit, gone), session)?;
    let mut items = rows.collect::<Result<Vec<_>>>()?;
    let more = page.limit < items.len();
    items.truncate(page.limit);
    let next = items.last().filter(|_| more).map(|last| last.name.to_string());
    Ok(Page { items, next })
}

fn move_head(
    transaction: &TreeTransaction<'_>,
    session: &ModelSession,
    node: &NodeRef,
) -> Result<(), WorkError<ModelSessionError>> {
    let tree = TreeRef::Id(session.tree.clone());
    let found = transaction.find(&tree)?;
    let head = find_node(transaction, found.number, &tree, node)?;
    let sql = "UPDATE model_sessions SET head = ?3, updated = ?4 WHERE owner = ?1 AND name = ?2";
    let row = (transaction.owner(), session.name.as_str(), head, transaction.now().millis());
    transaction.connection.prepare_cached(sql)?.execute(row)?;
    Ok(())
}

fn add(
    transaction: &TreeTransaction<'_>,
    place: &AnswerPlace,
    answer: NewNode,
) -> Result<StoredAnswer, WorkError<ModelSessionError>> {
    let session = find(transaction, &place.session)?;
    if session.tree != place.tree {
        return Err(ModelSessionError::NotFound(place.session.clone()).into());
    }
    let (tree, below) = (TreeRef::Id(place.tree.clone()), NodeRef::Id(place.below.clone()));
    let node = append(transaction, &tree, &below, vec![answer])?.pop();
    let node = node.ok_or(TreeError::NodeNotFound { tree, node: below })?;
    if session.head != place.head {
        return Ok(StoredAnswer { node, head: session.head });
    }
    let head = node.shape.id.clone();
    move_head(transaction, &session, &NodeRef::Id(head.clone()))?;
    Ok(StoredAnswer { node, head })
}

fn delete(
    transaction: &TreeTransaction<'_>,
    name: &ModelSessionName,
) -> Result<ModelSession, WorkError<ModelSessionError>> {
    let session = find(transaction, name)?;
    let tree = TreeRef::Id(session.tree.clone());
    match release(transaction, &tree, &claimant(name), NonZeroU32::MIN) {
        // Another caller already released the session's claim, which is the goal.
        Ok(_) | Err(WorkError::Port(TreeError::NotClaimed { .. })) => {}
        Err(other) => return Err(other.into()),
    }
    let sql = "DELETE FROM model_sessions WHERE owner = ?1 AND name = ?2";
    transaction.connection.prepare_cached(sql)?.execute((transaction.owner(), name.as_str()))?;
    record_change(transaction, name)?;
    Ok(session)
}

/// The claimant name under which a session claims its tree.
fn claimant(name: &ModelSessionName) -> Claimant {
    Claimant::new(&format!("cone/{name}"))
}

fn record_change(transaction: &TreeTransaction<'_>, name: &ModelSessionName) -> Result<()> {
    let what = ChangedRecord::ModelSession { name: name.to_string() };
    let owner = transaction.access.owner.clone();
    change_log::record_change(transaction.connection, &RecordChange { owner, what })
}

fn session(row: &Row<'_>) -> Result<ModelSession> {
    Ok(ModelSession {
        name: word(row, 0, ModelSessionName::parse)?,
        model: row.get(1)?,
        system_prompt: row.get(2)?,
        settings: row.get(3)?,
        metadata: row.get(4)?,
        tree: word(row, 5, TreeId::parse)?,
        head: word(row, 6, |raw| Some(NodeId::given(raw)))?,
        created: time(row, 7)?,
        updated: time(row, 8)?,
    })
}
