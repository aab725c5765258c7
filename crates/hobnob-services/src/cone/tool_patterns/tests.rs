//! Patterns as users write them, and the tools that they match.

use super::ToolPatterns;
use crate::view_tools::ViewTool;

fn patterns(texts: &[&str]) -> ToolPatterns {
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    ToolPatterns::parse(&texts).unwrap()
}

fn tool(name: &str, server: Option<(&str, &str)>) -> ViewTool {
    let server = server.map(|(server, tool)| (server.to_owned(), tool.to_owned()));
    let (description, input_schema) = (String::new(), "{}".to_owned());
    ViewTool { name: name.to_owned(), server, description, input_schema }
}

#[test]
fn a_session_has_what_its_patterns_name() {
    let capture = tool("memory_capture", None);
    let echo = tool("mcp__every__echo", Some(("every", "echo")));
    for (texts, has_capture, has_echo) in [
        (&[][..], false, false),
        (&["memory_*"], true, false),
        (&["memory_capture", "every/echo"], true, true),
        (&["every/*"], false, true),
        (&["*/echo"], false, true),
        (&["mcp__every__*"], false, true),
        (&["*"], true, true),
        (&["memory/capture"], false, false),
    ] {
        let patterns = patterns(texts);
        assert_eq!(patterns.include(&capture), has_capture, "{texts:?}");
        assert_eq!(patterns.include(&echo), has_echo, "{texts:?}");
        assert_eq!(patterns.include_name("memory_capture"), has_capture, "{texts:?}");
        assert_eq!(patterns.include_name("mcp__every__echo"), has_echo, "{texts:?}");
        assert_eq!(patterns.is_empty(), texts.is_empty());
    }
}

#[test]
fn what_is_no_pattern_is_named() {
    let parse = |texts: &[&str]| {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        ToolPatterns::parse(&texts).unwrap_err()
    };
    assert!(parse(&["a", ""]).starts_with("tools[1]: the glob is empty"));
    assert!(parse(&["a/"]).starts_with("tools[0]: the glob is empty"));
    assert!(parse(&["["]).starts_with("tools[0]: "));
    assert_eq!(parse(&["a"; 65]), "tools: 65 patterns, at most 64");
}
