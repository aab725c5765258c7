//! How the server lives and ends: end of input, signals, broken pipes, broken input.

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use crate::dialogue::{Dialogue, ping};
use crate::health::assert_healthy;
use crate::memory_client::{Client, ClientAbilities, Era};
use crate::program::{PROGRAM, hobnob, listening, serve_http, within};
use crate::seed_wire::Home;

#[tokio::test]
async fn the_end_of_input_is_a_clean_end() {
    let mut silent = Dialogue::begin();
    silent.close_stdin();
    assert_eq!(silent.receive().await, None);
    assert_eq!(silent.ended().await.code(), Some(0));

    let mut greeted = Dialogue::begin();
    greeted.greet().await;
    greeted.close_stdin();
    assert_eq!(greeted.receive().await, None);
    assert_eq!(greeted.ended().await.code(), Some(0));
}

#[tokio::test]
async fn what_was_asked_before_the_end_of_input_is_answered() {
    let mut dialogue = Dialogue::begin();
    dialogue.greet().await;
    for id in 1..=20 {
        dialogue.send(ping(id)).await;
    }
    dialogue.close_stdin();
    let mut answered = Vec::new();
    while let Some(message) = dialogue.receive().await {
        assert_eq!(message["result"], json!({}), "{message}");
        answered.push(message["id"].as_i64().unwrap());
    }
    answered.sort_unstable();
    assert_eq!(answered, (1..=20).collect::<Vec<_>>());
    assert_eq!(dialogue.ended().await.code(), Some(0));
}

#[tokio::test]
async fn a_last_line_without_a_newline_is_still_a_message() {
    let mut dialogue = Dialogue::begin();
    dialogue.write_raw(ping(7).to_string().as_bytes()).await;
    dialogue.close_stdin();
    assert_eq!(dialogue.answer_to(7).await["result"], json!({}));
    assert_eq!(dialogue.ended().await.code(), Some(0));
}

#[cfg(unix)]
#[tokio::test]
async fn signals_end_the_server_with_success() {
    for signal in ["TERM", "INT"] {
        let mut dialogue = Dialogue::begin();
        dialogue.greet().await;
        send_signal(signal, dialogue.child.id().unwrap()).await;
        assert_eq!(dialogue.ended().await.code(), Some(0), "stdio, {signal}");

        let mut server = serve_http().await;
        send_signal(signal, server.child.id().unwrap()).await;
        let status = within("the end of the HTTP server", server.child.wait()).await.unwrap();
        assert_eq!(status.code(), Some(0), "http, {signal}");
    }
}

/// A store that is not closed makes the next start check all of it.
#[cfg(unix)]
#[tokio::test]
async fn signals_leave_the_store_closed_in_order() {
    for signal in ["TERM", "INT"] {
        let home = Home::new("ended-by-signal");
        let mut dialogue = Dialogue::with(&mut home.hobnob(&["serve"]));
        dialogue.greet().await;
        let arguments = json!({"content": "Use PostgreSQL", "namespace": "decisions"});
        let call = json!({"name": "memory_capture", "arguments": arguments});
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call});
        dialogue.send(call).await;
        assert!(dialogue.answer_to(1).await["result"].is_object());
        send_signal(signal, dialogue.child.id().unwrap()).await;
        assert_eq!(dialogue.ended().await.code(), Some(0), "stdio, {signal}");
        assert_eq!(left_open(&home), [""; 0], "stdio, {signal}");

        let server = home.hobnob(&["serve", "--http", "127.0.0.1:0"]);
        let mut server = listening(server).await;
        let _client = Client::at(&server.url, Era::Legacy, ClientAbilities::nothing()).await;
        send_signal(signal, server.child.id().unwrap()).await;
        within("the end of the HTTP server", server.child.wait()).await.unwrap();
        assert_eq!(left_open(&home), [""; 0], "http, {signal}");
    }
}

/// Files that are there only while the store is open.
#[cfg(unix)]
fn left_open(home: &Home) -> Vec<String> {
    let files = std::fs::read_dir(home.0.join("data")).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let is_left = |name: &String| {
        ["-open", "-wal", "-shm"].iter().any(|end| name.ends_with(end))
            || name.starts_with("instance-")
    };
    names.filter(is_left).collect()
}

