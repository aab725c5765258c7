//! What counts as passed, on results in the suites' form.

use super::floors::{Floors, Tally};
use super::results::{parse, scenario_name, unscored};
use super::suites::SUITES;

#[test]
fn a_scenario_holds_only_if_it_proved_something() {
    let check = |text: &str| parse("ping", text).unwrap().holds();
    assert!(check(r#"[{"id":"a","status":"SUCCESS"},{"id":"b","status":"INFO"}]"#));
    assert!(check(r#"[{"id":"a","status":"SUCCESS"},{"id":"b","status":"WARNING"}]"#));
    assert!(!check(r#"[{"id":"a","status":"SUCCESS"},{"id":"b","status":"FAILURE"}]"#));
    assert!(!check(r#"[{"id":"a","status":"SKIPPED"}]"#));
    assert!(!check("[]"));
}

#[test]
fn failures_keep_their_reason() {
    let text = r#"[{"id":"a","status":"FAILURE","errorMessage":"no answer"}]"#;
    let scenario = parse("ping", text).unwrap();
    assert_eq!(scenario.failures, ["a: no answer"]);
    assert_eq!((scenario.passed, scenario.total()), (0, 1));
}

#[test]
fn folders_are_named_for_scenarios() {
    let check = |folder| scenario_name(folder, "server-");
    assert_eq!(check("server-tools-list-2026-11-15T02-22-08-798Z"), Some("tools-list"));
    assert_eq!(check("server-server-stateless-2026-11-15T02-22-08-798Z"), Some("server-stateless"));
    assert_eq!(check("client-initialize-2026-11-15T02-22-08-798Z"), None);
    assert_eq!(check("notes"), None);
    let folder = "authorization-server-authorization-code-grant-2026-11-15T02-22-08-798Z";
    let name = scenario_name(folder, "authorization-server-");
    assert_eq!(name, Some("authorization-code-grant"));
}

#[test]
fn only_server_scenarios_of_the_second_part_are_unscored() {
    let listing = "Server scenarios:\n  - ping\n\nRun and reported, but never scored:\n  \
                   pending (2):\n    - auth/dpop [client]\n    - tasks-lifecycle [server]\n";
    assert_eq!(unscored(listing).into_iter().collect::<Vec<_>>(), ["tasks-lifecycle"]);
    assert!(unscored("").is_empty());
}

#[test]
fn a_lost_check_is_a_complaint_even_when_all_scenarios_pass() {
    let mut floors = Floors::default();
    floors.0.insert("all".into(), Tally { scenarios: 2, checks: 5 });
    let complains =
        |row, scenarios, checks| floors.complaint(row, Tally { scenarios, checks }).is_some();
    assert!(!complains("all", 2, 5));
    assert!(!complains("all", 3, 6));
    assert!(complains("all", 2, 4));
    assert!(complains("all", 1, 9));
    assert!(!complains("unknown", 0, 0));
}

#[test]
fn each_suite_has_its_own_name() {
    let mut names: Vec<_> = SUITES.iter().map(|suite| suite.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), SUITES.len());
}
