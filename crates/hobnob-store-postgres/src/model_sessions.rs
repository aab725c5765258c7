//! Sessions with models in the table `model_sessions`, behind the port [`ModelSessionRepository`].
//!
//! Each write is one transaction, which changes the session and its tree together.

use crate::change_log;
use crate::columns::{count, optional_text, time, word};
use crate::error::{Result, TransactionFailure};
use crate::quota;
use crate::store::PostgresStore;
use crate::transaction::{Scope, in_transaction};
use crate::trees::{TreeWork, append, create, find_node, release};
use crate::value::values;
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
use hobnob_store::{StoreFuture, StoredKind};
use std::num::NonZeroU32;
use tokio_postgres::Row;

/// The columns of a [`ModelSession`], of `model_sessions AS s`.
const COLUMNS: &str = "s.name, s.model, s.system_prompt, s.settings, s.metadata, \
     (SELECT t.id FROM trees AS t WHERE t.number = s.tree), \
     (SELECT n.id FROM tree_nodes AS n WHERE n.number = s.head), s.created, s.updated";

/// The result of work on sessions.
type Worked<T> = std::result::Result<T, TransactionFailure<ModelSessionError>>;

/// Changes an owner's sessions and trees, one change at a time.
macro_rules! writing {
    ($store:expr, $access:expr, |$work:ident| $done:expr) => {
        Box::pin(async move {
            in_transaction!($store, TreeWork::write_scope(&$access), |transaction| {
                let $work = TreeWork::new(&transaction, &$access);
                $done
            })
        })
    };
}

impl ModelSessionRepository for PostgresStore {
    fn create_model_session(
        &self,
        access: TreeAccess,
        new: NewModelSession,
    ) -> StoreFuture<'_, std::result::Result<ModelSession, ModelSessionError>> {
        writing!(self, access, |work| {
            let records = (work.owner(), StoredKind::TreeNodes);
            quota::check(work.transaction, &self.quotas(), records, 1).await?;
            create_session(&work, &new).await
        })
    }

    fn model_session(
        &self,
        access: TreeAccess,
        name: ModelSessionName,
    ) -> StoreFuture<'_, std::result::Result<ModelSession, ModelSessionError>> {
        Box::pin(async move {
            in_transaction!(self, Scope::read(&access.owner), |transaction| {
                find(&TreeWork::new(&transaction, &access), &name).await
            })
        })
    }

    fn model_sessions(
        &self,
        access: TreeAccess,
        page: PageRequest,
    ) -> StoreFuture<'_, std::result::Result<Page<ModelSession>, ModelSessionError>> {
        Box::pin(async move {
            in_transaction!(self, Scope::read(&access.owner), |transaction| {
                list(&TreeWork::new(&transaction, &access), &page).await
            })
        })
    }

    fn move_session_head(
        &self,
        access: TreeAccess,
        name: ModelSessionName,
        node: NodeRef,
    ) -> StoreFuture<'_, std::result::Result<ModelSession, ModelSessionError>> {
        writing!(self, access, |work| {
            let session = find(&work, &name).await?;
            move_head(&work, &session, &node).await?;
            find(&work, &name).await
        })
    }

    fn add_answer(
        &self,
        access: TreeAccess,
        place: AnswerPlace,
        answer: NewNode,
    ) -> StoreFuture<'_, std::result::Result<StoredAnswer, ModelSessionError>> {
        writing!(self, access, |work| {
            let records = (work.owner(), StoredKind::TreeNodes);
            quota::check(work.transaction, &self.quotas(), records, 1).await?;
            add(&work, &place, answer.clone()).await
        })
    }

    fn delete_model_session(
        &self,
        access: TreeAccess,
        name: ModelSessionName,
    ) -> StoreFuture<'_, std::result::Result<ModelSession, ModelSessionError>> {
        writing!(self, access, |work| delete(&work, &name).await)
    }
}

async fn create_session(work: &TreeWork<'_>, new: &NewModelSession) -> Worked<ModelSession> {
    match find(work, &new.name).await {
        Err(TransactionFailure::Port(ModelSessionError::NotFound(_))) => {}
        Err(other) => return Err(other),
        Ok(found) => return Err(ModelSessionError::NameTaken(found.name).into()),
    }
    let sql = "SELECT count(*) FROM model_sessions WHERE owner = $1";
    let found = work.transaction.one(sql, values![work.owner()], |row| count(row, 0)).await?;
    if MAX_MODEL_SESSIONS as u64 <= found {
        return Err(ModelSessionError::TooMany.into());
    }
    let text = new.system_prompt.clone().unwrap_or_default();
    let tree = NewTree {
        name: None,
        metadata: Some(format!("{{\"cone_session\":\"{}\"}}", new.name)),
        root: NodeContent::Text { role: "system".into(), text },
        claimant: claimant(&new.name),
    };
    let tree = create(work, tree).await?;
    // An old session of the same name may be left over from a tree that is gone.
    let sql = "DELETE FROM model_sessions WHERE owner = $1 AND name = $2";
    work.transaction.execute(sql, values![work.owner(), new.name.as_str()]).await?;
    let sql = "INSERT INTO model_sessions \
               (owner, name, model, system_prompt, settings, metadata, created, updated, tree, head) \
               SELECT $1, $2, $3, $4, $5, $6, $7, $7, t.number, n.number \
               FROM trees AS t JOIN tree_nodes AS n ON n.id = $9 WHERE t.id = $8";
    let row = values![
        work.owner(),
        new.name.as_str(),
        &new.model,
        &new.system_prompt,
        &new.settings,
        &new.metadata,
        work.now(),
        tree.id.as_str(),
        tree.root.as_str(),
    ];
    work.transaction.execute(sql, row).await?;
    record_change(work, &new.name).await?;
    find(work, &new.name).await
}

