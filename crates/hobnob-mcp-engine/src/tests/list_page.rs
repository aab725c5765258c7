//! Pages of lists: when a page is full, and its JSON.

use crate::{ListPage, MAX_PAGE_BYTES};

fn page(max_entries: usize, entries: &[&str], next_cursor: Option<&str>) -> (usize, String) {
    let mut page = ListPage::new("tools", max_entries);
    let taken = entries.iter().take_while(|entry| page.push(entry)).count();
    (taken, page.finish(next_cursor))
}

#[test]
fn a_page_takes_as_many_entries_as_it_may() {
    for (max_entries, taken, body) in [
        (0, 1, r#"{"tools":[1]}"#),
        (1, 1, r#"{"tools":[1]}"#),
        (2, 2, r#"{"tools":[1,{}]}"#),
        (9, 3, r#"{"tools":[1,{},"a"]}"#),
    ] {
        assert_eq!(page(max_entries, &["1", "{}", "\"a\""], None), (taken, body.into()));
    }
    assert_eq!(page(9, &[], Some("a\"b")), (0, r#"{"tools":[],"nextCursor":"a\"b"}"#.into()));
}

#[test]
fn a_page_ends_before_it_is_too_big_but_never_empty() {
    let big = "1".repeat(MAX_PAGE_BYTES);
    assert_eq!(page(9, &[&big, "1"], None).0, 1);
    assert_eq!(page(9, &["1", &big], None).0, 1);
    assert_eq!(page(9, &["1", "1", &big], None).0, 2);
}
