//! Upstreams that die: killed in the middle of a call, in a loop, or with everything at once.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::faults_client::{Client, text_of};
use crate::faults_setup::{Setup, all_processes, open_files, signal, times, until, zombies_of};

/// How soon a waiting call fails when its server is gone, on a busy machine.
const SOON: Duration = Duration::from_secs(5);

#[tokio::test]
async fn a_killed_upstream_fails_its_call_once_and_comes_back() {
    let Some(mut setup) = Setup::new("killed").await else { return };
    setup.upstream("one", &[]).upstream("other", &[]);
    let mut client = Client::legacy(&setup).await;
    let ran = setup.file("ran");
    for round in 1..=times(10, 200) {
        // An answered call proves the server well again.
        assert_eq!(client.text("mcp__one__echo", json!({"message": "hi"})).await, "hi");
        let arguments = json!({"file": ran, "ms": 60_000});
        let id = client.send_call("mcp__one__run", arguments).await;
        let lines = || std::fs::read_to_string(&ran).unwrap_or_default().lines().count();
        until("the call runs", SOON, || lines() == round).await;
        let killed = Instant::now();
        signal("KILL", setup.process("one").expect("it runs").id);
        let response = client.response(id).await;
        assert!(killed.elapsed() < SOON, "round {round}: {:?}", killed.elapsed());
        assert_eq!(response["result"]["isError"], true, "{response}");
        assert!(text_of(&response).contains("server `one` was lost"), "{response}");
        assert_eq!(client.text("mcp__other__echo", json!({"message": "ho"})).await, "ho");
        assert_eq!(lines(), round, "a call that may have run must not run again");
    }
    assert_eq!(client.text("mcp__one__echo", json!({"message": "hi"})).await, "hi");
    let me = client.process();
    until("nothing is left of the dead", SOON, || zombies_of(me) == 0).await;
    assert_eq!(client.status_of("one").await["in_flight"], 0);
    client.end().await;
    until("no process is left", SOON, || setup.processes().is_empty()).await;
}

#[tokio::test]
async fn a_crash_loop_is_left_alone_and_the_others_live() {
    let Some(mut setup) = Setup::new("loop").await else { return };
    setup.upstream("one", &[]).upstream("other", &[]);
    let mut client = Client::legacy(&setup).await;
    client.text("mcp__one__echo", json!({"message": "known"})).await;
    let before = setup.noted("one", "start");
    // Every call kills it before it has answered anything.
    let end = Instant::now() + Duration::from_secs(10);
    let mut calls = 0;
    while Instant::now() < end && calls < 40 {
        let response = client.call("mcp__one__die", json!({})).await;
        assert_eq!(response["result"]["isError"], true, "{response}");
        calls += 1;
    }
    let starts = setup.noted("one", "start") - before;
    assert!(starts <= 10, "{starts} starts for {calls} calls");
    let status = client.status_of("one").await;
    assert_eq!(status["phase"], "resting", "{status}");
    assert!(status["reason"].is_string() && status["hint"].is_string(), "{status}");
    let refused = client.call("mcp__one__echo", json!({"message": "x"})).await;
    let words = text_of(&refused);
    assert!(words.contains("failed") && words.contains("tried again in"), "{words}");
    assert_eq!(client.text("mcp__other__echo", json!({"message": "ho"})).await, "ho");
    assert_eq!(zombies_of(client.process()), 0);
    client.end().await;
}

#[tokio::test]
async fn many_who_wait_for_a_cold_upstream_get_one_process() {
    let Some(mut setup) = Setup::new("cold").await else { return };
    setup.upstream("slow", &["--start-ms", "700"]);
    let mut client = Client::legacy(&setup).await;
    let mut waiting = Vec::new();
    for number in 0..times(100, 250) {
        let arguments = json!({"message": number.to_string()});
        waiting.push((client.send_call("mcp__slow__echo", arguments).await, number));
    }
    for (id, number) in waiting {
        let response = client.response(id).await;
        assert_eq!(text_of(&response), number.to_string(), "{response}");
    }
    assert_eq!(setup.noted("slow", "start"), 1);
    client.end().await;
}

