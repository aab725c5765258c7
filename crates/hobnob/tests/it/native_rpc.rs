//! The native RPC through the binary: on pipes, over HTTP, on a WebSocket, and with `hobnob run`.
//!
//! The program that runs waits for the test, so an event that arrives before was not held back.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWriteExt as _, BufReader, Lines};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::memory_client::websocket_of;
use crate::program::{listening, within};
use crate::seed_wire::Home;
use crate::shell_service::{granted, mark, until_count};

/// Prints a line, waits until a file is there, and ends with a code.
const WAITING: &str = "echo one; while ! test -e go; do sleep 0.01; done; echo two >&2; exit 7";

fn call(command: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "shell.run", "params": {"command": command}})
}

/// Where messages come from.
pub(crate) enum NativeWay {
    Lines(Lines<BufReader<Box<dyn AsyncRead + Send + Unpin>>>),
    Socket(Box<WebSocketStream<MaybeTlsStream<TcpStream>>>),
}

impl NativeWay {
    pub(crate) fn lines(read: impl AsyncRead + Send + Unpin + 'static) -> Self {
        Self::Lines(BufReader::new(Box::new(read) as Box<dyn AsyncRead + Send + Unpin>).lines())
    }

    /// The next message. Heads of responses and sizes of chunks are passed over.
    pub(crate) async fn next(&mut self) -> Value {
        let next = async {
            loop {
                let text = match self {
                    Self::Lines(lines) => lines.next_line().await.unwrap().expect("a line"),
                    Self::Socket(socket) => {
                        socket.next().await.expect("a message").unwrap().to_string()
                    }
                };
                let text = text.strip_prefix("data: ").unwrap_or(&text);
                if let Ok(message @ Value::Object(_)) = serde_json::from_str(text) {
                    return message;
                }
            }
        };
        within("a message", next).await
    }
}

/// Reads the stream of a call of [`WAITING`].
async fn check_stream(way: &mut NativeWay, folder: &Path) {
    assert_eq!(way.next().await, json!({"jsonrpc": "2.0", "id": 1, "result": 1}));
    let mut sequence = 0;
    let mut event = async |way: &mut NativeWay| {
        let message = way.next().await;
        sequence += 1;
        let params = &message["params"];
        assert_eq!(
            (&message["method"], &params["sequence"]),
            (&json!("shell.run"), &json!(sequence))
        );
        assert_eq!(params["provenance"], json!(["hobnob", "shell"]));
        assert_eq!(params["hash"].as_str().map(str::len), Some(16));
        params["result"].clone()
    };
    assert_eq!(event(way).await, json!({"type": "start"}));
    assert_eq!(event(way).await, json!({"type": "stdout", "data": "one\n"}));
    std::fs::write(folder.join("go"), "").unwrap();
    assert_eq!(event(way).await, json!({"type": "stderr", "data": "two\n"}));
    assert_eq!(event(way).await, json!({"type": "complete", "exit_code": 7}));
    std::fs::remove_file(folder.join("go")).unwrap();
}

