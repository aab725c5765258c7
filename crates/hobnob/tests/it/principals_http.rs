//! Two principals at one hub, over HTTP: by no tool, resource, prompt, completion or cursor does
//! one see anything of the other's, and the answer is exactly the one for what does not exist.
//!
//! The tools are those of the list, so that a new one is tried too.

use serde_json::{Value, json};

use crate::cli_config_home::Home;
use crate::program::HttpServer;
use crate::tokens::{ask, create, home, serve};

/// What only one of them has written.
const CANARY: &str = "canary";

/// A principal with a token.
pub(crate) struct Person<'a> {
    pub(crate) server: &'a HttpServer,
    pub(crate) token: String,
}

impl Person<'_> {
    pub(crate) async fn ask(&self, method: &str, params: Value) -> Value {
        let answer = ask(self.server, "/mcp", Some(&self.token), method, params).await;
        serde_json::from_str(&answer.body).unwrap_or_else(|_| panic!("{}", answer.body))
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    /// The result of a call that must work, as JSON.
    pub(crate) async fn get(&self, tool: &str, arguments: Value) -> Value {
        let answer = self.call(tool, arguments).await;
        let result = &answer["result"];
        assert!(result["isError"] != true && result.is_object(), "{tool}: {answer}");
        match result.get("structuredContent") {
            Some(structured) => structured.clone(),
            None => serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap(),
        }
    }
}

/// Everything that Ann owns, by the names of arguments.
struct Belongings {
    memory: String,
    task: String,
    tree: String,
    node: String,
    process: String,
}

impl Belongings {
    async fn of(ann: &Person<'_>) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_else(|| panic!("{value}")).to_owned();
        let capture = json!({"content": format!("{CANARY} memory"), "namespace": "decisions"});
        let memory = text(&ann.get("memory_capture", capture).await["id"]);
        let described = json!({"description": format!("{CANARY} task")});
        let task = ann.get("tasks_create", described.clone()).await;
        let task = text(task.get("id").unwrap_or(&task["task"]["id"]));
        ann.get("tasks_create", described).await;
        let content =
            json!({"name": format!("{CANARY} tree"), "content": format!("{CANARY} root")});
        let tree = text(&ann.get("arbor_tree_create", content).await["tree_id"]);
        let said = json!({"tree_id": &tree, "content": format!("{CANARY} node")});
        let node = text(&ann.get("arbor_node_create_text", said).await["node_id"]);
        let template = json!({"name": CANARY, "template": format!("{CANARY} {{{{it}}}}")});
        ann.get("memory_prompt_save", template).await;
        ann.get("cone_create", json!({"name": CANARY})).await;
        let process = text(&ann.get("shell_start", json!({"argv": ["cat"]})).await["process"]);
        Self { memory, task, tree, node, process }
    }

    /// The value of Ann's for this argument, if the argument names something that a principal owns.
    fn named_by(&self, tool: &str, argument: &str) -> Option<String> {
        let service = tool.split('_').next().unwrap_or_default();
        match (service, argument) {
            // A new object may have the same name as one of another principal.
            _ if ["cone_create", "memory_prompt_save"].contains(&tool) => None,
            ("memory", "id") => Some(self.memory.clone()),
            ("memory" | "cone", "name") => Some(CANARY.to_owned()),
            ("tasks", "id" | "blocker_id" | "parent") => Some(self.task.clone()),
            ("shell", "process") => Some(self.process.clone()),
            ("arbor", "tree_id") => Some(self.tree.clone()),
            ("arbor", "node_id" | "parent") | ("cone", "node") => Some(self.node.clone()),
            (_, "uri") => Some(format!("memory://project/decisions/{}", self.memory)),
            _ => None,
        }
    }

    fn ids(&self) -> [&str; 5] {
        [&self.memory, &self.task, &self.tree, &self.node, &self.process]
    }

    /// What Ann sees of them.
    async fn seen_by(&self, ann: &Person<'_>) -> Vec<Value> {
        vec![
            ann.get("memory_get", json!({"id": self.memory})).await,
            ann.get("tasks_get", json!({"id": self.task})).await,
            ann.get("arbor_tree_render", json!({"tree_id": self.tree})).await,
            ann.get("memory_prompt_list", json!({})).await,
            ann.get("cone_get", json!({"name": CANARY})).await,
            ann.get("shell_output", json!({"process": self.process})).await,
        ]
    }
}

