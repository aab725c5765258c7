//! Profiles: their content, which are refused and where, where they come from, and those that ship.

use std::path::Path;

use hobnob_config::{
    EntryOverride, ErrorCodes, NativeCallAccess, Problem, Profile, ProfileDialect, ProfileError,
    ProfileEventIds, ProfileHandshake, ProfileName, ProfileProgress, ResourceOverride, SHIPPED,
    ServerPresentation, ToolNameForm, list_profiles, load_profile,
};

use crate::support::Scratch;

const SERVICES: &[&str] = &["health", "memory", "tasks"];

fn parse(text: &str) -> Result<Profile, Problem> {
    Profile::parse(Path::new("p.toml"), text, SERVICES)
}

fn entry(enabled: Option<bool>, name: Option<&str>, description: Option<&str>) -> EntryOverride {
    EntryOverride {
        enabled,
        name: name.map(String::from),
        description: description.map(String::from),
        arguments: None,
        always: None,
    }
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
    for (tool, row) in [
        ("shell_run", entry(Some(false), None, None)),
        ("memory_recall", entry(Some(true), None, Some("about memory"))),
        ("memory_capture", entry(Some(true), Some("subcog.capture"), Some("about memory"))),
    ] {
        assert_eq!(profile.tool(tool), row, "{tool}");
    }
    assert!(profile.includes_server("github") && !profile.includes_server("times"));
    assert!(profile.includes_service("memory") && !profile.includes_service("tasks"));
    assert_eq!(profile.permissions[0].action, "allow");
}

#[test]
fn nothing_written_changes_nothing() {
    let empty = parse("").unwrap();
    assert_eq!(empty, Profile::default());
    assert!(empty.includes_server("anything") && empty.includes_service("anything"));
    assert!(empty.has_servers() && empty.hobnob_tools && !empty.names_service("anything"));
    assert_eq!(empty.server.handshake, ProfileHandshake::Strict);
    assert_eq!(empty.dialect, ProfileDialect::Native);
    assert!(!empty.results.envelope);
    assert!(empty.server.announce_changes && empty.server.logging && empty.memory.ask_roots);
    assert_eq!(empty.uri_scheme("memory"), None);
    assert_eq!(empty.tool("anything"), EntryOverride::default());
    assert_eq!(empty.prompt("anything"), EntryOverride::default());
    assert_eq!(empty.resource("x:y"), ResourceOverride::default());
    assert_eq!(empty.template("x:{y}"), ResourceOverride::default());
}

