//! Parts of files, lists, and the metadata of an entry.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use hobnob_machine::files::{FileBody, FilePart, content_hash};
use hobnob_policy::{EntryKind, ReadWindow};

use crate::granted::{Granted, relative};
use crate::permitted::{list, read, stat};

fn part(granted: &Granted, window: ReadWindow, limit: u64) -> FilePart {
    read(&granted.root, &relative("file"), window, limit).expect("it can be read")
}

fn check(content: &[u8], window: ReadWindow, limit: u64, expected: &str, more: bool) {
    let granted = Granted::new();
    fs::write(granted.inside.join("file"), content).expect("a file");
    let found = part(&granted, window, limit);
    assert_eq!((found.body, found.more), (FileBody::Text(expected.into()), more), "{window:?}");
    assert_eq!(found.size, content.len() as u64);
    let start = usize::try_from(found.start).expect("it fits").min(content.len());
    assert!(content[start..].starts_with(expected.as_bytes()), "{window:?} begins at {start}");
}

#[test]
fn windows_by_line_and_byte() {
    let text = "one\ntwo\r\nthree\n\nfive".as_bytes();
    let lines = |first, count| ReadWindow::Lines { first, count };
    check(text, ReadWindow::Whole, 100, "one\ntwo\r\nthree\n\nfive", false);
    check(text, ReadWindow::Whole, 5, "one\nt", true);
    check(text, lines(1, 1), 100, "one\n", true);
    check(text, lines(0, 1), 100, "one\n", true);
    check(text, lines(2, 2), 100, "two\r\nthree\n", true);
    check(text, lines(4, 2), 100, "\nfive", false);
    check(text, lines(5, 10), 100, "five", false);
    check(text, lines(6, 10), 100, "", false);
    check(text, lines(1, 5), 6, "one\ntw", true);
    check(text, lines(u64::MAX, u64::MAX), 100, "", false);
    let bytes = |start, length| ReadWindow::Bytes { start, length };
    check(text, bytes(4, 3), 100, "two", true);
    check(text, bytes(16, 100), 100, "five", false);
    check(text, bytes(400, 3), 100, "", false);
    check(text, bytes(0, 100), 3, "one", true);
    // A character is never split.
    check("añb".as_bytes(), ReadWindow::Whole, 2, "a", true);
    check("añb\n".as_bytes(), lines(1, 1), 2, "a", true);
    check(b"", ReadWindow::Whole, 100, "", false);
    check(b"", lines(1, 1), 100, "", false);
}

#[test]
fn binary_is_given_as_bytes() {
    let granted = Granted::new();
    for content in [&b"a\0b"[..], &b"\xff\xfe"[..], &b"latin \xe4\xf6"[..]] {
        fs::write(granted.inside.join("file"), content).expect("a file");
        let found = part(&granted, ReadWindow::Whole, 100);
        assert_eq!(found.body, FileBody::Binary(content.to_vec()));
        assert_eq!(found.hash, Some(content_hash(content)));
    }
}

#[test]
fn only_a_whole_file_has_a_hash() {
    let granted = Granted::new();
    fs::write(granted.inside.join("file"), "text").expect("a file");
    let hash = part(&granted, ReadWindow::Whole, 4).hash.expect("all of it was read");
    assert_eq!(hash.to_string().parse(), Ok(hash));
    assert_eq!(part(&granted, ReadWindow::Whole, 3).hash, None);
    assert_eq!(part(&granted, ReadWindow::Lines { first: 1, count: 1 }, 9).hash, None);
}

#[test]
fn folders_are_listed_page_by_page() {
    let granted = Granted::new();
    for number in 0..25 {
        fs::write(granted.inside.join(format!("f{number:02}")), "x").expect("a file");
    }
    let mut names = Vec::new();
    let mut after: Option<String> = None;
    loop {
        let page = list(&granted.root, &relative("."), after.as_deref(), 7).expect("a page");
        assert_eq!(page.total, 26);
        names.extend(page.entries.into_iter().map(|entry| entry.name));
        match page.next {
            Some(next) => after = Some(next),
            None => break,
        }
    }
    let expected: Vec<_> =
        (0..25).map(|it| format!("f{it:02}")).chain(["open.txt".to_owned()]).collect();
    assert_eq!(names, expected);
    list(&granted.root, &relative("open.txt"), None, 1).expect_err("a file has no entries");
}

#[test]
fn names_that_are_no_text_are_listed_once_and_found_again() {
    let granted = Granted::new();
    for name in [&b"a\xff"[..], b"b", b"\xfe", b"\xff 1"] {
        fs::write(granted.inside.join(OsStr::from_bytes(name)), name).expect("a file");
    }
    let mut found = Vec::new();
    let mut after: Option<String> = None;
    for _ in 0..5 {
        let page = list(&granted.root, &relative("."), after.as_deref(), 1).expect("a page");
        found.extend(page.entries.into_iter().map(|it| (it.name, it.encoded)));
        after = page.next;
    }
    assert_eq!(after, None);
    let name = |text: &str, encoded: Option<&str>| (text.to_owned(), encoded.map(str::to_owned));
    let expected = [
        name("a\u{fffd}", Some("a%FF")),
        name("b", None),
        name("open.txt", None),
        name("\u{fffd}", Some("%FE")),
        name("\u{fffd} 1", Some("%FF%201")),
    ];
    assert_eq!(found, expected);
}

#[test]
fn facts_of_an_entry() {
    let granted = Granted::new();
    let found = stat(&granted.root, &relative("open.txt")).expect("it is there").facts;
    let known = fs::metadata(granted.inside.join("open.txt")).expect("metadata");
    assert_eq!((found.kind, found.size, found.names), (EntryKind::File, known.len(), 1));
    assert_eq!(found.modified, known.modified().expect("a time"));
    let root = stat(&granted.root, &relative(".")).expect("the folder itself").facts;
    assert_eq!(root.kind, EntryKind::Folder);
    let missing = stat(&granted.root, &relative("not/there")).expect_err("nothing");
    assert_eq!(missing.to_string(), "`not/there` does not exist");
    let through = stat(&granted.root, &relative("open.txt/x")).expect_err("not a folder");
    assert_eq!(through.to_string(), "`open.txt/x` is not a folder");
}