/// A name of the same form that does not exist.
fn made_up(name: &str) -> String {
    let turned = |letter: char| match letter {
        '0'..='8' | 'a'..='e' => char::from(letter as u8 + 1),
        '9' => '0',
        'f' => 'a',
        other => other,
    };
    let kept = name.len() - 6;
    name[..kept].chars().chain(name[kept..].chars().map(turned)).collect()
}

/// Arguments for a tool: those that the schema demands, and all that name something of Ann's.
fn arguments(tool: &Value, of: &Belongings, change: impl Fn(&str) -> String) -> (Value, bool) {
    let schema = &tool["inputSchema"];
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let mut names_something = false;
    let mut arguments = json!({});
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let named = of.named_by(tool["name"].as_str().unwrap(), name);
        names_something |= named.is_some();
        match named {
            Some(theirs) => arguments[name] = change(&theirs).into(),
            None if required.contains(&json!(name)) => {
                arguments[name] = match property["type"].as_str() {
                    Some("string") => {
                        property["enum"].get(0).cloned().unwrap_or_else(|| json!("filler"))
                    }
                    Some("integer" | "number") => json!(1),
                    Some("array") => json!([]),
                    _ => json!({}),
                };
            }
            None => {}
        }
    }
    (arguments, names_something)
}

/// A server, and the tokens of Ann and Bob.
struct Hub {
    server: HttpServer,
    ann: String,
    bob: String,
}

impl Hub {
    async fn start(home: &Home) -> Self {
        let (ann, bob) = (create(home, &["ann"]), create(home, &["bob"]));
        Self { server: serve(home, &["serve", "--http", "127.0.0.1:0"]).await, ann, bob }
    }

    /// Ann and Bob, each with the token of their own at the same hub.
    fn people(&self) -> [Person<'_>; 2] {
        [&self.ann, &self.bob].map(|token| Person { server: &self.server, token: token.clone() })
    }
}

/// A home in which both may run the same program.
fn home_with_shell() -> Home {
    let home = home();
    home.ok(&["enable", "shell"]);
    for who in ["token:ann", "token:bob"] {
        home.ok(&["grant", "shell", "--as-root", "--for", who, "--", "cat"]);
    }
    home
}

