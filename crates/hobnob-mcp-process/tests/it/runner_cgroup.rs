//! Commands whose memory limit the kernel enforces. These tests need a cgroup that was delegated to
//! the test process, and do nothing without it: `cargo xtask vm` boots a machine that has one.

use crate::commands::{TestPool, all_sandboxes, finish, limited, pool, program};
use crate::support::{LONG, line, supervisor, until};
use hobnob_mcp_process::runner::{
    CommandEnd, CommandReport, ProcessPipes, RunnerSpec, memory_support,
};
use hobnob_mcp_process::supervisor::{Level, sandbox_support};
use hobnob_mcp_process::{
    LimitKind, MemorySupport, NetworkAccess, ProcessLimits, Sandbox, SandboxLevel, SandboxPath,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tokio::time::timeout;

/// Set to `required` on machines that must have a delegated cgroup.
const VARIABLE: &str = "HOBNOB_CGROUP";

const LIMITS: ProcessLimits = ProcessLimits {
    memory: 64 << 20,
    processes: 12,
    cpu: std::time::Duration::from_secs(600),
    descriptors: 256,
};

/// Two processes that each stay below the limit, but not together. The second one starts when the
/// first one has all its memory.
const TWO_HOGS: &str = "dd if=/dev/zero bs=48M count=1 2>&- | \
     { head -c 1 >/dev/null; dd if=/dev/zero of=/dev/null bs=48M count=1 2>&-; cat >/dev/null; }";

/// The folder of the cgroup that this process has divided, if it can.
fn divided() -> Option<&'static Path> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let divide = || {
        let support = memory_support(None);
        if std::env::var_os(VARIABLE).is_some() {
            assert_eq!(support, MemorySupport::Kernel);
            let sandbox = sandbox_support(&supervisor());
            assert_eq!(sandbox.level, SandboxLevel::Full, "{:?}", sandbox.obstacle);
        }
        if support != MemorySupport::Kernel {
            return None;
        }
        let folder = own_cgroup();
        let leftover = folder.join("runner-1-1");
        fs::create_dir(&leftover).expect("a leaf of a hub that is dead");
        drop(pool());
        assert!(!leftover.exists(), "it is removed");
        assert!(own_cgroup().starts_with(&folder) && own_cgroup() != folder, "we have moved");
        assert_eq!(memory_support(None), MemorySupport::Kernel);
        Some(folder)
    };
    FOLDER.get_or_init(divide).as_deref()
}

fn own_cgroup() -> PathBuf {
    let text = fs::read_to_string("/proc/self/cgroup").expect("cgroups");
    let path = text.trim_end().strip_prefix("0::/").expect("only version 2");
    Path::new("/sys/fs/cgroup").join(path)
}

fn leaves(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
    let is_leaf = |it: &PathBuf| {
        it.file_name().is_some_and(|it| it.display().to_string().starts_with("runner-"))
    };
    entries.filter(is_leaf).collect()
}

fn value(folder: &Path, name: &str) -> String {
    let text = fs::read_to_string(folder.join(name)).expect(name);
    text.trim_end().to_owned()
}

/// How many processes the kernel has killed below a cgroup, also in leaves that are gone.
fn oom_kills(folder: &Path) -> u64 {
    let events = value(folder, "memory.events");
    let kills = events.lines().find_map(|line| line.strip_prefix("oom_kill "));
    kills.expect("a line").parse().expect("a number")
}

/// A runner for every sandbox that this machine supports, and two without one.
fn specs(pool: &TestPool) -> Vec<RunnerSpec> {
    let sandboxes = all_sandboxes().into_iter().map(|(level, sandbox)| {
        let write = vec![SandboxPath::unchecked(pool.folder.path())];
        let network = NetworkAccess::Denied;
        let sandbox = Sandbox { level: sandbox, read: Vec::new(), write, network };
        RunnerSpec { sandbox: Some(sandbox), ..limited(level, LIMITS) }
    });
    let open = [limited(Level::Namespace, LIMITS), limited(Level::Subreaper, LIMITS)];
    sandboxes.chain(open).filter(|spec| spec.level != Level::Group).collect()
}

fn confined(spec: &RunnerSpec) -> bool {
    spec.sandbox.as_ref().is_some_and(|it| it.level != SandboxLevel::Weak)
}

async fn run(pool: &TestPool, spec: &RunnerSpec, script: &str) -> (CommandReport, String, String) {
    let start = program(pool.folder.path(), &["sh", "-c", script]);
    finish(pool.start(spec, start).await.expect("starts")).await
}

