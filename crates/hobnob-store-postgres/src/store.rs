//! The handle that implements every port. It is cheap to clone. The binary opens it once; every
//! access to the database goes through it.

use crate::clock::follow_clock;
use crate::error::DatabaseError;
use crate::listener::{ListenerPort, listen};
use crate::migrate::{MigrationError, MigrationStep, STEPS, format, migrate, newer};
use crate::search::PostgresCaches;
use crate::settings::{StatementForm, StoreUrl};
use deadpool_postgres::{
    Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime,
};
use hobnob_store::cursors::CursorKey;
use hobnob_store::{Store, StoreError, StoreOpenError, StoreQuotas};
use parking_lot::Mutex;
use std::error::Error as _;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, OnceCell, watch};
use tokio::task::JoinSet;
use tokio_postgres::error::SqlState;

/// How long after a failure the next attempt to open the store is allowed.
const RETRY_AFTER: Duration = Duration::from_secs(2);
/// How long work waits for a free connection.
const WAIT_LIMIT: Duration = Duration::from_secs(30);

/// A store in a PostgreSQL database. It implements every port.
#[derive(Debug, Clone)]
pub struct PostgresStore(Arc<StoreState>);

#[derive(Debug)]
struct StoreState {
    url: StoreUrl,
    steps: Vec<MigrationStep>,
    /// Unset until the database has been reached.
    opened: OnceLock<OpenStore>,
    /// Held by the one who tries to open it.
    opening: tokio::sync::Mutex<()>,
    /// Why the database is no longer used although it was opened.
    given_up: OnceLock<StoreError>,
    last_try: Mutex<Option<FailedTry>>,
    caches: Arc<PostgresCaches>,
    /// Set once, when the settings are known.
    quotas: OnceLock<StoreQuotas>,
    listener: ListenerPort,
    /// The key that seals cursors, loaded on first use.
    cursors: OnceCell<CursorKey>,
}

/// What there is once the database has been reached.
#[derive(Debug)]
pub(crate) struct OpenStore {
    pool: Pool,
    schema: String,
    role: Option<&'static str>,
    statements: StatementForm,
    /// Aborts the listener when the store is dropped.
    _tasks: JoinSet<()>,
}

#[derive(Debug)]
struct FailedTry {
    at: Instant,
    why: StoreError,
}

impl PostgresStore {
    /// Connects, and creates or migrates the tables.
    pub async fn open(url: StoreUrl) -> Result<Self, StoreOpenError> {
        Self::open_by(url, STEPS.to_vec()).await
    }

    /// The same for a later version with additional steps; for tests of future migrations.
    pub async fn open_newer(
        url: StoreUrl,
        steps: &[MigrationStep],
    ) -> Result<Self, StoreOpenError> {
        Self::open_by(url, [STEPS, steps].concat()).await
    }

    async fn open_by(url: StoreUrl, steps: Vec<MigrationStep>) -> Result<Self, StoreOpenError> {
        let store = Self::with_steps(url, steps);
        store.try_open().await?;
        Ok(store)
    }

    /// The same for a caller that can run without a store: the first operation opens it. While it
    /// cannot be opened, every operation fails with [`StoreError::Unavailable`], and later ones try
    /// again.
    pub fn on_demand(url: StoreUrl) -> Self {
        Self::with_steps(url, STEPS.to_vec())
    }

    fn with_steps(url: StoreUrl, steps: Vec<MigrationStep>) -> Self {
        Self(Arc::new(StoreState {
            url,
            steps,
            opened: OnceLock::new(),
            opening: tokio::sync::Mutex::new(()),
            given_up: OnceLock::new(),
            last_try: Mutex::default(),
            caches: Arc::default(),
            quotas: OnceLock::new(),
            listener: ListenerPort {
                commits: watch::Sender::new(0),
                changed: Arc::new(Notify::new()),
            },
            cursors: OnceCell::new(),
        }))
    }

    /// The database as messages show it: without user and password.
    pub fn location(&self) -> String {
        self.0.url.location()
    }