pub(crate) async fn post(url: &str, body: &str) -> TcpStream {
    let authority = url.strip_prefix("http://").unwrap().split('/').next().unwrap();
    let mut stream = TcpStream::connect(authority).await.unwrap();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {authority}\r\nContent-Type: application/json\r\n\
         Accept: text/event-stream\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

#[tokio::test]
async fn events_come_as_they_happen_on_every_way_in() {
    let (home, folder) = granted("native").await;
    let mut serve = home.hobnob(&["serve"]).spawn().unwrap();
    let mut stdin = serve.stdin.take().unwrap();
    stdin.write_all(format!("{}\n", call(WAITING)).as_bytes()).await.unwrap();
    check_stream(&mut NativeWay::lines(serve.stdout.take().unwrap()), &folder).await;
    drop(stdin);
    within("its end", serve.wait()).await.unwrap();

    let server = listening(home.hobnob(&["serve", "--http", "127.0.0.1:0"])).await;
    let stream = post(&server.url, &call(WAITING).to_string()).await;
    check_stream(&mut NativeWay::lines(stream), &folder).await;

    let (mut socket, _) = connect_async(websocket_of(&server.url)).await.unwrap();
    socket.send(Message::text(call(WAITING).to_string())).await.unwrap();
    check_stream(&mut NativeWay::Socket(Box::new(socket)), &folder).await;

    // It is in the audit log like any other call, with no argument of it.
    let log = within("the audit log", home.hobnob(&["audit", "--json"]).output()).await.unwrap();
    let log = String::from_utf8_lossy(&log.stdout).into_owned();
    assert_eq!(log.matches(r#""method":"tools/call","tool":"shell_run""#).count(), 3, "{log}");
    assert!(!log.contains("echo one"), "{log}");
}

/// Cancelled in four ways, nothing of the program is left.
#[tokio::test]
async fn nothing_is_left_of_a_cancelled_call() {
    let (home, _folder) = granted("native-cancel").await;
    let server = listening(home.hobnob(&["serve", "--http", "127.0.0.1:0"])).await;
    let url = websocket_of(&server.url);
    let line = |mark: &str| format!("trap '' TERM; setsid sleep {mark} & echo up; sleep {mark}");

    let mark_of_post = mark();
    let stream = post(&server.url, &call(&line(&mark_of_post)).to_string()).await;
    until_count(&mark_of_post, |count| count >= 2).await;
    drop(stream);
    until_count(&mark_of_post, |count| count == 0).await;

    let (mut socket, _) = connect_async(url).await.unwrap();
    let mark_of_unsubscribed = mark();
    socket.send(Message::text(call(&line(&mark_of_unsubscribed)).to_string())).await.unwrap();
    until_count(&mark_of_unsubscribed, |count| count >= 2).await;
    let cancel = json!({"jsonrpc": "2.0", "id": 2, "method": "shell.unsubscribe", "params": [1]});
    socket.send(Message::text(cancel.to_string())).await.unwrap();
    until_count(&mark_of_unsubscribed, |count| count == 0).await;

    let mark_of_dropped = mark();
    socket.send(Message::text(call(&line(&mark_of_dropped)).to_string())).await.unwrap();
    until_count(&mark_of_dropped, |count| count >= 2).await;
    drop(socket);
    until_count(&mark_of_dropped, |count| count == 0).await;

    let mark_of_run = mark();
    let argument = format!("command={}", line(&mark_of_run));
    let mut run = home.hobnob(&["run", "shell.run", &argument]);
    let mut run = run.stdin(Stdio::null()).spawn().unwrap();
    until_count(&mark_of_run, |count| count >= 2).await;
    crate::faults_setup::signal("INT", run.id().unwrap());
    assert_eq!(within("its end", run.wait()).await.unwrap().code(), Some(130));
    until_count(&mark_of_run, |count| count == 0).await;
}

/// What `hobnob run` prints, with and without a running hub.
#[tokio::test]
async fn run_prints_events_and_ends_like_the_program() {
    let (home, _folder) = granted("native-run").await;
    let run = async |home: &Home, words: &[&str]| {
        let mut command = home.hobnob(words);
        let output = within("its end", command.stdin(Stdio::null()).output()).await.unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    for hub in ["own", "running"] {
        let _server = match hub {
            "running" => Some(listening(home.hobnob(&["serve", "--http", "127.0.0.1:0"])).await),
            _ => None,
        };
        let line = "command=printf out; echo err >&2; exit 7";
        let (code, out, err) = run(&home, &["run", "shell.execute", line]).await;
        assert_eq!((code, &*out, &*err), (Some(7), "out", "err\n"), "{hub}");

        let (code, out, _) = run(&home, &["--json", "run", "shell.execute", line]).await;
        let events: Vec<Value> = out.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
        assert_eq!((code, &events[0]["result"]["type"]), (Some(7), &json!("start")), "{out}");
        assert_eq!(events.last().unwrap()["result"], json!({"type": "complete", "exit_code": 7}));

        let (code, out, _) = run(&home, &["run", "health.check"]).await;
        assert!(code == Some(0) && out.contains("status"), "{code:?} {out}");

        for (words, expected, said) in [
            (&["run", "shell.exceute"][..], 2, "did you mean `shell.execute`?"),
            (&["run", "shell"], 2, "is a service; it has: shell.execute, shell.input"),
            (&["run", "shell.execute"], 2, "command"),
            (&["run", "shell.output", "process=none"], 3, "process"),
            // The exit code is that of the program.
            (&["run", "shell.run", "argv=rm"], 1, "missing operand"),
        ] {
            let (code, out, err) = run(&home, words).await;
            assert_eq!(code, Some(expected), "{words:?}: {out} {err}");
            assert!(err.contains(said), "{words:?}: {err}");
        }
    }
}

/// A tool that needs a person's answer is refused: the error names the rule, and it is recorded.
#[tokio::test]
async fn a_call_whose_client_cannot_ask_waits_for_the_owner() {
    let Some(mut setup) = crate::faults_setup::Setup::new("native-ask").await else { return };
    setup.settings("").upstream("up", &["--only", "echo"]).write();
    let mut serve = setup.hobnob(&["serve"]).spawn().unwrap();
    let mut stdin = serve.stdin.take().unwrap();
    let ask = json!({"jsonrpc": "2.0", "id": 1, "method": "up.echo", "params": {}});
    stdin.write_all(format!("{ask}\n").as_bytes()).await.unwrap();
    let mut way = NativeWay::lines(serve.stdout.take().unwrap());
    assert_eq!(way.next().await["result"], 1);
    let end = way.next().await["params"]["result"].clone();
    assert_eq!(end["type"], "error");
    let message = end["message"].as_str().unwrap();
    assert!(message.starts_with("not run yet: it waits for an answer"), "{message}");
    drop(stdin);
    let _ended = tokio::time::timeout(Duration::from_secs(60), serve.wait()).await;
}