#[tokio::test]
async fn the_kernel_ends_a_command_that_takes_too_much() {
    let Some(folder) = divided() else { return };
    let pool = pool();
    for spec in specs(&pool) {
        for script in [TWO_HOGS, &format!("{{ {TWO_HOGS}; }} & wait; exit 0")] {
            let before = oom_kills(folder);
            let (report, _, errors) = run(&pool, &spec, script).await;
            assert_eq!(report.end, CommandEnd::Limit(LimitKind::Memory), "{spec:?}: {errors}");
            assert!(report.peak_memory.is_some(), "the runner itself has said so: {spec:?}");
            if confined(&spec) {
                assert!(before < oom_kills(folder), "it was the kernel: {spec:?}");
            }
        }
        let (report, output, _) = run(&pool, &spec, "echo next").await;
        assert_eq!((report.end, output.as_str()), (CommandEnd::Code(0), "next\n"));
    }
}

#[tokio::test]
async fn a_runner_survives_a_full_scratch_space() {
    let Some(_) = divided() else { return };
    let pool = pool();
    for spec in specs(&pool) {
        if spec.sandbox.as_ref().is_none_or(|it| it.level != SandboxLevel::Full) {
            continue;
        }
        let fill = "dd if=/dev/zero of=/tmp/hog bs=1M count=256; dd if=/dev/zero of=/tmp/two bs=1M";
        let (report, _, errors) = run(&pool, &spec, fill).await;
        let is_refused = errors.contains("No space left");
        assert!(is_refused || report.end == CommandEnd::Limit(LimitKind::Memory), "{report:?}");
        assert!(report.peak_memory.is_some(), "the runner itself has said so: {report:?}");
        let (_, output, _) = run(&pool, &spec, "ls /tmp").await;
        assert_eq!(output, "", "the next command finds nothing of it");
    }
}

#[tokio::test]
async fn a_command_is_in_a_leaf_with_its_limits_and_cannot_change_it() {
    let Some(folder) = divided() else { return };
    let granted = pool();
    for spec in specs(&granted) {
        let pool = pool();
        let others = leaves(folder);
        let script = "cgroup=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)\n\
                      for file in memory.max memory.swap.max pids.max; do\n\
                      echo max > $cgroup/$file && echo changed; done\n\
                      echo 0 > $cgroup/../cgroup.procs && echo left\n\
                      mkdir $cgroup/new && echo new\n\
                      test -e $cgroup/memory.max && echo seen\n\
                      cat /proc/self/oom_score_adj\n\
                      echo 0 > /proc/self/oom_score_adj && echo lowered\n\
                      echo done; read -r wait";
        // An unconfined command could do all of it.
        let script = if confined(&spec) { script } else { "echo 1000; echo done; read -r wait" };
        let start = program(granted.folder.path(), &["sh", "-c", script]);
        let (mut tree, pipes) = pool.start(&spec, start).await.expect("starts");
        let ProcessPipes { stdin, mut stdout, stderr } = pipes;
        let mut said = vec![line(&mut stdout).await];
        while said.last().is_none_or(|it| it != "done") {
            said.push(line(&mut stdout).await);
        }
        if spec.sandbox.as_ref().is_some_and(|it| it.level == SandboxLevel::Partial) {
            // Without a root of its own it can see that the files exist, but no more.
            said.retain(|it| it != "seen");
        }
        assert_eq!(said, ["1000", "done"], "{spec:?}");
        let leaf = leaves(folder).into_iter().find(|it| !others.contains(it)).expect("a leaf");
        assert_eq!(value(&leaf, "memory.max"), ((64 << 20) + (8 << 20)).to_string());
        assert_eq!(value(&leaf, "memory.swap.max"), "0");
        assert_eq!(value(&leaf, "pids.max"), "49");
        let members = value(&leaf, "cgroup.procs");
        let scores: Vec<_> = members
            .lines()
            .map(|pid| value(&Path::new("/proc").join(pid), "oom_score_adj"))
            .collect();
        assert!(scores.iter().any(|it| it == "0"), "the runner is the last victim: {scores:?}");
        assert!(scores.iter().any(|it| it == "1000"), "the command is the first: {scores:?}");
        drop((stdin, stdout, stderr));
        let report = timeout(LONG, tree.ended()).await.expect("in time");
        assert_eq!(report.end, CommandEnd::Code(1), "{spec:?}");
        drop((tree, pool.pool));
        // The other pool still exists, and removes it.
        until("the leaf is gone", || !leaf.exists()).await;
    }
}
