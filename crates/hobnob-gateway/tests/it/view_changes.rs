//! Changes reach the views they concern and no others; so do rules and answers.

use hobnob_mcp_engine::Change;
use hobnob_mcp_toolbox::Kit;
use hobnob_mcp_types::Method;
use serde_json::json;

use crate::harness::{ALLOW, Harness, entry, home, python, write_servers, write_settings};
use crate::view_client::{ViewClient, unknown};

/// A service with these prompts.
fn kit(prompts: &[&str]) -> Kit {
    let kit = Kit::service("demo").tool("check", "Checks", || async { "well" });
    let kit = prompts.iter().fold(kit, |kit, name| kit.prompt(*name, "Asks", || async { "asked" }));
    kit.build().unwrap()
}

fn harness(name: &str, settings: &str, switches: &[&str]) -> Option<Harness> {
    let python = python()?;
    let home = home(name);
    write_settings(&home, settings);
    let up = entry(&python, &home, "up", switches);
    write_servers(&home, &json!({"mcpServers": {"up": up}}).to_string());
    Some(Harness::open(&home))
}

const SILENT: &str = "[server]\nannounce_changes = false";

#[tokio::test]
async fn a_replaced_kit_is_announced_where_it_is_shown() {
    let Some(harness) = harness("replaced", ALLOW, &["--only", "echo"]) else { return };
    let [loud, other] = ["loud", "other"].map(|name| harness.view(name, "", vec![kit(&["one"])]));
    let silent = harness.view("silent", SILENT, vec![kit(&["one"])]);
    // Drops the changes that the start of the upstream caused.
    for view_client in [&loud, &other, &silent] {
        assert_eq!(view_client.list(Method::PromptsList).await, ["one", "mcp__up__greet"]);
        view_client.recorded.take();
    }
    harness.plain.recorded.take();
    for view_client in [&loud, &silent] {
        harness.gateway.replace_kit(view_client.service.view(), kit(&["one", "two"])).unwrap();
        assert_eq!(view_client.list(Method::PromptsList).await, ["one", "two", "mcp__up__greet"]);
        let got = view_client.ask(Method::PromptsGet, json!({"name": "two"})).await.unwrap();
        assert_eq!(got["messages"][0]["content"]["text"], "asked");
    }
    assert_eq!(loud.recorded.take(), [Change::Prompts]);
    assert_eq!(other.list(Method::PromptsList).await, ["one", "mcp__up__greet"]);
    // The same kit again announces nothing, and an invalid one changes nothing.
    harness.gateway.replace_kit(loud.service.view(), kit(&["one", "two"])).unwrap();
    let thief = Kit::plain("thief").tool("demo_check", "Checks", || async { "" }).build().unwrap();
    let refused = harness.gateway.replace_kit(loud.service.view(), thief).unwrap_err();
    assert!(refused.to_string().contains("both have the tool `demo_check`"), "{refused}");
    for view_client in [&loud, &other, &silent, &harness.plain] {
        assert!(!view_client.recorded.take().contains(&Change::Prompts));
    }
    harness.close().await;
}

#[tokio::test]
async fn an_upstreams_new_tool_reaches_every_view_that_has_it() {
    let settings = format!("gateway.pins = false\n{ALLOW}");
    let Some(harness) = harness("grown", &settings, &["--only", "echo", "--only", "grow"]) else {
        return;
    };
    let all = harness.view("all", "[tools.mcp__up__fresh]\nname = \"fresh\"", Vec::new());
    let without = harness.view("without", "servers = []", Vec::new());
    let silent = harness.view("silent", SILENT, Vec::new());
    for view_client in [&harness.plain, &all, &without, &silent] {
        view_client.list(Method::ToolsList).await;
        view_client.recorded.take();
    }
    harness.plain.tool("mcp__up__grow", json!({"name": "fresh"})).await.unwrap();
    for view_client in [&harness.plain, &all] {
        view_client.recorded.until(&Change::Tools).await;
    }
    for (view_client, name) in
        [(&harness.plain, "mcp__up__fresh"), (&all, "fresh"), (&silent, "mcp__up__fresh")]
    {
        let tools = view_client.list(Method::ToolsList).await;
        assert!(tools.contains(&name.to_owned()), "{tools:?}");
    }
    assert_eq!(without.recorded.take(), []);
    assert_eq!(silent.recorded.take(), []);
    harness.close().await;
}

const NOTE: &str = "mcp://up/test://notes/1";

/// Touches the resource until a view is notified: the upstream may begin to report at any time.
async fn until_notified(harness: &Harness, view_client: &ViewClient) {
    let notified = Change::Resource(NOTE.into());
    let telling = async {
        while !view_client.recorded.take().contains(&notified) {
            harness.plain.tool("mcp__up__touch", json!({})).await.unwrap();
        }
    };
    let limit = std::time::Duration::from_secs(60);
    assert!(tokio::time::timeout(limit, telling).await.is_ok(), "nobody was notified");
}

#[tokio::test]
async fn a_resources_news_reach_the_views_that_may_hear_them() {
    let Some(harness) = harness("news", ALLOW, &["--only", "echo", "--only", "touch"]) else {
        return;
    };
    let view = harness.view("view", "", Vec::new());
    let without = harness.view("without", "servers = []", Vec::new());
    let denied = harness.view(
        "denied",
        "[[permissions]]\ntool = \"mcp__up\"\naction = \"deny\"",
        Vec::new(),
    );
    // Only one of the views has a client that watches it.
    let _watch = view.hub.watch(NOTE);
    until_notified(&harness, &view).await;
    let news = |view_client: &ViewClient| {
        let recorded = view_client.recorded.take();
        recorded.into_iter().filter(|change| matches!(change, Change::Resource(_))).count()
    };
    assert_eq!((news(&without), news(&denied)), (0, 0));
    assert!(news(&harness.plain) > 0, "others may listen there as well");
    harness.close().await;
}