#[test]
fn every_key_is_understood() {
    let profile = parse(
        r#"
        servers = []
        hobnob_tools = false
        dialect = "sysmcp"
        [server]
        name = "subcog"
        version = "0.1.0"
        instructions = "Remember."
        announce_changes = false
        explicit_capabilities = true
        logging = false
        handshake = "known-revisions"
        offer_prompts = true
        page = 50
        progress = "on-streams"
        event_ids = "numbered"
        native_calls = "after-handshake"
        [results]
        envelope = true
        indent = true
        [uris]
        memory = "subcog"
        [errors]
        codes = { not_found = -32604, sync = -32610 }
        prefix = "error: "
        explicit_success = true
        tool_names = "dotted"
        [tools.memory_capture]
        arguments = ["content", "namespace"]
        [prompts.memory_review]
        enabled = false
        [prompts."memory_*"]
        name = "*.ask"
        arguments = []
        [resources."subcog://*"]
        enabled = false
        [resources."subcog://help"]
        enabled = true
        name = "Help Documentation"
        title = "Help"
        description = "All of it"
        [templates."x:{a}{?page}"]
        name = "pages"
        [memory]
        namespaces = ["decisions", "tech-debt"]
        ask_roots = false
        "#,
    )
    .unwrap();
    assert!(!profile.hobnob_tools && !profile.has_servers());
    let server = ServerPresentation {
        name: Some("subcog".into()),
        version: Some("0.1.0".into()),
        instructions: Some("Remember.".into()),
        announce_changes: false,
        explicit_capabilities: true,
        logging: false,
        handshake: ProfileHandshake::KnownRevisions,
        offer_prompts: true,
        page: std::num::NonZeroUsize::new(50),
        progress: ProfileProgress::OnStreams,
        event_ids: ProfileEventIds::Numbered,
        native_calls: NativeCallAccess::AfterHandshake,
    };
    assert_eq!(profile.server, server);
    assert_eq!(profile.dialect, ProfileDialect::SysMcp);
    assert!(profile.results.envelope && profile.results.indent);
    assert_eq!(profile.uri_scheme("memory"), Some("subcog"));
    let codes = ErrorCodes { not_found: Some(-32604), sync: Some(-32610), ..ErrorCodes::default() };
    assert_eq!(profile.errors.codes, codes);
    assert_eq!(profile.errors.prefix.as_deref(), Some("error: "));
    assert!(profile.errors.explicit_success);
    assert_eq!(profile.errors.tool_names, ToolNameForm::Dotted);
    let arguments = profile.tool("memory_capture").arguments.unwrap();
    assert_eq!(arguments, ["content", "namespace"]);
    let review = profile.prompt("memory_review");
    assert_eq!((review.enabled, review.name.as_deref()), (Some(false), Some("review.ask")));
    assert_eq!(review.arguments, Some(Vec::new()));
    assert_eq!(profile.resource("subcog://user").enabled, Some(false));
    let help = ResourceOverride {
        enabled: Some(true),
        name: Some("Help Documentation".into()),
        title: Some("Help".into()),
        description: Some("All of it".into()),
    };
    assert_eq!(profile.resource("subcog://help"), help);
    assert_eq!(profile.template("x:{a}{?page}").name.as_deref(), Some("pages"));
    assert_eq!(profile.memory.namespaces.unwrap(), ["decisions", "tech-debt"]);
    assert!(!profile.memory.ask_roots);
}

#[test]
fn a_star_stands_for_the_same_text_on_both_sides() {
    let cases = [
        ("memory_*", "subcog_*", "memory_get", Some("subcog_get")),
        ("memory_*", "*", "memory_get", Some("get")),
        ("*_get", "get.*", "memory_get", Some("get.memory")),
        ("*", "x-*", "memory_get", Some("x-memory_get")),
        ("memory_*", "subcog_*", "memory_", Some("subcog_")),
        ("memory_*", "subcog_*", "tasks_get", None),
    ];
    for (pattern, name, tool, expected) in cases {
        let profile = parse(&format!("[tools.\"{pattern}\"]\nname = \"{name}\"")).unwrap();
        assert_eq!(profile.tool(tool).name.as_deref(), expected, "{pattern} to {name}");
    }
}

