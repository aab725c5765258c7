//! Children whose supervisor enters a sandbox: what they can reach, where they run, and that
//! nothing of them survives.

use crate::commands::all_sandboxes;
use crate::support::{LONG, line, mark, spec, supervisor, until, with_mark};
use hobnob_mcp_process::child::{Child, ChildSpec, Exit, StopGrace, Supervision};
use hobnob_mcp_process::supervisor::Level;
use hobnob_mcp_process::{NetworkAccess, Sandbox, SandboxLevel, SandboxPath, is_confined};
use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use tempfile::TempDir;
use tokio::io::AsyncReadExt;
use tokio::time::timeout;

/// Connects to the port `$1` of loopback.
const CONNECT: &str = "bash -c 'exec 3<> /dev/tcp/127.0.0.1/'$1";

/// Three folders of a test: one to read, one to write, and one that the sandbox does not name.
struct Folders(TempDir);

impl Folders {
    fn new() -> Self {
        let folders = Self(TempDir::new().expect("a folder"));
        for name in ["read", "write", "secret"] {
            fs::create_dir(folders.path(name)).expect("a folder");
            fs::write(folders.path(name).join("file"), name).expect("a file");
        }
        folders
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().expect("a folder").join(name)
    }

    /// A shell in the folder to write to, with the argument as `$1`.
    fn shell(
        &self,
        level: Level,
        sandbox: SandboxLevel,
        script: &str,
        argument: &str,
    ) -> ChildSpec {
        let sandbox = Box::new(Sandbox {
            level: sandbox,
            read: vec![SandboxPath::unchecked(self.path("read"))],
            write: vec![SandboxPath::unchecked(self.path("write"))],
            network: NetworkAccess::Denied,
        });
        let supervision = Supervision::Confined { program: supervisor(), level, sandbox };
        let cwd = Some(self.path("write"));
        ChildSpec { cwd, supervision, ..spec(level, "sh", &["-c", script, "sh", argument]) }
    }
}

/// The output of a child, and how it ended.
async fn finish(spec: &ChildSpec) -> (String, Exit) {
    let (mut child, mut pipes) = Child::spawn(spec).expect("starts");
    drop(pipes.stdin);
    let mut output = String::new();
    timeout(LONG, pipes.stdout.read_to_string(&mut output)).await.expect("in time").expect("text");
    (output, timeout(LONG, child.exited()).await.expect("in time"))
}

fn strong_sandboxes() -> impl Iterator<Item = (Level, SandboxLevel)> {
    all_sandboxes()
        .into_iter()
        .filter(|(level, sandbox)| *level != Level::Group && *sandbox != SandboxLevel::Weak)
}

#[tokio::test]
async fn a_child_reaches_its_folders_and_nothing_else() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port().to_string();
    let folders = Folders::new();
    // Without a sandbox the same script connects.
    let connects = spec(Level::Group, "sh", &["-c", CONNECT, "sh", &port]);
    assert_eq!(finish(&connects).await.1, Exit::Code(0));
    for (level, sandbox) in strong_sandboxes() {
        for (script, allowed) in [
            ("test $(cat ../read/file) = read && cat file", true),
            ("echo new > file && mkdir sub && rmdir sub", true),
            ("test $PWD = $(pwd -P)", true),
            ("cat ../secret/file", false),
            ("echo new > ../read/file", false),
            ("ls /root || ls /home/*", false),
            (CONNECT, false),
            // No descriptor leads out, such as our lifeline.
            ("test \"$(ls /proc/self/fd | tr '\\n' ' ')\" = '0 1 2 3 '", true),
        ] {
            let spec = folders.shell(level, sandbox, script, &port);
            let (output, exit) = finish(&spec).await;
            assert_eq!(exit == Exit::Code(0), allowed, "{level:?} {sandbox} {script}: {output}");
        }
    }
}

#[tokio::test]
async fn a_root_of_its_own_has_no_other_processes_and_a_fresh_folder() {
    let folders = Folders::new();
    for (level, sandbox) in strong_sandboxes() {
        if sandbox != SandboxLevel::Full {
            continue;
        }
        let script = "pwd; echo a > /tmp/confined; ls /tmp/confined; set -- /proc/[0-9]*; echo $#; grep CapEff /proc/self/status";
        let mut spec = folders.shell(level, sandbox, script, "");
        spec.cwd = Some("/var".into());
        let (output, exit) = finish(&spec).await;
        // The init and the shell, which counts without another program.
        let wanted = ["/tmp", "/tmp/confined", "2", "CapEff:\t0000000000000000"];
        assert_eq!(output.lines().collect::<Vec<_>>(), wanted, "{exit}");
        assert!(!std::path::Path::new("/tmp/confined").exists());
    }
}

#[tokio::test]
async fn a_sandbox_that_cannot_be_entered_starts_nothing() {
    let folders = Folders::new();
    for (level, sandbox) in strong_sandboxes() {
        let mut spec = folders.shell(level, sandbox, "echo started", "");
        let Supervision::Confined { sandbox, .. } = &mut spec.supervision else { unreachable!() };
        let identity = Some(hobnob_mcp_process::FileIdentity { device: 0, inode: 0 });
        sandbox.read.push(SandboxPath { path: folders.path("gone"), identity });
        let (mut child, mut pipes) = Child::spawn(&spec).expect("starts");
        let mut output = String::new();
        pipes.stdout.read_to_string(&mut output).await.expect("text");
        assert_eq!(timeout(LONG, child.exited()).await.expect("in time"), Exit::Code(126));
        assert_eq!(output, "");
        let said = child.stderr().tail(1);
        assert!(said.contains("the sandbox cannot be entered"), "{said}");
    }
}

#[tokio::test]
async fn nothing_of_a_confined_child_survives_and_it_is_known_as_confined() {
    let folders = Folders::new();
    for (level, sandbox) in strong_sandboxes() {
        let mark = mark();
        let script = "setsid sleep $1 & echo ready; cat; wait";
        let spec = folders.shell(level, sandbox, script, &mark);
        let (child, mut pipes) = Child::spawn(&spec).expect("starts");
        assert_eq!(line(&mut pipes.stdout).await, "ready");
        until("all have started", || with_mark(&mark).len() >= 3).await;
        for pid in with_mark(&mark) {
            assert!(is_confined(pid).expect("it runs"), "{level:?} {sandbox}");
        }
        drop(pipes);
        let short = std::time::Duration::from_millis(50);
        child.stop(StopGrace { eof: short, term: short }).await;
        assert_eq!(with_mark(&mark), Vec::<u32>::new(), "{level:?} {sandbox}");
    }
}