    /// Opens the store now, unless it is open already; the error says what to do.
    pub async fn try_open(&self) -> Result<(), StoreOpenError> {
        let _only_one = self.0.opening.lock().await;
        if self.0.opened.get().is_some() {
            return Ok(());
        }
        match open(&self.0.url, &self.0.steps, self.0.listener.clone()).await {
            Ok(opened) => {
                let _only_once = self.0.opened.set(opened);
                if self.0.last_try.lock().take().is_some() {
                    tracing::info!(at = self.location(), "the store can be used again");
                }
                Ok(())
            }
            Err(reason) => {
                let at = self.location();
                let why = StoreError::Unavailable(reason.clone());
                let before = self.0.last_try.lock().replace(FailedTry { at: Instant::now(), why });
                if before.is_none() {
                    tracing::warn!(at, reason, "the store cannot be used now");
                }
                Err(StoreOpenError::Database { at: self.location(), reason })
            }
        }
    }

    /// The connections; tries to reach the database if no attempt has succeeded yet.
    pub(crate) async fn opened(&self) -> Result<&OpenStore, StoreError> {
        if let Some(why) = self.0.given_up.get() {
            return Err(why.clone());
        }
        if let Some(opened) = self.0.opened.get() {
            return Ok(opened);
        }
        if let Some(failed) = self.0.last_try.lock().as_ref()
            && failed.at.elapsed() < RETRY_AFTER
        {
            return Err(failed.why.clone());
        }
        let tried = self.try_open().await;
        match (self.0.opened.get(), tried) {
            (Some(opened), _) => Ok(opened),
            (None, Err(StoreOpenError::Database { reason, .. })) => {
                Err(StoreError::Unavailable(reason))
            }
            (None, _) => Err(StoreError::Closed),
        }
    }

    /// Sets the quotas of owners in place of the defaults; only the first call has an effect.
    #[must_use]
    pub fn with_quotas(self, quotas: StoreQuotas) -> Self {
        let _only_once = self.0.quotas.set(quotas);
        self
    }

    pub(crate) fn cursors(&self) -> &OnceCell<CursorKey> {
        &self.0.cursors
    }

    /// The quotas of owners.
    pub(crate) fn quotas(&self) -> StoreQuotas {
        self.0.quotas.get().copied().unwrap_or_default()
    }

    /// The in-memory caches of search.
    pub(crate) fn caches(&self) -> &PostgresCaches {
        &self.0.caches
    }

    /// Frees caches and connections that were not used for `idle`.
    pub(crate) fn release_idle_memory(&self, idle: Duration) {
        self.caches().release_idle(idle);
        if let Some(opened) = self.0.opened.get() {
            opened.pool.retain(|_, metrics| metrics.last_used() < idle);
        }
    }

    /// A counter of the commits that this process knows of.
    pub(crate) fn commit_counter(&self) -> watch::Receiver<u64> {
        self.0.listener.commits.subscribe()
    }

    /// Counts a commit and has it told to the other replicas.
    pub(crate) fn committed(&self) {
        self.0.listener.commits.send_modify(|count| *count += 1);
        self.0.listener.changed.notify_one();
    }
}

impl Store for PostgresStore {
    fn unavailable(&self) -> Option<StoreError> {
        if let Some(why) = self.0.given_up.get() {
            return Some(why.clone());
        }
        match self.0.opened.get() {
            Some(_) => None,
            None => self.0.last_try.lock().as_ref().map(|failed| failed.why.clone()),
        }
    }

    fn give_up(&self, why: &StoreError) {
        let why = format!("{why}; restore the database from a backup, then start Hobnob again");
        drop(self.0.given_up.set(StoreError::Unavailable(why)));
    }
}

impl OpenStore {
    /// Waits for a free connection, or makes one.
    pub(crate) async fn connection(&self) -> Result<Object, StoreError> {
        self.pool.get().await.map_err(|error| match error {
            PoolError::Timeout(_) => StoreError::Busy,
            PoolError::Backend(error) => StoreError::Unavailable(connect_reason(&error)),
            other => StoreError::Unavailable(other.to_string()),
        })
    }

