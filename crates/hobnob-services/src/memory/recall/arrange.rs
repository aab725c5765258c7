//! The final order of the hits: newer facts above those that they replace, copies folded into one,
//! and memories of the time that the question names first.
//!
//! `find` calls it with the fused hits, before it cuts a page out of them.

use super::copies::{Folded, fold};
use super::fuse::Found;
use super::newest::newest_first;
use super::replaced::asks_for_the_past;
use super::request::{RecallError, RecallRequest};
use hobnob_store::Time;
use hobnob_store::memory::{Memory, MemoryAccess, MemoryFilter, MemoryId, MemorySearch};
use std::collections::HashMap;

/// The longest chain of replacements that is followed.
const MAX_CHAIN: usize = 8;

/// A hit in its final place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Arranged {
    pub(super) found: Found,
    /// The other memories that say the same.
    pub(super) copies: Vec<MemoryId>,
    /// The memory that replaced it, and when that was captured.
    pub(super) replaced_by: Option<(MemoryId, Time)>,
}

/// Brings the hits of a request into their final order.
pub(super) async fn arrange(
    search: &dyn MemorySearch,
    access: &MemoryAccess,
    request: &RecallRequest,
    mut found: Vec<Found>,
) -> Result<Vec<Arranged>, RecallError> {
    add_successors(search, access, &request.filter, &mut found).await?;
    let times: HashMap<MemoryId, Time> =
        found.iter().map(|it| (it.memory.id.clone(), it.memory.created)).collect();
    let found = match asks_for_the_past(&request.query) {
        true => found,
        false => newest_first(found, &request.query),
    };
    let arranged = fold(found).into_iter().map(|Folded { found, copies }| {
        let newer = found.memory.superseded_by.clone();
        let replaced_by = newer.and_then(|id| Some((id.clone(), *times.get(&id)?)));
        Arranged { found, copies, replaced_by }
    });
    Ok(arranged.collect())
}

/// Adds the memories that replaced hits but were not found themselves, at the end. The caller's
/// filter holds for them, too.
async fn add_successors(
    search: &dyn MemorySearch,
    access: &MemoryAccess,
    filter: &MemoryFilter,
    found: &mut Vec<Found>,
) -> Result<(), RecallError> {
    for _ in 0..MAX_CHAIN {
        let is_missing = |id: &MemoryId| found.iter().all(|it| it.memory.id != *id);
        let newer = found.iter().filter_map(|it| it.memory.superseded_by.clone());
        let mut ids: Vec<MemoryId> = newer.filter(|id| is_missing(id)).collect();
        ids.sort_unstable();
        ids.dedup();
        if ids.is_empty() {
            break;
        }
        let successors = search.by_ids(access.clone(), filter.clone(), ids).await?;
        if successors.is_empty() {
            break;
        }
        let lowest = found.last().map_or(0.0, |it| it.score);
        found.extend(successors.into_iter().map(|memory| unscored(memory, lowest)));
    }
    Ok(())
}

fn unscored(memory: Memory, score: f64) -> Found {
    Found { memory, words: None, meaning: None, score }
}
