//! Commands in a sandbox: what they reach, what they do not, and machines that have none.

use crate::commands::{TestPool, all_levels, finish, pool, program, sandboxed};
use hobnob_mcp_process::runner::{CommandEnd, RunnerSpec, SandboxState, StartError};
use hobnob_mcp_process::{
    FileIdentity, LandlockSupport, NetworkAccess, Sandbox, SandboxNeed, SandboxPath,
    landlock_support,
};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::Command;

/// Three folders of a test: to read, to write, and one that nothing was said about.
struct Folders {
    pool: TestPool,
    sandbox: Sandbox,
}

fn folders(need: SandboxNeed) -> Folders {
    let pool = pool();
    let root = pool.folder.path();
    for name in ["read", "write", "secret"] {
        fs::create_dir(root.join(name)).expect("a folder");
        fs::write(root.join(name).join("file"), name).expect("a file");
    }
    let sandbox = Sandbox {
        read: vec![SandboxPath::whatever_is_at(root.join("read"))],
        write: vec![SandboxPath::whatever_is_at(root.join("write"))],
        network: NetworkAccess::Denied,
        need,
    };
    Folders { pool, sandbox }
}

/// Whether this machine has a sandbox; where it has none, that is what must be said.
fn has_landlock() -> bool {
    landlock_support() != LandlockSupport::Missing
}

async fn run(folders: &Folders, spec: &RunnerSpec, script: &str) -> (CommandEnd, String, String) {
    let write = folders.pool.folder.path().join("write");
    let start = program(&write, &["sh", "-c", script]);
    let (tree, pipes) = folders.pool.start(spec, start).await.expect("starts");
    let expected = if has_landlock() { SandboxState::On } else { SandboxState::Missing };
    assert_eq!(tree.sandbox(), expected);
    let (report, output, errors) = finish((tree, pipes)).await;
    (report.end, output, errors)
}

#[tokio::test]
async fn a_command_reaches_its_folders_and_no_others() {
    let folders = folders(SandboxNeed::WherePossible);
    for level in all_levels() {
        let spec = sandboxed(level, folders.sandbox.clone());
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
            ("cp /bin/sh /tmp/sandbox-test", false),
            ("cat /root/.profile /home/*/.profile", false),
        ] {
            let (end, output, errors) = run(&folders, &spec, script).await;
            drop(fs::remove_file(folders.pool.folder.path().join("write/link")));
            if has_landlock() {
                let succeeded = end == CommandEnd::Code(0);
                assert_eq!(succeeded, allowed, "{level:?} {script}: {output}{errors}");
                assert!(!output.contains("secret"), "{script}: {output}");
            } else if allowed {
                assert_eq!(end, CommandEnd::Code(0), "{level:?} {script}: {output}{errors}");
            }
        }
    }
}

#[tokio::test]
async fn a_folder_that_was_replaced_is_not_let_in() {
    let mut folders = folders(SandboxNeed::WherePossible);
    let path = folders.pool.folder.path().join("read");
    let facts = fs::metadata(&path).expect("a folder");
    let identity = FileIdentity { device: facts.dev(), inode: facts.ino() };
    folders.sandbox.read = vec![SandboxPath { path: path.clone(), identity: Some(identity) }];
    for level in all_levels() {
        let spec = sandboxed(level, folders.sandbox.clone());
        let (end, output, errors) = run(&folders, &spec, "cat ../read/file").await;
        assert_eq!((end, output.as_str()), (CommandEnd::Code(0), "read"), "{level:?} {errors}");
    }
    // From here on another folder is there: first a link to one that was never granted, then nothing.
    let moved = folders.pool.folder.path().join("moved");
    fs::rename(&path, &moved).expect("renames");
    std::os::unix::fs::symlink("secret", &path).expect("a link");
    for gone in [false, true] {
        if gone {
            fs::remove_file(&path).expect("removes");
        }
        for level in all_levels() {
            if !has_landlock() {
                continue;
            }
            // Another key, so that no runner that is inside already takes it.
            let spec = RunnerSpec {
                key: format!("after {gone}"),
                ..sandboxed(level, folders.sandbox.clone())
            };
            let write = folders.pool.folder.path().join("write");
            let start = program(&write, &["cat", "../secret/file"]);
            match folders.pool.start(&spec, start).await {
                Err(StartError::Restriction(why)) => assert!(why.contains("granted"), "{why}"),
                Err(error) => panic!("{level:?}: {error}"),
                // Without a runner the process itself says it, and ends.
                Ok(started) => {
                    let (report, output, errors) = finish(started).await;
                    assert_eq!(report.end, CommandEnd::Code(126), "{level:?}");
                    assert_eq!(
                        (output.as_str(), errors.contains("granted")),
                        ("", true),
                        "{errors}"
                    );
                }
            }
        }
    }
}

#[tokio::test]
async fn a_sandbox_gives_no_new_rights() {
    let folders = folders(SandboxNeed::WherePossible);
    for level in all_levels() {
        let spec = sandboxed(level, folders.sandbox.clone());
        let (_, output, _) = run(&folders, &spec, "grep NoNewPrivs /proc/self/status").await;
        assert_eq!(output, "NoNewPrivs:\t1\n", "{level:?}");
    }
}

#[tokio::test]
async fn a_sandbox_that_is_required_is_there_or_nothing_runs() {
    let folders = folders(SandboxNeed::Required);
    for level in all_levels() {
        let spec = sandboxed(level, folders.sandbox.clone());
        let start = program(Path::new("/"), &["true"]);
        match folders.pool.start(&spec, start).await {
            Ok((tree, _pipes)) => {
                assert!(has_landlock());
                assert_eq!(tree.sandbox(), SandboxState::On);
            }
            Err(StartError::Restriction(why)) => {
                assert!(!has_landlock(), "{why}");
                assert!(why.contains("Landlock"), "{why}");
            }
            Err(error) => panic!("{level:?}: {error}"),
        }
    }
}

#[tokio::test]
async fn the_network_is_out_of_reach_where_the_kernel_can_forbid_it() {
    let LandlockSupport::Version(4..) = landlock_support() else {
        // What older ones can do is in the sentence that a person reads.
        assert!(!landlock_support().describes().is_empty());
        return;
    };
    let folders = folders(SandboxNeed::Required);
    let connect = "import socket\ntry: socket.create_connection(('127.0.0.1', 9), 5)\n\
                   except OSError as error: print(type(error).__name__)";
    for level in all_levels() {
        for (network, expected) in [
            (NetworkAccess::Denied, "PermissionError\n"),
            (NetworkAccess::Allowed, "ConnectionRefusedError\n"),
        ] {
            let spec = sandboxed(level, Sandbox { network, ..folders.sandbox.clone() });
            let start = program(Path::new("/"), &["python3", "-c", connect]);
            let started = folders.pool.start(&spec, start).await.expect("starts");
            let (_, output, errors) = finish(started).await;
            assert_eq!(output, expected, "{level:?} {errors}");
        }
    }
}

#[test]
fn what_a_machine_supports_is_a_sentence() {
    let kernel = Command::new("uname").arg("-r").output().expect("runs");
    let said = landlock_support().describes();
    assert!(said.ends_with('.') && !said.contains("  "), "{kernel:?}: {said}");
    for version in 1..=6 {
        assert!(LandlockSupport::Version(version).describes().contains(&version.to_string()));
    }
}
