//! Several views of one gateway: they share the upstreams, and each has its own names.

use hobnob_mcp_engine::Service as _;
use hobnob_mcp_toolbox::{CompletionRequest, Context, Kit};
use hobnob_mcp_types::Method;
use hobnob_mcp_types::logging::LoggingLevel;
use hobnob_mcp_types::prompts::{GetPromptResult, PromptMessage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::harness::{Harness, entry, home, python, write_servers};
use crate::view_client::unknown;

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Note {
    /// What.
    content: String,
    /// Under which words.
    #[serde(default)]
    tags: Vec<String>,
    /// For how long.
    ttl: Option<u32>,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "the tone only matters to completions")]
struct PromptArgs {
    /// What about.
    content: String,
    /// How it sounds.
    tone: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "every note says its own address")]
struct ById {
    /// Which note.
    id: String,
}

/// A service with two tools, two prompts, two resources and a template.
pub(crate) fn demo() -> Kit {
    let say = |args: PromptArgs| async move {
        let message = PromptMessage::user(hobnob_mcp_types::content::Content::text(args.content));
        GetPromptResult { description: Some("Asks".into()), ..GetPromptResult::new(vec![message]) }
    };
    let own_address = |context: Context| async move { context.name().to_owned() };
    Kit::service("demo")
        .tool("keep", "Keeps a note", |note: Note| async move { Ok(serde_json::to_string(&note)?) })
        .tool("burn", "Keeps a note", |_: Note| async { "burnt" })
        .prompt("demo_ask", "Asks", say)
        .prompt("demo_beg", "Asks", say)
        .complete("demo_ask", "tone", |typed: CompletionRequest| async move {
            vec![format!("{}!", typed.value)]
        })
        .resource("demo://help", "help", own_address)
        .resource("demo://all", "all", own_address)
        .template("demo://note/{id}", "note", |_: ById, context: Context| async move {
            context.name().to_owned()
        })
        .build()
        .unwrap()
}

const PROFILE: &str = r#"
    services = ["demo"]
    [tools."*"]
    enabled = false
    [tools.demo_keep]
    enabled = true
    name = "keep_note"
    description = "Keeps one note"
    arguments = ["content", "tags"]
    [tools.SubscribePolling]
    enabled = true
    [tools.mcp__up__echo]
    enabled = true
    name = "say"
    arguments = []
    [tools.mcp__up__count]
    enabled = true
    [prompts."demo_*"]
    name = "note_*"
    [prompts.demo_ask]
    description = "Asks for a note"
    arguments = ["content"]
    [prompts.demo_beg]
    enabled = false
    [resources."*"]
    enabled = false
    [resources."demo://help"]
    enabled = true
    name = "Help"
    title = "All about it"
    [templates."*"]
    enabled = false
"#;

/// A home with one upstream; `None`, with a message, without Python.
fn harness(name: &str, switches: &[&str]) -> Option<Harness> {
    let python = python()?;
    let home = home(name);
    let up = entry(&python, &home, "up", switches);
    write_servers(&home, &json!({"mcpServers": {"up": up}}).to_string());
    Some(Harness::open(&home))
}

#[tokio::test]
async fn views_share_upstreams_and_not_names() {
    let Some(harness) = harness("views", &["--only", "echo", "--only", "count"]) else { return };
    let view = harness.view("narrow", PROFILE, vec![demo()]);
    let plain = harness.plain.list(Method::ToolsList).await;
    assert!(plain.contains(&"mcp__up__echo".into()) && !plain.contains(&"say".into()), "{plain:?}");
    let narrow = view.list(Method::ToolsList).await;
    assert_eq!(narrow, ["SubscribePolling", "keep_note", "say", "mcp__up__count"]);
    // One process counts the calls of both views.
    for (view_client, expected) in [(&harness.plain, "1"), (&view, "2"), (&harness.plain, "3")] {
        let counted = view_client.tool("mcp__up__count", json!({})).await.unwrap();
        assert_eq!(counted["content"][0]["text"], expected);
    }
    assert_eq!(harness.noted("up", "start"), 1);
    harness.close().await;
}

