//! The small parts: durations, globs, digests, names, files.

use std::fs;
use std::time::Duration;

use hobnob_config::{Digest, ProfileName, ServerName, glob_matches, parse_duration};
use hobnob_disk::{FileMode, Lock, write_atomic};

use crate::support::{Scratch, listing};

#[test]
fn lengths_of_time() {
    let good = [
        ("250ms", 250),
        ("0s", 0),
        ("30s", 30_000),
        ("1m30s", 90_000),
        ("1m 30s", 90_000),
        (" 2h ", 7_200_000),
        ("7d", 604_800_000),
    ];
    for (text, milliseconds) in good {
        assert_eq!(parse_duration(text), Ok(Duration::from_millis(milliseconds)), "{text}");
    }
    let bad =
        ["", " ", "30", "s", "-1s", "1.5s", "30 s", "1y", "99999999999999999999s", "367d", "1sm"];
    for text in bad {
        assert!(parse_duration(text).is_err(), "{text}");
    }
    assert!(parse_duration(&format!("{}d", u64::MAX)).is_err());
}

#[test]
fn globs() {
    for (pattern, name, fits) in [
        ("*", "", true),
        ("*", "anything", true),
        ("", "", true),
        ("", "a", false),
        ("read_*", "read_file", true),
        ("read_*", "read_", true),
        ("read_*", "reread_file", false),
        ("*_file", "read_file", true),
        ("*a*b*", "xxaxxbxx", true),
        ("*a*b*", "xxbxxaxx", false),
        ("r?ad", "read", true),
        ("r?ad", "rad", false),
        ("r?ad", "röad", true),
        ("[a-z]", "b", false),
        ("[a-z]", "[a-z]", true),
        ("a*a", "a", false),
    ] {
        assert_eq!(glob_matches(pattern, name), fits, "{pattern} {name}");
    }
    // Exponential backtracking would take for ever here.
    assert!(!glob_matches(&"*a".repeat(200), &"a".repeat(10_000).replace("aa", "ab")));
}

#[test]
fn digests_have_one_spelling() {
    let empty = Digest::of(b"");
    let text = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    assert_eq!(empty.to_string(), text);
    assert_eq!(text.parse(), Ok(empty));
    assert!(text.to_uppercase().parse::<Digest>().is_err());
    assert!(text[1..].parse::<Digest>().is_err());
    assert!("é".repeat(32).parse::<Digest>().is_err());
    assert_ne!(Digest::of_parts(["ab", "c"]), Digest::of_parts(["a", "bc"]));
}

#[test]
fn names() {
    for good in ["a", "git hub", "größe", "a.b:c", &"x".repeat(64)] {
        assert_eq!(ServerName::parse(good).unwrap().as_str(), good);
    }
    for bad in ["", "a/b", "-x", "--yes", "a\nb", "\u{1b}[31m", "a\u{7f}", &"x".repeat(65)] {
        let error = ServerName::parse(bad).unwrap_err().to_string();
        assert!(!error.contains(char::is_control), "{error}");
    }
    for bad in ["", "..", "a/b", "a.b", "ä"] {
        assert!(ProfileName::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn writes_leave_nothing_behind() {
    let scratch = Scratch::new();
    let file = scratch.path("deep/er/file");
    for text in ["one", "two"] {
        write_atomic(&file, text.as_bytes(), FileMode::Private).unwrap();
        assert_eq!(scratch.read("deep/er/file"), text);
    }
    assert_eq!(listing(file.parent().unwrap()), ["file"]);
    // A folder cannot be replaced by a file, and the attempt leaves no scratch file.
    fs::create_dir_all(scratch.path("deep/folder/inside")).unwrap();
    assert!(write_atomic(&scratch.path("deep/folder"), b"x", FileMode::Private).is_err());
    assert_eq!(listing(&scratch.path("deep")), ["er", "folder"]);
}

#[cfg(unix)]
#[test]
fn writes_are_private_and_follow_links() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use crate::support::mode;

    let scratch = Scratch::new();
    let file = scratch.path("new/file");
    write_atomic(&file, b"x", FileMode::Keep).unwrap();
    assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    write_atomic(&file, b"y", FileMode::Keep).unwrap();
    assert_eq!(mode(&file), 0o644);
    let link = scratch.path("link");
    symlink(&file, &link).unwrap();
    write_atomic(&link, b"z", FileMode::Private).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!((scratch.read("new/file").as_str(), mode(&file)), ("z", 0o600));
}

#[test]
fn a_lock_is_free_again_when_it_is_dropped() {
    let scratch = Scratch::new();
    let path = scratch.path("state/it.lock");
    drop(Lock::acquire(&path).unwrap());
    let _held = Lock::acquire(&path).unwrap();
    let other = fs::File::open(&path).unwrap();
    assert!(other.try_lock().is_err());
}