#[test]
fn invalid_profiles_are_refused_with_their_position() {
    let cases = [
        ("[tools.a]\nname = \"\"", "p.toml:2:8: not a name"),
        ("[tools.a]\nname = \"a b\"", "p.toml:2:8: not a name"),
        ("[tools.a]\nname = \"ä\"", "not a name"),
        ("[tools.\"*\"]\nname = \"**\"", "not a name"),
        ("[tools.\"a*\"]\nname = \"b\"", "p.toml:2:8: tools.\"a*\".name: this would give many"),
        ("[tools.a]\nname = \"b*\"", "p.toml:2:8: tools.a.name: a row for one name cannot use `*`"),
        (
            "[tools.\"a*b*\"]\nname = \"c*\"",
            "p.toml:2:8: tools.\"a*b*\".name: the `*` is ambiguous",
        ),
        ("[tools.\"a?*\"]\nname = \"c*\"", "the `*` is ambiguous"),
        ("[tools.\"a?\"]\nname = \"c*\"", "the `*` is ambiguous"),
        (
            "[tools.a]\nname = \"c\"\n[tools.b]\nname = \"c\"",
            "p.toml:4:8: tools.b.name: \"a\" gets the name \"c\" too: choose another",
        ),
        (
            "[tools.a]\nname = \"b\"\n[tools.b]\nenabled = true",
            "p.toml:2:8: tools.a.name: \"b\" already has the name \"b\": choose another",
        ),
        (
            "[tools.a]\nname = \"x_1\"\n[tools.\"m_*\"]\nname = \"x_*\"",
            "p.toml:2:8: tools.a.name: \"m_1\" already has the name \"x_1\": choose another",
        ),
        (
            "[prompts.a]\nname = \"c\"\n[prompts.b]\nname = \"c\"",
            "p.toml:4:8: prompts.b.name: \"a\" gets the name \"c\" too",
        ),
        ("[tools.a]\narguments = [\"x\", \"x\"]", "p.toml:2:19: tools.a.arguments.1: empty, or"),
        ("[prompts.a]\narguments = [\"\"]", "p.toml:2:14: prompts.a.arguments.0: empty, or"),
        ("tool = 1", "p.toml:1:1: unknown field `tool`"),
        ("[tools.a]\nrename = \"b\"", "p.toml:2:1: unknown field `rename`, expected one of"),
        ("[resources.\"x:y\"]\narguments = []", "unknown field `arguments`"),
        ("[[permissions]]\ntool = \"a\"\naction = \"x\"", "p.toml:3:10: not an action"),
        (
            "services = [\"memory\", \"memroy\"]",
            "p.toml:1:23: services.1: there is no service `memroy`: use one or more of health, memory, tasks",
        ),
        ("[uris]\nnotes = \"n\"", "p.toml:2:9: uris.notes: there is no service `notes`"),
        ("[uris]\nmemory = \"Sub\"", "p.toml:2:10: uris.memory: not a scheme"),
        ("[uris]\nmemory = \"\"", "not a scheme"),
        ("[uris]\nmemory = \"1a\"", "not a scheme"),
        ("[uris]\nmemory = \"hobnob\"", "\"hobnob\" is reserved for Hobnob: choose another"),
        ("[uris]\nmemory = \"mcp\"", "is reserved for Hobnob"),
        (
            "[uris]\nmemory = \"tasks\"",
            "p.toml:2:10: uris.memory: `memory` and `tasks` would share",
        ),
        ("[uris]\nmemory = \"x\"\ntasks = \"x\"", "p.toml:3:9: uris.tasks: `memory` and `tasks`"),
        ("[errors]\ncodes = { lost = 1 }", "p.toml:2:11: unknown field `lost`, expected one of"),
        ("[errors.codes]\nsync = \"x\"", "p.toml:2:8: invalid type"),
        ("[errors.codes]\nsync = 99999999999", "p.toml:2:8: invalid value"),
        ("[errors]\nprefix = \"\"", "p.toml:2:10: empty, too long"),
        ("[server]\nname = \"a\\nb\"", "p.toml:2:8: empty, too long or more than one line"),
        ("[server]\ncolour = \"red\"", "unknown field `colour`"),
        ("[memory]\nnamespaces = []", "p.toml:2:14: memory.namespaces: nothing could be stored"),
        (
            "[memory]\nnamespaces = [\"a\", \"a\"]",
            "p.toml:2:20: memory.namespaces.1: not a namespace",
        ),
        ("[memory]\nnamespaces = [\"ä\"]", "not a namespace"),
        ("[memory]\nnamespaces = [\"A\"]", "not a namespace"),
        ("[tools", "p.toml:1:"),
    ];
    for (text, part) in cases {
        let problem = parse(text).unwrap_err().to_string();
        assert!(problem.contains(part), "{text}: {problem}");
        assert!(!problem.contains('\n'), "{text}: {problem}");
    }
    for (key, length) in [("[tools.a]\nname", 65), ("[server]\nname", 129)] {
        assert!(parse(&format!("{key} = \"{}\"", "x".repeat(length))).is_err());
        assert!(parse(&format!("{key} = \"{}\"", "x".repeat(length - 1))).is_ok());
    }
}

