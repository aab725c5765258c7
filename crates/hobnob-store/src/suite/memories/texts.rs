//! Texts of every kind: all scripts, symbols, long texts. `list` has the cases.

use super::sample::{ann, contents, listed, note, stored, tags, there};
use crate::memory::{MemoryEdit, MemoryFilter, MemoryRepository, NewMemory, Tag};
use crate::suite::case_result::{CaseResult, Failed, equal};
use std::sync::Arc;

type Store = Arc<dyn MemoryRepository>;

/// Words of many scripts; no word is another one in lower case.
const WORDS: [&str; 12] = [
    "größe",
    "ｗｉｄｅ",
    "решение",
    "απόφαση",
    "決定",
    "결정",
    "निर्णय",
    "החלטה",
    "قرار",
    "🦀🧠",
    "e\u{301}",
    "\u{10ffff}",
];

pub(super) async fn every_content_comes_back_as_it_was(store: Store) -> CaseResult {
    let mut texts: Vec<String> = WORDS.iter().map(|word| word.to_string()).collect();
    texts.extend(
        ["a\0b", "\0", "a", "\u{feff}a", "a\r\nb\tc", "' ; DROP TABLE memories", "\u{1b}[31m"]
            .map(String::from),
    );
    texts.push("é".repeat(512 * 1024));
    texts.push("x y ".repeat(256 * 1024));
    for (number, text) in texts.iter().enumerate() {
        let name = format!("text {number}");
        let memory = stored(&*store, note(text)?).await.map_err(|failed| failed.of(&name))?;
        let found = there(&*store, &ann(), &memory.id).await?.content;
        same_text(&found, text, &name)?;
        let longer = format!("{text}\0more");
        let edit = MemoryEdit { content: Some(longer.clone()), ..MemoryEdit::default() };
        same_text(&store.update(ann(), memory.id.clone(), edit).await?.content, &longer, &name)?;
        let history = store.history(ann(), memory.id.clone()).await?;
        let [before, after] = history.as_slice() else {
            return Err(Failed::because(format!("{name} has {} versions", history.len())));
        };
        same_text(&before.content, text, &name)?;
        same_text(&after.content, &longer, &name)?;
    }
    equal(&store.count(ann(), MemoryFilter::default()).await?, &(texts.len() as u64), "all of them")
}

/// Like `equal`, without a mebibyte of text in the message.
fn same_text(found: &str, expected: &str, name: &str) -> CaseResult {
    if found == expected {
        return Ok(());
    }
    let lengths = format!("{} and not {} bytes", found.len(), expected.len());
    Err(Failed::because(format!("{name} came back as another: {lengths}")))
}

pub(super) async fn tags_are_of_any_script(store: Store) -> CaseResult {
    for word in WORDS {
        stored(&*store, NewMemory { tags: tags(&[word, "all"])?, ..note(word)? }).await?;
    }
    for word in WORDS {
        let filter = MemoryFilter { tags: vec![tags(&[word])?], ..MemoryFilter::default() };
        let found = listed(&*store, &ann(), &filter, 10).await?;
        equal(contents(&found).as_slice(), &[word], "those with the tag")?;
        let mut expected = tags(&[word, "all"])?;
        expected.sort_unstable();
        equal(&found[0].tags, &expected, "its tags")?;
        let begins: String = word.chars().take(1).collect();
        let found = store.tags(ann(), begins, 100).await?;
        let found: Vec<&str> = found.iter().map(|count| count.word.as_str()).collect();
        equal(found.as_slice(), &[Tag::parse(word)?.as_str()], "tags that begin like it")?;
    }
    Ok(())
}

pub(super) async fn sources_are_of_any_script(store: Store) -> CaseResult {
    let mut sources: Vec<String> = WORDS.iter().map(|word| format!("{word}/notes.md")).collect();
    sources.extend(
        ["a\0b", "a", "a[b]c", "abc", "*", "?", "", "a]", "\\", "a%b", "A"].map(String::from),
    );
    for source in &sources {
        stored(&*store, NewMemory { source: Some(source.clone()), ..note(source)? }).await?;
    }
    stored(&*store, note("without a source")?).await?;
    let cases: &[(&str, &[&str])] = &[
        ("a", &["a"]),
        ("a\0b", &["a\0b"]),
        ("a\0*", &[]),
        ("a[b]c", &["a[b]c"]),
        ("a[b]?", &["a[b]c"]),
        ("a[*", &["a[b]c"]),
        ("a?c", &["abc"]),
        ("a]*", &["a]"]),
        ("[a]*", &[]),
        ("\\*", &["\\"]),
        ("a%*", &["a%b"]),
        ("", &[""]),
        ("決?/*", &["決定/notes.md"]),
        ("🦀?/notes.md", &["🦀🧠/notes.md"]),
        ("ä*", &[]),
        ("?", &["A", "\\", "?", "*", "a"]),
    ];
    for (glob, expected) in cases {
        let filter = MemoryFilter { source: Some((*glob).into()), ..MemoryFilter::default() };
        let found = listed(&*store, &ann(), &filter, 100).await?;
        equal(contents(&found).as_slice(), *expected, &format!("sources like {glob:?}"))?;
    }
    Ok(())
}