async fn find(work: &TreeWork<'_>, name: &ModelSessionName) -> Worked<ModelSession> {
    let sql =
        format!("SELECT {COLUMNS} FROM model_sessions AS s WHERE s.owner = $1 AND s.name = $2");
    let found = work.transaction.first(&sql, values![work.owner(), name.as_str()], session).await?;
    let gone = || ModelSessionError::NotFound(name.clone());
    let found = found.ok_or_else(gone)?;
    // The rows of a tree that is gone may still exist.
    match work.find(&TreeRef::Id(found.tree.clone())).await {
        Ok(_) => Ok(found),
        Err(TransactionFailure::Port(TreeError::NotFound(_))) => Err(gone().into()),
        Err(other) => Err(other.into()),
    }
}

async fn list(work: &TreeWork<'_>, page: &PageRequest) -> Worked<Page<ModelSession>> {
    let after = match &page.after {
        Some(cursor) => {
            ModelSessionName::parse(cursor).ok_or(ModelSessionError::BadCursor)?.to_string()
        }
        None => String::new(),
    };
    let sql = format!(
        "SELECT {COLUMNS} FROM model_sessions AS s JOIN trees AS owned ON owned.number = s.tree \
         WHERE s.owner = $1 AND $2 < s.name AND (owned.released IS NULL OR $4 < owned.released) \
         ORDER BY s.name LIMIT $3"
    );
    let gone = life::gone_since(work.now());
    let given = values![work.owner(), after, page.limit.saturating_add(1), gone];
    let mut items = work.transaction.all(&sql, given, session).await?;
    let more = page.limit < items.len();
    items.truncate(page.limit);
    let next = items.last().filter(|_| more).map(|last| last.name.to_string());
    Ok(Page { items, next })
}

async fn move_head(
    work: &TreeWork<'_>,
    session: &ModelSession,
    node: &NodeRef,
) -> std::result::Result<(), TransactionFailure<ModelSessionError>> {
    let tree = TreeRef::Id(session.tree.clone());
    let found = work.find(&tree).await?;
    let head = find_node(work, found.number, &tree, node).await?;
    let sql = "UPDATE model_sessions SET head = $3, updated = $4 WHERE owner = $1 AND name = $2";
    let row = values![work.owner(), session.name.as_str(), head, work.now()];
    work.transaction.execute(sql, row).await?;
    Ok(())
}

async fn add(work: &TreeWork<'_>, place: &AnswerPlace, answer: NewNode) -> Worked<StoredAnswer> {
    let session = find(work, &place.session).await?;
    if session.tree != place.tree {
        return Err(ModelSessionError::NotFound(place.session.clone()).into());
    }
    let (tree, below) = (TreeRef::Id(place.tree.clone()), NodeRef::Id(place.below.clone()));
    let node = append(work, &tree, &below, vec![answer]).await?.pop();
    let node = node.ok_or(TreeError::NodeNotFound { tree, node: below })?;
    if session.head != place.head {
        return Ok(StoredAnswer { node, head: session.head });
    }
    let head = node.shape.id.clone();
    move_head(work, &session, &NodeRef::Id(head.clone())).await?;
    Ok(StoredAnswer { node, head })
}

async fn delete(work: &TreeWork<'_>, name: &ModelSessionName) -> Worked<ModelSession> {
    let session = find(work, name).await?;
    let tree = TreeRef::Id(session.tree.clone());
    match release(work, &tree, &claimant(name), NonZeroU32::MIN).await {
        // Another caller already released the session's claim, which is the goal.
        Ok(_) | Err(TransactionFailure::Port(TreeError::NotClaimed { .. })) => {}
        Err(other) => return Err(other.into()),
    }
    let sql = "DELETE FROM model_sessions WHERE owner = $1 AND name = $2";
    work.transaction.execute(sql, values![work.owner(), name.as_str()]).await?;
    record_change(work, name).await?;
    Ok(session)
}

/// The claimant name under which a session claims its tree.
fn claimant(name: &ModelSessionName) -> Claimant {
    Claimant::new(&format!("cone/{name}"))
}

async fn record_change(work: &TreeWork<'_>, name: &ModelSessionName) -> Result<()> {
    let what = ChangedRecord::ModelSession { name: name.to_string() };
    let change = RecordChange { owner: work.owner().clone(), what };
    change_log::record_change(work.transaction, &change).await
}

fn session(row: &Row) -> Result<ModelSession> {
    Ok(ModelSession {
        name: word(row, 0, ModelSessionName::parse)?,
        model: optional_text(row, 1)?,
        system_prompt: optional_text(row, 2)?,
        settings: optional_text(row, 3)?,
        metadata: optional_text(row, 4)?,
        tree: word(row, 5, TreeId::parse)?,
        head: word(row, 6, |raw| Some(NodeId::given(raw)))?,
        created: time(row, 7)?,
        updated: time(row, 8)?,
    })
}
