//! A few steps on a disk that fails now and then. A failure is printed, the store is read anyway,
//! and the step is retried.

use crate::steps::Writer;
use crate::{Outcome, say};
use hobnob_store_sqlite::SqliteStore;
use std::path::Path;

/// The number of steps to make.
const STEPS: u64 = 15;
/// Retries per step: the disk recovers after a few failed calls.
const TRIES: u32 = 60;

/// Makes the steps, opening the store again as often as necessary.
pub(crate) async fn run(file: &Path) -> Outcome {
    let store = open(file)?;
    let mut writer = Writer::new(store.clone(), 0);
    for step in 1..=STEPS {
        make(&mut writer, step).await?;
    }
    drop((writer, store));
    Ok(())
}

fn open(file: &Path) -> Result<SqliteStore, Box<dyn std::error::Error + Send + Sync>> {
    for _ in 0..TRIES {
        match SqliteStore::open(file) {
            Ok(store) => return Ok(store),
            Err(error) => say(&format!("refused {error}"))?,
        }
    }
    Err("the store was refused too often".into())
}

async fn make(writer: &mut Writer, step: u64) -> Outcome {
    for _ in 0..TRIES {
        match writer.make(step).await {
            Ok(_) => return Ok(say(&format!("ack {} {step} 0", writer.number()))?),
            Err(error) => say(&format!("failed {step} {error}"))?,
        }
        match writer.read().await {
            Ok(()) => say("read")?,
            Err(error) => say(&format!("unread {error}"))?,
        }
    }
    Err(format!("step {step} failed too often").into())
}