#[tokio::test]
async fn by_no_tool_does_one_principal_see_anything_of_anothers() {
    let home = home_with_shell();
    let hub = Hub::start(&home).await;
    let [ann, bob] = hub.people();
    let of_ann = Belongings::of(&ann).await;
    let before = of_ann.seen_by(&ann).await;
    let listed = bob.ask("tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().unwrap();
    let mut compared = 0;
    for tool in tools {
        let name = tool["name"].as_str().unwrap();
        let (theirs, names_something) = arguments(tool, &of_ann, str::to_owned);
        let answer = bob.call(name, theirs.clone()).await.to_string();
        if !names_something {
            let seen = of_ann.ids().into_iter().find(|id| answer.contains(id));
            assert!(seen.is_none() && !answer.contains(CANARY), "{name}: {answer}");
            continue;
        }
        let (nobodys, _) = arguments(tool, &of_ann, made_up);
        let mut other = bob.call(name, nobodys).await.to_string();
        for id in of_ann.ids().into_iter().chain([CANARY]) {
            other = other.replace(&made_up(id), id);
        }
        assert_eq!(answer, other, "{name} {theirs}");
        compared += 1;
    }
    assert!(30 <= compared, "{compared} tools name something");
    assert_eq!(of_ann.seen_by(&ann).await, before, "nothing of Ann's was changed");
}

#[tokio::test]
async fn lists_resources_prompts_completions_and_cursors_are_each_principals_own() {
    let home = home_with_shell();
    let hub = Hub::start(&home).await;
    let [ann, bob] = hub.people();
    let of_ann = Belongings::of(&ann).await;
    let sees_nothing = |what: &str, answer: &Value| {
        let answer = answer.to_string();
        let seen = of_ann.ids().into_iter().find(|id| answer.contains(id));
        assert!(seen.is_none() && !answer.contains(CANARY), "{what}: {answer}");
    };
    for method in ["resources/list", "resources/templates/list", "prompts/list", "tools/list"] {
        sees_nothing(method, &bob.ask(method, json!({})).await);
    }
    let resources = ann.ask("resources/list", json!({})).await;
    let own = [
        format!("memory://project/decisions/{}", of_ann.memory),
        format!("arbor://tree/{}", of_ann.tree),
        format!("arbor://tree/{}/node/{}", of_ann.tree, of_ann.node),
    ];
    let listed = resources["result"]["resources"].as_array().unwrap().iter();
    let listed = listed.map(|it| it["uri"].as_str().unwrap().to_owned());
    for uri in listed.chain(own) {
        let Some(id) = of_ann.ids().into_iter().find(|id| uri.contains(id)) else { continue };
        assert!(
            ann.ask("resources/read", json!({"uri": uri})).await["result"].is_object(),
            "{uri}"
        );
        let theirs = bob.ask("resources/read", json!({"uri": uri})).await.to_string();
        let nobodys = uri.replace(id, &made_up(id));
        let other = bob.ask("resources/read", json!({"uri": nobodys})).await.to_string();
        assert_eq!(theirs, other.replace(&made_up(id), id), "{uri}");
        assert!(theirs.contains("error"), "{theirs}");
    }
    let prompt = bob.ask("prompts/get", json!({"name": CANARY})).await;
    let nobodys = bob.ask("prompts/get", json!({"name": made_up(CANARY)})).await;
    let nobodys = nobodys.to_string().replace(&made_up(CANARY), CANARY);
    assert_eq!(prompt.to_string(), nobodys);
    let template = json!({"type": "ref/resource", "uri": "arbor://tree/{tree_id}"});
    let completion = json!({"ref": template, "argument": {"name": "tree_id", "value": ""}});
    sees_nothing("completion", &bob.ask("completion/complete", completion).await);
    let page = ann.get("tasks_list", json!({"limit": 1})).await;
    let cursor = page["next_cursor"].as_str().or(page["nextCursor"].as_str());
    let cursor = cursor.unwrap_or_else(|| panic!("{page}"));
    let next = bob.call("tasks_list", json!({"limit": 1, "cursor": cursor})).await;
    sees_nothing("a cursor", &next);
}

/// T60: a principal who knows another's ids and tries them again and again, with every tool, gets
/// the same answers as for ids that do not exist. A hundred thousand tries with `SLOW_TESTS=1`.
#[tokio::test]
async fn many_tries_get_nothing_of_anothers() {
    let slow = std::env::var("SLOW_TESTS").is_ok_and(|value| value == "1");
    let tries = if slow { 100_000 } else { 400 };
    let home = home_with_shell();
    let settings = std::fs::read_to_string(home.path("hobnob/config/config.toml")).unwrap();
    let limits = "[limits]\nrequests_per_minute = 1000000\nbytes_per_minute = 1000000000\n";
    home.write("hobnob/config/config.toml", &format!("{settings}{limits}"));
    let hub = Hub::start(&home).await;
    let [ann, bob] = hub.people();
    let of_ann = Belongings::of(&ann).await;
    let before = of_ann.seen_by(&ann).await;
    let listed = bob.ask("tools/list", json!({})).await;
    let mut tools = Vec::new();
    for tool in listed["result"]["tools"].as_array().unwrap() {
        let (theirs, names_something) = arguments(tool, &of_ann, str::to_owned);
        if names_something {
            let (nobodys, _) = arguments(tool, &of_ann, made_up);
            tools.push((tool["name"].as_str().unwrap(), theirs, nobodys));
        }
    }
    // The answers differ only in the ids of the requests.
    let plain = |answer: Value| {
        let ids = of_ann.ids().into_iter().chain([CANARY]);
        ids.fold(answer.to_string(), |text, id| text.replace(&made_up(id), "it").replace(id, "it"))
    };
    let mut leaks = Vec::new();
    for number in 0..tries / 2 {
        let (name, theirs, nobodys) = &tools[number % tools.len()];
        let answers = (bob.call(name, theirs.clone()).await, bob.call(name, nobodys.clone()).await);
        let (known, unknown) = (plain(answers.0), plain(answers.1));
        if known != unknown {
            leaks.push(format!("{name}: {known} instead of {unknown}"));
        }
    }
    assert!(leaks.is_empty(), "{} leaks: {:?}", leaks.len(), leaks.first());
    assert_eq!(of_ann.seen_by(&ann).await, before, "nothing of Ann's was changed");
}
