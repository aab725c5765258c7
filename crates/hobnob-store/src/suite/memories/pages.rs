//! Cases of paginated lists. `list` has the cases.

use super::sample::{ann, ann_at, at, contents, listed, note, refused, stored};
use crate::memory::{MemoryError, MemoryFilter, MemoryRepository, NewMemory, Page, PageRequest};
use crate::suite::case_result::{CaseResult, Failed, equal};
use std::collections::BTreeSet;
use std::sync::Arc;

type Store = Arc<dyn MemoryRepository>;

pub(super) async fn the_newest_come_first(store: Store) -> CaseResult {
    for (content, seconds) in [("c", 30), ("a", 10), ("d1", 40), ("b", 20), ("d2", 40), ("d3", 40)]
    {
        stored(&*store, NewMemory { created: at(seconds), ..note(content)? }).await?;
    }
    // Of memories created at the same time, the last captured is the newest.
    let expected = ["d3", "d2", "d1", "c", "b", "a"];
    for limit in 1..=7 {
        let found = listed(&*store, &ann(), &MemoryFilter::default(), limit).await?;
        equal(contents(&found).as_slice(), &expected, &format!("in pages of {limit}"))?;
    }
    Ok(())
}

pub(super) async fn a_page_says_whether_there_is_another(store: Store) -> CaseResult {
    let page = |after: Option<String>| PageRequest { after, limit: 2 };
    let list = |page| store.list(ann(), MemoryFilter::default(), page);
    equal(&list(page(None)).await?, &Page { items: vec![], next: None }, "an empty list")?;
    for content in ["1", "2", "3", "4"] {
        stored(&*store, note(content)?).await?;
    }
    let first = list(page(None)).await?;
    equal(contents(&first.items).as_slice(), &["4", "3"], "the first page")?;
    let next = first.next.ok_or_else(|| Failed::because("there is a second page"))?;
    let second = list(page(Some(next))).await?;
    equal(contents(&second.items).as_slice(), &["2", "1"], "the second page")?;
    equal(&second.next, &None, "a page after the last")
}

pub(super) async fn what_comes_and_goes_moves_no_page(store: Store) -> CaseResult {
    for number in 0..30 {
        stored(&*store, NewMemory { created: at(number), ..note(&number.to_string())? }).await?;
    }
    let mut seen = Vec::new();
    let mut page = PageRequest { after: None, limit: 4 };
    loop {
        let part = store.list(ann_at(500), MemoryFilter::default(), page.clone()).await?;
        // A newer memory appears, and the last memory of this page is removed.
        let count = seen.len() as u64;
        stored(&*store, NewMemory { created: at(100 + count), ..note(&format!("new {count}"))? })
            .await?;
        if let Some(last) = part.items.last() {
            store.purge(ann(), last.id.clone()).await?;
        }
        seen.extend(part.items.into_iter().map(|memory| memory.content));
        match part.next {
            Some(next) => page.after = Some(next),
            None => break,
        }
    }
    let expected: Vec<String> = (0..30).rev().map(|number| number.to_string()).collect();
    equal(&seen, &expected, "all that was there at the beginning, each once")?;
    let distinct: BTreeSet<&String> = seen.iter().collect();
    equal(&distinct.len(), &30, "different ones")
}

pub(super) async fn what_is_no_cursor_is_refused(store: Store) -> CaseResult {
    stored(&*store, note("one")?).await?;
    let long = "9".repeat(10_000);
    for bad in ["", "x", ".", "1.", ".1", "1.x", "1.2.3", "\0", "-", "ａ.１", "1' OR 1=1", &long]
    {
        let page = PageRequest { after: Some(bad.into()), limit: 10 };
        let done = store.list(ann(), MemoryFilter::default(), page).await;
        refused(done, &MemoryError::BadCursor).map_err(|failed| failed.of(bad))?;
    }
    Ok(())
}