#[tokio::test]
async fn many_who_wait_for_a_known_but_sleeping_upstream_get_one_process() {
    let Some(mut setup) = Setup::new("asleep").await else { return };
    setup.upstream("slow", &["--start-ms", "300"]);
    let mut client = Client::legacy(&setup).await;
    assert!(client.tools().await.contains(&"mcp__slow__echo".to_owned()));
    client.end().await;
    // Known from the last run now, so nothing starts before the first call.
    let mut client = Client::legacy(&setup).await;
    assert!(client.tools().await.contains(&"mcp__slow__echo".to_owned()));
    assert_eq!(client.status_of("slow").await["phase"], "sleeping");
    assert_eq!(setup.noted("slow", "start"), 1);
    let mut waiting = Vec::new();
    for number in 0..times(100, 250) {
        let arguments = json!({"message": number.to_string()});
        waiting.push((client.send_call("mcp__slow__echo", arguments).await, number));
    }
    for (id, number) in waiting {
        assert_eq!(text_of(&client.response(id).await), number.to_string());
    }
    assert_eq!(setup.noted("slow", "start"), 2);
    client.end().await;
}

#[tokio::test]
async fn sigkill_of_hobnob_leaves_no_process() {
    let Some(mut setup) = Setup::new("orphans").await else { return };
    let count = times(6, 20);
    for number in 0..count {
        let switches: &[&str] = match number % 3 {
            0 => &[],
            1 => &["--fork", "setsid"],
            _ => &["--fork", "daemon"],
        };
        setup.upstream(&format!("up{number}"), switches);
    }
    let mut client = Client::legacy(&setup).await;
    for number in 0..count {
        let tool = format!("mcp__up{number}__echo");
        assert_eq!(client.text(&tool, json!({"message": "here"})).await, "here");
    }
    // A forked process takes a moment until it runs its other program.
    let behind = count - count.div_ceil(3);
    let left = || {
        let running = setup.processes();
        running.iter().filter(|it| it.arguments.contains("time.sleep(600)")).count()
    };
    until("everybody is left behind", SOON, || left() == behind).await;
    let running = setup.processes();
    assert!(running.len() >= count + behind, "{running:?}");
    signal("KILL", client.process());
    until("every process ends", Duration::from_secs(10), || setup.processes().is_empty()).await;
}

#[tokio::test]
async fn a_clean_end_leaves_no_process_either() {
    let Some(mut setup) = Setup::new("clean").await else { return };
    setup.upstream("a", &["--fork", "setsid"]).upstream("b", &["--fork", "daemon"]);
    setup.upstream("c", &[]);
    for way in ["end of input", "TERM", "INT"] {
        let mut client = Client::legacy(&setup).await;
        for server in ["a", "b", "c"] {
            client.text(&format!("mcp__{server}__echo"), json!({"message": "here"})).await;
        }
        assert!(setup.processes().len() >= 5);
        match way {
            "end of input" => client.dialogue.close_stdin(),
            name => signal(name, client.process()),
        }
        assert_eq!(client.dialogue.ended().await.code(), Some(0), "{way}");
        until(way, Duration::from_secs(5), || setup.processes().is_empty()).await;
    }
}

#[tokio::test]
async fn upstreams_that_come_and_go_leave_nothing_behind() {
    let Some(mut setup) = Setup::new("idle").await else { return };
    setup.settings(&format!("[gateway]\nidle_stop = \"40ms\"\n{}", crate::faults_setup::ALLOW));
    setup.upstream("one", &[]);
    let mut client = Client::legacy(&setup).await;
    let me = client.process();
    let mut after_a_few = 0;
    let rounds = times(12, 500);
    for round in 1..=rounds {
        assert_eq!(client.text("mcp__one__echo", json!({"message": "hi"})).await, "hi");
        until("it is stopped", Duration::from_secs(10), || setup.process("one").is_none()).await;
        if round == 5 {
            after_a_few = open_files(me);
        }
    }
    // The very first may be idle before it is called.
    assert!((rounds..=rounds + 1).contains(&setup.noted("one", "start")));
    until("no zombie", SOON, || zombies_of(me) == 0).await;
    until("files stay the same", SOON, || open_files(me) <= after_a_few + 3).await;
    assert!(all_processes().iter().filter(|it| it.parent == me).count() <= 1);
    let status = client.status_of("one").await;
    assert_eq!(status["phase"], "sleeping", "an idle stop is no failure: {status}");
    client.end().await;
}