#[test]
fn an_apparent_collision_is_accepted() {
    let cases = [
        // Tools swap names, or one takes the name of a hidden tool.
        "[tools.a]\nname = \"b\"\n[tools.b]\nname = \"a\"",
        "[tools.a]\nname = \"b\"\n[tools.b]\nenabled = false",
        // The row for one and the row with a glob give the same tool its name.
        "[tools.m_1]\nname = \"x_1\"\n[tools.\"m_*\"]\nname = \"x_*\"",
        // The other tool is hidden, or has a name of its own.
        "[tools.a]\nname = \"x_1\"\n[tools.\"m_*\"]\nname = \"x_*\"\n[tools.m_1]\nenabled = false",
        "[tools.a]\nname = \"x_1\"\n[tools.\"m_*\"]\nname = \"x_*\"\n[tools.m_1]\nname = \"y\"",
        // A tool and a prompt may share a name.
        "[tools.a]\nname = \"c\"\n[prompts.a]\nname = \"c\"",
        // The service that owns the scheme is not part of the profile.
        "services = [\"memory\"]\n[uris]\nmemory = \"tasks\"",
    ];
    for text in cases {
        assert_eq!(parse(text).map(drop), Ok(()), "{text}");
    }
}

#[test]
fn own_profiles_come_before_shipped_ones() {
    let scratch = Scratch::new();
    let places = scratch.places();
    let shipped = [("tasks", "description = \"shipped\""), ("both", "description = \"shipped\"")];
    scratch.write("config/profiles/both.toml", "description = \"own\"");
    scratch.write("config/profiles/bad.toml", "x");
    scratch.write("config/profiles/lost.toml", "services = [\"nothing\"]");
    scratch.write("config/profiles/not a name.toml", "");
    scratch.write("config/profiles/notes.txt", "");
    let load =
        |name: &str| load_profile(&places, &ProfileName::parse(name).unwrap(), &shipped, SERVICES);
    let described = |name: &str| load(name).unwrap().description.unwrap();
    assert_eq!((described("both"), described("tasks")), ("own".into(), "shipped".into()));
    assert!(matches!(load("none"), Err(ProfileError::Unknown(..))));
    assert!(matches!(load("bad"), Err(ProfileError::Problem(_))));
    let lost = load("lost").unwrap_err().to_string();
    let file = places.profiles().join("lost.toml");
    assert!(lost.starts_with(&format!("{}:1:13: services.0: ", file.display())), "{lost}");
    let names: Vec<_> =
        list_profiles(&places, &shipped).iter().map(|it| it.as_str().to_owned()).collect();
    assert_eq!(names, ["bad", "both", "lost", "tasks"]);
}

fn shipped(name: &str) -> Profile {
    let places = Scratch::new().places();
    let services = [SERVICES, &["logs", "files", "registry"]].concat();
    load_profile(&places, &ProfileName::parse(name).unwrap(), SHIPPED, &services).unwrap()
}

