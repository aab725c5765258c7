//! What gets into a catalogue, in which order, under which name, and what is left out.

use super::*;
use hobnob_mcp_client::mirror::HeaderPlan;
use hobnob_mcp_types::tools::TaskSupport;

#[test]
fn the_order_is_stable() {
    let built_ins = built_ins(&["zeta", "alpha"]);
    let (a, b) = (server("b", &["2", "1"]), server("a", &["y", "x"]));
    let expected = ["zeta", "alpha", "mcp__a__y", "mcp__a__x", "mcp__b__2", "mcp__b__1"];
    for servers in [[a.clone(), b.clone()], [b, a]] {
        assert_eq!(keys(&plain(&built_ins, &servers), ListKind::Tools), expected);
    }
}

#[test]
fn names_lead_to_their_owners() {
    let catalogue = plain(&built_ins(&["health_check"]), &[server("s", &["t", "files.read"])]);
    assert_eq!(catalogue.tool("health_check"), Some(&ToolTarget::BuiltIn("health_check".into())));
    let plain = route(&catalogue, "mcp__s__t");
    assert_eq!((&*plain.server, &*plain.original), ("s", "t"));
    let hashed = keys(&catalogue, ListKind::Tools).pop().unwrap();
    assert!(hashed.starts_with("mcp__s__files_read_"));
    assert_eq!(&*route(&catalogue, &hashed).original, "files.read");
    for unknown in ["t", "mcp__s__", "mcp__s__T", "mcp__x__t", ""] {
        assert_eq!(catalogue.tool(unknown), None, "{unknown}");
    }
}

#[test]
fn routes_know_what_calls_need() {
    let full = json!({
        "name": "t",
        "inputSchema": {
            "type": "object",
            "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
        },
        "outputSchema": {"type": "object"},
        "execution": {"taskSupport": "optional"},
    });
    let tools = vec![full.to_string(), tool("bare")];
    let catalogue =
        plain(&BuiltIns::default(), &[Arc::new(PreparedServer::new(lists("s", tools)))]);
    let known = route(&catalogue, "mcp__s__t");
    assert!(known.has_output_schema);
    assert_eq!(known.task_support, TaskSupport::Optional);
    assert!(matches!(&known.headers, HeaderPlan::Mirror(found) if found.len() == 1));
    assert_eq!(known.digest, crate::pins::ToolDigest::of(&full.to_string()));
    let bare = route(&catalogue, "mcp__s__bare");
    assert!(!bare.has_output_schema);
    assert_eq!((&bare.task_support, &bare.headers), (&TaskSupport::Forbidden, &HeaderPlan::None));
}

#[test]
fn entries_keep_all_but_their_names() {
    let raw = "{\"x\":1.50,\n \"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"maximum\":12345678901234567890}}";
    let prepared = PreparedServer::new(lists("s", vec![raw.to_owned()]));
    let catalogue = plain(&BuiltIns::default(), &[Arc::new(prepared)]);
    assert_eq!(
        catalogue.list(ListKind::Tools).get("mcp__s__t"),
        Some(
            r#"{"x":1.50,  "name":"mcp__s__t","inputSchema":{"type":"object","maximum":12345678901234567890}}"#
        )
    );
}

