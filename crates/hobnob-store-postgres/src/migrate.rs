//! Brings the tables to the newest format, under a lock that one replica at a time holds, and finds
//! the role that transactions run with.
//!
//! The store calls it when it opens. A released step is never changed; a new step is appended. Two
//! versions of Hobnob run at once while replicas are restarted one by one: a step only adds what
//! older versions do not need, and says from which version on the tables can be used.

use crate::error::DatabaseError;
use deadpool_postgres::Object;
use hobnob_store::StoreError;
use tokio_postgres::error::SqlState;

/// A step to the next format.
#[derive(Debug, Clone, Copy)]
pub struct MigrationStep {
    /// The statements of the step.
    pub sql: &'static str,
    /// The oldest format whose programs can still use the tables.
    pub usable_from: i64,
}

/// The step from format N to N + 1, at index N. A released step is never edited.
pub(crate) const STEPS: &[MigrationStep] =
    &[MigrationStep { sql: include_str!("migrations/1.sql"), usable_from: 1 }];

/// The role that owns no table, so that row-level security applies even to a superuser's connection.
const ROLE: &str = "hobnob_rows";

/// Why the tables cannot be used.
#[derive(Debug)]
pub(crate) enum MigrationError {
    /// A newer Hobnob has changed them so that this one cannot use them.
    Newer {
        found: i64,
        known: i64,
    },
    Database(DatabaseError),
}

impl<E: Into<DatabaseError>> From<E> for MigrationError {
    fn from(error: E) -> Self {
        Self::Database(error.into())
    }
}

/// Applies the missing steps; returns the role of transactions, if the user can have one.
pub(crate) async fn migrate(
    client: &Object,
    schema: &str,
    steps: &[MigrationStep],
) -> Result<Option<&'static str>, MigrationError> {
    client
        .batch_execute(&format!(
            "BEGIN; SET LOCAL statement_timeout = '600s'; SET LOCAL lock_timeout = '60s'; \
             SET LOCAL client_min_messages = 'warning'; \
             SELECT pg_advisory_xact_lock(hashtextextended('hobnob migration', 0)); \
             SET LOCAL search_path = {schema}"
        ))
        .await?;
    let role = migrate_locked(client, schema, steps).await?;
    client.batch_execute("COMMIT").await?;
    Ok(role)
}

async fn migrate_locked(
    client: &Object,
    schema: &str,
    steps: &[MigrationStep],
) -> Result<Option<&'static str>, MigrationError> {
    let newest = i64::try_from(steps.len()).unwrap_or(i64::MAX);
    let (made, usable_from) = format(client, schema).await?;
    if newest < usable_from {
        return Err(MigrationError::Newer { found: made, known: newest });
    }
    let missing = steps.get(usize::try_from(made).unwrap_or_default()..).unwrap_or_default();
    if made == 0 {
        create_schema(client, schema).await?;
    } else if !missing.is_empty() {
        tracing::info!(from = made, to = newest, "bringing the store to a newer format");
    }
    for step in missing {
        client.batch_execute(step.sql).await?;
    }
    if let Some(last) = missing.last() {
        client
            .batch_execute(&format!(
                "DELETE FROM schema_version; \
                 INSERT INTO schema_version VALUES ({newest}, {})",
                last.usable_from
            ))
            .await?;
    }
    role(client, schema).await
}

/// The format of the tables, and from which one on programs can use it; zeros if there are none.
pub(crate) async fn format(client: &Object, schema: &str) -> Result<(i64, i64), MigrationError> {
    let sql = format!("SELECT to_regclass('{schema}.schema_version') IS NOT NULL");
    if !client.query_one(&sql, &[]).await?.try_get::<_, bool>(0)? {
        return Ok((0, 0));
    }
    let sql = format!("SELECT version, usable_from FROM {schema}.schema_version");
    let row = client.query_one(&sql, &[]).await?;
    Ok((row.try_get(0)?, row.try_get(1)?))
}

