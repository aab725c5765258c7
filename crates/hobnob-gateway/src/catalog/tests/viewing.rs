//! What a view makes of a catalogue: renamed, re-described, narrowed, switched off, hidden.

use super::*;
use crate::catalog::listing::OrderedList;
use std::collections::BTreeMap;

/// A profile's overrides, by kind and usual key.
type Tweaks = BTreeMap<(&'static str, &'static str), EntryOverrides>;

fn seen(built_ins: &BuiltIns, servers: &[Arc<PreparedServer>], overrides: &Tweaks) -> Catalogue {
    let overrides = |kind: ListKind, key: &str| {
        let found =
            overrides.iter().find(|((list, name), _)| *list == kind.member() && *name == key);
        found.map(|(_, overrides)| overrides.clone()).unwrap_or_default()
    };
    Catalogue::build(
        built_ins,
        servers,
        &ViewFilter { overrides: &overrides, ..ViewFilter::plain() },
    )
}

fn renamed(name: &str) -> EntryOverrides {
    EntryOverrides { rename: Some(name.into()), ..EntryOverrides::default() }
}

fn off() -> EntryOverrides {
    EntryOverrides { switch: EntrySwitch::Off, ..EntryOverrides::default() }
}

fn described(description: &str) -> EntryOverrides {
    EntryOverrides { description: Some(description.into()), ..EntryOverrides::default() }
}

fn only(arguments: &[&str]) -> EntryOverrides {
    let arguments = arguments.iter().map(|it| Box::from(*it)).collect();
    EntryOverrides { arguments: Some(arguments), ..EntryOverrides::default() }
}

