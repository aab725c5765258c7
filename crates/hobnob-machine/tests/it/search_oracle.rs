//! Compares searches with a naive search by path: the same hits, in the same order.

use std::fs;
use std::path::Path;

use hobnob_machine::files::{SearchControl, SearchCursor, TotalCount};
use hobnob_policy::{FileSearch, HitCount, PatternSyntax};
use proptest::prelude::*;

use crate::granted::{Granted, relative};
use crate::permitted::search;
use crate::searching::content;

/// The path, number and text of each matching line, in the order of a page.
type Found = Vec<(String, u64, String)>;

fn naive(folder: &Path, prefix: &str, needle: &str, found: &mut Found) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().into_string().expect("text");
        if name.starts_with('.') || name == "hidden" {
            continue;
        }
        let path = format!("{prefix}{name}");
        if entry.file_type().expect("a type").is_dir() {
            naive(&entry.path(), &format!("{path}/"), needle, found);
            continue;
        }
        let bytes = fs::read(entry.path()).expect("bytes");
        if bytes.contains(&0) {
            continue;
        }
        let text = String::from_utf8(bytes).expect("text");
        for (index, line) in text.split_terminator('\n').enumerate() {
            if line.contains(needle) {
                let line = line.strip_suffix('\r').unwrap_or(line);
                found.push((path.clone(), index as u64 + 1, line.to_owned()));
            }
        }
    }
}

fn paged(granted: &Granted, wish: &FileSearch, limit: usize) -> (Found, u64) {
    let mut found = Found::new();
    let mut cursor: Option<SearchCursor> = None;
    loop {
        let control = SearchControl::default();
        let path = relative(".");
        let page =
            search(&granted.root, &path, wish, cursor.as_ref(), limit, &control).expect("a page");
        for hit in page.hits {
            let line = hit.line.expect("a line");
            found.push((hit.path, line.number, line.text));
        }
        match page.next {
            Some(next) => cursor = Some(next),
            None => return (found, page.totals.hits),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn finds_what_a_naive_search_finds(
        files in prop::collection::vec(("[ab]{1,2}(/[.-]?[ab]{1,2}){0,3}", "[abx\\n\\r ö\0]{0,40}"), 0..40),
        needle in "[abx ö]{1,2}",
        limit in 1_usize..20,
    ) {
        let granted = Granted::new();
        for (name, text) in &files {
            let path = granted.inside.join(name);
            // A name may belong to a folder or a file already.
            if fs::create_dir_all(path.parent().expect("a parent")).is_ok() {
                let _ = fs::write(path, text);
            }
        }
        let mut expected = Found::new();
        naive(&granted.inside, "", &needle, &mut expected);
        expected.sort();
        let (found, total) = paged(&granted, &content(&needle, PatternSyntax::Literal), limit);
        prop_assert_eq!(total, expected.len() as u64);
        prop_assert_eq!(&found, &expected);
        // Without a count the pages are the same, and the last total is a lower bound.
        let wish = FileSearch {
            count: HitCount::UntilPageIsFull,
            ..content(&needle, PatternSyntax::Literal)
        };
        let (found, at_least) = paged(&granted, &wish, limit);
        prop_assert_eq!(found, expected.clone());
        prop_assert!(at_least <= total);
        let page = search(&granted.root, &relative("."), &wish, None, 1000, &SearchControl::default());
        let totals = page.expect("a page").totals;
        prop_assert_eq!((totals.hits, totals.count), (expected.len() as u64, TotalCount::Exact));
    }
}
