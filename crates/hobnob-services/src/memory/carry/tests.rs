//! Exported memories can be imported again.

use super::{Format, Line, read_all, write_all};
use hobnob_store::memory::{Memory, MemoryId, MemoryScope, MemoryStatus, Namespace, Tag};
use hobnob_store::{Owner, Time};

fn memory(content: &str) -> Memory {
    Memory {
        id: MemoryId::random().expect("randomness"),
        owner: Owner::default(),
        scope: MemoryScope::User,
        namespace: Namespace::parse("learnings").expect("a namespace"),
        content: content.into(),
        tags: ["a\"b", "données"].map(|it| Tag::parse(it).expect("a tag")).into(),
        source: Some("notes: \"daily\"\n---".into()),
        status: MemoryStatus::Active,
        superseded_by: None,
        version: 1,
        created: Time::from_millis(1_773_480_600_123),
        updated: Time::from_millis(1_773_480_600_123),
        expires: Some(Time::from_millis(1_900_000_000_000)),
    }
}

#[test]
fn every_content_survives_both_formats() {
    let contents = [
        "plain",
        "two\nlines",
        "---\nnamespace: x\n---",
        "\\---\n\\\\--- a",
        "\n\nlead and trail\n\n\n",
        "tab\tand \u{0} and 🙂 and \u{2028}",
        "ends with newline\n",
        "two\r\nkinds\nof ends\r",
        "----",
    ];
    let memories: Vec<Memory> = contents.into_iter().map(memory).collect();
    for format in [Format::Jsonl, Format::Markdown] {
        let read: Vec<Line> = read_all(&write_all(&memories, format), format).collect();
        assert_eq!(read.len(), memories.len(), "{format:?}");
        for (line, memory) in read.into_iter().zip(&memories) {
            let parsed = line.parsed.expect("readable");
            assert_eq!(parsed.content, memory.content, "{format:?}");
            assert_eq!(parsed.id.as_ref(), Some(&memory.id));
            assert_eq!(parsed.source, memory.source);
            assert_eq!(parsed.created, Some(memory.created));
            assert_eq!(parsed.expires, memory.expires);
            assert_eq!(parsed.tags, ["a\"b", "données"]);
        }
    }
}

#[test]
fn an_editor_that_ends_lines_with_two_characters_changes_no_content() {
    let crlf = |text: &str| text.replace('\n', "\r\n");
    let written = ["plain", "two\nlines", "---\nnamespace: x\n---", "\n\nlead and trail\n\n\n"];
    let exported = write_all(&written.map(memory), Format::Markdown);
    let tags_first = "---\ntag: x\nnamespace: a\n---\n\nby hand\n\ntwo parts\n";
    let no_gap = "---\nnamespace: a\n---\nfirst\n---\nnamespace: a\n---\nsecond";
    let kept = "---\nnamespace: a\n---\n\nkept\r\nas it is\r\n\n";
    let cases: [(String, &[&str]); 5] = [
        (crlf(&exported), &written),
        (crlf(tags_first), &["by hand\n\ntwo parts"]),
        (crlf(no_gap), &["first", "second"]),
        (kept.to_owned() + &crlf(tags_first), &["kept\r\nas it is\r", "by hand\n\ntwo parts"]),
        (crlf(tags_first) + "\r\n" + kept, &["by hand\n\ntwo parts", "kept\r\nas it is\r"]),
    ];
    for (text, expected) in cases {
        let parsed = read_all(&text, Format::Markdown).map(|line| line.parsed.expect("readable"));
        let found: Vec<String> = parsed.map(|parsed| parsed.content).collect();
        assert_eq!(found, expected, "{text:?}");
    }
}

#[test]
fn what_cannot_be_read_is_named_by_its_line() {
    for (format, text, number, part) in [
        (Format::Jsonl, "{\"namespace\":\"a\",\"content\":\"b\"}\n\n{", 3, "EOF"),
        (Format::Jsonl, "{\"namespace\":\"a\",\"colour\":1}", 1, "colour"),
        (Format::Jsonl, "{\"namespace\":\"a\",\"scope\":\"team\"}", 1, "scope"),
        (Format::Jsonl, "{\"namespace\":\"a\",\"id\":\"x\"}", 1, "id"),
        (Format::Markdown, "hello\n---\nnamespace: a\n---\nb", 1, "before"),
        (Format::Markdown, "---\nnamespace: a\n", 1, "no end"),
        (Format::Markdown, "---\nnamespace a\n---\n", 1, "no `:`"),
        (Format::Markdown, "---\ncreated_at: soon\n---\n", 1, "created_at"),
    ] {
        let bad = read_all(text, format).find(|line| line.parsed.is_err());
        let bad = bad.unwrap_or_else(|| panic!("{text} should not be readable"));
        assert_eq!(bad.number, number, "{text}");
        let problem = bad.parsed.expect_err("bad");
        assert!(problem.contains(part), "{text}: {problem}");
    }
}
