//! A process that uses a store, for tests that kill it, starve it of disk, or run many at once. It
//! prints one line for each acknowledged write, immediately.

mod faults;
mod steps;

use hobnob_store::maintenance::ExistingFile;
use hobnob_store_sqlite::SqliteStore;
use std::error::Error;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;
use steps::Writer;
use tokio::task::JoinSet;

type Outcome = Result<(), Box<dyn Error + Send + Sync>>;

/// Future migration steps: slow enough to be interrupted, and each leaves a row.
const STEPS_TO_COME: [&str; 3] = [
    "CREATE TABLE steps_made (step INTEGER NOT NULL) STRICT;
     CREATE TABLE many (number INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
     INSERT INTO many WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
       SELECT i, 'a text of some length, for number ' || i FROM n;
     INSERT INTO steps_made VALUES (1);",
    "ALTER TABLE many ADD COLUMN length INTEGER NOT NULL DEFAULT 0;
     UPDATE many SET length = length(text);
     INSERT INTO steps_made VALUES (2);",
    "CREATE INDEX many_by_text ON many (text);
     INSERT INTO steps_made VALUES (3);",
];

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<ExitCode, io::Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let Err(error) = run(&words).await {
        writeln!(io::stderr(), "{error}")?;
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

async fn run(words: &[&str]) -> Outcome {
    match words {
        ["write", file, steps, writers @ ..] => write(file, steps.parse()?, writers).await,
        ["faults", file] => faults::run(Path::new(file)).await,
        ["hold", file] => hold(SqliteStore::open(Path::new(file))?),
        ["migrate", file] => hold(SqliteStore::open_newer(Path::new(file), &STEPS_TO_COME)?),
        ["backup", file, to] => backup(file, to).await,
        words => Err(format!("unknown words: {words:?}").into()),
    }
}

/// Prints a line and flushes it.
fn say(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

/// Makes some steps of each writer concurrently; a writer is given as `number:first`.
async fn write(file: &str, steps: u64, writers: &[&str]) -> Outcome {
    let store = SqliteStore::open(Path::new(file))?;
    say("open")?;
    let mut all = JoinSet::new();
    for writer in writers {
        let (number, first) = writer.split_once(':').ok_or("a writer is `number:first`")?;
        let mut writer = Writer::new(store.clone(), number.parse()?);
        let first: u64 = first.parse()?;
        all.spawn(async move {
            for step in first..first.saturating_add(steps) {
                let micros = writer.make(step).await?;
                say(&format!("ack {} {step} {micros}", writer.number()))?;
            }
            Outcome::Ok(())
        });
    }
    while let Some(done) = all.join_next().await {
        done??;
    }
    Ok(())
}

/// Keeps the store open until the input ends.
fn hold(store: SqliteStore) -> Outcome {
    say("open")?;
    io::copy(&mut io::stdin(), &mut io::sink())?;
    drop(store);
    Ok(())
}

async fn backup(file: &str, to: &str) -> Outcome {
    let store = SqliteStore::open(Path::new(file))?;
    let progress = |_| drop(say("step"));
    let contents = store.backup(Path::new(to), ExistingFile::Refuse, progress).await?;
    Ok(say(&format!("backup {} {}", contents.memories, contents.tasks))?)
}
