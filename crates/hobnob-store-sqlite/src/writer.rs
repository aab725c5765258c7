//! The one writer of a process: a thread that takes all writes that wait, makes them in one
//! transaction, and tells each how it ended once the disk has it.

use super::convert::{WorkError, store_error};
use super::index;
use hobnob_store::StoreError;
use rusqlite::{Connection, TransactionBehavior};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::JoinHandle;
use tokio::sync::{mpsc, oneshot, watch};

/// Writes that may wait.
const WAITING: usize = 1_024;
/// Writes that share one commit.
const TOGETHER: usize = 256;

/// Why nothing of a transaction is on the disk.
#[derive(Debug, thiserror::Error)]
enum TransactionError {
    /// It ended before all were made that share it: by its first write, or for want of room.
    #[error("the transaction was rolled back")]
    TakenBack,
    #[error(transparent)]
    Failed(StoreError),
}

impl From<TransactionError> for StoreError {
    fn from(error: TransactionError) -> Self {
        match error {
            TransactionError::TakenBack => Self::Unwritable(error.to_string()),
            TransactionError::Failed(error) => error,
        }
    }
}

/// Does one write and returns how to answer its caller; or learns why nothing can be written.
type Job = Box<dyn FnOnce(Result<(&Connection, JobPlace), &StoreError>) -> AnswerCaller + Send>;
/// Tells a caller, knowing how the commit went.
type AnswerCaller = Box<dyn FnOnce(Result<(), &StoreError>)>;

/// Where in a transaction a write is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum JobPlace {
    /// Nothing came before it: to take it back is to take back the transaction. A savepoint would make
    /// SQLite copy each page that it changes, and walk over all copies with each statement.
    First,
    /// What came before it stays.
    Later,
}

/// The way to the writer.
#[derive(Debug)]
pub(super) struct Writer {
    jobs: Option<mpsc::Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts it. `commits` counts what it has committed.
    pub(super) fn start(
        connection: Connection,
        commits: watch::Sender<u64>,
    ) -> Result<Self, std::io::Error> {
        let (jobs, inbox) = mpsc::channel(WAITING);
        let thread = std::thread::Builder::new()
            .name("hobnob-store".into())
            .spawn(move || write_all(connection, inbox, &commits))?;
        Ok(Self { jobs: Some(jobs), thread: Some(thread) })
    }

    /// Makes a write; it is durable when this is ready. What fails leaves no trace.
    pub(super) async fn write<T, E, F>(&self, work: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
        F: FnOnce(&Connection) -> Result<T, WorkError<E>> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            let done = match connection {
                Ok((connection, place)) => take_back_on_failure(connection, place, work),
                Err(error) => Err(E::from(error.clone())),
            };
            Box::new(move |committed| {
                let result = match (done, committed) {
                    (Ok(_), Err(error)) => Err(E::from(error.clone())),
                    (done, _) => done,
                };
                // Whoever asked may have gone; the write is made all the same.
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
    /// Waits until everything that was asked for is on the disk.
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
            // A single write that was taken back is its caller's business alone.
            Err(TransactionError::TakenBack) if answers.len() == 1 => {}
            Err(error) => tracing::warn!(%error, "a write to the store failed"),
        }
        let end = end.map_err(StoreError::from);
        answers.into_iter().for_each(|answer| answer(end.as_ref().copied()));
    }
}

/// One transaction for the first job and all that wait behind it: how it ended, and whom to tell.
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
    // A full disk ends the transaction under us, or the first write was taken back: then nothing more is
    // added to it.
    while answers.len() < TOGETHER && !transaction.is_autocommit() {
        let Ok(job) = inbox.try_recv() else { break };
        answers.push(job(Ok((&transaction, JobPlace::Later))));
    }
    if transaction.is_autocommit() {
        return (Err(TransactionError::TakenBack), answers);
    }
    let committed = index::write_waiting(&transaction).and_then(|()| transaction.commit());
    (committed.map_err(|error| TransactionError::Failed(store_error(error))), answers)
}

/// Makes one write so that its failure, or a panic in it, takes back nothing but itself.
fn take_back_on_failure<T, E: From<StoreError>>(
    connection: &Connection,
    place: JobPlace,
    work: impl FnOnce(&Connection) -> Result<T, WorkError<E>>,
) -> Result<T, E> {
    // Prepared once, since parsing takes as long as a small write.
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