async fn create_schema(client: &Object, schema: &str) -> Result<(), MigrationError> {
    let sql = format!("SELECT to_regnamespace('{schema}') IS NOT NULL");
    if !client.query_one(&sql, &[]).await?.try_get::<_, bool>(0)? {
        client.batch_execute(&format!("CREATE SCHEMA {schema}")).await?;
    }
    let sql = "CREATE TABLE schema_version (version bigint NOT NULL, usable_from bigint NOT NULL)";
    Ok(client.batch_execute(sql).await?)
}

/// The role of transactions, made and given its rights if the user may do so. Without it,
/// `FORCE ROW LEVEL SECURITY` still applies to the owner of the tables.
async fn role(client: &Object, schema: &str) -> Result<Option<&'static str>, MigrationError> {
    let sql = format!("SELECT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = '{ROLE}')");
    if !client.query_one(&sql, &[]).await?.try_get::<_, bool>(0)? {
        attempt(client, &format!("CREATE ROLE {ROLE} NOLOGIN")).await?;
        if !client.query_one(&sql, &[]).await?.try_get::<_, bool>(0)? {
            return Ok(None);
        }
    }
    // Since PostgreSQL 16, to be a member of a role does not mean to be allowed to take it.
    let take = format!("SET LOCAL ROLE {ROLE}; SET LOCAL ROLE NONE");
    if !attempt(client, &take).await? {
        attempt(client, &format!("GRANT {ROLE} TO CURRENT_USER")).await?;
        if !attempt(client, &take).await? {
            return Ok(None);
        }
    }
    // The newest table is the one whose rights may be missing.
    let rights = format!(
        "SELECT has_schema_privilege('{ROLE}', '{schema}', 'USAGE') \
         AND NOT EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = '{schema}' AND NOT \
         has_table_privilege('{ROLE}', quote_ident(schemaname) || '.' || quote_ident(tablename), \
         'SELECT, INSERT, UPDATE, DELETE')) \
         AND NOT EXISTS (SELECT 1 FROM pg_sequences WHERE schemaname = '{schema}' AND NOT \
         has_sequence_privilege('{ROLE}', \
         quote_ident(schemaname) || '.' || quote_ident(sequencename), 'USAGE'))"
    );
    if !client.query_one(&rights, &[]).await?.try_get::<_, bool>(0)? {
        let grant = format!(
            "GRANT USAGE ON SCHEMA {schema} TO {ROLE}; \
             GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {ROLE}; \
             GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {ROLE}"
        );
        attempt(client, &grant).await?;
    }
    let usable = client.query_one(&rights, &[]).await?.try_get::<_, bool>(0)?;
    Ok(usable.then_some(ROLE))
}

/// Runs statements that the user may not be allowed to run; returns whether it was.
async fn attempt(client: &Object, sql: &str) -> Result<bool, MigrationError> {
    client.batch_execute("SAVEPOINT attempt").await?;
    match client.batch_execute(sql).await {
        Ok(()) => {
            client.batch_execute("RELEASE attempt").await?;
            Ok(true)
        }
        Err(error) if is_refusal(&error) => {
            client.batch_execute("ROLLBACK TO attempt; RELEASE attempt").await?;
            Ok(false)
        }
        Err(error) => Err(error.into()),
    }
}

fn is_refusal(error: &tokio_postgres::Error) -> bool {
    let refusals =
        [SqlState::INSUFFICIENT_PRIVILEGE, SqlState::DUPLICATE_OBJECT, SqlState::UNIQUE_VIOLATION];
    error.code().is_some_and(|code| refusals.contains(code))
}

impl From<MigrationError> for StoreError {
    fn from(error: MigrationError) -> Self {
        match error {
            MigrationError::Newer { found, known } => Self::Unavailable(newer(found, known)),
            MigrationError::Database(error) => error.into(),
        }
    }
}

/// What a user reads about tables of a newer version.
pub(crate) fn newer(found: i64, known: i64) -> String {
    format!(
        "a newer Hobnob has changed its tables (format {found}, this one knows {known}): \
         update Hobnob, or use another database"
    )
}
