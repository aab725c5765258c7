//! Bodies in, bodies out, byte for byte.

use super::*;
use crate::uris::PublicUris;
use std::borrow::Cow;

fn uris() -> PublicUris {
    PublicUris::of("s")
}

type Rewrite = for<'a> fn(&'a str, &PublicUris) -> Cow<'a, str>;

fn check(rewrite: Rewrite, cases: &[(&str, &str)]) {
    for (body, expected) in cases {
        assert_eq!(rewrite(body, &uris()), *expected, "{body}");
    }
}

fn check_same(rewrite: Rewrite, bodies: &[&str]) {
    for body in bodies {
        assert!(matches!(rewrite(body, &uris()), Cow::Borrowed(same) if same == *body), "{body}");
    }
}

#[test]
fn call_results_get_public_addresses() {
    check(
        call_result,
        &[
            (
                r#"{"content":[{"type":"resource_link","uri":"file:///a","name":"a"}]}"#,
                r#"{"content":[{"type":"resource_link","uri":"mcp://s/file:///a","name":"a"}]}"#,
            ),
            (
                r#"{"content":[{"type":"resource","resource":{"uri":"x:1","text":"\"uri\":\"x:1\""}}]}"#,
                r#"{"content":[{"type":"resource","resource":{"uri":"mcp://s/x:1","text":"\"uri\":\"x:1\""}}]}"#,
            ),
            // White space, unknown members, key order and big numbers survive.
            (
                r#" { "z" : 12345678901234567890.10 , "content" : [ {"uri" : "x:1" , "n":1e400, "type" :"resource_link" } , {"type":"text","text":"x:1"} ] , "a": null } "#,
                r#" { "z" : 12345678901234567890.10 , "content" : [ {"uri" : "mcp://s/x:1" , "n":1e400, "type" :"resource_link" } , {"type":"text","text":"x:1"} ] , "a": null } "#,
            ),
            // Escaped keys and values are recognised.
            (
                r#"{"content":[{"type":"\u0072esource_link","\u0075ri":"x:\u00e9\"q"}]}"#,
                r#"{"content":[{"type":"\u0072esource_link","\u0075ri":"mcp://s/x:é\"q"}]}"#,
            ),
            (
                r#"{"content":[{"type":"resource_link","uri":"x:1"},{"type":"resource_link","uri":"x:2"}]}"#,
                r#"{"content":[{"type":"resource_link","uri":"mcp://s/x:1"},{"type":"resource_link","uri":"mcp://s/x:2"}]}"#,
            ),
        ],
    );
}

#[test]
fn call_results_without_addresses_are_not_touched() {
    check_same(
        call_result,
        &[
            r#"{"content":[{"type":"text","text":"see file:///a"}]}"#,
            r#"{"content":[{"type":"text","text":"a \"resource\" with uri","uri":"x:1"}]}"#,
            r#"{"content":[{"type":"text","text":"{\"type\":\"resource_link\",\"uri\":\"x:1\"}"}]}"#,
            r#"{"structuredContent":{"type":"resource_link","uri":"x:1"},"content":[]}"#,
            r#"{"content":[{"type":"resource","uri":"x:1"}]}"#,
            r#"{"content":[{"type":"resource_link","uri":7}]}"#,
            r#"{"content":[{"type":"resource_links","uri":"x:1"}]}"#,
            r#"{"content":"resource"}"#,
            r#"{"type":"resource_link","uri":"x:1"}"#,
            "\"resource",
            "",
            "null",
        ],
    );
}

#[test]
fn prompt_results_get_public_addresses() {
    check(
        prompt_result,
        &[
            (
                r#"{"messages":[{"role":"user","content":{"type":"resource","resource":{"uri":"x:1"}}}]}"#,
                r#"{"messages":[{"role":"user","content":{"type":"resource","resource":{"uri":"mcp://s/x:1"}}}]}"#,
            ),
            (
                r#"{"messages":[{"content":[{"type":"text","text":"a"},{"type":"resource_link","uri":"x:1"}]},{"content":{"type":"resource_link","uri":"x:2"}}]}"#,
                r#"{"messages":[{"content":[{"type":"text","text":"a"},{"type":"resource_link","uri":"mcp://s/x:1"}]},{"content":{"type":"resource_link","uri":"mcp://s/x:2"}}]}"#,
            ),
        ],
    );
    check_same(
        prompt_result,
        &[
            r#"{"messages":[{"role":"user","content":{"type":"text","text":"resource"}}]}"#,
            r#"{"content":{"type":"resource_link","uri":"x:1"}}"#,
        ],
    );
}

