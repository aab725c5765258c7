//! Commands in a sandbox of each level: what they can reach, what they cannot, and what is refused.

use crate::commands::{TestPool, all_sandboxes, finish, pool, program, sandboxed};
use hobnob_mcp_process::runner::{
    CommandEnd, ProgramStart, RunnerSpec, SandboxState, StartError, StartFolder,
};
use hobnob_mcp_process::supervisor::{Level, sandbox_support};
use hobnob_mcp_process::{
    FileIdentity, LandlockSupport, NetworkAccess, SCRATCH, Sandbox, SandboxLevel, SandboxPath,
    landlock_support,
};
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// Three folders of a test: one to read, one to write, and one that the sandbox does not name.
struct Folders {
    pool: TestPool,
}

impl Folders {
    fn new() -> Self {
        let pool = pool();
        let root = pool.folder.path();
        for name in ["read", "write", "secret"] {
            fs::create_dir(root.join(name)).expect("a folder");
            fs::write(root.join(name).join("file"), name).expect("a file");
        }
        Self { pool }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.pool.folder.path().join(name)
    }

    fn sandbox(&self, level: SandboxLevel) -> Sandbox {
        Sandbox {
            level,
            read: vec![SandboxPath::unchecked(self.path("read"))],
            write: vec![SandboxPath::unchecked(self.path("write"))],
            network: NetworkAccess::Denied,
        }
    }

    /// Runs a script in the folder to write to.
    async fn run(&self, spec: &RunnerSpec, script: &str) -> (CommandEnd, String, String) {
        let start = program(&self.path("write"), &["sh", "-c", script]);
        let (tree, pipes) = self.pool.start(spec, start).await.expect("starts");
        let level = spec.sandbox.as_ref().expect("a sandbox").level;
        assert_eq!(tree.sandbox(), SandboxState::On(level));
        let (report, output, errors) = finish((tree, pipes)).await;
        (report.end, output, errors)
    }
}

/// Tests of what a sandbox refuses are meaningful only where the kernel can refuse it.
fn confines(level: SandboxLevel) -> bool {
    level != SandboxLevel::Weak || landlock_support() != LandlockSupport::Missing
}

#[tokio::test]
async fn a_command_reaches_its_folders_and_no_others() {
    let folders = Folders::new();
    for (level, sandbox) in all_sandboxes() {
        let spec = sandboxed(level, folders.sandbox(sandbox));
        for (script, allowed) in [
            ("cat ../read/file && cat file", true),
            ("echo new > file && echo more > other && mkdir sub && rm -r other sub", true),
            ("echo new > /dev/null && head -c 9 /dev/zero > file", true),
            ("ls / > /dev/null", false),
            ("cat ../secret/file", false),
            ("ls ../secret", false),
            ("echo new > ../read/file", false),
            ("rm ../read/file", false),
            ("mv ../read/file .", false),
            ("echo new > ../read/other", false),
            ("ln -s ../secret/file link && cat link", false),
            ("cat /proc/self/root/$(pwd)/../secret/file", false),
            ("cp /bin/sh /var/sandbox-test", false),
            ("cat /root/.profile /home/*/.profile", false),
        ] {
            let (end, output, errors) = folders.run(&spec, script).await;
            drop(fs::remove_file(folders.path("write/link")));
            if confines(sandbox) {
                let succeeded = end == CommandEnd::Code(0);
                assert_eq!(succeeded, allowed, "{level:?} {sandbox} {script}: {output}{errors}");
                assert!(!output.contains("secret"), "{script}: {output}");
            } else if allowed {
                assert_eq!(end, CommandEnd::Code(0), "{level:?} {script}: {output}{errors}");
            }
        }
    }
}