    pub(crate) fn schema(&self) -> &str {
        &self.schema
    }

    pub(crate) fn role(&self) -> Option<&'static str> {
        self.role
    }

    pub(crate) fn statements(&self) -> StatementForm {
        self.statements
    }
}

/// Connects and migrates; the error says what is wrong and what to do.
async fn open(
    url: &StoreUrl,
    steps: &[MigrationStep],
    listener: ListenerPort,
) -> Result<OpenStore, String> {
    let pool = connect(url)?;
    let client = first_connection(&pool).await?;
    let role = migrate(&client, &url.schema, steps).await;
    let role = match role {
        Ok(role) => role,
        Err(error) => {
            drop(Object::take(client));
            return Err(reason(error));
        }
    };
    follow_clock(&client).await.map_err(|error| connect_reason(&error))?;
    drop(client);
    let mut tasks = JoinSet::new();
    tasks.spawn(listen(url.clone(), listener));
    let (schema, statements) = (url.schema.clone(), url.statements);
    Ok(OpenStore { pool, schema, role, statements, _tasks: tasks })
}

/// The format of the tables, without changing anything; 0 if there are none.
pub(crate) async fn look(url: &StoreUrl) -> Result<i64, String> {
    let pool = connect(url)?;
    let client = first_connection(&pool).await?;
    let (version, usable_from) = format(&client, &url.schema).await.map_err(reason)?;
    let known = i64::try_from(STEPS.len()).unwrap_or(i64::MAX);
    match usable_from <= known {
        true => Ok(version),
        false => Err(newer(version, known)),
    }
}

/// The pool, which has no connection yet.
fn connect(url: &StoreUrl) -> Result<Pool, String> {
    let connector = url.connector().map_err(|error| error.to_string())?;
    let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    let manager = Manager::from_config(url.config.clone(), connector, recycling);
    Pool::builder(manager)
        .max_size(url.connections)
        .runtime(Runtime::Tokio1)
        .wait_timeout(Some(WAIT_LIMIT))
        .create_timeout(Some(WAIT_LIMIT))
        .build()
        .map_err(|error| error.to_string())
}

async fn first_connection(pool: &Pool) -> Result<Object, String> {
    pool.get().await.map_err(|error| match error {
        PoolError::Backend(error) => connect_reason(&error),
        other => other.to_string(),
    })
}

fn reason(error: MigrationError) -> String {
    match error {
        MigrationError::Newer { found, known } => newer(found, known),
        MigrationError::Database(DatabaseError::Postgres(error)) => connect_reason(&error),
        MigrationError::Database(error) => StoreError::from(error).to_string(),
    }
}

/// Why there is no connection, and what to do. The server's own words say the rest.
fn connect_reason(error: &tokio_postgres::Error) -> String {
    let Some(said) = error.as_db_error() else {
        let below = error.source().map_or_else(|| error.to_string(), ToString::to_string);
        return format!(
            "no connection ({below}): start the database, or correct `url` in `[store]` or \
             HOBNOB_STORE_URL"
        );
    };
    let hint = match error.code() {
        Some(code)
            if *code == SqlState::INVALID_PASSWORD
                || *code == SqlState::INVALID_AUTHORIZATION_SPECIFICATION =>
        {
            "correct the user and the password in `url` of `[store]` or in HOBNOB_STORE_URL, or \
             the server's `pg_hba.conf`"
        }
        Some(code) if *code == SqlState::INVALID_CATALOG_NAME => {
            "create it with `createdb`, or correct `url` in `[store]` or HOBNOB_STORE_URL"
        }
        Some(code) if *code == SqlState::INSUFFICIENT_PRIVILEGE => {
            "make the user the owner of the database or of the schema: \
             `ALTER DATABASE NAME OWNER TO USER`"
        }
        Some(code) if *code == SqlState::TOO_MANY_CONNECTIONS => {
            "raise the server's `max_connections`, or lower `connections` in the URL"
        }
        _ => "look into the log of the server",
    };
    format!("{}: {hint}", said.message())
}
