//! Which words are mentions, and which files they may name.

use super::{mentions, pasted_picture, read};
use std::fs;

#[test]
fn words_with_an_at_in_front_mention_something_once() {
    let text = "compare @src/a.rs, @src/b.rs and @src/a.rs; mail me@example.com (@x://y).";
    assert_eq!(mentions(text), ["src/a.rs", "src/b.rs"]);
    assert_eq!(mentions("@a.txt? @ @b."), ["a.txt", "b"]);
}

#[test]
fn only_texts_of_a_bearable_size_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    assert_eq!(read(&file("a", b"text")).unwrap(), "text");
    assert!(read(&file("b", &[0xff, 0xfe])).is_err());
    assert!(read(&file("c", &vec![b'x'; super::MAX_BYTES + 1])).is_err());
    assert!(read(folder.path()).is_err());
}

#[test]
fn the_path_of_a_pasted_picture_ends_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my plan.png");
    fs::write(&path, "").unwrap();
    let shown = path.display().to_string();
    let escaped = shown.replace(' ', "\\ ");
    for text in [
        shown.clone(),
        escaped.clone(),
        format!("'{shown}' "),
        format!("what is this? {escaped}"),
        format!("see / and \"{shown}\""),
    ] {
        assert_eq!(pasted_picture(&text), Some(path.clone()), "{text}");
    }
    for text in [
        format!("{shown} what is this"),
        format!("a log\n{shown}"),
        format!("{shown}.txt"),
        "my plan.png".to_owned(),
        folder.path().display().to_string(),
        String::new(),
    ] {
        assert_eq!(pasted_picture(&text), None, "{text}");
    }
}