#[tokio::test]
async fn an_inner_folder_to_read_stays_read_only() {
    let folders = Folders::new();
    fs::create_dir(folders.path("write/vendor")).expect("a folder");
    for (level, sandbox) in all_sandboxes() {
        if sandbox != SandboxLevel::Full {
            continue;
        }
        let mut value = folders.sandbox(sandbox);
        value.read.push(SandboxPath::unchecked(folders.path("write/vendor")));
        let script = "echo a > vendor/a; echo b > b && cat b";
        let (_, output, _) = folders.run(&sandboxed(level, value), script).await;
        assert_eq!(output, "b\n");
        assert!(!folders.path("write/vendor/a").exists());
    }
}

#[tokio::test]
async fn a_folder_that_was_replaced_is_not_let_in() {
    let folders = Folders::new();
    let path = folders.path("read");
    let facts = fs::metadata(&path).expect("a folder");
    let identity = FileIdentity { device: facts.dev(), inode: facts.ino() };
    let checked = |level| Sandbox {
        read: vec![SandboxPath { path: path.clone(), identity: Some(identity) }],
        ..folders.sandbox(level)
    };
    for (level, sandbox) in all_sandboxes() {
        let spec = sandboxed(level, checked(sandbox));
        let (end, output, errors) = folders.run(&spec, "cat ../read/file").await;
        assert_eq!((end, output.as_str()), (CommandEnd::Code(0), "read"), "{level:?} {errors}");
    }
    // From here on the path leads elsewhere: first to a link to an ungranted folder, then nowhere.
    fs::rename(&path, folders.path("moved")).expect("renames");
    std::os::unix::fs::symlink("secret", &path).expect("a link");
    for gone in [false, true] {
        if gone {
            fs::remove_file(&path).expect("removes");
        }
        for (level, sandbox) in all_sandboxes() {
            // Use another key, so that no runner that is already inside takes the command.
            let key = format!("after {gone}");
            let spec = RunnerSpec { key, ..sandboxed(level, checked(sandbox)) };
            let start = program(&folders.path("write"), &["cat", "../secret/file"]);
            match folders.pool.start(&spec, start).await {
                Err(StartError::Restriction(why)) => assert!(why.contains("granted"), "{why}"),
                Err(error) => panic!("{level:?} {sandbox}: {error}"),
                // Without a runner the process itself reports it, and ends.
                Ok(started) => {
                    let (report, output, errors) = finish(started).await;
                    assert_eq!(report.end, CommandEnd::Code(126), "{level:?} {sandbox}");
                    assert_eq!(output, "");
                    assert!(errors.contains("granted"), "{errors}");
                }
            }
        }
    }
}

#[tokio::test]
async fn a_working_folder_outside_of_the_sandbox_is_refused() {
    let folders = Folders::new();
    for (level, sandbox) in all_sandboxes() {
        if sandbox != SandboxLevel::Full {
            continue;
        }
        let spec = sandboxed(level, folders.sandbox(sandbox));
        let start = program(&folders.path("secret"), &["cat", "file"]);
        match folders.pool.start(&spec, start).await {
            Err(StartError::Program(error)) => {
                assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
            }
            other => panic!("a descriptor leads out of the sandbox: {other:?}"),
        }
    }
}

#[tokio::test]
async fn a_full_sandbox_has_scratch_space_that_is_empty_for_each_command() {
    let folders = Folders::new();
    for (level, sandbox) in all_sandboxes() {
        if sandbox != SandboxLevel::Full {
            continue;
        }
        let spec = sandboxed(level, folders.sandbox(sandbox));
        for script in
            ["ls -A; pwd; echo left > file", "ls -A /dev/shm; pwd; echo left > /dev/shm/it"]
        {
            let start = program(Path::new("/"), &["sh", "-c", script]);
            let start = ProgramStart { folder: StartFolder::Scratch, ..start };
            let started = folders.pool.start(&spec, start).await.expect("starts");
            let (report, output, errors) = finish(started).await;
            assert_eq!(report.end, CommandEnd::Code(0), "{errors}");
            // The path to the granted folders is in there, too.
            let seen: Vec<_> = output.lines().filter(|it| !it.starts_with(".tmp")).collect();
            assert_eq!(seen, [SCRATCH]);
        }
    }
}

