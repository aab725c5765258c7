//! Reading in both directions agrees, an index survives growth, and rotated names are known.

use std::io::Write as _;
use std::ops::ControlFlow;

use proptest::prelude::*;

use super::back::stretch_before;
use super::entries::visit_entries;
use super::index::FileIndex;
use super::rotation::{PartAge, log_of, parts_of};
use super::section::FileSection;
use super::shape::EntryShape;
use crate::logs::control::LogControl;

fn file_of(text: &[u8]) -> std::fs::File {
    let mut file = tempfile::tempfile().expect("a file");
    file.write_all(text).expect("written");
    file
}

fn starts(file: &std::fs::File, from: u64, to: u64, shape: EntryShape) -> Vec<u64> {
    let mut all = Vec::new();
    let section = FileSection::new(file, from, to);
    visit_entries(section, from, shape, 1 << 16, &LogControl::default(), |raw| {
        all.push(raw.offset);
        ControlFlow::Continue(())
    })
    .expect("read");
    all
}

/// Lines of every kind, including lines longer than a block.
fn lines() -> impl Strategy<Value = Vec<String>> {
    let line = prop_oneof![
        4 => Just("2024-02-10T10:30:45Z INFO hello".to_owned()),
        2 => Just("\tat a stack".to_owned()),
        1 => Just("continued".to_owned()),
        1 => Just(String::new()),
        1 => (1_usize..300_000).prop_map(|length| "x".repeat(length)),
        1 => (1_usize..100_000)
            .prop_map(|length| format!("2024-02-10T10:30:45Z {}", "y".repeat(length))),
    ];
    proptest::collection::vec(line, 0..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn back_and_forth_find_the_same(lines in lines(), ended: bool, cut in 0..40_usize) {
        let mut text = lines.join("\n");
        if ended {
            text.push('\n');
        }
        let file = file_of(text.as_bytes());
        let size = text.len() as u64;
        let shape = EntryShape::of_file(&file).unwrap();
        let forward = starts(&file, 0, size, shape);
        let control = LogControl::default();
        let (mut back, mut end) = (Vec::new(), size);
        while 0 < end {
            let start = stretch_before(&file, end, shape, &control).unwrap();
            prop_assert!(start < end);
            back.splice(0..0, starts(&file, start, end, shape));
            end = start;
        }
        prop_assert_eq!(&back, &forward);

        // An index of the beginning that was extended equals the index of the whole file.
        let part = lines[..cut.min(lines.len())].join("\n");
        let begun = file_of(part.as_bytes());
        let index = FileIndex::build(&begun, part.len() as u64, &control).unwrap();
        let whole = FileIndex::build(&file, size, &control).unwrap();
        prop_assert_eq!(whole.count(), forward.len() as u64);
        if index.shape() == whole.shape() && !part.is_empty() {
            prop_assert!(index.fits(&file, size).unwrap());
            let grown = index.extend(&file, size, &control).unwrap();
            prop_assert_eq!(grown.count(), whole.count());
            prop_assert_eq!(grown.mark_before(0), whole.mark_before(0));
        }
    }
}

#[test]
fn a_file_that_was_written_anew_has_another_index() {
    let control = LogControl::default();
    let text = "2024-02-10T10:30:45Z one\n".repeat(1000);
    let index = FileIndex::build(&file_of(text.as_bytes()), text.len() as u64, &control);
    let index = index.expect("an index");
    let other = "2024-02-10T10:30:45Z two\n".repeat(2000);
    assert!(!index.fits(&file_of(other.as_bytes()), other.len() as u64).expect("read"));
    assert!(!index.fits(&file_of(b"short"), 5).expect("read"));
}

#[test]
fn marks_lead_deep_into_a_file() {
    let text: String = (0..20_000).map(|at| format!("2024-02-10T10:30:45Z {at}\n")).collect();
    let file = file_of(text.as_bytes());
    let index = FileIndex::build(&file, text.len() as u64, &LogControl::default()).expect("index");
    assert_eq!(index.count(), 20_000);
    for number in [0, 4095, 4096, 8191, 12_288, 19_999] {
        let (mark, offset) = index.mark_before(number);
        assert!(mark <= number && number < mark + 4096);
        let line = text[offset as usize..].lines().next().expect("a line");
        assert_eq!(line, format!("2024-02-10T10:30:45Z {mark}"));
    }
}

#[test]
fn rotated_parts_are_found_by_name() {
    let names = [
        "app.log",
        "app.log.1",
        "app.log.2.gz",
        "app.log.10.gz",
        "app.log.2024-02-09",
        "app.log-20240210.gz",
        "app-2024-02-08.log",
        "app.3.log",
        "app.log.old",
        "app.log.1.xz",
        "other.log.1",
        "app.logs",
        "app.log.1.gz",
    ];
    let parts = parts_of("app.log", names.into_iter(), 100);
    let found: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
    let expected = [
        "app.log",
        "app.log.1",
        "app.log.2.gz",
        "app.log.10.gz",
        "app.log-20240210.gz",
        "app.log.2024-02-09",
        "app-2024-02-08.log",
    ];
    assert_eq!(found, expected);
    assert_eq!(parts[0].age, PartAge::Current);
    for (name, log) in [
        ("app.log", "app.log"),
        ("app.log.1", "app.log"),
        ("syslog.2.gz", "syslog"),
        ("app-2024-02-08.log", "app.log"),
        ("dpkg.log.10.gz", "dpkg.log"),
        ("x.gz", "x"),
        ("messages-20240210", "messages"),
        ("python3.11.log", "python3.11.log"),
        ("a-b_c", "a-b_c"),
        ("release-2", "release-2"),
    ] {
        assert_eq!(log_of(name), log, "{name}");
    }
}
