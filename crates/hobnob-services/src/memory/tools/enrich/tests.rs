//! Answers of models, and the suggestions that are parsed from them.

use super::{read, tag};
use hobnob_store::memory::Tag;

#[test]
fn answers_come_in_many_forms() {
    let object = "{\"tags\": [\"db\", 7, \"Row Locks\"], \"context\": \" Why. \"}";
    let fenced = format!("```json\n{object}\n```");
    let answer = format!("Sure {{as asked}}! Here it is: {object}. Anything else? {{}} }}");
    let both: (&[&str], _) = (&["db", "row-locks"], Some("Why."));
    let cases: [(&str, &[&str], Option<&str>); 12] = [
        ("database, storage", &["database", "storage"], None),
        ("- Database\n- \"Query planner\"\n* #sql", &["database", "query-planner", "sql"], None),
        (object, both.0, both.1),
        (&fenced, both.0, both.1),
        (&answer, both.0, both.1),
        ("Tags [as a list]: [\"a b\", \"c\"] - done [1]", &["a-b", "c"], None),
        ("```json\n[\"one\", \"two\"]\n```", &["one", "two"], None),
        ("```\none\ntwo\n```", &["one", "two"], None),
        ("{\"tags\": [], \"context\": \"\"}", &[], None),
        ("I am sorry but I cannot help with that request", &[], None),
        ("", &[], None),
        ("🙂, données", &["données", "🙂"], None),
    ];
    for (answer, tags, context) in cases {
        let read = read(answer);
        let mut found: Vec<Tag> = read.words.iter().filter_map(|word| tag(word)).collect();
        found.sort();
        let found: Vec<&str> = found.iter().map(Tag::as_str).collect();
        assert_eq!((found.as_slice(), read.context.as_deref()), (tags, context), "{answer}");
    }
}
