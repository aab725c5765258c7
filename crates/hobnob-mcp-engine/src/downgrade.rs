//! Rewrites results for older revisions: what a revision does not know is left out or becomes text.
//!
//! Services write the superset of all revisions. This code works on JSON text and changes only what
//! it must.

use hobnob_mcp_types::json::{ObjectWriter, elements, entries, field, write_string};
use hobnob_mcp_types::{Method, Revision};
use memchr::memmem::Finder;
use std::borrow::Cow;
use std::sync::LazyLock;

use Revision::{V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};

/// A member's name, and the first and the last revision that know it.
type Known = (&'static str, Revision, Revision);

const TOOL: &[Known] = &[
    ("title", V2025_06_18, V2026_07_28),
    ("annotations", V2025_03_26, V2026_07_28),
    ("outputSchema", V2025_06_18, V2026_07_28),
    ("icons", V2025_11_25, V2026_07_28),
    ("execution", V2025_11_25, V2025_11_25),
    ("_meta", V2025_06_18, V2026_07_28),
];

const LISTED: &[Known] = &[
    ("title", V2025_06_18, V2026_07_28),
    ("icons", V2025_11_25, V2026_07_28),
    ("_meta", V2025_06_18, V2026_07_28),
];

const META: &[Known] = &[("_meta", V2025_06_18, V2026_07_28)];

const IMPLEMENTATION: &[Known] = &[
    ("title", V2025_06_18, V2026_07_28),
    ("description", V2025_11_25, V2026_07_28),
    ("websiteUrl", V2025_11_25, V2026_07_28),
    ("icons", V2025_11_25, V2026_07_28),
];

const CAPABILITIES: &[Known] = &[
    ("completions", V2025_03_26, V2026_07_28),
    ("tasks", V2025_11_25, V2025_11_25),
    ("extensions", V2026_07_28, V2026_07_28),
];

/// Rewrites a result for revision `to`. `floor` is the oldest that understands it unchanged.
pub fn downgrade_result(method: Method, body: &str, floor: Revision, to: Revision) -> Cow<'_, str> {
    match method {
        // An entry may have a member that some revision does not know, at any `floor`.
        Method::ToolsList => list(body, "tools", |entry| downgrade_entry(method, entry, to)),
        Method::ResourcesList => {
            list(body, "resources", |entry| downgrade_entry(method, entry, to))
        }
        Method::ResourcesTemplatesList => {
            list(body, "resourceTemplates", |entry| downgrade_entry(method, entry, to))
        }
        Method::PromptsList => list(body, "prompts", |entry| downgrade_entry(method, entry, to)),
        _ if floor <= to => Cow::Borrowed(body),
        Method::ToolsCall => downgrade_call_result(body, to),
        Method::ResourcesRead => list(body, "contents", |contents| keep(contents, META, to)),
        Method::PromptsGet => list(body, "messages", |message| {
            object(message, |key, value| match key {
                "content" => Some(downgrade_content(value, to)),
                _ => Some(Cow::Borrowed(value)),
            })
        }),
        _ => Cow::Borrowed(body),
    }
}

/// Rewrites the server's `Implementation` object for one revision.
pub fn downgrade_implementation(text: &str, to: Revision) -> String {
    keep(text, IMPLEMENTATION, to).into_owned()
}

/// Rewrites the server's capabilities for one revision.
pub fn downgrade_capabilities(text: &str, to: Revision) -> String {
    keep(text, CAPABILITIES, to).into_owned()
}

/// Rewrites one entry of a list for one revision; `entry` includes its braces. For a method that is
/// no list the entry stays unchanged.
pub fn downgrade_entry(list: Method, entry: &str, to: Revision) -> Cow<'_, str> {
    match list {
        Method::ToolsList => downgrade_tool(entry, to),
        Method::ResourcesList | Method::ResourcesTemplatesList => keep(entry, LISTED, to),
        Method::PromptsList => downgrade_prompt(entry, to),
        _ => Cow::Borrowed(entry),
    }
}

fn downgrade_tool(tool: &str, to: Revision) -> Cow<'_, str> {
    object(tool, |key, value| match key {
        // Until 2025-11-25 structured results were objects, and so were their schemas.
        "outputSchema" if to <= V2025_11_25 && field(value, "type") != Some("\"object\"") => None,
        _ if is_unknown(key, TOOL, to) => None,
        _ => Some(Cow::Borrowed(value)),
    })
}

fn downgrade_prompt(prompt: &str, to: Revision) -> Cow<'_, str> {
    object(prompt, |key, value| match key {
        "arguments" => Some(array(value, |argument| keep(argument, LISTED, to))),
        _ if is_unknown(key, LISTED, to) => None,
        _ => Some(Cow::Borrowed(value)),
    })
}

/// Only tool results with one of these strings differ between revisions since 2025-06-18; `\u`,
/// because keys may be escaped. `ResultText` counts such strings: add a new one there too.
const CHANGING_WORDS: [&str; 3] = ["structuredContent", "\"resource", "\\u"];

