//! Converts PostgreSQL's errors to those of the ports, so that no code outside this crate names the
//! driver.
//!
//! Work in a transaction returns a [`TransactionFailure`]; the end of the transaction converts it to the
//! error of the called port, or says that the work is to be done again.

use hobnob_store::StoreError;
use hobnob_store::agents::AgentSessionError;
use hobnob_store::authorizations::EntryChangeError;
use hobnob_store::memory::{MemoryError, MissingRole};
use hobnob_store::model_sessions::ModelSessionError;
use hobnob_store::tasks::TaskError;
use hobnob_store::trees::TreeError;
use std::error::Error as _;
use std::io;
use tokio_postgres::error::SqlState;

/// The result of a statement.
pub(crate) type Result<T> = std::result::Result<T, DatabaseError>;

/// Why a statement failed.
#[derive(Debug)]
pub(crate) enum DatabaseError {
    Postgres(tokio_postgres::Error),
    /// A column has a value that this program never writes.
    Unread(usize),
    /// There is no connection, or the work cannot go on for another reason.
    Store(StoreError),
}

impl From<tokio_postgres::Error> for DatabaseError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Postgres(error)
    }
}

impl From<StoreError> for DatabaseError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// A system without randomness gives no ids.
impl From<io::Error> for DatabaseError {
    fn from(error: io::Error) -> Self {
        Self::Store(StoreError::Failed(error.to_string()))
    }
}

impl DatabaseError {
    /// Whether the same work may succeed at once, because it lost against another transaction or
    /// the connection was lost before anything was committed.
    pub(crate) fn is_transient(&self) -> bool {
        let Self::Postgres(error) = self else { return false };
        match error.code() {
            Some(code) => {
                *code == SqlState::T_R_SERIALIZATION_FAILURE
                    || *code == SqlState::T_R_DEADLOCK_DETECTED
                    // A prepared statement that another version's migration made obsolete.
                    || *code == SqlState::FEATURE_NOT_SUPPORTED
                    || is_lost(code)
            }
            None => error.is_closed() || is_broken(error),
        }
    }
}

/// Whether the server ended the connection.
fn is_lost(code: &SqlState) -> bool {
    let ends = [
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
    ];
    ends.contains(code) || code.code().starts_with("08")
}

/// Whether the connection broke below PostgreSQL's protocol.
fn is_broken(error: &tokio_postgres::Error) -> bool {
    error.source().is_some_and(|source| source.is::<io::Error>())
}

impl From<DatabaseError> for StoreError {
    fn from(error: DatabaseError) -> Self {
        match error {
            DatabaseError::Postgres(error) => store_error(&error),
            DatabaseError::Unread(column) => {
                Self::Damaged(format!("column {column} has a value that Hobnob never writes"))
            }
            DatabaseError::Store(error) => error,
        }
    }
}

/// Maps an error to one of the cases that callers act on differently.
pub(crate) fn store_error(error: &tokio_postgres::Error) -> StoreError {
    let Some(code) = error.code() else {
        return StoreError::Unavailable("the connection to the database is lost".into());
    };
    // The server's message may quote values; the code and the message's first line do not.
    let text = error.as_db_error().map_or_else(String::new, |it| it.message().to_owned());
    let text = format!("{text} ({})", code.code());
    let is = |codes: &[SqlState]| codes.contains(code);
    if is(&[
        SqlState::LOCK_NOT_AVAILABLE,
        SqlState::QUERY_CANCELED,
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
    ]) {
        return StoreError::Busy;
    }
    if is(&[
        SqlState::DISK_FULL,
        SqlState::OUT_OF_MEMORY,
        SqlState::IO_ERROR,
        SqlState::READ_ONLY_SQL_TRANSACTION,
        SqlState::INSUFFICIENT_PRIVILEGE,
    ]) {
        return StoreError::Unwritable(text);
    }
    if is(&[SqlState::DATA_CORRUPTED, SqlState::INDEX_CORRUPTED]) {
        return StoreError::Damaged(text);
    }
    if is_lost(code) || *code == SqlState::TOO_MANY_CONNECTIONS {
        return StoreError::Unavailable(format!("the database ended the connection: {text}"));
    }
    StoreError::Failed(text)
}

/// Why work in a transaction failed: the database did, or the port refuses the operation.
#[derive(Debug)]
pub(crate) enum TransactionFailure<E = StoreError> {
    Database(DatabaseError),
    Port(E),
}

impl<E: From<StoreError>> TransactionFailure<E> {
    /// The error for the caller of a port.
    pub(crate) fn into_port(self) -> E {
        match self {
            Self::Database(error) => StoreError::from(error).into(),
            Self::Port(error) => error,
        }
    }
}

impl<E> From<DatabaseError> for TransactionFailure<E> {
    fn from(error: DatabaseError) -> Self {
        Self::Database(error)
    }
}

impl<E> From<io::Error> for TransactionFailure<E> {
    fn from(error: io::Error) -> Self {
        Self::Database(error.into())
    }
}

/// A failure of a session's tree is a failure of the session.
impl From<TransactionFailure<TreeError>> for TransactionFailure<ModelSessionError> {
    fn from(error: TransactionFailure<TreeError>) -> Self {
        match error {
            TransactionFailure::Database(error) => Self::Database(error),
            TransactionFailure::Port(error) => Self::Port(error.into()),
        }
    }
}

impl From<TreeError> for TransactionFailure<ModelSessionError> {
    fn from(error: TreeError) -> Self {
        Self::Port(error.into())
    }
}

impl From<MissingRole> for TransactionFailure<MemoryError> {
    fn from(error: MissingRole) -> Self {
        Self::Port(error.into())
    }
}

/// One implementation per port: a generic one would overlap with those above.
macro_rules! refused_by_port {
    ($($error:ty),+ $(,)?) => {
        $(impl From<$error> for TransactionFailure<$error> {
            fn from(error: $error) -> Self {
                Self::Port(error)
            }
        })+
    };
}

refused_by_port!(
    StoreError,
    MemoryError,
    TaskError,
    TreeError,
    ModelSessionError,
    AgentSessionError,
    EntryChangeError,
);
