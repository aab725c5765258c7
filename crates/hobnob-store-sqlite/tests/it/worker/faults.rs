//! A few steps on a disk that fails once in a while. What fails is said, the store is read all the
//! same, and the step is tried again.

use crate::steps::Writer;
use crate::{Outcome, say};
use hobnob_store_sqlite::SqliteStore;
use std::path::Path;

/// Steps that are made.
const STEPS: u64 = 15;
/// How often each is tried: the disk is well again after a few calls that failed.
const TRIES: u32 = 60;

/// Makes the steps, and opens the store as often as that takes.
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
