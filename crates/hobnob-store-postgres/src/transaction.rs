//! One transaction: how it begins, the statements in it, and how it ends.
//!
//! Every read and write of the ports runs in one. What must stay true: a transaction that is dropped
//! before its end takes its connection along, so that no other work continues in it.

use crate::error::{DatabaseError, Result, TransactionFailure};
use crate::settings::StatementForm;
use crate::store::PostgresStore;
use crate::value::{SqlValue, escape};
use deadpool_postgres::Object;
use hobnob_store::{Owner, StoreError};
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::time::Duration;
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

/// How often work is done again that lost against other transactions or lost its connection.
const MAX_TRIES: u32 = 6;

/// Whose rows a transaction can see, and what it locks.
#[derive(Debug)]
pub(crate) struct Scope<'a> {
    mode: Mode,
    /// The only owner whose rows are visible; every owner's if `None`.
    owner: Option<&'a Owner>,
    locks: Vec<(LockMode, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Read,
    Write,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LockMode {
    Shared,
    Exclusive,
}

impl<'a> Scope<'a> {
    /// Reads one consistent snapshot of an owner's rows.
    pub(crate) fn read(owner: &'a Owner) -> Self {
        Self { mode: Mode::Read, owner: Some(owner), locks: Vec::new() }
    }

    /// Reads rows of every owner: for work that belongs to the whole store.
    pub(crate) fn read_all() -> Self {
        Self { mode: Mode::Read, owner: None, locks: Vec::new() }
    }

    /// Writes an owner's rows.
    pub(crate) fn write(owner: &'a Owner) -> Self {
        Self { mode: Mode::Write, owner: Some(owner), locks: Vec::new() }
    }

    /// Writes rows of every owner.
    pub(crate) fn write_all() -> Self {
        Self { mode: Mode::Write, owner: None, locks: Vec::new() }
    }

    /// One such transaction at a time, in all replicas: what it reads stays true until it ends. All
    /// transactions that take several locks take them in the same order.
    pub(crate) fn locked(mut self, what: &str, whose: &str) -> Self {
        self.locks.push((LockMode::Exclusive, format!("{what}/{whose}")));
        self
    }

    /// Beside others of the same kind, but never beside one with the exclusive lock.
    pub(crate) fn shared(mut self, what: &str, whose: &str) -> Self {
        self.locks.push((LockMode::Shared, format!("{what}/{whose}")));
        self
    }

    /// The statements that begin the transaction, sent as one message. Settings last as long as the
    /// transaction, since a pooler may give the connection to another client after it.
    fn sql(&self, schema: &str, role: Option<&str>) -> String {
        let mut sql = match self.mode {
            Mode::Read => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ".to_owned(),
            Mode::Write => "BEGIN ISOLATION LEVEL READ COMMITTED; ".to_owned(),
        };
        let (owner, reach) = match self.owner {
            Some(owner) => (literal(owner.as_str()), "own"),
            None => (literal(""), "all"),
        };
        // Writing to a `String` cannot fail.
        let _ = write!(
            sql,
            "SET LOCAL search_path = {schema}; SET LOCAL statement_timeout = '60s'; \
             SET LOCAL lock_timeout = '30s'; \
             SET LOCAL idle_in_transaction_session_timeout = '60s'; "
        );
        if let Some(role) = role {
            let _ = write!(sql, "SET LOCAL ROLE {role}; ");
        }
        let _ = write!(
            sql,
            "SELECT set_config('hobnob.principal', {owner}, true), \
             set_config('hobnob.reach', '{reach}', true)"
        );
        for (mode, name) in &self.locks {
            let shared = if *mode == LockMode::Shared { "_shared" } else { "" };
            let name = literal(&format!("{schema}/{name}"));
            let _ =
                write!(sql, "; SELECT pg_advisory_xact_lock{shared}(hashtextextended({name}, 0))");
        }
        sql
    }
}

/// The text as a literal of SQL that every server reads alike, with any rule for backslashes.
fn literal(text: &str) -> String {
    format!("E'{}'", escape(text).replace('\\', "\\\\").replace('\'', "''"))
}

/// Counts how often work was tried.
#[derive(Debug, Default)]
pub(crate) struct Tries(u32);

impl Tries {
    /// Waits before the next try; returns whether there may be one.
    async fn next(&mut self) -> bool {
        self.0 += 1;
        if MAX_TRIES <= self.0 {
            return false;
        }
        tokio::time::sleep(Duration::from_millis(5 << self.0)).await;
        true
    }
}

/// A transaction on a connection of the pool.
pub(crate) struct Transaction {
    /// `None` once it has ended.
    client: Option<Object>,
    statements: StatementForm,
    mode: Mode,
    store: PostgresStore,
}

impl Drop for Transaction {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            drop(Object::take(client));
        }
    }
}

/// Runs work in a transaction, and again if it lost against another transaction or lost its
/// connection. `$work` is an expression of type `Result<T, TransactionFailure<E>>` that may run several times.
macro_rules! in_transaction {
    ($store:expr, $scope:expr, |$transaction:ident| $work:expr) => {{
        let mut tries = $crate::transaction::Tries::default();
        loop {
            let begun = $crate::transaction::Transaction::begin($store, &$scope, &mut tries).await;
            let $transaction = match begun {
                Ok(transaction) => transaction,
                Err(error) => break Err(error.into()),
            };
            let done = async { $work }.await;
            match $transaction.end(done, &mut tries).await {
                std::ops::ControlFlow::Break(result) => break result,
                std::ops::ControlFlow::Continue(()) => {}
            }
        }
    }};
}
pub(crate) use in_transaction;

