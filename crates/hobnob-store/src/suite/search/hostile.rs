//! Queries that no real user would send. `list` has the cases.

use super::sample::{MODEL, SearchUnderTest, ann, by_text, by_vector, finds, note, placed, stored};
use crate::memory::{MemoryFilter, NewVector};
use crate::suite::case_result::{CaseResult, equal, hold};

/// Queries that contain no word of the memory.
const STRANGE: &[&str] = &[
    "",
    " ",
    "\0",
    "\"",
    "\"\"",
    "'",
    "*",
    "**",
    "(",
    ")",
    "()",
    ":",
    "^",
    "-",
    "- -",
    "+",
    "{}",
    "body:",
    "body : x",
    "NEAR(",
    "NEAR(a b, 5)",
    "AND",
    "OR",
    "NOT",
    "AND OR NOT",
    "\\",
    "%",
    "_",
    "rowid",
    "'; DROP TABLE memories; --",
    "👍🏽👨‍👩‍👧",
    "\u{202E}",
    "\u{FEFF}",
    "\u{FFFF}",
    "𝕳",
    "e\u{301}\u{301}\u{301}",
    "ﷺ",
    "\u{0}\u{1}\u{2}",
    "^x*",
    "labels:y",
];

pub(super) async fn no_query_is_too_strange(store: SearchUnderTest) -> CaseResult {
    let memory = stored(&store, note("one line about lanterns")?).await?;
    for query in STRANGE {
        equal(&by_text(&store, query).await?, &Vec::new(), query)?;
        let with = format!("{query} lanterns {query}");
        finds(&store, &with, &[&memory]).await?;
    }
    for query in ["\"lantern\"", "lantern*", "(lantern)", "body:lantern", "lantern\0", "-lantern"] {
        finds(&store, query, &[&memory]).await?;
    }
    let long = ["lantern ", "y", "é", "lan-tern.", "aB1", "検", "\0", "a_"];
    for part in long {
        let query = part.repeat(100_000 / part.len());
        let found = by_text(&store, &query).await?;
        equal(&found.len(), &usize::from(part == "lantern "), &part.repeat(3))?;
    }
    let words: Vec<String> = (1..3_000).map(|count| "xz".repeat(count % 60) + "q").collect();
    equal(&by_text(&store, &words.join(" ")).await?, &Vec::new(), "thousands of words")?;
    for limit in [0, 1, usize::MAX] {
        let found = store.by_text(ann(), MemoryFilter::default(), "lantern".into(), limit).await?;
        equal(&found.len(), &limit.min(1), "at most so many")?;
    }
    Ok(())
}

pub(super) async fn no_vector_is_too_strange(store: SearchUnderTest) -> CaseResult {
    let memory = placed(&store, note("has a vector")?, &[1.0, 0.0]).await?;
    let strange: [&[f32]; 6] =
        [&[], &[0.0, 0.0], &[f32::NAN, 1.0], &[f32::INFINITY, 1.0], &[1.0], &[0.5; 9_000]];
    for vector in strange {
        equal(&by_vector(&store, vector).await?, &Vec::new(), &format!("{:?}", vector.first()))?;
        let vectors = vec![NewVector::of_text(memory.id.clone(), 1, vector.to_vec())];
        if vector.len() < 1_000 && vector.len() != 1 {
            store.put_vectors(MODEL.into(), vectors).await?;
        }
    }
    equal(&by_vector(&store, &[1.0, 0.0]).await?.len(), &1, "what has no direction is not taken")?;
    for limit in [0, 1, usize::MAX] {
        let filter = MemoryFilter::default();
        let found = store.by_vector(ann(), filter, MODEL.into(), vec![1.0, 0.0], limit).await?;
        equal(&found.len(), &limit.min(1), "at most so many")?;
    }
    let largest = by_vector(&store, &[f32::MAX, f32::MIN]).await?;
    hold(largest.iter().all(|hit| hit.cosine.is_finite()), "the largest numbers")
}

pub(super) async fn a_huge_memory_is_found(store: SearchUnderTest) -> CaseResult {
    let huge = format!("{} needle {}", "straw ".repeat(60_000), "🧵é\0".repeat(20_000));
    let huge = stored(&store, note(&huge)?).await?;
    let small = stored(&store, note("a needle")?).await?;
    finds(&store, "needle", &[&small, &huge]).await
}
