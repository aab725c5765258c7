//! What a view makes of a catalogue: renamed, re-described, narrowed, switched off, hidden.

use super::*;
use std::collections::BTreeMap;

/// What a profile says, by kind and usual key.
type Tweaks = BTreeMap<(&'static str, &'static str), Tweak>;

fn seen(built_ins: &BuiltIns, servers: &[Arc<PreparedServer>], tweaks: &Tweaks) -> Catalogue {
    let tweak = |kind: Kind, key: &str| {
        let found =
            tweaks.iter().find(|((list, name), _)| *list == kind.list_key() && *name == key);
        found.map(|(_, tweak)| tweak.clone()).unwrap_or_default()
    };
    Catalogue::build(built_ins, servers, &Eye { tweak: &tweak, ..Eye::plain() })
}

fn renamed(name: &str) -> Tweak {
    Tweak { rename: Some(name.into()), ..Tweak::default() }
}

fn off() -> Tweak {
    Tweak { switch: Switch::Off, ..Tweak::default() }
}

fn told(description: &str) -> Tweak {
    Tweak { description: Some(description.into()), ..Tweak::default() }
}

fn only(arguments: &[&str]) -> Tweak {
    let arguments = arguments.iter().map(|it| Box::from(*it)).collect();
    Tweak { arguments: Some(arguments), ..Tweak::default() }
}