static CHANGING: LazyLock<[Finder<'static>; 3]> = LazyLock::new(|| CHANGING_WORDS.map(Finder::new));

/// Structured results become text for revisions without them, unless there is text already.
fn downgrade_call_result(body: &str, to: Revision) -> Cow<'_, str> {
    // Searching for a few strings costs far less than parsing the body.
    let has = |word: &Finder<'_>| word.find(body.as_bytes()).is_some();
    if to >= V2025_06_18 && !CHANGING.iter().any(has) {
        return Cow::Borrowed(body);
    }
    let structured = field(body, "structuredContent");
    let keeps_structure =
        |value: &str| to >= V2026_07_28 || (to >= V2025_06_18 && value.starts_with('{'));
    let orphan = structured.filter(|value| {
        let content = field(body, "content").unwrap_or("[]");
        !keeps_structure(value) && elements(content).is_empty()
    });
    let downgraded = object(body, |key, value| match (key, orphan) {
        ("structuredContent", _) if !keeps_structure(value) => None,
        ("content", Some(structured)) => Some(Cow::Owned(format!("[{}]", text_block(structured)))),
        ("content", None) => Some(array(value, |block| downgrade_content(block, to))),
        _ => Some(Cow::Borrowed(value)),
    });
    match orphan {
        // There was no `content` to put the text into, but every revision requires one.
        Some(structured) if field(body, "content").is_none() => {
            let mut out = String::with_capacity(body.len() + 64);
            let mut writer = ObjectWriter::new(&mut out);
            writer.raw("content", &format!("[{}]", text_block(structured))).members_of(&downgraded);
            writer.end();
            Cow::Owned(out)
        }
        _ => downgraded,
    }
}

/// Rewrites one content block; a kind that the revision does not know becomes text.
fn downgrade_content(block: &str, to: Revision) -> Cow<'_, str> {
    let plain = |key: &str| {
        let raw = field(block, key)?;
        serde_json::from_str::<String>(raw).ok()
    };
    match field(block, "type") {
        Some("\"audio\"") if to < V2025_03_26 => {
            let mime = plain("mimeType").unwrap_or_else(|| "unknown type".into());
            let size = field(block, "data").map_or(0, |data| data.len().saturating_sub(2) / 4 * 3);
            Cow::Owned(text_block(&format!("[audio, {mime}, about {size} bytes]")))
        }
        Some("\"resource_link\"") if to < V2025_06_18 => {
            let uri = plain("uri").unwrap_or_default();
            let name = plain("title").or_else(|| plain("name")).unwrap_or_default();
            Cow::Owned(text_block(&format!("[resource {name}: {uri}]")))
        }
        Some("\"resource_link\"") => keep(block, LISTED, to),
        Some("\"resource\"") if to < V2025_06_18 => object(block, |key, value| match key {
            "_meta" => None,
            "resource" => Some(keep(value, META, to)),
            _ => Some(Cow::Borrowed(value)),
        }),
        _ if to < V2025_06_18 => keep(block, META, to),
        _ => Cow::Borrowed(block),
    }
}

fn text_block(text: &str) -> String {
    let mut out = String::from(r#"{"type":"text","text":"#);
    write_string(&mut out, text);
    out.push('}');
    out
}

/// Removes the members of an object that this revision does not know.
fn keep<'t>(text: &'t str, known: &[Known], to: Revision) -> Cow<'t, str> {
    object(text, |key, value| (!is_unknown(key, known, to)).then_some(Cow::Borrowed(value)))
}

fn is_unknown(key: &str, known: &[Known], to: Revision) -> bool {
    known.iter().any(|(name, since, until)| *name == key && !(*since..=*until).contains(&to))
}

/// Rewrites the list under `key` of an object, item by item.
fn list<'t>(body: &'t str, key: &str, item: impl Fn(&'t str) -> Cow<'t, str>) -> Cow<'t, str> {
    object(body, |name, value| {
        Some(if name == key { array(value, &item) } else { Cow::Borrowed(value) })
    })
}

/// Rewrites an array item by item; returns the same text if no item changes.
fn array<'t>(text: &'t str, item: impl Fn(&'t str) -> Cow<'t, str>) -> Cow<'t, str> {
    // Text that is not a valid array has no elements here and is returned unchanged.
    let items: Vec<Cow<'t, str>> = elements(text).into_iter().map(item).collect();
    if items.iter().all(|item| matches!(item, Cow::Borrowed(_))) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("[{}]", items.join(",")))
}

/// Rewrites an object member by member; returns the same text if no member changes.
fn object<'t>(
    text: &'t str,
    mut member: impl FnMut(&str, &'t str) -> Option<Cow<'t, str>>,
) -> Cow<'t, str> {
    // Text that is not a valid object has no members here and is returned unchanged.
    let members = entries(text);
    let kept: Vec<_> = members.into_iter().map(|(key, value)| (member(&key, value), key)).collect();
    if kept.iter().all(|(value, _)| matches!(value, Some(Cow::Borrowed(_)))) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut writer = ObjectWriter::new(&mut out);
    for (value, key) in kept {
        if let Some(value) = value {
            writer.raw(&key, &value);
        }
    }
    writer.end();
    Cow::Owned(out)
}