impl Transaction {
    /// Begins a transaction and waits for its locks.
    pub(crate) async fn begin(
        store: &PostgresStore,
        scope: &Scope<'_>,
        tries: &mut Tries,
    ) -> std::result::Result<Self, StoreError> {
        loop {
            let opened = store.opened().await?;
            let client = opened.connection().await?;
            let sql = scope.sql(opened.schema(), opened.role());
            let mut transaction = Self {
                client: Some(client),
                statements: opened.statements(),
                mode: scope.mode,
                store: store.clone(),
            };
            match transaction.client()?.batch_execute(&sql).await {
                Ok(()) => return Ok(transaction),
                Err(error) => {
                    let error = DatabaseError::from(error);
                    drop(transaction.client.take().map(Object::take));
                    if !error.is_transient() || !tries.next().await {
                        return Err(error.into());
                    }
                }
            }
        }
    }

    /// Commits what was done, or rolls it back. `Continue` means that it is to be done again.
    pub(crate) async fn end<T, E: From<StoreError>>(
        mut self,
        done: std::result::Result<T, TransactionFailure<E>>,
        tries: &mut Tries,
    ) -> ControlFlow<std::result::Result<T, E>> {
        let Some(client) = self.client.take() else {
            return ControlFlow::Break(Err(StoreError::Closed.into()));
        };
        match done {
            Ok(value) => match client.batch_execute("COMMIT").await {
                Ok(()) => {
                    if self.mode == Mode::Write {
                        self.store.committed();
                    }
                    ControlFlow::Break(Ok(value))
                }
                Err(error) if error.code().is_some() => {
                    let error = DatabaseError::from(error);
                    drop(Object::take(client));
                    match error.is_transient() && tries.next().await {
                        true => ControlFlow::Continue(()),
                        false => ControlFlow::Break(Err(StoreError::from(error).into())),
                    }
                }
                Err(_) if self.mode == Mode::Read => ControlFlow::Break(Ok(value)),
                Err(_) => ControlFlow::Break(Err(StoreError::Unavailable(
                    "the connection to the database was lost while a write was committed: look \
                     whether it was made before you repeat it"
                        .into(),
                )
                .into())),
            },
            Err(TransactionFailure::Database(error)) if error.is_transient() => {
                drop(Object::take(client));
                match tries.next().await {
                    true => ControlFlow::Continue(()),
                    false => ControlFlow::Break(Err(StoreError::from(error).into())),
                }
            }
            Err(error) => {
                if client.batch_execute("ROLLBACK").await.is_err() {
                    drop(Object::take(client));
                }
                ControlFlow::Break(Err(error.into_port()))
            }
        }
    }

    fn client(&self) -> std::result::Result<&Object, StoreError> {
        self.client.as_ref().ok_or(StoreError::Closed)
    }

    async fn rows(&self, sql: &str, values: impl AsRef<[SqlValue]>) -> Result<Vec<Row>> {
        let (client, values) = (self.client()?, values.as_ref());
        match self.statements {
            StatementForm::Prepared => {
                let kinds: Vec<Type> = values.iter().map(SqlValue::kind).collect();
                let statement = client.prepare_typed_cached(sql, &kinds).await?;
                let given: Vec<&(dyn ToSql + Sync)> =
                    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect();
                Ok(client.query(&statement, &given).await?)
            }
            StatementForm::Unnamed => {
                let given: Vec<(&(dyn ToSql + Sync), Type)> = values
                    .iter()
                    .map(|value| (value as &(dyn ToSql + Sync), value.kind()))
                    .collect();
                Ok(client.query_typed(sql, &given).await?)
            }
        }
    }

    /// Runs a statement; returns how many rows it changed.
    pub(crate) async fn execute(&self, sql: &str, values: impl AsRef<[SqlValue]>) -> Result<u64> {
        let (client, values) = (self.client()?, values.as_ref());
        match self.statements {
            StatementForm::Prepared => {
                let kinds: Vec<Type> = values.iter().map(SqlValue::kind).collect();
                let statement = client.prepare_typed_cached(sql, &kinds).await?;
                let given: Vec<&(dyn ToSql + Sync)> =
                    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect();
                Ok(client.execute(&statement, &given).await?)
            }
            StatementForm::Unnamed => {
                let given: Vec<(&(dyn ToSql + Sync), Type)> = values
                    .iter()
                    .map(|value| (value as &(dyn ToSql + Sync), value.kind()))
                    .collect();
                Ok(client.execute_typed(sql, &given).await?)
            }
        }
    }

    /// All rows of a query.
    pub(crate) async fn all<T>(
        &self,
        sql: &str,
        values: impl AsRef<[SqlValue]>,
        read: impl Fn(&Row) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.rows(sql, values).await?.iter().map(read).collect()
    }

    /// The first row of a query, if there is one.
    pub(crate) async fn first<T>(
        &self,
        sql: &str,
        values: impl AsRef<[SqlValue]>,
        read: impl Fn(&Row) -> Result<T>,
    ) -> Result<Option<T>> {
        self.rows(sql, values).await?.first().map(read).transpose()
    }

    /// The first row of a query that always has one.
    pub(crate) async fn one<T>(
        &self,
        sql: &str,
        values: impl AsRef<[SqlValue]>,
        read: impl Fn(&Row) -> Result<T>,
    ) -> Result<T> {
        let missing = || StoreError::Damaged("a row that another one names is missing".into());
        Ok(self.first(sql, values, read).await?.ok_or_else(missing)?)
    }

    /// Whether a query has a row.
    pub(crate) async fn exists(&self, sql: &str, values: impl AsRef<[SqlValue]>) -> Result<bool> {
        Ok(!self.rows(sql, values).await?.is_empty())
    }
}
