//! `hobnob usage` from outside: what clients call is counted, outlives the hub, and is shown without
//! one.

use std::fs;

use serde_json::{Value, json};

use crate::cli_call_setup::{ALLOW, Setup};
use crate::cli_config_home::Home;
use crate::cli_terminal::on_terminal_with;
use crate::memory_cli::serve;

/// A home whose hub is the process that a client starts.
fn home(settings: &str) -> Home {
    let alone = "attach = false\nbackground_hub = \"off\"\n";
    Setup::new(&format!("{alone}{ALLOW}{settings}")).home
}

/// Calls one tool that works twice, one that fails, and a built-in one, and reads a resource.
async fn call_some(home: &Home) {
    let mut client = serve(home).await;
    for (tool, fails) in [("clock", false), ("clock", false), ("broken", true)] {
        let asked = json!({"name": format!("mcp__script__{tool}"), "arguments": {}});
        let result = client.result("tools/call", asked).await;
        assert_eq!(result["isError"] == true, fails, "{result}");
    }
    client.call("memory_list", json!({})).await;
    client.read("mcp://script/note://one").await;
    client.end().await;
}

/// The names of rows with their calls and errors.
fn rows(usage: &Value) -> Vec<(&str, u64, u64)> {
    let number = |row: &Value, key: &str| row[key].as_u64().unwrap();
    let rows = usage["rows"].as_array().unwrap().iter();
    rows.map(|row| (row["name"].as_str().unwrap(), number(row, "calls"), number(row, "errors")))
        .collect()
}

#[tokio::test]
async fn calls_are_counted_and_outlive_their_hub() {
    let home = home("");
    let none = home.ok(&["usage"]);
    assert_eq!(none.stdout, "");
    assert!(none.stderr.contains("no calls in 7 days; Hobnob counts"), "{}", none.stderr);
    let none = home.json(0, &["usage"]);
    assert_eq!((rows(&none), none["series"].as_array().unwrap().len()), (vec![], 7));
    assert!(!home.path("hobnob/data/hobnob.db").exists(), "only looking makes no store");

    for round in 1..=2 {
        call_some(&home).await;
        let usage = home.json(0, &["usage"]);
        let expected = [
            ("mcp__script__clock", 2 * round, 0),
            ("mcp__script__broken", round, round),
            ("memory_list", round, 0),
            ("resources/read", round, 0),
        ];
        assert_eq!(rows(&usage), expected);
        assert_eq!((&usage["by"], &usage["bucket_seconds"]), (&json!("tool"), &json!(86_400)));
        let today = usage["series"].as_array().unwrap().last().unwrap();
        assert_eq!((&today["calls"], &today["errors"]), (&json!(5 * round), &json!(round)));
        for row in usage["rows"].as_array().unwrap() {
            let number = |key: &str| row[key].as_u64().unwrap();
            assert!(number("p50_us") <= number("p95_us"), "{row}");
            assert!(0 < number("request_tokens") && 0 < number("result_tokens"), "{row}");
            let [from, last, to] = [&usage["from"], &row["last"], &usage["to"]]
                .map(|at| at.as_str().unwrap().parse::<jiff::Timestamp>().unwrap());
            assert!(from < last && last <= to, "{row}");
        }
    }
    for (by, expected) in [
        ("server", [("script", 8, 2), ("(built-in)", 2, 0)].as_slice()),
        ("client", &[("it", 10, 2)]),
        ("principal", &[("(no name)", 10, 2)]),
    ] {
        assert_eq!(rows(&home.json(0, &["usage", "--by", by, "--days", "1"])), expected);
    }
}

#[tokio::test]
async fn the_table_fits_and_says_what_it_sums_up() {
    let home = home("");
    call_some(&home).await;
    let shown = home.ok(&["usage", "--days", "3"]);
    let header: Vec<&str> = shown.stdout.lines().next().unwrap().split_whitespace().collect();
    let columns =
        ["TOOL", "CALLS", "ERRORS", "P50", "P95", "TOKENS", "IN", "TOKENS", "OUT", "LAST"];
    assert_eq!(header, columns);
    let clock: Vec<&str> = shown.stdout.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(clock[..3], ["mcp__script__clock", "2", "0"]);
    assert!(shown.stderr.starts_with("5 calls in 3 days: 1 error, about "), "{}", shown.stderr);
    let narrow = on_terminal_with(&home, 80, &[], &["usage"], &[("NO_COLOR", "1")]);
    assert_eq!(narrow.code, 0, "{}", narrow.stdout);
    assert!(narrow.stdout.contains("TOOL ") && narrow.stdout.contains("mcp__script__broken"));
    for line in narrow.stdout.lines().filter(|line| line.contains("mcp__") || line.contains("P95"))
    {
        assert!(line.trim_end().chars().count() <= 80, "{line}");
    }
}

#[tokio::test]
async fn nothing_is_counted_where_the_settings_say_so() {
    let home = home("[usage]\nenabled = false\n");
    call_some(&home).await;
    assert_eq!(rows(&home.json(0, &["usage"])), []);
    let none = home.ok(&["usage"]).stderr;
    assert!(none.contains("`enabled = true` under [usage]"), "{none}");
}

#[test]
fn what_cannot_be_asked_is_a_usage_error() {
    let home = Home::new();
    for words in [["--by", "weather"], ["--days", "0"], ["--days", "3661"], ["--days", "-1"]] {
        let run = home.run(&[&["usage"], words.as_slice()].concat());
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{words:?}: {}", run.stderr);
    }
    // A store that cannot be read is an error, not an empty answer.
    fs::create_dir_all(home.path("hobnob/data/hobnob.db")).unwrap();
    let run = home.run(&["usage"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{}", run.stderr);
}