#[tokio::test]
async fn each_view_has_its_own_rules() {
    let Some(harness) = harness("rules", "", &["--only", "echo", "--only", "count"]) else {
        return;
    };
    let allow = "[[permissions]]\ntool = \"mcp__up__count\"\naction = \"allow\"\n";
    let deny = "[tools.mcp__up__count]\nname = \"count\"\n\
                [[permissions]]\ntool = \"mcp__up__count\"\naction = \"deny\"\n";
    let allowed = harness.view("allowed", allow, Vec::new());
    let denied = harness.view("denied", deny, vec![kit(&[])]);
    assert_eq!(allowed.call_asked("mcp__up__count", "no").await, (false, "1".into()));
    // Without a rule in its own view, a call needs a person, even if another view allows it.
    let (asked, said) = harness.plain.call_asked("mcp__up__count", "no").await;
    assert!(asked && said.contains("refused by a person"), "{said}");
    let refused = denied.tool("count", json!({})).await.unwrap_err();
    assert!(refused.0 == -32602 && refused.1.contains("denied by rule"), "{refused:?}");
    assert_eq!(denied.tool("mcp__up__count", json!({})).await, unknown("mcp__up__count"));
    harness.close().await;
}

#[tokio::test]
async fn a_renamed_built_in_is_judged_by_both_names() {
    let Some(harness) = harness("judged", "", &["--only", "echo"]) else { return };
    let rename = "[tools.demo_check]\nname = \"inspect\"\n";
    for (number, denied) in ["demo_check", "inspect", "demo_*"].into_iter().enumerate() {
        let rule = format!("{rename}[[permissions]]\ntool = \"{denied}\"\naction = \"deny\"\n");
        let view = harness.view(&format!("p{number}"), &rule, vec![kit(&[])]);
        let refused = view.tool("inspect", json!({})).await.unwrap_err();
        let words = format!("tool `inspect` is denied by rule `{denied} deny`");
        assert!(refused.0 == -32602 && refused.1.starts_with(&words), "{denied}: {refused:?}");
        for name in ["demo_check", "demo.check"] {
            assert_eq!(view.tool(name, json!({})).await, unknown(name), "{denied}");
        }
    }
    let view = harness.view("free", rename, vec![kit(&[])]);
    let answer = view.tool("inspect", json!({})).await.unwrap();
    assert_eq!(answer["content"][0]["text"], "well");
    harness.close().await;
}

#[tokio::test]
async fn a_persons_yes_holds_for_the_view_it_was_given_in() {
    let Some(harness) = harness("consents", "", &["--only", "count"]) else { return };
    let rename = "[tools.mcp__up__count]\nname = \"count\"";
    let [one, other] = ["one", "other"].map(|name| harness.view(name, rename, Vec::new()));
    assert_eq!(one.call_asked("count", "until_restart").await, (true, "1".into()));
    assert_eq!(one.call_asked("count", "no").await, (false, "2".into()));
    assert_eq!(other.call_asked("count", "once").await, (true, "3".into()));
    assert_eq!(harness.plain.call_asked("mcp__up__count", "once").await, (true, "4".into()));
    harness.close().await;
}

#[tokio::test]
async fn a_yes_that_was_carried_elsewhere_counts_for_nothing() {
    let Some(harness) = harness("carried", "", &["--only", "count"]) else { return };
    let rename = "[tools.mcp__up__count]\nname = \"count\"";
    let [one, other] = ["one", "other"].map(|name| harness.view(name, rename, Vec::new()));
    let answers = one.answers_to_call("count", "once").await;
    assert_eq!(one.call_with("count", answers.clone()).await, Some("1".into()));
    assert_eq!(other.call_with("count", answers.clone()).await, None, "it must be asked again");
    // It does not count as the answer of an earlier round, either.
    let mut sealed = answers;
    sealed.end_round(None);
    assert_eq!(other.call_with("count", sealed.clone()).await, None);
    assert_eq!(one.call_with("count", sealed).await, None, "an answer counts once");
    let answers = one.answers_to_call("count", "once").await;
    assert_eq!(other.call_with("count", answers.clone()).await, None);
    assert_eq!(one.call_with("count", answers).await, None, "the other view has used it up");
    harness.close().await;
}

#[tokio::test]
async fn a_poll_belongs_to_the_view_it_was_made_in() {
    let Some(harness) = harness("polls", ALLOW, &["--only", "count"]) else { return };
    let view = harness.view("view", "", Vec::new());
    let poll = json!({"type": "tool", "server": "up", "toolName": "count", "intervalMs": 1000});
    view.list(Method::ToolsList).await;
    let made = view.tool("SubscribePolling", poll).await.unwrap()["structuredContent"].clone();
    let uri = made["resourceUri"].as_str().unwrap();
    let id = json!({"subscriptionId": made["subscriptionId"]});
    let absent = harness.plain.ask(Method::ResourcesRead, json!({"uri": uri})).await;
    assert!(absent.is_err(), "{absent:?}");
    let ended = harness.plain.tool("UnsubscribePolling", id.clone()).await.unwrap();
    assert_eq!(ended["structuredContent"]["unsubscribed"], false);
    view.recorded.until(&Change::Resource(uri.into())).await;
    let recorded = harness.plain.recorded.take();
    assert!(!recorded.contains(&Change::Resource(uri.into())), "{recorded:?}");
    assert!(view.ask(Method::ResourcesRead, json!({"uri": uri})).await.is_ok());
    let ended = view.tool("UnsubscribePolling", id).await.unwrap();
    assert_eq!(ended["structuredContent"]["unsubscribed"], true);
    harness.close().await;
}