#[test]
fn tools_are_renamed_described_and_switched_off() {
    let overrides: Tweaks = [
        ("own", EntryOverrides { description: Some("runs".into()), ..renamed("bash.execute") }),
        ("mcp__s__off", EntryOverrides { switch: EntrySwitch::Off, ..renamed("elsewhere") }),
        ("mcp__s__new", renamed("fresh")),
        ("mcp__s__described", described("described")),
        ("mcp__s__same", renamed("mcp__s__same")),
        ("mcp__s__odd", renamed("odd name")),
        ("mcp__s__thief", renamed("mcp__s__described")),
        ("mcp__s__late", renamed("fresh")),
    ]
    .map(|(name, overrides)| (("tools", name), overrides))
    .into();
    let names = ["off", "new", "described", "same", "odd", "thief", "late"];
    let catalogue = seen(&built_ins(&["own"]), &[server("s", &names)], &overrides);
    assert_eq!(
        keys(&catalogue, ListKind::Tools),
        [
            "bash.execute",
            "fresh",
            "mcp__s__described",
            "mcp__s__same",
            "mcp__s__odd",
            "mcp__s__thief",
            "mcp__s__late"
        ]
    );
    let text = |key| catalogue.list(ListKind::Tools).get(key).unwrap();
    assert!(text("bash.execute").contains(r#""name":"bash.execute","description":"runs""#));
    assert!(text("mcp__s__described").contains(r#""description":"described""#));
    assert!(text("fresh").contains(r#""name":"fresh","description":"d""#));
    assert_eq!(catalogue.tool("bash.execute"), Some(&ToolTarget::BuiltIn("own".into())));
    assert_eq!(&*route(&catalogue, "fresh").original, "new");
    assert_eq!(&*route(&catalogue, "mcp__s__described").original, "described");
    assert_eq!(catalogue.tool("own"), None);
    assert_eq!(catalogue.withheld("elsewhere").unwrap().1, Withheld::Off);
    assert_eq!(catalogue.withheld("mcp__s__off"), None);
    assert_eq!(catalogue.report.conflicts.len(), 2);
    let [bad] = &*catalogue.report.invalid_overrides else { panic!("one name is illegal") };
    assert_eq!(bad.to_string(), "`mcp__s__odd` cannot be renamed to `odd name`");
}

#[test]
fn names_may_be_swapped_and_taken_from_the_hidden() {
    let overrides: Tweaks = [
        (("tools", "a"), renamed("b")),
        (("tools", "b"), renamed("a")),
        (("tools", "c"), renamed("d")),
        (("tools", "d"), off()),
        // The name `f` is taken, so both keep theirs.
        (("tools", "e"), renamed("f")),
    ]
    .into();
    let catalogue = seen(&built_ins(&["a", "b", "c", "d", "e", "f"]), &[], &overrides);
    assert_eq!(keys(&catalogue, ListKind::Tools), ["b", "a", "d", "e", "f"]);
    for (public, own) in [("a", "b"), ("b", "a"), ("d", "c"), ("e", "e"), ("f", "f")] {
        assert_eq!(catalogue.tool(public), Some(&ToolTarget::BuiltIn(own.into())), "{public}");
    }
    assert_eq!(catalogue.report.conflicts.len(), 1);
}

#[test]
fn who_gets_no_name_at_all_is_left_out() {
    let overrides: Tweaks = [
        (("tools", "a"), renamed("c")),
        (("tools", "b"), renamed("a")),
        (("tools", "d"), renamed("b")),
    ]
    .into();
    // `a` cannot be `c` and keeps its name; so `b` cannot be `a` and keeps its own; and so on.
    let catalogue = seen(&built_ins(&["a", "b", "c", "d"]), &[], &overrides);
    assert_eq!(keys(&catalogue, ListKind::Tools), ["a", "b", "c", "d"]);
    // The other way round, the name is taken before its owner falls back to it.
    let overrides: Tweaks = [(("tools", "a"), renamed("b")), (("tools", "b"), renamed("c"))].into();
    let catalogue = seen(&built_ins(&["a", "b", "c"]), &[], &overrides);
    assert_eq!(keys(&catalogue, ListKind::Tools), ["b", "c"]);
    assert_eq!(catalogue.tool("b"), Some(&ToolTarget::BuiltIn("a".into())));
    assert_eq!(catalogue.report.conflicts.len(), 2);
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
    let overrides: Tweaks = [
        (("tools", "good"), only(&["content", "tags"])),
        (("tools", "bare"), only(&["tags"])),
        (("tools", "wrong"), only(&["content", "colour"])),
        (("prompts", "ask"), only(&["a"])),
    ]
    .into();
    let catalogue = seen(&own, &[], &overrides);
    assert_eq!(keys(&catalogue, ListKind::Tools), ["good", "plain"]);
    let good: serde_json::Value =
        serde_json::from_str(catalogue.list(ListKind::Tools).get("good").unwrap()).unwrap();
    let properties = json!({"content": {"type": "string"}, "tags": {}});
    assert_eq!(good["inputSchema"]["properties"], properties);
    let terms = catalogue.terms(ListKind::Tools, "good").unwrap();
    assert_eq!(terms.arguments, only(&["content", "tags"]).arguments);
    assert_eq!(catalogue.terms(ListKind::Tools, "plain"), None);
    assert_eq!(
        catalogue.terms(ListKind::Prompts, "ask").unwrap().arguments,
        only(&["a"]).arguments
    );
    assert!(!catalogue.list(ListKind::Prompts).get("ask").unwrap().contains(r#""b""#));
    let problems: Vec<_> =
        catalogue.report.invalid_overrides.iter().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        [
            "`bare` requires the argument `content`, which the profile removes, so it is left out",
            "`wrong` has no argument `colour`, which the profile wants to keep, so it is left out",
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
    let help = EntryOverrides {
        title: Some("Help".into()),
        description: Some("d".into()),
        ..renamed("H")
    };
    let overrides: Tweaks = [
        (
            ("prompts", "review"),
            EntryOverrides { description: Some("look".into()), ..renamed("look") },
        ),
        (("prompts", "mcp__s__p"), renamed("p")),
        (("prompts", "mcp__s__q"), off()),
        (("resources", "memory://help"), help),
        (("resources", "memory://user"), off()),
        (("resources", "mcp://s/x:1"), renamed("uno")),
        (("resourceTemplates", "mcp://s/x:{id}"), off()),
    ]
    .into();
    let catalogue = seen(&own, &[Arc::new(PreparedServer::new(upstream))], &overrides);
    assert_eq!(keys(&catalogue, ListKind::Prompts), ["look", "p"]);
    assert_eq!(catalogue.prompt("look"), Some(&PromptTarget::BuiltIn("review".into())));
    assert_eq!(
        catalogue.terms(ListKind::Prompts, "look").unwrap().description.as_deref(),
        Some("look")
    );
    for hidden in ["review", "mcp__s__p", "mcp__s__q", "q"] {
        assert_eq!(catalogue.prompt(hidden), None, "{hidden}");
    }
    let (server, original) = ("s".into(), "p".into());
    assert_eq!(catalogue.prompt("p"), Some(&PromptTarget::Upstream { server, original }));
    assert_eq!(keys(&catalogue, ListKind::Resources), ["memory://help", "mcp://s/x:1"]);
    assert_eq!(
        catalogue.list(ListKind::Resources).get("memory://help").unwrap(),
        r#"{"uri":"memory://help","name":"H","title":"Help","description":"d"}"#
    );
    assert_eq!(
        catalogue.list(ListKind::Resources).get("mcp://s/x:1").unwrap(),
        r#"{"uri":"mcp://s/x:1","name":"uno"}"#
    );
    assert_eq!(keys(&catalogue, ListKind::Templates), Vec::<String>::new());
}

fn resource(uri: &str) -> BuiltIn {
    let json = json!({"uri": uri, "name": "n"}).to_string();
    BuiltIn { key: uri.into(), json: json.into() }
}

#[test]
fn denied_tools_are_neither_listed_nor_found() {
    let visibility = |tool: &ToolRef<'_>| match (tool.owner, tool.original, tool.public) {
        (EntryOwner::Server(server), "secret", "mcp__s__secret") if &**server == "s" => {
            Visibility::Hidden
        }
        (EntryOwner::BuiltIn, "shell", "shell") => Visibility::Hidden,
        _ => Visibility::Shown,
    };
    let filter = ViewFilter { visibility: &visibility, ..ViewFilter::plain() };
    let servers = [server("s", &["secret", "open"]), server("r", &["secret"])];
    let catalogue = Catalogue::build(&built_ins(&["shell", "own"]), &servers, &filter);
    assert_eq!(keys(&catalogue, ListKind::Tools), ["own", "mcp__r__secret", "mcp__s__open"]);
    for hidden in ["shell", "mcp__s__secret"] {
        assert_eq!(catalogue.tool(hidden), None);
        assert_eq!(catalogue.withheld(hidden).unwrap().1, Withheld::Denied);
    }
    assert_eq!(catalogue.withheld("own"), None);
}

#[test]
fn a_rule_may_know_a_tool_by_its_new_name() {
    let overrides = |_: ListKind, key: &str| {
        if key == "own" { renamed("new") } else { EntryOverrides::default() }
    };
    for (hidden, expected) in
        [("own", vec!["other"]), ("new", vec!["other"]), ("else", vec!["new", "other"])]
    {
        let visibility = |tool: &ToolRef<'_>| match [tool.usual, tool.public].contains(&hidden) {
            true => Visibility::Hidden,
            false => Visibility::Shown,
        };
        let filter =
            ViewFilter { overrides: &overrides, visibility: &visibility, ..ViewFilter::plain() };
        let catalogue = Catalogue::build(&built_ins(&["own", "other"]), &[], &filter);
        assert_eq!(keys(&catalogue, ListKind::Tools), expected, "{hidden}");
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
    let filter = ViewFilter { is_denied: &|server| server == "r", ..ViewFilter::plain() };
    let catalogue =
        Catalogue::build(&BuiltIns::default(), &[upstream("r"), upstream("s")], &filter);
    assert_eq!(keys(&catalogue, ListKind::Prompts), ["mcp__s__p"]);
    assert_eq!(keys(&catalogue, ListKind::Resources), ["mcp://s/x:1"]);
    assert_eq!(keys(&catalogue, ListKind::Templates), ["mcp://s/x:{id}"]);
    assert_eq!(catalogue.prompt("mcp__r__p"), None);
}

#[test]
fn tools_to_search_with_are_no_part_of_the_whole_list() {
    let own = built_ins(&["call_tool", "describe_tools", "find_tools", "health"]);
    let servers = [server("s", &["one", "two"])];
    let is_kept = |tool: &ToolRef<'_>, _: &EntryOverrides| tool.original == "two";
    let filter = ViewFilter { is_kept: &is_kept, ..ViewFilter::plain() };
    let catalogue = Catalogue::build(&own, &servers, &filter);
    assert_eq!(keys(&catalogue, ListKind::Tools), ["health", "mcp__s__one", "mcp__s__two"]);
    let short: Vec<&str> = catalogue.searching.entries().map(|(key, _)| key).collect();
    assert_eq!(short, ["call_tool", "describe_tools", "find_tools", "mcp__s__two"]);
    assert!(catalogue.can_be_searched() && catalogue.tool("find_tools").is_some());
    let page = catalogue.searching.page(None, size(2)).unwrap();
    assert!(page.body.contains("describe_tools") && page.next_cursor.is_some(), "{}", page.body);
    let of_server =
        catalogue.list(ListKind::Tools).entries().filter(|(key, _)| key.starts_with("mcp__"));
    let tokens: usize = of_server.map(|(_, json)| estimated_tokens(json)).sum();
    assert_eq!(catalogue.server_tokens(), tokens);
    assert_eq!(catalogue.everyday, None, "nothing is rare");
    let is_everyday = |tool: &ToolRef<'_>| tool.original != "health";
    let filter = ViewFilter { is_everyday: &is_everyday, ..filter };
    let everyday = Catalogue::build(&own, &servers, &filter);
    let usual: Vec<&str> =
        everyday.everyday.iter().flat_map(OrderedList::entries).map(|(key, _)| key).collect();
    let expected = ["call_tool", "describe_tools", "find_tools", "mcp__s__one", "mcp__s__two"];
    assert_eq!(usual, expected);
    assert_eq!(keys(&everyday, ListKind::Tools), ["health", "mcp__s__one", "mcp__s__two"]);
    // If one search tool is hidden, the others are useless.
    let visibility = |tool: &ToolRef<'_>| match tool.original {
        "describe_tools" => Visibility::Hidden,
        _ => Visibility::Shown,
    };
    let filter = ViewFilter { visibility: &visibility, ..ViewFilter::plain() };
    assert!(!Catalogue::build(&own, &servers, &filter).can_be_searched());
}
