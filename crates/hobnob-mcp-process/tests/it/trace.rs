//! The uses of a traced program are recorded, and the program does not notice.

use crate::support::{LONG, levels, spec, supervisor};
use hobnob_mcp_process::child::{Child, Exit};
use hobnob_mcp_process::trace::{TraceReport, TracedUse};
use std::fs;
use std::net::TcpListener;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

/// Threads and children that read, write, rename, connect, and take signals.
const PROGRAM: &str = r#"
import os, signal, socket, subprocess, sys, threading
folder, port = sys.argv[1], int(sys.argv[2])
def work():
    open(folder + "/by-thread").read()
    os.chdir(folder)
    open("relative").read()
    with open("made", "w") as file: file.write("x")
    os.rename("made", "renamed")
    open("changed", "r+").write("y")
    try: open("missing")
    except FileNotFoundError: pass
    socket.create_connection(("127.0.0.1", port))
    subprocess.run(["sh", "-c", "cat by-child > /dev/null"], check=True)
    os.execv("/bin/sh", ["sh", "-c", "cat after > /dev/null; read line; echo got $line; exit 7"])
signal.signal(signal.SIGUSR1, lambda *_: print("signal", flush=True))
os.kill(os.getpid(), signal.SIGUSR1)
thread = threading.Thread(target=work)
thread.start()
thread.join()
"#;

#[tokio::test]
async fn what_a_program_uses_is_written_down() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    for level in levels() {
        let folder = TempDir::new().expect("a folder");
        let root = folder.path().canonicalize().expect("a folder");
        for name in ["by-thread", "relative", "changed", "by-child", "after", "unused"] {
            fs::write(root.join(name), name).expect("a file");
        }
        let report = root.join("report");
        fs::write(&report, "").expect("a file");
        let arguments = ["-c", PROGRAM, root.to_str().expect("text"), &port.to_string()];
        let program = spec(level, "python3", &arguments);
        let program = program.traced(&supervisor(), &report).expect("is found");
        let (mut child, mut pipes) = Child::spawn(&program).expect("starts");
        pipes.stdin.write_all(b"this\n").await.expect("is read");
        let mut output = String::new();
        let reading = pipes.stdout.read_to_string(&mut output);
        timeout(LONG, reading).await.expect("in time").expect("text");
        let exit = timeout(LONG, child.exited()).await.expect("in time");
        let said = child.stderr().tail(5);
        assert_eq!(
            (output.as_str(), exit),
            ("signal\ngot this\n", Exit::Code(7)),
            "{level:?} {said}"
        );
        let TraceReport { files, addresses } = TraceReport::read(&report).expect("a report");
        let uses = |name: &str| -> Vec<TracedUse> {
            let path = root.join(name);
            files.iter().filter(|(it, _)| *it == path).map(|(_, use_)| *use_).collect()
        };
        for name in ["by-thread", "relative", "by-child", "after"] {
            assert!(uses(name).contains(&TracedUse::Read), "{level:?} {name}: {files:?}");
        }
        assert_eq!(uses("made"), [TracedUse::Create]);
        assert_eq!(uses("changed"), [TracedUse::Write]);
        assert!(uses("").contains(&TracedUse::WriteFolder));
        assert!(uses("unused").is_empty() && uses("missing").is_empty());
        assert!(files.iter().any(|(path, _)| path.ends_with("sh")));
        assert!(addresses.contains(&format!("127.0.0.1:{port}")), "{addresses:?}");
    }
}
