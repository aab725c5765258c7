//! The one writer of a process: a thread that takes all queued writes, makes them in one
//! transaction (group commit), and answers each caller once the commit is on disk.

use super::convert::{WorkError, store_error};
use super::index;
use hobnob_store::StoreError;
use rusqlite::{Connection, TransactionBehavior};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::JoinHandle;
use tokio::sync::{mpsc, oneshot, watch};

/// Capacity of the queue of writes.
const QUEUE_CAPACITY: usize = 1_024;
/// Maximum number of writes per commit.
const MAX_BATCH: usize = 256;

/// Why a transaction was not committed.
#[derive(Debug, thiserror::Error)]
enum TransactionError {
    /// It was rolled back before all its writes were made: by its first write, or by a full disk.
    #[error("the transaction was rolled back")]
    RolledBack,
    #[error(transparent)]
    Failed(StoreError),
}

impl From<TransactionError> for StoreError {
    fn from(error: TransactionError) -> Self {
        match error {
            TransactionError::RolledBack => Self::Unwritable(error.to_string()),
            TransactionError::Failed(error) => error,
        }
    }
}

/// Does one write and returns how to answer its caller; or gets the error if no write is possible.
type Job = Box<dyn FnOnce(Result<(&Connection, JobPlace), &StoreError>) -> AnswerCaller + Send>;
/// Answers a caller, given the result of the commit.
type AnswerCaller = Box<dyn FnOnce(Result<(), &StoreError>)>;

/// The position of a write in its transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum JobPlace {
    /// The first write: rolling it back rolls back the whole transaction. A savepoint would make
    /// SQLite copy each page that it changes, and walk over all copies with each statement.
    First,
    /// A later write, which rolls back to its own savepoint.
    Later,
}

/// The handle of the writer thread.
#[derive(Debug)]
pub(super) struct Writer {
    jobs: Option<mpsc::Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts the thread. `commits` counts its commits.
    pub(super) fn start(
        connection: Connection,
        commits: watch::Sender<u64>,
    ) -> Result<Self, std::io::Error> {
        let (jobs, inbox) = mpsc::channel(QUEUE_CAPACITY);
        let thread = std::thread::Builder::new()
            .name("hobnob-store".into())
            .spawn(move || write_all(connection, inbox, &commits))?;
        Ok(Self { jobs: Some(jobs), thread: Some(thread) })
    }

    /// Makes a write; it is durable when the future completes. A failed write leaves no trace.
    pub(super) async fn write<T, E, F>(&self, work: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
        F: FnOnce(&Connection) -> Result<T, WorkError<E>> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            let done = match connection {
                Ok((connection, place)) => roll_back_on_failure(connection, place, work),
                Err(error) => Err(E::from(error.clone())),
            };
            Box::new(move |committed| {
                let result = match (done, committed) {
                    (Ok(_), Err(error)) => Err(E::from(error.clone())),
                    (done, _) => done,
                };
                // The caller may be gone; the write is made anyway.
                drop(answer.send(result));
            })
        });
        let Some(jobs) = &self.jobs else { return Err(StoreError::Closed.into()) };
        if jobs.send(job).await.is_err() {
            return Err(StoreError::Closed.into());
        }
        answered.await.unwrap_or_else(|_| Err(StoreError::Closed.into()))
    }
}

impl Drop for Writer {
    /// Waits until all queued writes are on disk.
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

fn write_all(
    mut connection: Connection,
    mut inbox: mpsc::Receiver<Job>,
    commits: &watch::Sender<u64>,
) {
    while let Some(first) = inbox.blocking_recv() {
        let (end, answers) = write_together(&mut connection, first, &mut inbox);
        match &end {
            Ok(()) => commits.send_modify(|count| *count += 1),
            // If a single write was rolled back, only its caller needs to know.
            Err(TransactionError::RolledBack) if answers.len() == 1 => {}
            Err(error) => tracing::warn!(%error, "a write to the store failed"),
        }
        let end = end.map_err(StoreError::from);
        answers.into_iter().for_each(|answer| answer(end.as_ref().copied()));
    }
}

/// Runs one transaction for the first job and all queued ones; returns its result and the callers.
fn write_together(
    connection: &mut Connection,
    first: Job,
    inbox: &mut mpsc::Receiver<Job>,
) -> (Result<(), TransactionError>, Vec<AnswerCaller>) {
    let transaction = match connection.transaction_with_behavior(TransactionBehavior::Immediate) {
        Ok(transaction) => transaction,
        Err(error) => {
            let error = store_error(error);
            let answer = first(Err(&error));
            return (Err(TransactionError::Failed(error)), vec![answer]);
        }
    };
    let mut answers = vec![first(Ok((&transaction, JobPlace::First)))];
    // A full disk or a failed first write rolls back the transaction; then no further write may
    // join it.
    while answers.len() < MAX_BATCH && !transaction.is_autocommit() {
        let Ok(job) = inbox.try_recv() else { break };
        answers.push(job(Ok((&transaction, JobPlace::Later))));
    }
    if transaction.is_autocommit() {
        return (Err(TransactionError::RolledBack), answers);
    }
    let committed = index::write_waiting(&transaction).and_then(|()| transaction.commit());
    (committed.map_err(|error| TransactionError::Failed(store_error(error))), answers)
}

/// Makes one write so that an error or a panic in it rolls back only this write.
fn roll_back_on_failure<T, E: From<StoreError>>(
    connection: &Connection,
    place: JobPlace,
    work: impl FnOnce(&Connection) -> Result<T, WorkError<E>>,
) -> Result<T, E> {
    // Cached, since parsing takes as long as a small write.
    let run = |sql: &str| -> Result<(), StoreError> {
        let mut statement = connection.prepare_cached(sql).map_err(store_error)?;
        statement.execute(()).map(drop).map_err(store_error)
    };
    if place == JobPlace::Later {
        run("SAVEPOINT one")?;
    }
    let done = catch_unwind(AssertUnwindSafe(|| work(connection).map_err(WorkError::into_port)))
        .unwrap_or_else(|_| Err(StoreError::Failed("a write panicked".into()).into()));
    match (place, done.is_err()) {
        _ if connection.is_autocommit() => {}
        (JobPlace::First, true) => run("ROLLBACK")?,
        (JobPlace::First, false) => {}
        (JobPlace::Later, failed) => {
            if failed {
                run("ROLLBACK TO one")?;
            }
            run("RELEASE one")?;
        }
    }
    done
}