#[test]
fn tools_are_renamed_described_and_switched_off() {
    let tweaks: Tweaks = [
        ("own", Tweak { description: Some("runs".into()), ..renamed("bash.execute") }),
        ("mcp__s__off", Tweak { switch: Switch::Off, ..renamed("elsewhere") }),
        ("mcp__s__new", renamed("fresh")),
        ("mcp__s__told", told("told")),
        ("mcp__s__same", renamed("mcp__s__same")),
        ("mcp__s__odd", renamed("odd name")),
        ("mcp__s__thief", renamed("mcp__s__told")),
        ("mcp__s__late", renamed("fresh")),
    ]
    .map(|(name, tweak)| (("tools", name), tweak))
    .into();
    let names = ["off", "new", "told", "same", "odd", "thief", "late"];
    let catalogue = seen(&built_ins(&["own"]), &[server("s", &names)], &tweaks);
    assert_eq!(
        keys(&catalogue, Kind::Tools),
        [
            "bash.execute",
            "fresh",
            "mcp__s__told",
            "mcp__s__same",
            "mcp__s__odd",
            "mcp__s__thief",
            "mcp__s__late"
        ]
    );
    let text = |key| catalogue.entry(Kind::Tools, key).unwrap();
    assert!(text("bash.execute").contains(r#""name":"bash.execute","description":"runs""#));
    assert!(text("mcp__s__told").contains(r#""description":"told""#));
    assert!(text("fresh").contains(r#""name":"fresh","description":"d""#));
    assert_eq!(catalogue.tool("bash.execute"), Some(&ToolTarget::BuiltIn("own".into())));
    assert_eq!(&*route(&catalogue, "fresh").original, "new");
    assert_eq!(&*route(&catalogue, "mcp__s__told").original, "told");
    assert_eq!(catalogue.tool("own"), None);
    assert_eq!(catalogue.withheld("elsewhere").unwrap().1, Withheld::Off);
    assert_eq!(catalogue.withheld("mcp__s__off"), None);
    assert_eq!(catalogue.conflicts().len(), 2);
    let [bad] = catalogue.bad_tweaks() else { panic!("one name is illegal") };
    assert_eq!(bad.to_string(), "`mcp__s__odd` cannot be renamed to `odd name`");
}

#[test]
fn names_may_be_swapped_and_taken_from_the_hidden() {
    let tweaks: Tweaks = [
        (("tools", "a"), renamed("b")),
        (("tools", "b"), renamed("a")),
        (("tools", "c"), renamed("d")),
        (("tools", "d"), off()),
        // Nobody gets the name it wants, so both keep theirs.
        (("tools", "e"), renamed("f")),
    ]
    .into();
    let catalogue = seen(&built_ins(&["a", "b", "c", "d", "e", "f"]), &[], &tweaks);
    assert_eq!(keys(&catalogue, Kind::Tools), ["b", "a", "d", "e", "f"]);
    for (public, own) in [("a", "b"), ("b", "a"), ("d", "c"), ("e", "e"), ("f", "f")] {
        assert_eq!(catalogue.tool(public), Some(&ToolTarget::BuiltIn(own.into())), "{public}");
    }
    assert_eq!(catalogue.conflicts().len(), 1);
}

#[test]
fn who_gets_no_name_at_all_is_left_out() {
    let tweaks: Tweaks = [
        (("tools", "a"), renamed("c")),
        (("tools", "b"), renamed("a")),
        (("tools", "d"), renamed("b")),
    ]
    .into();
    // `a` cannot be `c`, and keeps its name; so `b` cannot be `a` and keeps its own; and so on.
    let catalogue = seen(&built_ins(&["a", "b", "c", "d"]), &[], &tweaks);
    assert_eq!(keys(&catalogue, Kind::Tools), ["a", "b", "c", "d"]);
    // The other way round the name is gone before its owner comes back for it.
    let tweaks: Tweaks = [(("tools", "a"), renamed("b")), (("tools", "b"), renamed("c"))].into();
    let catalogue = seen(&built_ins(&["a", "b", "c"]), &[], &tweaks);
    assert_eq!(keys(&catalogue, Kind::Tools), ["b", "c"]);
    assert_eq!(catalogue.tool("b"), Some(&ToolTarget::BuiltIn("a".into())));
    assert_eq!(catalogue.conflicts().len(), 2);
}

fn with_arguments(name: &str) -> BuiltIn {
    let schema = json!({
        "type": "object",
        "properties": {"content": {"type": "string"}, "tags": {}, "ttl": {}},
        "required": ["content"],
    });
    let entry = json!({"name": name, "description": "d", "inputSchema": schema});
    BuiltIn { key: name.into(), json: entry.to_string().into() }
}

#[test]
fn arguments_are_narrowed_or_the_entry_is_left_out() {
    let own = BuiltIns {
        tools: ["good", "bare", "wrong", "plain"].map(with_arguments).to_vec(),
        prompts: vec![BuiltIn {
            key: "ask".into(),
            json: r#"{"name":"ask","arguments":[{"name":"a","required":true},{"name":"b"}]}"#
                .into(),
        }],
        ..BuiltIns::default()
    };
    let tweaks: Tweaks = [
        (("tools", "good"), only(&["content", "tags"])),
        (("tools", "bare"), only(&["tags"])),
        (("tools", "wrong"), only(&["content", "colour"])),
        (("prompts", "ask"), only(&["a"])),
    ]
    .into();
    let catalogue = seen(&own, &[], &tweaks);
    assert_eq!(keys(&catalogue, Kind::Tools), ["good", "plain"]);
    let good: serde_json::Value =
        serde_json::from_str(catalogue.entry(Kind::Tools, "good").unwrap()).unwrap();
    let properties = json!({"content": {"type": "string"}, "tags": {}});
    assert_eq!(good["inputSchema"]["properties"], properties);
    let terms = catalogue.tool_terms("good").unwrap();
    assert_eq!(terms.arguments, only(&["content", "tags"]).arguments);
    assert_eq!(catalogue.tool_terms("plain"), None);
    assert_eq!(catalogue.prompt_terms("ask").unwrap().arguments, only(&["a"]).arguments);
    assert!(!catalogue.entry(Kind::Prompts, "ask").unwrap().contains(r#""b""#));
    let problems: Vec<_> = catalogue.bad_tweaks().iter().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        [
            "`bare` needs the argument `content`, which is taken from it, so it is left out",
            "`wrong` has no argument `colour` that could be left to it, so it is left out",
        ]
    );
    for left_out in ["bare", "wrong"] {
        assert_eq!(catalogue.tool(left_out), None);
        assert_eq!(catalogue.withheld(left_out).unwrap().1, Withheld::Off);
    }
}

#[test]
fn prompts_and_resources_are_seen_differently_too() {
    let upstream = ServerLists {
        resources: vec![r#"{"uri":"x:1","name":"one"}"#.into()],
        templates: vec![r#"{"uriTemplate":"x:{id}","name":"all"}"#.into()],
        prompts: vec![r#"{"name":"p"}"#.into(), r#"{"name":"q"}"#.into()],
        ..lists("s", Vec::new())
    };
    let own = BuiltIns {
        resources: ["memory://help", "memory://user"].map(resource).to_vec(),
        prompts: vec![BuiltIn { key: "review".into(), json: r#"{"name":"review"}"#.into() }],
        ..BuiltIns::default()
    };
    let help = Tweak { title: Some("Help".into()), description: Some("d".into()), ..renamed("H") };
    let tweaks: Tweaks = [
        (("prompts", "review"), Tweak { description: Some("look".into()), ..renamed("look") }),
        (("prompts", "mcp__s__p"), renamed("p")),
        (("prompts", "mcp__s__q"), off()),
        (("resources", "memory://help"), help),
        (("resources", "memory://user"), off()),
        (("resources", "mcp://s/x:1"), renamed("uno")),
        (("resourceTemplates", "mcp://s/x:{id}"), off()),
    ]
    .into();
    let catalogue = seen(&own, &[Arc::new(PreparedServer::new(upstream))], &tweaks);
    assert_eq!(keys(&catalogue, Kind::Prompts), ["look", "p"]);
    assert_eq!(catalogue.prompt("look"), Some(&PromptTarget::BuiltIn("review".into())));
    assert_eq!(catalogue.prompt_terms("look").unwrap().description.as_deref(), Some("look"));
    for hidden in ["review", "mcp__s__p", "mcp__s__q", "q"] {
        assert_eq!(catalogue.prompt(hidden), None, "{hidden}");
    }
    let (server, original) = ("s".into(), "p".into());
    assert_eq!(catalogue.prompt("p"), Some(&PromptTarget::Upstream { server, original }));
    assert_eq!(keys(&catalogue, Kind::Resources), ["memory://help", "mcp://s/x:1"]);
    assert_eq!(
        catalogue.entry(Kind::Resources, "memory://help").unwrap(),
        r#"{"uri":"memory://help","name":"H","title":"Help","description":"d"}"#
    );
    assert_eq!(
        catalogue.entry(Kind::Resources, "mcp://s/x:1").unwrap(),
        r#"{"uri":"mcp://s/x:1","name":"uno"}"#
    );
    assert_eq!(keys(&catalogue, Kind::Templates), Vec::<String>::new());
}

fn resource(uri: &str) -> BuiltIn {
    let json = json!({"uri": uri, "name": "n"}).to_string();
    BuiltIn { key: uri.into(), json: json.into() }
}

#[test]
fn denied_tools_are_neither_listed_nor_found() {
    let visibility = |tool: &ToolRef<'_>| match (tool.owner, tool.original, tool.public) {
        (Owner::Server(server), "secret", "mcp__s__secret") if &**server == "s" => {
            Visibility::Hidden
        }
        (Owner::BuiltIn, "shell", "shell") => Visibility::Hidden,
        _ => Visibility::Shown,
    };
    let eye = Eye { visibility: &visibility, ..Eye::plain() };
    let servers = [server("s", &["secret", "open"]), server("r", &["secret"])];
    let catalogue = Catalogue::build(&built_ins(&["shell", "own"]), &servers, &eye);
    assert_eq!(keys(&catalogue, Kind::Tools), ["own", "mcp__r__secret", "mcp__s__open"]);
    for hidden in ["shell", "mcp__s__secret"] {
        assert_eq!(catalogue.tool(hidden), None);
        assert_eq!(catalogue.withheld(hidden).unwrap().1, Withheld::Denied);
    }
    assert_eq!(catalogue.withheld("own"), None);
}

#[test]
fn a_rule_may_know_a_tool_by_its_new_name() {
    let tweak = |_: Kind, key: &str| if key == "own" { renamed("new") } else { Tweak::default() };
    for (hidden, expected) in
        [("own", vec!["other"]), ("new", vec!["other"]), ("else", vec!["new", "other"])]
    {
        let visibility = |tool: &ToolRef<'_>| match tool.public == hidden {
            true => Visibility::Hidden,
            false => Visibility::Shown,
        };
        let eye = Eye { tweak: &tweak, visibility: &visibility, ..Eye::plain() };
        let catalogue = Catalogue::build(&built_ins(&["own", "other"]), &[], &eye);
        assert_eq!(keys(&catalogue, Kind::Tools), expected, "{hidden}");
    }
}

#[test]
fn a_denied_server_has_no_prompts_and_resources() {
    let upstream = |name| {
        let lists = ServerLists {
            resources: vec![r#"{"uri":"x:1","name":"one"}"#.into()],
            templates: vec![r#"{"uriTemplate":"x:{id}","name":"all"}"#.into()],
            prompts: vec![r#"{"name":"p"}"#.into()],
            ..lists(name, Vec::new())
        };
        Arc::new(PreparedServer::new(lists))
    };
    let eye = Eye { is_denied: &|server| server == "r", ..Eye::plain() };
    let catalogue = Catalogue::build(&BuiltIns::default(), &[upstream("r"), upstream("s")], &eye);
    assert_eq!(keys(&catalogue, Kind::Prompts), ["mcp__s__p"]);
    assert_eq!(keys(&catalogue, Kind::Resources), ["mcp://s/x:1"]);
    assert_eq!(keys(&catalogue, Kind::Templates), ["mcp://s/x:{id}"]);
    assert_eq!(catalogue.prompt("mcp__r__p"), None);
}