#[test]
fn read_results_get_public_addresses() {
    check(
        read_result,
        &[(
            r#"{"contents":[{"uri":"x:1","text":"uri"},{"blob":"AA==","uri":"x:2"}],"uri":"x:3"}"#,
            r#"{"contents":[{"uri":"mcp://s/x:1","text":"uri"},{"blob":"AA==","uri":"mcp://s/x:2"}],"uri":"x:3"}"#,
        )],
    );
    check_same(read_result, &[r#"{"contents":[]}"#, r#"{"contents":{"uri":"x:1"}}"#, "{", "[]"]);
}

#[test]
fn tools_get_public_names() {
    let cases = [
        (
            r#"{"name":"t","inputSchema":{"name":"t"},"x":1.0}"#,
            r#"{"name":"mcp__s__t","inputSchema":{"name":"t"},"x":1.0}"#,
        ),
        (
            r#"{"name":"t","_meta":{"ui":{"resourceUri":"ui://w","csp":1},"ui/resourceUri":"ui://w","resourceUri":"ui://w"}}"#,
            r#"{"name":"mcp__s__t","_meta":{"ui":{"resourceUri":"ui://s/w","csp":1},"ui/resourceUri":"ui://s/w","resourceUri":"ui://w"}}"#,
        ),
        (
            r#"{"name":"t","description":"old","ui":{"resourceUri":"ui://w"}}"#,
            r#"{"name":"mcp__s__t","description":"old","ui":{"resourceUri":"ui://w"}}"#,
        ),
        (
            r#"{"name":"t","description":null,"title":null,"unknown":null}"#,
            r#"{"name":"mcp__s__t","unknown":null}"#,
        ),
        (r#"{"name":"t","_meta":{"ui":"x"}}"#, r#"{"name":"mcp__s__t","_meta":{"ui":"x"}}"#),
    ];
    for (raw, expected) in cases {
        assert_eq!(tool_entry(raw, "mcp__s__t", &uris()), expected);
    }
}

#[test]
fn texts_are_replaced_or_added() {
    let cases = [
        (r#"{"a":1,"b":"old","c":{"b":"x"}}"#, r#"{"a":1,"b":"new \"one\"","c":{"b":"x"}}"#),
        (r#"{"a":1}"#, r#"{"a":1,"b":"new \"one\""}"#),
        ("{}", r#"{"b":"new \"one\""}"#),
        (r#"{"\u0062":7}"#, r#"{"\u0062":"new \"one\""}"#),
        ("[]", "[]"),
    ];
    for (entry, expected) in cases {
        assert_eq!(with_text(entry, "b", "new \"one\""), expected);
    }
}

#[test]
fn arguments_are_narrowed() {
    let keep = |names: &[&str]| -> Vec<Box<str>> { names.iter().map(|it| (*it).into()).collect() };
    let missing = |name: &str| Err(Unfit::Missing(name.into()));
    let needed = |name: &str| Err(Unfit::Needed(name.into()));
    let tool = r#"{"name":"t","inputSchema":{"type":"object","properties":{"a":{"x":1.50},"b":{}, "c":{}},"required":["a"]}}"#;
    let bare = r#"{"name":"t","inputSchema":{"type":"object"}}"#;
    let turned = r#""c":{},"a":{"x":1.50}"#;
    let tools = [
        (tool, keep(&["c", "a"]), Ok(tool.replace(r#""a":{"x":1.50},"b":{}, "c":{}"#, turned))),
        (tool, keep(&["a", "b", "c"]), Ok(tool.replace(", ", ","))),
        (tool, keep(&["b"]), needed("a")),
        (tool, keep(&["a", "d"]), missing("d")),
        (tool, keep(&[]), needed("a")),
        (bare, keep(&[]), Ok(bare.to_owned())),
        (bare, keep(&["a"]), missing("a")),
    ];
    for (entry, keep, expected) in tools {
        assert_eq!(narrowed_tool(entry, &keep), expected, "{keep:?}");
    }
    let prompt = r#"{"name":"p","arguments":[{"name":"a","required":true},{"name":"b"},{"name":"c","required":false}]}"#;
    let prompts = [
        (keep(&["a"]), Ok(r#"{"name":"p","arguments":[{"name":"a","required":true}]}"#.to_owned())),
        (keep(&["a", "b", "c"]), Ok(prompt.to_owned())),
        (keep(&["b", "c"]), needed("a")),
        (keep(&["a", "d"]), missing("d")),
    ];
    for (keep, expected) in prompts {
        assert_eq!(narrowed_prompt(prompt, &keep), expected, "{keep:?}");
    }
    assert_eq!(narrowed_prompt("{}", &keep(&[])), Ok("{}".into()));
    for (given, found) in [
        ("{}", None),
        ("null", None),
        (r#"{"a":1}"#, None),
        (r#"{"\u0061":1}"#, None),
        (r#"{"a":1,"b":{"c":1}}"#, Some("b")),
        (r#"{"A":1}"#, Some("A")),
    ] {
        let excess = excess_argument(given, &keep(&["a"]));
        assert_eq!(excess.as_ref().map(|(name, _)| name.as_str()), found, "{given}");
    }
}

#[test]
fn other_entries_get_public_names() {
    assert_eq!(
        prompt_entry(r#"{"arguments":[{"name":"p"}],"name":"p","title":null}"#, "mcp__s__p"),
        r#"{"arguments":[{"name":"p"}],"name":"mcp__s__p"}"#
    );
    assert_eq!(
        resource_entry(r#"{"uri":"x:1","name":"x:1","size":9007199254740993}"#, &uris()),
        r#"{"uri":"mcp://s/x:1","name":"x:1","size":9007199254740993}"#
    );
    assert_eq!(
        template_entry(r#"{"uriTemplate":"x:{a}","uri":"x:1","name":"n"}"#, &uris()),
        r#"{"uriTemplate":"mcp://s/x:{a}","uri":"x:1","name":"n"}"#
    );
}

#[test]
fn completions_find_their_target() {
    use CompletionTarget::{Prompt, Resource};
    let cases = [
        (
            r#"{"ref":{"type":"ref/prompt","name":"mcp__s__p"},"argument":{"name":"a","value":"x"}}"#,
            Some(Prompt("mcp__s__p".into())),
            r#"{"ref":{"type":"ref/prompt","name":"own"},"argument":{"name":"a","value":"x"}}"#,
        ),
        (
            r#"{"argument":{"uri":"u"},"ref":{"uri":"mcp://s/x:{a}","type":"ref/resource"},"_meta":{"k":1}}"#,
            Some(Resource("mcp://s/x:{a}".into())),
            r#"{"argument":{"uri":"u"},"ref":{"uri":"own","type":"ref/resource"},"_meta":{"k":1}}"#,
        ),
    ];
    for (params, target, expected) in cases {
        assert_eq!(completion_target(params), target);
        assert_eq!(with_completion_target(params, "own"), expected);
    }
    for params in [
        r#"{"ref":{"type":"ref/new","name":"n"}}"#,
        r#"{"ref":{"type":"ref/prompt","uri":"n"}}"#,
        r#"{"ref":"ref/prompt"}"#,
        "{}",
        "",
    ] {
        assert_eq!(completion_target(params), None, "{params}");
        assert_eq!(with_completion_target(params, "own"), params);
    }
}

#[test]
fn strings_are_replaced_in_place() {
    let cases = [
        (
            r#"{ "name" : "a", "arguments":{"name":"a"} }"#,
            r#"{ "name" : "b", "arguments":{"name":"a"} }"#,
        ),
        (r#"{"arguments":{"name":"a"}}"#, r#"{"arguments":{"name":"a"}}"#),
        ("[]", "[]"),
    ];
    for (params, expected) in cases {
        assert_eq!(with_string(params, "name", "b"), expected);
    }
}

#[test]
fn owned_texts_are_not_copied_without_need() {
    let body = String::from(r#"{"content":[]}"#);
    let place = body.as_ptr();
    let same = apply(body, |body| call_result(body, &PublicUris::of("s")));
    assert_eq!(same.as_ptr(), place);
    let changed = apply(r#"{"uri":"a"}"#.into(), |body| with_string(body, "uri", "b"));
    assert_eq!(changed, r#"{"uri":"b"}"#);
}

#[test]
fn a_call_that_arguments_describe_is_read_from_them() {
    let cases = [
        (
            r#"{"_meta":{"a":1},"name":"call_tool","arguments":{"name":"t","arguments":{"n":1.10}}}"#,
            Some(r#"{"_meta":{"a":1},"name":"t","arguments":{"n":1.10}}"#),
        ),
        (
            r#"{"arguments":{"arguments":{},"name":"\u0074"},"name":"call_tool","task":{}}"#,
            Some(r#"{"arguments":{},"name":"\u0074","task":{}}"#),
        ),
        (r#"{"name":"c","arguments":{"name":"t"}}"#, Some(r#"{"name":"t","arguments":{}}"#)),
        (
            r#"{"name":"c","arguments":{"name":"t","arguments":null}}"#,
            Some(r#"{"name":"t","arguments":{}}"#),
        ),
        (r#"{"name":"c","arguments":{"name":"t","arguments":"{}"}}"#, None),
        (r#"{"name":"c","arguments":{"name":1}}"#, None),
        (r#"{"name":"c","arguments":{"name":"t","name":"u"}}"#, None),
        (r#"{"name":"c","arguments":{"name":"t","more":1}}"#, None),
        (r#"{"name":"c","arguments":{"arguments":{}}}"#, None),
        (r#"{"name":"c","arguments":[]}"#, None),
        (r#"{"name":"c"}"#, None),
    ];
    for (params, expected) in cases {
        assert_eq!(described_call(params).as_deref(), expected, "{params}");
    }
}
