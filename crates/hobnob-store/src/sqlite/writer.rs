//! The one writer of a process: a thread that takes all writes that wait, makes them in one
//! transaction, and tells each how it ended once the disk has it.

use crate::error::StoreError;
use rusqlite::{Connection, TransactionBehavior};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::JoinHandle;
use tokio::sync::{mpsc, oneshot, watch};

/// Writes that may wait.
const WAITING: usize = 1_024;
/// Writes that share one commit.
const TOGETHER: usize = 256;

/// Does one write and returns how to answer its caller; or learns why nothing can be written.
type Job = Box<dyn FnOnce(Result<&Connection, &StoreError>) -> AnswerCaller + Send>;
/// Tells a caller, knowing how the commit went.
type AnswerCaller = Box<dyn FnOnce(Result<(), &StoreError>)>;

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
        F: FnOnce(&Connection) -> Result<T, E> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            let done = match connection {
                Ok(connection) => in_savepoint(connection, work),
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
        match write_together(&mut connection, first, &mut inbox) {
            Ok(answers) => {
                commits.send_modify(|count| *count += 1);
                answers.into_iter().for_each(|answer| answer(Ok(())));
            }
            Err((error, answers)) => {
                tracing::warn!(%error, "a write to the store failed");
                answers.into_iter().for_each(|answer| answer(Err(&error)));
            }
        }
    }
}

/// One transaction for the first job and all that wait behind it.
fn write_together(
    connection: &mut Connection,
    first: Job,
    inbox: &mut mpsc::Receiver<Job>,
) -> Result<Vec<AnswerCaller>, (StoreError, Vec<AnswerCaller>)> {
    let transaction = match connection.transaction_with_behavior(TransactionBehavior::Immediate) {
        Ok(transaction) => transaction,
        Err(error) => {
            let error = StoreError::from(error);
            let answer = first(Err(&error));
            return Err((error, vec![answer]));
        }
    };
    let mut answers = vec![first(Ok(&transaction))];
    // A full disk ends the transaction under us: then nothing more is added to it.
    while answers.len() < TOGETHER && !transaction.is_autocommit() {
        let Ok(job) = inbox.try_recv() else { break };
        answers.push(job(Ok(&transaction)));
    }
    if transaction.is_autocommit() {
        return Err((StoreError::Unwritable("the transaction was rolled back".into()), answers));
    }
    match transaction.commit() {
        Ok(()) => Ok(answers),
        Err(error) => Err((error.into(), answers)),
    }
}

/// Makes one write so that its failure, or a panic in it, takes back nothing but itself.
fn in_savepoint<T, E: From<StoreError>>(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> Result<T, E>,
) -> Result<T, E> {
    // Prepared once, since parsing takes as long as a small write.
    let run = |sql: &str| -> Result<(), StoreError> {
        Ok(connection.prepare_cached(sql)?.execute(()).map(drop)?)
    };
    run("SAVEPOINT one")?;
    let done = catch_unwind(AssertUnwindSafe(|| work(connection)))
        .unwrap_or_else(|_| Err(StoreError::Failed("a write panicked".into()).into()));
    if done.is_err() && !connection.is_autocommit() {
        run("ROLLBACK TO one")?;
    }
    if !connection.is_autocommit() {
        run("RELEASE one")?;
    }
    done
}