#[cfg(unix)]
async fn send_signal(signal: &str, process: u32) {
    let mut kill = tokio::process::Command::new("kill");
    let status = kill.arg(format!("-{signal}")).arg(process.to_string()).status();
    assert!(within("kill", status).await.unwrap().success());
}

#[tokio::test]
async fn a_reader_that_is_gone_ends_the_server() {
    let mut dialogue = Dialogue::begin();
    dialogue.greet().await;
    dialogue.close_stdout();
    dialogue.send(ping(1)).await;
    // Our side of stdin stays open: it is the failed write that must end it.
    dialogue.ended().await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_reader_that_is_gone_ends_an_idle_server_too() {
    let mut dialogue = Dialogue::begin();
    dialogue.greet().await;
    dialogue.close_stdout();
    // Nothing is written that could fail: the server has to notice by itself.
    dialogue.ended().await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_closed_standard_error_changes_nothing() {
    let mut command = hobnob(&["serve", "-vv"]);
    command.stderr(std::process::Stdio::piped());
    let mut dialogue = Dialogue::with(&mut command);
    drop(dialogue.child.stderr.take());
    dialogue.greet().await;
    dialogue.send(ping(1)).await;
    assert_eq!(dialogue.answer_to(1).await["result"], json!({}));
    send_signal("TERM", dialogue.child.id().unwrap()).await;
    assert_eq!(dialogue.ended().await.code(), Some(0));
}

#[tokio::test]
async fn broken_lines_are_answered_and_survived() {
    let lines: [&[u8]; 7] = [
        b"good morning",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,",
        b"\xff\xfe\xfd",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\xffng\"}",
        b"\0\0\0",
        b"{} {}",
        b"]",
    ];
    let mut dialogue = Dialogue::begin();
    for (id, line) in (1..).zip(lines) {
        dialogue.write(line).await;
        dialogue.send(ping(id)).await;
        let replies = [dialogue.receive().await.unwrap(), dialogue.receive().await.unwrap()];
        let has = |test: &dyn Fn(&Value) -> bool| replies.iter().any(test);
        let shown = String::from_utf8_lossy(line);
        assert!(has(&|it| it["error"]["code"] == -32700), "{shown}: {replies:?}");
        assert!(has(&|it| it["id"] == id && it["result"] == json!({})), "{shown}: {replies:?}");
    }
    dialogue.close_stdin();
    assert_eq!(dialogue.ended().await.code(), Some(0));
}

#[tokio::test]
async fn logs_never_reach_stdout() {
    let mut command = hobnob(&["serve"]);
    let mut dialogue = Dialogue::with(command.env("RUST_LOG", "trace"));
    // Every line that `receive` sees is checked to be a message of the protocol.
    dialogue.greet().await;
    let call = json!({"name": "health_check", "arguments": {}});
    dialogue.send(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})).await;
    assert_healthy(&dialogue.answer_to(1).await["result"]);
    dialogue.close_stdin();
    assert_eq!(dialogue.receive().await, None);
    assert_eq!(dialogue.ended().await.code(), Some(0));
}

/// A core dump would hold the secrets in the hub's memory.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_hub_that_is_killed_leaves_no_core_dump() {
    use std::os::unix::process::ExitStatusExt as _;
    let folder = tempfile::tempdir().unwrap();
    // Some machines forbid all dumps; there this shows nothing.
    let line = "ulimit -c unlimited; exec \"$0\" serve";
    let mut command = tokio::process::Command::new("sh");
    command.args(["-c", line, PROGRAM]).current_dir(folder.path()).kill_on_drop(true);
    command.env("HOBNOB_HOME", folder.path()).env("HOBNOB_NO_REUSE", "1");
    command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    command.stderr(std::process::Stdio::null());
    let mut hub = command.spawn().unwrap();
    let ping = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    hub.stdin.as_mut().unwrap().write_all(ping).await.unwrap();
    let mut lines = BufReader::new(hub.stdout.take().unwrap()).lines();
    within("an answer", lines.next_line()).await.unwrap().expect("it serves");
    let pid = rustix::process::Pid::from_raw(hub.id().unwrap().cast_signed()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::ABORT).unwrap();
    let status = within("its end", hub.wait()).await.unwrap();
    assert!(status.signal().is_some() && !status.core_dumped(), "{status:?}");
}