#[test]
fn subcog_has_its_own_names() {
    let profile = shipped("subcog");
    let server = (profile.server.name.as_deref(), profile.server.version.as_deref());
    assert_eq!(server, (Some("subcog"), Some("0.1.0")));
    assert!(!profile.server.announce_changes && profile.server.logging);
    assert!(profile.server.explicit_capabilities && !profile.memory.ask_roots);
    assert!(!profile.has_servers() && !profile.hobnob_tools);
    assert_eq!(profile.services.as_deref(), Some(&["memory".to_owned()][..]));
    assert_eq!(profile.uri_scheme("memory"), Some("subcog"));
    let methods = "capture recall status namespaces consolidate enrich get update delete restore \
                   history list sync gc export import";
    for method in methods.split(' ') {
        let tool = profile.tool(&format!("memory_{method}"));
        assert_eq!((tool.enabled, tool.name), (Some(true), Some(format!("subcog_{method}"))));
    }
    for other in ["memory_prompt_save", "tasks_create", "health_check", "mcp__s__t"] {
        assert_eq!(profile.tool(other).enabled, Some(false), "{other}");
    }
    let capture = profile.tool("memory_capture");
    assert_eq!(capture.arguments.unwrap(), ["content", "namespace", "tags", "source"]);
    assert_eq!(capture.description.unwrap(), "Capture a memory to persistent storage");
    assert_eq!(profile.prompt("memory_review").name.as_deref(), Some("subcog_review"));
    for (uri, listed) in [
        ("subcog://help", Some(true)),
        ("subcog://project", Some(true)),
        ("subcog://user", Some(false)),
        ("hobnob://status", Some(false)),
    ] {
        assert_eq!(profile.resource(uri).enabled, listed, "{uri}");
    }
    let codes = profile.errors.codes;
    let all = [
        codes.not_found,
        codes.blocked,
        codes.model,
        codes.prompt_not_found,
        codes.invalid,
        codes.storage,
        codes.sync,
    ];
    assert_eq!(all.map(Option::unwrap).to_vec(), (-32610..=-32604).rev().collect::<Vec<_>>());
    assert_eq!(profile.memory.namespaces.unwrap().len(), 12);
}

#[test]
fn bossman_has_eight_tools_and_nothing_else() {
    let profile = shipped("bossman");
    let expected = [
        ("tasks_create", "create_task"),
        ("tasks_list", "list_tasks"),
        ("tasks_get", "get_task"),
        ("tasks_update", "update_task"),
        ("tasks_delete", "delete_task"),
        ("tasks_add_blocker", "add_blocker"),
        ("tasks_remove_blocker", "remove_blocker"),
        ("tasks_blockers", "get_blockers"),
    ];
    for (tool, name) in expected {
        let row = profile.tool(tool);
        assert_eq!((row.enabled, row.name.as_deref()), (Some(true), Some(name)), "{tool}");
    }
    for other in ["tasks_ready", "tasks_claim", "memory_capture", "mcp__s__t"] {
        assert_eq!(profile.tool(other).enabled, Some(false), "{other}");
    }
    assert_eq!(profile.tool("tasks_create").description.as_deref(), Some("Create a new task"));
    assert_eq!(profile.prompt("tasks_next").enabled, Some(false));
    assert_eq!(profile.resource("tasks://all").enabled, Some(false));
    assert_eq!(profile.template("tasks://{id}").enabled, Some(false));
    assert_eq!(profile.errors.prefix.as_deref(), Some("error: "));
    assert!(profile.errors.explicit_success);
    assert_eq!(profile.errors.codes, ErrorCodes::default());
}

#[test]
fn sysmcp_has_its_own_names_on_every_system() {
    // Loaded for a product that has none of the services it shows.
    let profile = shipped("sysmcp");
    let server = (profile.server.name.as_deref(), profile.server.version.as_deref());
    assert_eq!(server, (Some("SysMCP"), Some("1.0.0")));
    assert!(!profile.server.announce_changes && !profile.server.logging);
    assert_eq!(profile.server.handshake, ProfileHandshake::Lenient);
    assert_eq!(profile.dialect, ProfileDialect::SysMcp);
    assert!(profile.results.envelope && !profile.has_servers() && !profile.hobnob_tools);
    let names = [
        ("logs_query", "eventlog_query"),
        ("logs_list_logs", "eventlog_list_logs"),
        ("files_search", "fs_search"),
        ("files_stat", "fs_stat"),
        ("registry_read", "reg_read"),
        ("registry_write", "reg_write"),
    ];
    for (usual, name) in names {
        let tool = profile.tool(usual);
        assert_eq!((tool.enabled, tool.name.as_deref()), (Some(true), Some(name)));
    }
    for other in ["logs_list", "files_write", "registry_delete", "shell_run", "mcp__s__t"] {
        assert_eq!(profile.tool(other).enabled, Some(false), "{other}");
    }
    assert!(!profile.may_list_prompts() && !profile.may_list_resources());
}