#[test]
fn broken_tools_are_left_out_and_named() {
    let nested = format!("{}{}", r#"{"a":"#.repeat(64), "1".to_owned() + &"}".repeat(64));
    let deep = format!(r#"{{"name":"deep","inputSchema":{{"type":"object","x":{nested}}}}}"#);
    let wide = "x".repeat(MAX_SCHEMA_BYTES);
    let cases = [
        ("7".to_owned(), None, "not an object"),
        ("{".to_owned(), None, "not valid JSON"),
        (r#"{"inputSchema":{"type":"object"}}"#.to_owned(), None, "missing field `name`"),
        (r#"{"name":7,"inputSchema":{"type":"object"}}"#.to_owned(), None, "expected a string"),
        (r#"{"name":"","inputSchema":{"type":"object"}}"#.to_owned(), Some(""), "empty"),
        (r#"{"name":"a"}"#.to_owned(), Some("a"), "`inputSchema` is missing"),
        (r#"{"name":"a","inputSchema":null}"#.to_owned(), Some("a"), "must be an object"),
        (r#"{"name":"a","inputSchema":{}}"#.to_owned(), Some("a"), r#""type": "object""#),
        (r#"{"name":"a","inputSchema":{"type":"array"}}"#.to_owned(), Some("a"), "\"object\""),
        (tool("a").replace("\"d\"", "7"), Some("a"), "expected a string"),
        (tool("a").replace("\"d\"", "\"d\",\"_meta\":[]"), Some("a"), "`_meta`"),
        (tool("a").replace("\"d\"", "\"d\",\"outputSchema\":true"), Some("a"), "`outputSchema`"),
        (tool("a").replace("\"name\"", "\"title\":\"x\",\"title\":\"y\",\"name\""), None, "twice"),
        (deep, Some("deep"), "deeper than 64"),
        (
            format!(r#"{{"name":"wide","inputSchema":{{"type":"object","x":"{wide}"}}}}"#),
            Some("wide"),
            "the limit is 262144",
        ),
        (
            tool("big").replace("\"d\"", &format!("\"{}\"", "x".repeat(MAX_ENTRY_BYTES))),
            Some("big"),
            "bytes",
        ),
        (tool("good"), Some("good"), "lists it twice"),
    ];
    for (broken, name, reason) in cases {
        let tools = vec![tool("good"), broken.clone(), tool("last")];
        let prepared = PreparedServer::new(lists("s", tools));
        let [rejected] = prepared.rejected() else {
            panic!("{}: {:?}", &broken[..broken.len().min(80)], prepared.rejected());
        };
        assert_eq!((rejected.index, rejected.name.as_deref()), (1, name), "{reason}");
        assert!(rejected.reason.contains(reason), "{} lacks {reason}", rejected.reason);
        let catalogue = plain(&BuiltIns::default(), &[Arc::new(prepared)]);
        assert_eq!(keys(&catalogue, ListKind::Tools), ["mcp__s__good", "mcp__s__last"]);
        assert_eq!(catalogue.report.rejected.len(), 1);
        assert!(catalogue.report.rejected[0].to_string().starts_with("server `s`, tools, "));
    }
}

#[test]
fn null_members_do_not_break_a_tool() {
    let raw = r#"{"name":"t","title":null,"description":null,"inputSchema":{"type":"object"},"outputSchema":null,"annotations":null,"icons":null,"_meta":null}"#;
    let prepared = Arc::new(PreparedServer::new(lists("s", vec![raw.to_owned()])));
    let catalogue = plain(&BuiltIns::default(), &[prepared]);
    assert_eq!(
        catalogue.list(ListKind::Tools).get("mcp__s__t"),
        Some(r#"{"name":"mcp__s__t","inputSchema":{"type":"object"}}"#)
    );
    assert!(!route(&catalogue, "mcp__s__t").has_output_schema);
}

#[test]
fn broken_header_marks_matter_only_over_modern_http() {
    let raw = json!({"name": "t", "inputSchema": {"type": "object", "x-mcp-header": "A"}});
    let prepare = |mirroring| {
        PreparedServer::new(ServerLists { mirroring, ..lists("s", vec![raw.to_string()]) })
    };
    assert_eq!(prepare(Mirroring::Ignored).rejected(), []);
    assert_eq!(prepare(Mirroring::Required).rejected().len(), 1);
}

#[test]
fn resources_and_prompts_are_merged_too() {
    let upstream = ServerLists {
        resources: vec![
            r#"{"uri":"x:1","name":"one"}"#.into(),
            r#"{"name":"no address"}"#.into(),
            r#"{"uri":"x:1","name":"again"}"#.into(),
        ],
        templates: vec![r#"{"uriTemplate":"x:{id}","name":"all"}"#.into(), "[]".into()],
        prompts: vec![r#"{"name":"p"}"#.into(), r#"{"name":""}"#.into()],
        ..lists("s", Vec::new())
    };
    let own = BuiltIns {
        resources: vec![BuiltIn {
            key: "memory://help".into(),
            json: r#"{"uri":"memory://help","name":"h"}"#.into(),
        }],
        prompts: vec![BuiltIn { key: "review".into(), json: r#"{"name":"review"}"#.into() }],
        ..BuiltIns::default()
    };
    let catalogue = plain(&own, &[Arc::new(PreparedServer::new(upstream))]);
    assert_eq!(keys(&catalogue, ListKind::Resources), ["memory://help", "mcp://s/x:1"]);
    assert_eq!(keys(&catalogue, ListKind::Templates), ["mcp://s/x:{id}"]);
    assert_eq!(keys(&catalogue, ListKind::Prompts), ["review", "mcp__s__p"]);
    assert_eq!(catalogue.report.rejected.len(), 4);
    assert_eq!(catalogue.prompt("review"), Some(&PromptTarget::BuiltIn("review".into())));
    let (server, original) = ("s".into(), "p".into());
    assert_eq!(catalogue.prompt("mcp__s__p"), Some(&PromptTarget::Upstream { server, original }));
    assert_eq!(catalogue.prompt("p"), None);
}

#[test]
fn addresses_lead_to_servers_listed_or_not() {
    let own = BuiltIns {
        resources: vec![BuiltIn { key: "memory://help".into(), json: "{}".into() }],
        ..BuiltIns::default()
    };
    let catalogue = plain(&own, &[server("my server", &[])]);
    let upstream = |original| {
        let Some(ResourceTarget::Upstream { server, original: found }) =
            catalogue.resource(original)
        else {
            panic!("{original} leads nowhere");
        };
        format!("{server} {found}")
    };
    assert_eq!(upstream("mcp://my%20server/file:///x"), "my server file:///x");
    assert_eq!(upstream("mcp://my%20server/x:{id}"), "my server x:{id}");
    assert_eq!(upstream("ui://my%20server/cart"), "my server ui://cart");
    for own in ["memory://help", "hobnob://results/1"] {
        assert_eq!(catalogue.resource(own), Some(ResourceTarget::BuiltIn), "{own}");
    }
    for unknown in ["mcp://other/x", "file:///x", "memory://other", ""] {
        assert_eq!(catalogue.resource(unknown), None, "{unknown}");
    }
}

#[test]
fn the_first_claim_stays() {
    let own = built_ins(&["mcp__s__t", "twice", "twice"]);
    let catalogue = plain(&own, &[server("s", &["t", "u"]), server("s", &["other"])]);
    assert_eq!(keys(&catalogue, ListKind::Tools), ["mcp__s__t", "twice", "mcp__s__u"]);
    assert_eq!(catalogue.tool("mcp__s__t"), Some(&ToolTarget::BuiltIn("mcp__s__t".into())));
    let conflicts = &catalogue.report.conflicts;
    assert_eq!(conflicts.len(), 2);
    assert_eq!((&*conflicts[0].key, &conflicts[0].dropped), ("twice", &EntryOwner::BuiltIn));
    assert_eq!(
        conflicts[1],
        Conflict {
            kind: ListKind::Tools,
            key: "mcp__s__t".into(),
            kept: EntryOwner::BuiltIn,
            dropped: EntryOwner::Server("s".into()),
        }
    );
}

#[test]
fn differences_are_reported_per_list() {
    let with = |change: fn(&mut ServerLists)| {
        let mut lists = lists("s", vec![tool("t")]);
        change(&mut lists);
        plain(&BuiltIns::default(), &[Arc::new(PreparedServer::new(lists))])
    };
    let old = with(|_| ());
    let none = CatalogueDiff::default();
    type Change = fn(&mut ServerLists);
    let cases: [(Change, CatalogueDiff); 6] = [
        (|_| (), none),
        (|it| it.tools.push(tool("u")), CatalogueDiff { tools: true, ..none }),
        (
            |it| it.tools[0] = tool("t").replace("\"d\"", "\"e\""),
            CatalogueDiff { tools: true, ..none },
        ),
        (|it| it.prompts.push(r#"{"name":"p"}"#.into()), CatalogueDiff { prompts: true, ..none }),
        (
            |it| it.resources.push(r#"{"uri":"x:1","name":"x"}"#.into()),
            CatalogueDiff { resources: true, ..none },
        ),
        (
            |it| it.templates.push(r#"{"uriTemplate":"x:{a}","name":"x"}"#.into()),
            CatalogueDiff { resources: true, ..none },
        ),
    ];
    for (change, expected) in cases {
        let new = with(change);
        assert_eq!(diff(&old, &new), expected);
        assert_eq!(diff(&new, &old), expected);
        assert_eq!(diff(&old, &new).is_empty(), expected == none);
    }
}
