//! What models answer, and what is taken from it.

use super::{Suggested, read};
use hobnob_store::memory::Tag;

fn tags(words: &[&str]) -> Vec<Tag> {
    words.iter().map(|word| Tag::parse(word).expect("a tag")).collect()
}

#[test]
fn answers_come_in_many_forms() {
    let cases = [
        ("database, storage", tags(&["database", "storage"]), None),
        (
            "- Database\n- \"Query planner\"\n* #sql",
            tags(&["database", "query-planner", "sql"]),
            None,
        ),
        (
            "```json\n{\"tags\": [\"db\", 7, \"Row Locks\"], \"context\": \" Why. \"}\n```",
            tags(&["db", "row-locks"]),
            Some("Why."),
        ),
        ("{\"tags\": [], \"context\": \"\"}", vec![], None),
        ("I am sorry but I cannot help with that request", vec![], None),
        ("", vec![], None),
        ("🙂, données", tags(&["données", "🙂"]), None),
    ];
    for (answer, tags, context) in cases {
        let context = context.map(str::to_owned);
        assert_eq!(read(answer), Suggested { tags, context }, "{answer}");
    }
}
