//! Results as each revision gets them: what the revision knows stays byte for byte, the rest
//! becomes text or is left out.

use crate::{downgrade_capabilities, downgrade_entry, downgrade_implementation, downgrade_result};
use hobnob_mcp_types::Revision::{
    self, V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28,
};
use hobnob_mcp_types::{Method, json};

/// Members of an object, by name, as text.
type Members = &'static [(&'static str, &'static str)];

/// An object with those members whose names are in `names`.
fn object(members: Members, names: &str) -> String {
    let wanted = |name: &str| names.split(' ').any(|wanted| wanted == name);
    let written: Vec<String> = members
        .iter()
        .filter(|(name, _)| wanted(name))
        .map(|(name, value)| format!("\"{name}\":{value}"))
        .collect();
    assert_eq!(written.len(), names.split(' ').count(), "a name in `{names}` is misspelled");
    format!("{{{}}}", written.join(","))
}

fn all(members: Members) -> String {
    let names: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
    object(members, &names.join(" "))
}

/// Downgrades a list whose entries have all members; each must keep exactly these, per revision.
fn check_list(method: Method, key: &str, members: Members, kept: [&str; 5]) {
    let list =
        |item: &str| format!(r#"{{"x":1e2,"{key}":[{item},{item}],"nextCursor":"c","y":{{}}}}"#);
    for (to, names) in Revision::ALL.into_iter().zip(kept) {
        let downgraded =
            downgrade_result(method, &list(&all(members)), V2024_11_05, to).into_owned();
        assert_eq!(downgraded, list(&object(members, names)), "{method:?} {to}");
    }
}

const LISTED: Members = &[
    ("name", "\"n\""),
    ("uri", "\"x:1\""),
    ("uriTemplate", "\"x:{a}\""),
    ("title", "\"N\""),
    ("description", "\"d\""),
    ("mimeType", "\"text/plain\""),
    ("size", "12345678901234567890"),
    ("annotations", r#"{"priority":0.50}"#),
    ("icons", r#"[{"src":"x"}]"#),
    ("_meta", r#"{"a/b":1.10}"#),
    ("x-unknown", r#"[ 1 , "\u00e9" ]"#),
];

#[test]
fn tools_keep_what_each_revision_knows() {
    const TOOL: Members = &[
        ("name", "\"t\""),
        ("title", "\"T\""),
        ("description", r#""d \"q\" \u00e9""#),
        ("inputSchema", r#"{"type":"object","maximum":1.10,"$defs":{"a":{"const":1E400}}}"#),
        ("outputSchema", r#"{"type":"object"}"#),
        ("annotations", r#"{"readOnlyHint":true}"#),
        ("icons", "[]"),
        ("execution", r#"{"taskSupport":"optional"}"#),
        ("_meta", r#"{"ui":{"resourceUri":"ui://x"}}"#),
        ("x-unknown", "12345678901234567890"),
    ];
    let kept = [
        "name description inputSchema x-unknown",
        "name description inputSchema annotations x-unknown",
        "name title description inputSchema outputSchema annotations _meta x-unknown",
        "name title description inputSchema outputSchema annotations icons execution _meta x-unknown",
        "name title description inputSchema outputSchema annotations icons _meta x-unknown",
    ];
    check_list(Method::ToolsList, "tools", TOOL, kept);
}

#[test]
fn output_schemas_of_anything_but_objects_are_modern() {
    let schemas = [
        (r#"{"type":"object"}"#, V2025_06_18),
        (r#"{ "properties" : { } , "type" : "object" }"#, V2025_06_18),
        (r#"{"type":"array"}"#, V2026_07_28),
        (r#"{"type":["object","null"]}"#, V2026_07_28),
        (r#"{"anyOf":[{"type":"object"}]}"#, V2026_07_28),
        ("{}", V2026_07_28),
        ("true", V2026_07_28),
    ];
    for (schema, since) in schemas {
        let body = format!(r#"{{"tools":[{{"name":"t","outputSchema":{schema}}}]}}"#);
        for to in Revision::ALL {
            let downgraded = downgrade_result(Method::ToolsList, &body, V2024_11_05, to);
            let expected = if to >= since { &body } else { r#"{"tools":[{"name":"t"}]}"# };
            assert_eq!(downgraded, *expected, "{schema} {to}");
        }
    }
}

#[test]
fn resources_and_templates_keep_what_each_revision_knows() {
    let plain = "name uri uriTemplate description mimeType size annotations x-unknown";
    let titled = "name uri uriTemplate title description mimeType size annotations _meta x-unknown";
    let full =
        "name uri uriTemplate title description mimeType size annotations icons _meta x-unknown";
    let kept = [plain, plain, titled, full, full];
    check_list(Method::ResourcesList, "resources", LISTED, kept);
    check_list(Method::ResourcesTemplatesList, "resourceTemplates", LISTED, kept);
}

#[test]
fn prompts_and_their_arguments_keep_what_each_revision_knows() {
    const PROMPT: Members = &[
        ("name", "\"p\""),
        ("title", "\"P\""),
        ("icons", "[]"),
        ("_meta", "{}"),
        ("required", "true"),
    ];
    let kept = [
        "name required",
        "name required",
        "name title _meta required",
        "name title icons _meta required",
        "name title icons _meta required",
    ];
    check_list(Method::PromptsList, "prompts", PROMPT, kept);
    for (to, names) in Revision::ALL.into_iter().zip(kept) {
        let prompt = |argument: String| {
            format!(r#"{{"prompts":[{{"name":"p","arguments":[{argument}],"z":1.0}}]}}"#)
        };
        let downgraded =
            downgrade_result(Method::PromptsList, &prompt(all(PROMPT)), V2024_11_05, to)
                .into_owned();
        assert_eq!(downgraded, prompt(object(PROMPT, names)), "{to}");
    }
}

const TEXT: &str = r#"{"type":"text","text":"\u00e9","n":1.10}"#;
const IMAGE: &str = r#"{"type":"image","data":"AAAA","mimeType":"image/png"}"#;
const AUDIO: &str = r#"{"type":"audio","data":"AAAAAAAA","mimeType":"audio/wav"}"#;
const AUDIO_WORDS: &str = r#"{"type":"text","text":"[audio, audio/wav, about 6 bytes]"}"#;
const LINK: &str = r#"{"type":"resource_link","uri":"x:1","name":"one","title":"One"}"#;
const LINK_WORDS: &str = r#"{"type":"text","text":"[resource One: x:1]"}"#;
const BARE_LINK: &str = r#"{"type":"resource_link","uri":"x:\"2","name":"two"}"#;
const BARE_LINK_WORDS: &str = r#"{"type":"text","text":"[resource two: x:\"2]"}"#;
const EMBEDDED: &str = r#"{"type":"resource","resource":{"uri":"x:1","text":"t"}}"#;
const WITH_META: &str = r#"{"type":"text","text":"t","_meta":{"a":1},"z":0}"#;
const WITHOUT_META: &str = r#"{"type":"text","text":"t","z":0}"#;
const EMBEDDED_META: &str =
    r#"{"type":"resource","resource":{"uri":"x:1","_meta":{},"blob":"AA=="},"_meta":{},"z":1.0}"#;
const EMBEDDED_PLAIN: &str =
    r#"{"type":"resource","resource":{"uri":"x:1","blob":"AA=="},"z":1.0}"#;
const ICON_LINK: &str =
    r#"{"type":"resource_link","uri":"x:1","name":"one","icons":[],"_meta":{},"z":0}"#;
const ICON_LINK_WORDS: &str = r#"{"type":"text","text":"[resource one: x:1]"}"#;
const ICONLESS_LINK: &str = r#"{"type":"resource_link","uri":"x:1","name":"one","_meta":{},"z":0}"#;
const UNKNOWN: &str = r#"{"type":"hologram","rays":[1.0]}"#;

/// A content block, and what it becomes in each revision.
const BLOCKS: [(&str, [&str; 5]); 10] = [
    (TEXT, [TEXT; 5]),
    (IMAGE, [IMAGE; 5]),
    (EMBEDDED, [EMBEDDED; 5]),
    (UNKNOWN, [UNKNOWN; 5]),
    (AUDIO, [AUDIO_WORDS, AUDIO, AUDIO, AUDIO, AUDIO]),
    (LINK, [LINK_WORDS, LINK_WORDS, LINK, LINK, LINK]),
    (BARE_LINK, [BARE_LINK_WORDS, BARE_LINK_WORDS, BARE_LINK, BARE_LINK, BARE_LINK]),
    (ICON_LINK, [ICON_LINK_WORDS, ICON_LINK_WORDS, ICONLESS_LINK, ICON_LINK, ICON_LINK]),
    (EMBEDDED_META, [EMBEDDED_PLAIN, EMBEDDED_PLAIN, EMBEDDED_META, EMBEDDED_META, EMBEDDED_META]),
    (WITH_META, [WITHOUT_META, WITHOUT_META, WITH_META, WITH_META, WITH_META]),
];

#[test]
fn content_older_revisions_do_not_know_becomes_text() {
    for (block, downgrades) in BLOCKS {
        for (to, expected) in Revision::ALL.into_iter().zip(downgrades) {
            let called = |block: &str| {
                format!(
                    r#"{{"content":[{TEXT},{block}],"isError":false,"x":12345678901234567890}}"#
                )
            };
            let downgraded =
                downgrade_result(Method::ToolsCall, &called(block), V2026_07_28, to).into_owned();
            assert_eq!(downgraded, called(expected), "tools/call {to}");

            let prompted = |block: &str| {
                let message = format!(r#"{{"role":"user","content":{block},"y":1.0}}"#);
                format!(r#"{{"description":"d","messages":[{message},{message}],"x":1e2}}"#)
            };
            let downgraded =
                downgrade_result(Method::PromptsGet, &prompted(block), V2026_07_28, to)
                    .into_owned();
            assert_eq!(downgraded, prompted(expected), "prompts/get {to}");
        }
    }
}

#[test]
fn contents_of_resources_lose_only_what_is_unknown() {
    let read = |meta: &str| {
        format!(r#"{{"contents":[{{"uri":"x:1",{meta}"text":"t","z":1.10}}],"x":1e2}}"#)
    };
    let body = read(r#""_meta":{"a":1},"#);
    for to in Revision::ALL {
        let downgraded = downgrade_result(Method::ResourcesRead, &body, V2026_07_28, to);
        let expected = if to >= V2025_06_18 { body.clone() } else { read("") };
        assert_eq!(downgraded, expected, "{to}");
    }
}

#[test]
fn structured_results_become_text_where_they_are_unknown() {
    let object = r#"{"n":12345678901234567890,"a":[1.10]}"#;
    let object_words = r#"{"type":"text","text":"{\"n\":12345678901234567890,\"a\":[1.10]}"}"#;
    let array_words = r#"{"type":"text","text":"[1,2]"}"#;
    // The value, its text, and the first revision that accepts it unchanged.
    let values = [
        (object, object_words, V2025_06_18),
        ("[1,2]", array_words, V2026_07_28),
        ("null", r#"{"type":"text","text":"null"}"#, V2026_07_28),
    ];
    for (value, words, since) in values {
        for to in Revision::ALL {
            let downgrade = |body: &str| {
                downgrade_result(Method::ToolsCall, body, V2026_07_28, to).into_owned()
            };
            let knows = to >= since;
            let alone = format!(r#"{{"content":[],"structuredContent":{value},"x":1}}"#);
            let as_text = format!(r#"{{"content":[{words}],"x":1}}"#);
            assert_eq!(
                downgrade(&alone),
                if knows { &alone } else { &as_text }.as_str(),
                "{value} {to}"
            );

            let with_text = format!(r#"{{"structuredContent":{value},"content":[{TEXT}]}}"#);
            let text_only = format!(r#"{{"content":[{TEXT}]}}"#);
            let expected = if knows { &with_text } else { &text_only };
            assert_eq!(downgrade(&with_text), *expected, "{value} {to}");

            // Every revision requires `content`, so the text goes in even if `content` is missing.
            if !knows {
                let bare = format!(r#"{{"structuredContent":{value},"x":1}}"#);
                let downgraded = downgrade(&bare);
                let expected = format!("[{words}]");
                assert_eq!(
                    json::field(&downgraded, "content"),
                    Some(expected.as_str()),
                    "{value} {to}"
                );
                assert_eq!(json::field(&downgraded, "structuredContent"), None, "{value} {to}");
            }
        }
    }
}

#[test]
fn what_a_revision_understands_is_not_even_copied() {
    let body = format!(r#" {{ "content" : [ {AUDIO} ] }} "#);
    for floor in Revision::ALL {
        for to in Revision::ALL {
            let downgraded = downgrade_result(Method::ToolsCall, &body, floor, to);
            let borrowed = matches!(downgraded, std::borrow::Cow::Borrowed(_));
            assert_eq!(borrowed, floor <= to || to >= V2025_03_26, "{floor} for {to}");
        }
    }
    for method in [Method::Complete, Method::Ping, Method::TasksGet] {
        for to in Revision::ALL {
            assert_eq!(downgrade_result(method, &body, V2026_07_28, to), body, "{method:?} {to}");
        }
    }
}

/// A long page is copied only for a revision that does not know all of it. Then every entry is
/// downgraded by itself.
#[test]
fn a_page_without_anything_to_downgrade_is_not_copied() {
    let lists = [
        (Method::ToolsList, "tools", "\"title\":\"T\",\"outputSchema\":{\"type\":\"object\"}"),
        (Method::ResourcesList, "resources", "\"title\":\"T\""),
        (Method::ResourcesTemplatesList, "resourceTemplates", "\"_meta\":{}"),
        (Method::PromptsList, "prompts", "\"arguments\":[{\"name\":\"a\",\"title\":\"A\"}]"),
    ];
    for (method, key, newer) in lists {
        let entry = |index: usize| format!(r#"{{"name":"n{index}", "description":"d",{newer}}}"#);
        let entries: Vec<String> = (0..100).map(entry).collect();
        let page =
            |entries: &[String]| format!(r#"{{"{key}":[{}],"nextCursor":"c"}}"#, entries.join(","));
        let body = page(&entries);
        for to in Revision::ALL {
            let downgraded = downgrade_result(method, &body, V2024_11_05, to);
            let borrowed = matches!(downgraded, std::borrow::Cow::Borrowed(_));
            assert_eq!(borrowed, to >= V2025_06_18, "{key} {to}");
            let each = entries.iter().map(|entry| downgrade_entry(method, entry, to).into_owned());
            assert_eq!(downgraded, page(&each.collect::<Vec<_>>()), "{key} {to}");
        }
    }
    assert_eq!(downgrade_entry(Method::Ping, r#"{"title":"T"}"#, V2024_11_05), r#"{"title":"T"}"#);
}

#[test]
fn odd_shapes_are_passed_on_as_they_are() {
    let deep = format!("{}1{}", "[".repeat(130), "]".repeat(130));
    let lists = [
        r#"{"tools":[null,7,"x"]}"#.to_owned(),
        r#"{"tools":null}"#.to_owned(),
        r#"{"tools":{"a":1}}"#.to_owned(),
        r#"{"other":[]}"#.to_owned(),
        "{}".to_owned(),
        // Deeper than the JSON reader goes: passed on unchanged rather than lost.
        format!(r#"{{"tools":[{{"name":"t","inputSchema":{deep}}}]}}"#),
    ];
    for body in &lists {
        for to in Revision::ALL {
            assert_eq!(downgrade_result(Method::ToolsList, body, V2024_11_05, to), *body, "{to}");
        }
    }
    let calls = [
        r#"{"content":null}"#.to_owned(),
        r#"{"content":{"type":"text"}}"#.to_owned(),
        r#"{"content":["x",null]}"#.to_owned(),
        r#"{"content":[{"type":7}]}"#.to_owned(),
        format!(r#"{{"content":[],"structuredContent":{{"a":{deep}}}}}"#),
    ];
    for body in &calls {
        for to in Revision::ALL {
            assert_eq!(downgrade_result(Method::ToolsCall, body, V2026_07_28, to), *body, "{to}");
        }
    }
}

#[test]
fn hello_keeps_what_each_revision_knows() {
    const IMPLEMENTATION: Members = &[
        ("name", "\"n\""),
        ("title", "\"N\""),
        ("version", "\"1.10\""),
        ("description", "\"d\""),
        ("websiteUrl", "\"https://a.example\""),
        ("icons", "[]"),
        ("x-unknown", "1.10"),
    ];
    const CAPABILITIES: Members = &[
        ("tools", r#"{"listChanged":true}"#),
        ("completions", "{}"),
        ("logging", "{}"),
        ("tasks", r#"{"cancel":{}}"#),
        ("extensions", r#"{"io.modelcontextprotocol/tasks":{}}"#),
        ("experimental", r#"{"a":1.10}"#),
    ];
    let full = "name title version description websiteUrl icons x-unknown";
    let rules = [
        (V2024_11_05, "name version x-unknown", "tools logging experimental"),
        (V2025_03_26, "name version x-unknown", "tools completions logging experimental"),
        (V2025_06_18, "name title version x-unknown", "tools completions logging experimental"),
        (V2025_11_25, full, "tools completions logging tasks experimental"),
        (V2026_07_28, full, "tools completions logging extensions experimental"),
    ];
    for (to, implementation, capabilities) in rules {
        let downgraded = downgrade_implementation(&all(IMPLEMENTATION), to);
        assert_eq!(downgraded, object(IMPLEMENTATION, implementation), "{to}");
        let downgraded = downgrade_capabilities(&all(CAPABILITIES), to);
        assert_eq!(downgraded, object(CAPABILITIES, capabilities), "{to}");
    }
}