#[tokio::test]
async fn what_a_view_hides_has_no_name_in_it() {
    let Some(harness) = harness("hidden", &["--only", "echo", "--only", "touch"]) else { return };
    let view = harness.view("narrow", PROFILE, vec![demo()]);
    let kept = view.tool("keep_note", json!({"content": "x"})).await.unwrap();
    assert_eq!(kept["content"][0]["text"], r#"{"content":"x","tags":[],"ttl":null}"#);
    let names = [
        // Renamed: the usual names are gone.
        "demo_keep",
        "demo.keep",
        // Switched off: all names are gone.
        "demo_burn",
        "demo.burn",
        "ListMcpResources",
        "mcp__up__touch",
        "touch",
        "nobody",
    ];
    for name in names {
        assert_eq!(view.tool(name, json!({"content": "x"})).await, unknown(name), "{name}");
    }
    // It cannot be polled, either.
    let poll = json!({"type": "tool", "server": "up", "toolName": "touch"});
    let polled = view.tool("SubscribePolling", poll).await.unwrap();
    assert_eq!(polled["isError"], true, "{polled}");
    for (method, name) in [
        (Method::PromptsGet, "demo_ask"),
        (Method::PromptsGet, "demo_beg"),
        (Method::PromptsGet, "note_beg"),
    ] {
        let refused = view.ask(method, json!({"name": name})).await;
        assert_eq!(refused, Err((-32602, format!("Unknown prompt: {name}"))));
    }
    // Other views still show everything that this one hides.
    let open = harness.view("open", "services = [\"demo\"]", vec![demo()]);
    for name in ["demo_burn", "demo.burn"] {
        let burnt = open.tool(name, json!({"content": "x"})).await.unwrap();
        assert_eq!(burnt["content"][0]["text"], "burnt", "{name}");
    }
    harness.close().await;
}

#[tokio::test]
async fn arguments_that_a_view_takes_away_are_refused() {
    let Some(harness) = harness("narrowed", &["--only", "echo", "--only", "count"]) else { return };
    let text = PROFILE.replace("arguments = []", "");
    let view = harness.view("narrow", &text, vec![demo()]);
    let listed = view.entry(Method::ToolsList, "keep_note").await;
    let properties: Vec<_> =
        listed["inputSchema"]["properties"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(properties, ["content", "tags"]);
    assert_eq!(listed["description"], "Keeps one note");
    let refused =
        |name: &str| Err((-32602, format!("arguments.{name}: expected no such property")));
    let given = json!({"content": "x", "ttl": 1});
    assert_eq!(view.tool("keep_note", given).await, refused("ttl"));
    let prompt = json!({"name": "note_ask", "arguments": {"content": "x", "tone": "y"}});
    assert_eq!(view.ask(Method::PromptsGet, prompt).await, refused("tone"));

    // This upstream's schema names no arguments, so a profile cannot keep one by name.
    let [narrowed, wrong] = ["arguments = []", "arguments = [\"message\"]"].map(|arguments| {
        let text = format!("[tools.mcp__up__echo]\nname = \"say\"\n{arguments}");
        harness.view(if arguments.ends_with("[]") { "none" } else { "wrong" }, &text, Vec::new())
    });
    assert!(narrowed.list(Method::ToolsList).await.contains(&"say".into()));
    assert_eq!(narrowed.tool("say", json!({"message": "x"})).await, refused("message"));
    assert_eq!(wrong.tool("say", json!({"message": "x"})).await, unknown("say"));
    let problems = harness.gateway.status().problems;
    assert!(problems.iter().any(|it| it.starts_with("profile `wrong`: `mcp__up__echo` has no")));
    // Polling would run it too.
    let arguments = json!({"message": "x"});
    let poll = json!({"type": "tool", "server": "up", "toolName": "echo", "arguments": arguments});
    assert_eq!(narrowed.tool("SubscribePolling", poll).await, refused("message"));
    harness.close().await;
}

#[tokio::test]
async fn a_profile_that_breaks_a_built_in_is_refused() {
    let Some(harness) = harness("broken", &["--only", "echo"]) else { return };
    let cases = [
        ("[tools.demo_keep]\narguments = [\"tags\"]", "requires the argument `content`"),
        ("[tools.demo_keep]\narguments = [\"content\", \"colour\"]", "no argument `colour`"),
        ("[prompts.demo_ask]\narguments = [\"tone\"]", "requires the argument `content`"),
        ("[[permissions]]\ntool = \"[\"\naction = \"deny\"", "rule 1 of profile"),
    ];
    for (text, part) in cases {
        let Err(refused) = harness.try_view("broken", text, vec![demo()]) else { panic!("{text}") };
        assert!(refused.contains(part), "{text}: {refused}");
    }
    let Err(twice) = harness.try_view("broken", "", vec![demo(), demo()]) else { panic!("twice") };
    assert!(twice.contains("there is a kit `demo` already"), "{twice}");
    // The refused views leave nothing behind.
    assert_eq!(harness.gateway.status().problems, Vec::<String>::new());
    harness.close().await;
}

#[tokio::test]
async fn prompts_and_resources_have_the_views_names() {
    let Some(harness) = harness("prompts", &["--only", "echo"]) else { return };
    let view = harness.view("narrow", PROFILE, vec![demo()]);
    assert_eq!(view.list(Method::PromptsList).await, ["note_ask", "mcp__up__greet"]);
    let params = json!({"name": "note_ask", "arguments": {"content": "hello"}});
    let asked = view.ask(Method::PromptsGet, params).await.unwrap();
    assert_eq!(asked["description"], "Asks for a note");
    assert_eq!(asked["messages"][0]["content"]["text"], "hello");
    let typing = |name: &str| {
        let reference = json!({"type": "ref/prompt", "name": name});
        json!({"ref": reference, "argument": {"name": "tone", "value": "lou"}})
    };
    let suggested = view.ask(Method::Complete, typing("note_ask")).await.unwrap();
    assert_eq!(suggested["completion"]["values"], json!(["lou!"]));
    for hidden in ["demo_ask", "demo_beg", "note_beg"] {
        let refused = view.ask(Method::Complete, typing(hidden)).await;
        let message = format!("there is no prompt or template `{hidden}` to complete");
        assert_eq!(refused, Err((-32602, message)));
    }

    assert_eq!(view.list(Method::ResourcesList).await, ["demo://help"]);
    let help = view.entry(Method::ResourcesList, "demo://help").await;
    assert_eq!((&help["name"], &help["title"]), (&json!("Help"), &json!("All about it")));
    assert_eq!(view.list(Method::ResourcesTemplatesList).await, Vec::<String>::new());
    // Unlisted resources can be read by their addresses.
    for uri in ["demo://help", "demo://all", "demo://note/7"] {
        let read = view.ask(Method::ResourcesRead, json!({"uri": uri})).await.unwrap();
        assert_eq!(read["contents"][0]["text"], uri);
    }
    let absent = view.ask(Method::ResourcesRead, json!({"uri": "demo://none"})).await;
    assert_eq!(absent.unwrap_err().0, -32602);
    harness.close().await;
}

#[tokio::test]
async fn a_view_declares_what_it_has() {
    let Some(harness) = harness("offers", &["--only", "echo", "--only", "big"]) else { return };
    let offered = |text: &str, kits: Vec<Kit>| {
        static NUMBER: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let offer = harness.view(&format!("p{number}"), text, kits).service.offer();
        (serde_json::to_value(offer.capabilities).unwrap(), offer.instructions)
    };
    let alone = "servers = []\nhobnob_tools = false\n";
    let silent = "[server]\nannounce_changes = false\n";
    let (able, words) = offered(&format!("{alone}{silent}"), Vec::new());
    assert_eq!((able, words), (json!({"tools": {}, "logging": {}}), None));
    let (able, _) = offered(&format!("{alone}{silent}logging = false"), Vec::new());
    assert_eq!(able, json!({"tools": {}}));
    let (able, words) =
        offered(&format!("{alone}[server]\ninstructions = \"Keep notes.\""), vec![demo()]);
    let yes = json!({"listChanged": true});
    let resources = json!({"subscribe": true, "listChanged": true});
    let all = json!({"tools": yes, "resources": resources, "prompts": yes, "completions": {}, "logging": {}});
    assert_eq!((able, words.as_deref()), (all, Some("Keep notes.")));
    let none = "[prompts.\"*\"]\nenabled = false\n[resources.\"*\"]\nenabled = false\n\
                [templates.\"*\"]\nenabled = false\n";
    let (able, _) = offered(&format!("{alone}{none}"), vec![demo()]);
    assert_eq!(able, json!({"tools": yes, "logging": {}}));
    // A server may offer anything, unless the profile would hide it.
    let (able, words) = offered("", Vec::new());
    let plain = serde_json::to_value(harness.plain.service.offer().capabilities).unwrap();
    assert_eq!(able, plain);
    assert!(words.unwrap().contains("mcp__SERVER__TOOL"));
    let (able, _) = offered(none, Vec::new());
    assert_eq!((&able["prompts"], &able["resources"]), (&Value::Null, &Value::Null));
    harness.close().await;
}

#[tokio::test]
async fn what_a_view_does_not_declare_it_does_not_answer() {
    let Some(harness) = harness("refuses", &["--only", "echo", "--only", "big"]) else { return };
    let none = "[prompts.\"*\"]\nenabled = false\n[resources.\"*\"]\nenabled = false\n\
                [templates.\"*\"]\nenabled = false\n";
    let view = harness.view("bare", none, vec![demo()]);
    for (method, params) in [
        (Method::PromptsList, json!({})),
        (Method::PromptsGet, json!({"name": "demo_ask"})),
        (Method::ResourcesList, json!({})),
        (Method::ResourcesTemplatesList, json!({})),
        (Method::ResourcesRead, json!({"uri": "demo://help"})),
        (Method::ResourcesRead, json!({"uri": "mcp://up/test://notes/1"})),
        (Method::ResourcesRead, json!({"uri": "hobnob://status"})),
    ] {
        let refused = view.ask(method, params.clone()).await;
        assert_eq!(refused.unwrap_err().0, -32601, "{} {params}", method.as_str());
    }
    // The rest of a cut result can be read all the same.
    let cut = view.tool("mcp__up__big", json!({"bytes": 600_000})).await.unwrap();
    let at = cut.to_string().find("hobnob://results/").unwrap();
    let in_address = |letter: &char| letter.is_ascii_alphanumeric() || ":/-_".contains(*letter);
    let uri: String = cut.to_string()[at..].chars().take_while(in_address).collect();
    let rest = view.ask(Method::ResourcesRead, json!({"uri": uri})).await.unwrap();
    assert!(rest["contents"][0]["text"].as_str().unwrap().starts_with("xxx"), "{uri}");
    // Without Hobnob's own tools, its resources are gone, too.
    let lean = harness.view("lean", "hobnob_tools = false", vec![demo()]);
    let tools = lean.list(Method::ToolsList).await;
    assert_eq!(tools, ["demo_burn", "demo_keep", "mcp__up__echo", "mcp__up__big"]);
    for uri in ["hobnob://status", "hobnob://logs/up", "hobnob://polls/1"] {
        let absent = lean.ask(Method::ResourcesRead, json!({"uri": uri})).await;
        assert_eq!(absent.unwrap_err(), (-32602, format!("resource not found: {uri}")));
    }
    harness.close().await;
}

#[tokio::test]
async fn a_view_speaks_in_its_own_name_or_not_at_all() {
    let Some(harness) = harness("names", &["--only", "echo"]) else { return };
    let talk = || {
        let kit = Kit::service("demo").tool("talk", "Talks", |context: Context| async move {
            context.log(LoggingLevel::Info, &"sent");
            context.log(LoggingLevel::Debug, &"not sent");
            context.progress(1.0, None, None);
            "talked"
        });
        vec![kit.build().unwrap()]
    };
    let cases: [(&str, &[&str]); 3] = [
        ("", &["demo_talk: \"sent\"", "…"]),
        ("[server]\nname = \"subcog\"", &["subcog: \"sent\"", "…"]),
        ("[server]\nname = \"subcog\"\nlogging = false", &["…"]),
    ];
    for (number, (text, expected)) in cases.into_iter().enumerate() {
        let view = harness.view(&format!("p{number}"), text, talk());
        assert_eq!(view.said_by("demo_talk").await, expected, "{text}");
    }
    // A profile may also set the error code for an unknown prompt.
    let codes = "[errors.codes]\nprompt_not_found = -32607";
    let view = harness.view("codes", codes, Vec::new());
    let absent = view.ask(Method::PromptsGet, json!({"name": "none"})).await;
    assert_eq!(absent, Err((-32607, "Unknown prompt: none".into())));
    harness.close().await;
}

#[tokio::test]
async fn a_view_has_only_its_own_servers() {
    let Some(python) = python() else { return };
    let home = home("servers");
    let mut servers = json!({});
    for name in ["one", "two", "none"] {
        servers[name] = entry(&python, &home, name, &["--only", "echo"]);
    }
    write_servers(&home, &json!({"mcpServers": servers}).to_string());
    let harness = Harness::open(&home);
    let view = harness.view("one", "servers = [\"one\"]\nservices = []", Vec::new());
    let tools = view.list(Method::ToolsList).await;
    assert_eq!(tools.iter().filter(|it| it.starts_with("mcp__")).count(), 1, "{tools:?}");
    assert_eq!(view.tool("mcp__two__echo", json!({})).await, unknown("mcp__two__echo"));
    let foreign = json!({"uri": "mcp://two/test://notes/1"});
    assert_eq!(view.ask(Method::ResourcesRead, foreign).await.unwrap_err().0, -32602);
    let read = json!({"server": "two", "uri": "test://notes/1"});
    let read = view.tool("ReadMcpResource", read).await.unwrap();
    assert_eq!(read["content"][0]["text"], "no server `two`; there are: one");
    let status = view.ask(Method::ResourcesRead, json!({"uri": "hobnob://status"})).await.unwrap();
    let status: Value =
        serde_json::from_str(status["contents"][0]["text"].as_str().unwrap()).unwrap();
    let names: Vec<_> =
        status["servers"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["one"]);
    assert_eq!(harness.gateway.status().servers.len(), 3);
    harness.close().await;
}
