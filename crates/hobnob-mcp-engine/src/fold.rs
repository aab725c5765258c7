//! Results as older revisions know them: what they never heard of is left out or becomes text.
//!
//! The inside writes the superset of all revisions. Everything here works on JSON text and leaves
//! alone what it does not have to touch.

use mcp_types::json::{ObjectWriter, elements, entries, field, write_string};
use mcp_types::{Method, Revision};
use std::borrow::Cow;

use Revision::{V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};

/// A member of some object, and the revisions that know it.
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

/// A result's body for one revision. `floor` is the oldest that understands it as it stands.
pub fn fold_result(method: Method, body: &str, floor: Revision, to: Revision) -> Cow<'_, str> {
    match method {
        // Lists always carry something that one revision or another does not know.
        Method::ToolsList => list(body, "tools", |tool| fold_tool(tool, to)),
        Method::ResourcesList => list(body, "resources", |item| keep(item, LISTED, to)),
        Method::ResourcesTemplatesList => {
            list(body, "resourceTemplates", |item| keep(item, LISTED, to))
        }
        Method::PromptsList => list(body, "prompts", |prompt| fold_prompt(prompt, to)),
        _ if floor <= to => Cow::Borrowed(body),
        Method::ToolsCall => Cow::Owned(fold_call_result(body, to)),
        Method::ResourcesRead => list(body, "contents", |contents| keep(contents, META, to)),
        Method::PromptsGet => list(body, "messages", |message| {
            object(message, |key, value| match key {
                "content" => Some(fold_content(value, to)),
                _ => Some(Cow::Borrowed(value)),
            })
        }),
        _ => Cow::Borrowed(body),
    }
}

/// Who we are, for one revision.
pub fn fold_implementation(text: &str, to: Revision) -> String {
    keep(text, IMPLEMENTATION, to)
}

/// What we can do, for one revision.
pub fn fold_capabilities(text: &str, to: Revision) -> String {
    keep(text, CAPABILITIES, to)
}

fn fold_tool(tool: &str, to: Revision) -> String {
    let kept = keep(tool, TOOL, to);
    object(&kept, |key, value| match key {
        // Until 2025-11-25 structured results were objects, and so were their schemas.
        "outputSchema" if to <= V2025_11_25 && field(value, "type") != Some("\"object\"") => None,
        _ => Some(Cow::Borrowed(value)),
    })
}

fn fold_prompt(prompt: &str, to: Revision) -> String {
    let kept = keep(prompt, LISTED, to);
    object(&kept, |key, value| match key {
        "arguments" => Some(Cow::Owned(array(value, |argument| keep(argument, LISTED, to)))),
        _ => Some(Cow::Borrowed(value)),
    })
}

/// Structured results become text where they are unknown, unless text is there already.
fn fold_call_result(body: &str, to: Revision) -> String {
    let structured = field(body, "structuredContent");
    let keeps_structure =
        |value: &str| to >= V2026_07_28 || (to >= V2025_06_18 && value.starts_with('{'));
    let orphan = structured.filter(|value| {
        let content = field(body, "content").unwrap_or("[]");
        !keeps_structure(value) && elements(content).is_empty()
    });
    let folded = object(body, |key, value| match (key, orphan) {
        ("structuredContent", _) if !keeps_structure(value) => None,
        ("content", Some(structured)) => Some(Cow::Owned(format!("[{}]", text_block(structured)))),
        ("content", None) => {
            Some(Cow::Owned(array(value, |block| fold_content(block, to).into_owned())))
        }
        _ => Some(Cow::Borrowed(value)),
    });
    match orphan {
        // There was no `content` to put the text into, and every revision wants one.
        Some(structured) if field(body, "content").is_none() => {
            let mut out = String::with_capacity(body.len() + 64);
            let mut writer = ObjectWriter::new(&mut out);
            writer.raw("content", &format!("[{}]", text_block(structured))).members_of(&folded);
            writer.end();
            out
        }
        _ => folded,
    }
}

/// One block of content; what the revision does not know is told in words.
fn fold_content(block: &str, to: Revision) -> Cow<'_, str> {
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
        Some("\"resource_link\"") => Cow::Owned(keep(block, LISTED, to)),
        Some("\"resource\"") if to < V2025_06_18 => {
            Cow::Owned(object(block, |key, value| match key {
                "_meta" => None,
                "resource" => Some(Cow::Owned(keep(value, META, to))),
                _ => Some(Cow::Borrowed(value)),
            }))
        }
        _ if to < V2025_06_18 => Cow::Owned(keep(block, META, to)),
        _ => Cow::Borrowed(block),
    }
}

fn text_block(text: &str) -> String {
    let mut out = String::from(r#"{"type":"text","text":"#);
    write_string(&mut out, text);
    out.push('}');
    out
}

/// An object without the members this revision does not know.
fn keep(text: &str, known: &[Known], to: Revision) -> String {
    object(text, |key, value| {
        let unknown = known
            .iter()
            .any(|(name, since, until)| *name == key && !(*since..=*until).contains(&to));
        (!unknown).then_some(Cow::Borrowed(value))
    })
}

/// An object whose list under `key` is rewritten item by item.
fn list<'a>(body: &'a str, key: &str, item: impl Fn(&str) -> String) -> Cow<'a, str> {
    Cow::Owned(object(body, |name, value| {
        if name == key { Some(Cow::Owned(array(value, &item))) } else { Some(Cow::Borrowed(value)) }
    }))
}

fn array(text: &str, item: impl Fn(&str) -> String) -> String {
    let items: Vec<String> = elements(text).into_iter().map(item).collect();
    // Empty, or no array we can read: not ours to change.
    if items.is_empty() { text.to_owned() } else { format!("[{}]", items.join(",")) }
}

fn object<'t>(
    text: &'t str,
    mut member: impl FnMut(&str, &'t str) -> Option<Cow<'t, str>>,
) -> String {
    let members = entries(text);
    if members.is_empty() {
        // Empty, or no object we can read: not ours to change.
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut writer = ObjectWriter::new(&mut out);
    for (key, value) in members {
        if let Some(value) = member(&key, value) {
            writer.raw(&key, &value);
        }
    }
    writer.end();
    out
}