#[tokio::test]
async fn a_sandbox_gives_no_new_rights() {
    let folders = Folders::new();
    for (level, sandbox) in all_sandboxes() {
        let spec = sandboxed(level, folders.sandbox(sandbox));
        let script = "grep -e NoNewPrivs -e CapEff /proc/self/status";
        let (_, output, _) = folders.run(&spec, script).await;
        if confines(sandbox) {
            assert!(output.contains("NoNewPrivs:\t1\n"), "{level:?} {sandbox} {output}");
        }
        if sandbox == SandboxLevel::Full {
            assert!(output.contains("CapEff:\t0000000000000000\n"), "{level:?} {output}");
        }
    }
}

#[tokio::test]
async fn the_network_is_out_of_reach_unless_it_is_granted() {
    let folders = Folders::new();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let connect = format!(
        "import socket\ntry: socket.create_connection(('127.0.0.1', {port}), 5); print('connected')\n\
         except OSError as error: print(type(error).__name__)"
    );
    let has_ports = matches!(landlock_support(), LandlockSupport::Version(4..));
    for (level, sandbox) in all_sandboxes() {
        let denied = match sandbox {
            // Its own loopback interface, where no server listens.
            SandboxLevel::Full => "ConnectionRefusedError\n",
            SandboxLevel::Partial => "PermissionError\n",
            SandboxLevel::Weak => continue,
        };
        let closed = NetworkAccess::Host { closed_ports: vec![port] };
        for (network, expected) in [
            (NetworkAccess::Denied, denied),
            (NetworkAccess::Host { closed_ports: Vec::new() }, "connected\n"),
            (closed, "PermissionError\n"),
        ] {
            if expected.starts_with("Perm") && !has_ports && network != NetworkAccess::Denied {
                continue;
            }
            let spec = sandboxed(level, Sandbox { network, ..folders.sandbox(sandbox) });
            let start = program(&folders.path("write"), &["python3", "-c", &connect]);
            let started = folders.pool.start(&spec, start).await.expect("starts");
            let (_, output, errors) = finish(started).await;
            assert_eq!(output, expected, "{level:?} {:?} {errors}", spec.sandbox);
        }
    }
}

#[tokio::test]
async fn a_command_can_talk_to_its_own_servers() {
    let folders = Folders::new();
    let script = "import socket\n\
        server = socket.create_server(('127.0.0.1', 0))\n\
        client = socket.create_connection(server.getsockname(), 5)\n\
        one, two = socket.socketpair()\n\
        print('connected')";
    for (level, sandbox) in all_sandboxes() {
        if sandbox != SandboxLevel::Full {
            continue;
        }
        let spec = sandboxed(level, folders.sandbox(sandbox));
        let start = program(&folders.path("write"), &["python3", "-c", script]);
        let started = folders.pool.start(&spec, start).await.expect("starts");
        let (_, output, errors) = finish(started).await;
        assert_eq!(output, "connected\n", "{level:?} {errors}");
    }
}

#[test]
fn what_a_machine_supports_is_said_in_words() {
    let support = sandbox_support(&crate::support::supervisor());
    assert_eq!(support.obstacle.is_some(), support.level != SandboxLevel::Full, "{support:?}");
    assert!(support.obstacle.is_none_or(|why| !why.is_empty()));
    let is_namespace = crate::support::levels().contains(&Level::Namespace);
    assert!(support.level != SandboxLevel::Full || is_namespace);
    let held = |level: SandboxLevel| level.guarantees().filter(|(_, holds)| *holds).count();
    let counts = SandboxLevel::ALL.map(held);
    assert!(counts[0] == 0 && counts.is_sorted(), "{counts:?}");
    assert_eq!(counts[2], SandboxLevel::Full.guarantees().count());
}
