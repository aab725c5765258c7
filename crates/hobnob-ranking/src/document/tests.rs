//! Definitions as servers write them, and what the index reads from them.

use super::{ToolDocument, ToolField, first_sentence};
use serde_json::json;

fn terms(document: &ToolDocument, field: ToolField) -> String {
    document.terms[field as usize].join(" ")
}

#[test]
fn a_definition_is_read_field_by_field() {
    let definition = json!({
        "name": "mcp__files__searchFiles",
        "title": "Search",
        "description": "Finds files. Folders too.\nNot links.",
        "inputSchema": {"type": "object", "properties": {
            "rootPath": {"type": "string", "description": "Where to begin"},
            "filter": {"type": "object", "properties": {
                "kinds": {"type": "array", "items": {"anyOf": [
                    {"enum": ["hidden"]}, {"properties": {"deep": {}}},
                ]}},
            }},
        }},
    });
    let document = ToolDocument::from_definition("files", &definition);
    let cases = [
        (ToolField::Name, "search file"),
        (ToolField::Title, "search"),
        (ToolField::Lead, "find file"),
        (ToolField::Description, "folder too not link"),
        (ToolField::Argument, "root path filter kind deep"),
        (ToolField::ArgumentText, "where to begin hide"),
        (ToolField::Server, "file"),
    ];
    for (field, expected) in cases {
        assert_eq!(terms(&document, field), expected, "{field:?}");
    }
    assert!(document.embedding_text().contains("search files"));
}

#[test]
fn what_is_missing_or_of_another_type_is_empty() {
    for definition in [json!(null), json!({}), json!({"name": 1, "inputSchema": []})] {
        let document = ToolDocument::from_definition("", &definition);
        for field in ToolField::ALL {
            assert_eq!(terms(&document, field), "", "{definition}");
        }
    }
}

#[test]
fn a_huge_definition_is_cut() {
    let mut schema = json!({});
    for _ in 0..100 {
        schema = json!({"properties": {"deeper": schema}});
    }
    let text = "Größe ".repeat(100_000);
    let definition = json!({"name": "t", "description": text, "inputSchema": schema});
    let document = ToolDocument::from_definition("s", &definition);
    assert!(document.terms.iter().all(|words| words.len() <= super::WORD_LIMIT));
    assert_eq!(document.terms[ToolField::Argument as usize].len(), super::DEPTH_LIMIT + 1);
}

#[test]
fn the_first_sentence_ends_at_its_end() {
    let cases = [
        ("One. Two.", "One"),
        ("No end", "No end"),
        ("Version 1.2 of it\nTwo", "Version 1.2 of it"),
        ("  What? That", "What"),
        ("", ""),
    ];
    for (text, expected) in cases {
        assert_eq!(first_sentence(text).0, expected, "{text}");
    }
}
