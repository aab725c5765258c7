//! Requests that people make of assistants, and the tools expected among the first five: by words,
//! in the whole recorded catalogue including Hobnob's own tools.
//!
//! The requests were written by hand, together with the expressions that they need.

use crate::catalogue::Catalogue;
use hobnob_ranking::RankingRequest;

/// Runs each query and expects one of its tools, given as `server/name`.
fn check(cases: &[(&str, &[&str])]) {
    let catalogue = Catalogue::read();
    let index = catalogue.index();
    let mut missed = Vec::new();
    for (query, wanted) in cases {
        let hits = index.rank(&RankingRequest { query, limit: 5, ..RankingRequest::default() });
        let found: Vec<String> = hits.iter().map(|hit| catalogue.key(hit.position)).collect();
        if !found.iter().any(|key| wanted.contains(&key.as_str())) {
            missed.push(format!("{query}: {found:?}"));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn a_fact_to_keep_finds_the_memory() {
    let requests = [
        "remember that we deploy on Thursdays",
        "keep in mind that the staging database is read-only",
        "don't forget that Ada prefers tabs",
        "note for later: the office is closed on Friday",
        "please remember my birthday is in May",
        "make a note that the customer wants invoices by mail",
        "from now on, use British spelling",
        "bear in mind that nobody merges on weekends",
        "store the decision that we use SQLite",
    ];
    check(&requests.map(|request| (request, ["hobnob/memory_capture"].as_slice())));
}

#[test]
fn what_was_kept_is_found_again() {
    let requests = [
        "what did I tell you about the deployment day",
        "do you remember which database we chose",
        "what do you know about Ada",
    ];
    check(&requests.map(|request| (request, ["hobnob/memory_recall"].as_slice())));
}

#[test]
fn the_state_of_a_ticket_finds_what_shows_it() {
    let reads: &[&str] = &[
        "atlassian/jira_get_issue",
        "github/get_issue",
        "asana/asana_get_task",
        "trello/get_card",
        "hobnob/tasks_get",
    ];
    let requests = [
        "who is working on PROJ-12",
        "what state is the ticket in",
        "who is this issue assigned to",
        "is PROJ-42 done yet",
        "status of PROJ-7",
        "whose ticket is #31",
        "has the bug been fixed already",
        "who took the card with the logo",
        "is the login task finished",
        "when is the ticket due",
    ];
    check(&requests.map(|request| (request, reads)));
}

#[test]
fn a_ticket_is_given_to_somebody() {
    let assigns: &[&str] = &[
        "atlassian/jira_assign_issue",
        "asana/asana_update_task",
        "trello/assign_member_to_card",
        "github/update_issue",
    ];
    let requests = ["let Ada do the ticket", "assign PROJ-12 to Ada", "reassign the issue to me"];
    check(&requests.map(|request| (request, assigns)));
}
