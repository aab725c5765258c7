//! Edits as data: text and replacements in, text or refusal out.

use hobnob_policy::{EditMatches, TextEdit};

use super::{edited, occurrences};

fn check(text: &str, edits: &[(&str, &str, EditMatches)], expected: Result<&str, &str>) {
    let edits: Vec<_> = edits
        .iter()
        .map(|(old, new, matches)| TextEdit {
            old: (*old).into(),
            new: (*new).into(),
            matches: *matches,
        })
        .collect();
    let found = edited(text, &edits).map(|(text, _)| text).map_err(|refusal| refusal.to_string());
    assert_eq!(found.as_deref().map_err(String::as_str), expected, "{text:?}");
}

#[test]
fn edits_are_exact_or_refused() {
    use EditMatches::{All, Once};
    check("a b c", &[("b", "x", Once)], Ok("a x c"));
    check("a b c", &[("b", "x", Once), ("x c", "y", Once)], Ok("a y"));
    check("a b b", &[("b", "x", All)], Ok("a x x"));
    check("ä ö", &[("ö", "", Once)], Ok("ä "));
    check("a", &[("b", "x", Once)], Err("does not contain the text of edit 1"));
    check("a", &[("a", "b", Once), ("a", "c", Once)], Err("does not contain the text of edit 2"));
    let many = "contains the text of edit 1 2 times: give more of its surroundings, or replace all";
    check("b b", &[("b", "x", Once)], Err(many));
    // Two overlapping places are two places: it is unclear which one is meant.
    check("aaa", &[("aa", "x", Once)], Err(many));
    check("a", &[("", "x", Once)], Err("would not be changed by edit 1"));
    check("a", &[("a", "a", Once)], Err("would not be changed by edit 1"));
    check("line\r\nnext", &[("line\nnext", "x", Once)], Err("does not contain the text of edit 1"));
}

#[test]
fn places_are_counted_where_they_overlap() {
    assert_eq!(occurrences("ababa", "aba"), 2);
    assert_eq!(occurrences("ééé", "éé"), 2);
    assert_eq!(occurrences("", "a"), 0);
}
