//! `hobnob tasks` from outside: tables for people, JSON for programs, exit codes that mean
//! something.

use serde_json::json;

use crate::cli_config_home::Home;
use crate::memory_cli::{check_refusals, piped, serve};
use crate::memory_client::texts;

/// Adds a task and returns its id.
fn add(home: &Home, words: &[&str]) -> String {
    let words = [&["tasks", "add"], words].concat();
    home.json(0, &words)["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_list_is_worked_through() {
    let home = Home::new();
    let none = home.ok(&["tasks", "list"]);
    assert_eq!((none.stdout.as_str(), none.stderr.trim()), ("", "no tasks found"));
    let walls = add(&home, &["Raise the walls", "--priority", "high"]);
    let roof = add(&home, &["Lay the roof", "--after", &walls, "--priority", "urgent"]);
    let door = add(&home, &["Hang the door", "--parent", &roof]);
    let long = piped(&home, &["tasks", "add", "-"], "Written\nelsewhere");
    assert_eq!(long.code, 0, "{}", long.stderr);
    assert!(long.stdout.starts_with("task_"), "{}", long.stdout);

    let listed = home.json(0, &["tasks", "list"]);
    assert_eq!(listed["count"], 4);
    assert_eq!(texts(&listed["tasks"], "id")[..3], [walls.clone(), roof.clone(), door.clone()]);
    assert_eq!(listed["tasks"][3]["description"], "Written\nelsewhere");
    let table = home.ok(&["tasks", "list"]).stdout;
    let header: Vec<&str> = table.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(header, ["ID", "STATUS", "PRIORITY", "WORKER", "WAITS", "FOR", "TASK"]);
    let row = table.lines().find(|line| line.contains("Lay the roof")).unwrap();
    assert!(row.starts_with(&roof) && row.contains("urgent") && row.contains(&walls), "{row}");
    let found = home.json(0, &["tasks", "list", "--contains", "ROOF", "--status", "pending"]);
    assert_eq!(texts(&found["tasks"], "id"), [roof.as_str()]);

    // The roof matters most, but cannot be begun yet.
    let ready = home.json(0, &["tasks", "ready"]);
    assert_eq!(ready["tasks"][0]["id"], walls.as_str());
    assert!(!home.ok(&["tasks", "ready"]).stdout.contains("Lay the roof"));
    let claimed = home.ok(&["tasks", "claim", "--worker", "ada", "--lease", "60"]);
    assert_eq!(claimed.stdout.trim(), format!("{walls}  Raise the walls"));
    assert!(claimed.stderr.starts_with("the task is yours until "), "{}", claimed.stderr);
    let shown = home.json(0, &["tasks", "show", &walls]);
    assert_eq!(shown["task"]["claimed_by"], "ada");
    let done = ["tasks", "done", &walls, "--worker", "ada", "--result", "solid"];
    assert_eq!(home.ok(&done).stdout.trim(), format!("{walls}  completed  Raise the walls"));

    let next = home.json(0, &["tasks", "claim", "--worker", "bob"]);
    assert_eq!((&next["claimed"], &next["task"]["id"]), (&json!(true), &json!(roof)));
    let failed = ["tasks", "done", &roof, "--worker", "bob", "--failed", "--result", "storm"];
    let failed = home.json(0, &failed);
    assert_eq!((&failed["status"], &failed["result"]), (&json!("failed"), &json!("storm")));
    let shown = home.ok(&["tasks", "show", &roof]).stdout;
    for part in ["status: failed", "result: storm", "Hang the door", "history:", "claimed", "bob"] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    let tree = home.ok(&["tasks", "tree"]).stdout;
    let lines: Vec<&str> = tree.lines().collect();
    assert_eq!(lines[0], format!("[x] {walls}  Raise the walls"));
    assert_eq!(lines[1], format!("[!] {roof}  Lay the roof"));
    assert_eq!(lines[2], format!("  [ ] {door}  Hang the door"));
    assert_eq!(home.json(0, &["tasks", "tree"])["count"], 4);
}

#[test]
fn lists_and_projects_are_apart() {
    let home = Home::new();
    add(&home, &["Of the project"]);
    let garden = add(&home, &["Of the garden", "--list", "garden"]);
    let listed = |words: &[&str]| texts(&home.json(0, words)["tasks"], "description");
    assert_eq!(listed(&["tasks", "list"]), ["Of the project"]);
    assert_eq!(listed(&["tasks", "ready", "--list", "garden"]), ["Of the garden"]);
    assert_eq!(listed(&["tasks", "list", "--list", "*"]), ["Of the project", "Of the garden"]);
    let other = home.path("other");
    std::fs::create_dir_all(&other).unwrap();
    let there = ["--project", other.to_str().unwrap(), "tasks", "list"];
    assert_eq!(listed(&there), [""; 0]);
    let nothing = home.ok(&[&there[..2], &["tasks", "claim"]].concat());
    assert_eq!((nothing.stdout.as_str(), nothing.stderr.trim()), ("", "no task is ready"));
    let taken = home.json(0, &["tasks", "claim", "--list", "garden"]);
    assert_eq!(taken["task"]["id"], garden.as_str());
}

#[tokio::test]
async fn a_list_of_many_pages_is_whole() {
    const COUNT: usize = 230;
    let home = Home::new();
    // One server takes them all much faster than one command each.
    let mut client = serve(&home).await;
    for number in 0..COUNT {
        let task = json!({"description": format!("Number {number}")});
        client.call("tasks_create", task).await;
    }
    client.end().await;
    let listed = home.json(0, &["tasks", "list"]);
    assert_eq!(listed["count"], COUNT);
    let mut names = texts(&listed["tasks"], "description");
    names.sort();
    names.dedup();
    assert_eq!(names.len(), COUNT);
    assert_eq!(home.ok(&["tasks", "list"]).stdout.lines().count(), COUNT + 1);
}

#[tokio::test]
async fn what_does_not_fit_is_reported() {
    const COUNT: usize = 510;
    const DEPTH: usize = 25;
    let home = Home::new();
    let mut client = serve(&home).await;
    let mut made = async |task| {
        let task = client.call("tasks_create", task).await;
        task["id"].as_str().unwrap().to_owned()
    };
    let whole = made(json!({"description": "Whole", "list": "wide"})).await;
    for number in 0..COUNT {
        let description = format!("Part {number}");
        made(json!({"description": description, "list": "wide", "parent": whole})).await;
    }
    let mut last = made(json!({"description": "Depth 0", "list": "deep"})).await;
    for depth in 1..DEPTH {
        let description = format!("Depth {depth}");
        last = made(json!({"description": description, "list": "deep", "parent": last})).await;
    }
    client.end().await;

    let shown = home.json(0, &["tasks", "show", &whole]);
    assert_eq!(shown["children"].as_array().unwrap().len(), COUNT);
    let shown = home.ok(&["tasks", "show", &whole]).stdout;
    assert_eq!(shown.lines().filter(|line| line.contains("Part ")).count(), COUNT);

    let ready = home.ok(&["tasks", "ready", "--list", "wide"]);
    assert_eq!(ready.stdout.lines().count(), 501);
    assert_eq!(ready.stderr.trim(), "these are the first 500; there may be more");
    assert_eq!(home.json(0, &["tasks", "ready", "--list", "wide"])["count"], 500);
    let all = home.ok(&["tasks", "ready", "--list", "deep"]);
    assert_eq!((all.stdout.lines().count(), all.stderr.as_str()), (DEPTH + 1, ""));

    let tree = home.ok(&["tasks", "tree", "--list", "deep"]).stdout;
    let lines: Vec<&str> = tree.lines().collect();
    assert_eq!(lines.len(), 22, "{tree}");
    assert!(lines[20].ends_with("Depth 20"), "{tree}");
    assert_eq!(lines[21], format!("{}…", "  ".repeat(21)));
}

#[test]
fn what_is_asked_wrongly_has_its_exit_code() {
    let home = Home::new();
    let first = add(&home, &["First"]);
    let second = add(&home, &["Second", "--after", &first]);
    check_refusals(
        &home,
        &[
            (&["tasks", "show", "task_nothing"], 3, "task not found: task_nothing"),
            (&["tasks", "done", "task_nothing"], 3, "task not found: task_nothing"),
            (&["tasks", "claim", "task_nothing"], 3, "task not found: task_nothing"),
            (&["tasks", "claim", &second], 3, "is blocked by"),
            (&["tasks", "done", &second], 3, "is blocked by"),
            (&["tasks", "add", "x", "--after", "nobody"], 3, "task not found: nobody"),
            (&["tasks", "add", "x", "--parent", "nobody"], 3, "task not found: nobody"),
            (&["tasks", "add", "  "], 3, "description: it is empty"),
            (&["tasks", "add", "x", "--list", ""], 3, "list: 0 characters"),
            (&["tasks"], 2, "Usage"),
            (&["tasks", "add"], 2, "DESCRIPTION"),
            (&["tasks", "add", "x", "--priority", "top"], 2, "possible values"),
            (&["tasks", "list", "--status", "wrong"], 2, "possible values"),
            (&["tasks", "claim", "--lease", "0"], 2, "1..=86400"),
            (&["tasks", "dance"], 2, "unrecognized subcommand"),
        ],
    );
    let kept = home.json(0, &["tasks", "list"]);
    assert_eq!(texts(&kept["tasks"], "status"), ["pending", "pending"]);
    home.write("hobnob/config/config.toml", "[services]\ntasks = false\n");
    let off: &[&str] = &["tasks", "list"];
    check_refusals(&home, &[(off, 5, "the tasks service is off")]);
}
