//! Profiles: what they say about tools, what is refused, where they come from.

use std::path::Path;

use hobnob_config::{
    Problem, Profile, ProfileError, ProfileName, ToolOverride, list_profiles, load_profile,
};

use crate::support::Scratch;

fn parse(text: &str) -> Result<Profile, Problem> {
    Profile::parse(Path::new("p.toml"), text)
}

#[test]
fn the_most_specific_row_counts_for_each_field() {
    let profile = parse(
        r#"
        description = "for tests"
        servers = ["git*", "time"]
        services = ["memory"]
        [tools."*"]
        enabled = false
        [tools."memory_*"]
        enabled = true
        description = "about memory"
        [tools.memory_capture]
        name = "subcog.capture"
        [[permissions]]
        tool = "memory_*"
        action = "allow"
        "#,
    )
    .unwrap();
    let expected = |enabled, name: Option<&str>, description: Option<&str>| ToolOverride {
        enabled: Some(enabled),
        name: name.map(String::from),
        description: description.map(String::from),
    };
    for (tool, row) in [
        ("shell_run", expected(false, None, None)),
        ("memory_recall", expected(true, None, Some("about memory"))),
        ("memory_capture", expected(true, Some("subcog.capture"), Some("about memory"))),
    ] {
        assert_eq!(profile.tool(tool), row, "{tool}");
    }
    assert!(profile.includes_server("github") && !profile.includes_server("times"));
    assert_eq!(profile.renames().collect::<Vec<_>>(), [("memory_capture", "subcog.capture")]);
    assert_eq!(profile.permissions[0].action, "allow");
    let empty = parse("").unwrap();
    assert!(empty.includes_server("anything"));
    assert_eq!(empty.tool("anything"), ToolOverride::default());
}

#[test]
fn what_does_not_hold_is_refused() {
    for (text, part) in [
        ("[tools.a]\nname = \"\"", "not a tool name"),
        ("[tools.a]\nname = \"a b\"", "p.toml:2:8: not a tool name"),
        ("[tools.a]\nname = \"ä\"", "not a tool name"),
        ("[tools.\"a*\"]\nname = \"b\"", "many tools one name"),
        ("[tools.a]\nname = \"c\"\n[tools.b]\nname = \"c\"", "as that of \"a\""),
        ("[tools.a]\nname = \"b\"\n[tools.b]\nenabled = true", "which another tool has"),
        ("tool = 1", "unknown field `tool`"),
        ("[tools.a]\nrename = \"b\"", "unknown field `rename`"),
        ("[[permissions]]\ntool = \"a\"\naction = \"x\"", "not an action"),
    ] {
        let problem = parse(text).unwrap_err().to_string();
        assert!(problem.contains(part), "{text}: {problem}");
    }
    assert!(parse(&format!("[tools.a]\nname = \"{}\"", "x".repeat(65))).is_err());
    // Swapping names, or taking that of a hidden tool, is fine.
    for text in [
        "[tools.a]\nname = \"b\"\n[tools.b]\nname = \"a\"",
        "[tools.a]\nname = \"b\"\n[tools.b]\nenabled = false",
    ] {
        assert!(parse(text).is_ok(), "{text}");
    }
}

#[test]
fn own_profiles_come_before_shipped_ones() {
    let scratch = Scratch::new();
    let places = scratch.places();
    let shipped = [("tasks", "description = \"shipped\""), ("both", "description = \"shipped\"")];
    scratch.write("config/profiles/both.toml", "description = \"own\"");
    scratch.write("config/profiles/bad.toml", "x");
    scratch.write("config/profiles/not a name.toml", "");
    scratch.write("config/profiles/notes.txt", "");
    let load = |name: &str| load_profile(&places, &ProfileName::parse(name).unwrap(), &shipped);
    let described = |name: &str| load(name).unwrap().description.unwrap();
    assert_eq!((described("both"), described("tasks")), ("own".into(), "shipped".into()));
    assert!(matches!(load("none"), Err(ProfileError::Unknown(..))));
    assert!(matches!(load("bad"), Err(ProfileError::Problem(_))));
    let names: Vec<_> =
        list_profiles(&places, &shipped).iter().map(|it| it.as_str().to_owned()).collect();
    assert_eq!(names, ["bad", "both", "tasks"]);
}
