//! Commands that exceed their limits are ended and reported, and the machine goes on.

use crate::commands::{all_levels, all_sandboxes, finish, limited, pool, program, runner_levels};
use crate::support::{mark, with_mark};
use hobnob_mcp_process::runner::{CommandEnd, RunnerSpec};
use hobnob_mcp_process::supervisor::Level;
use hobnob_mcp_process::{
    LimitKind, NetworkAccess, ProcessLimits, Sandbox, SandboxLevel, SandboxPath,
};
use std::path::Path;
use std::time::Duration;

#[tokio::test]
async fn too_many_processes_end_the_command() {
    let pool = pool();
    for level in runner_levels() {
        let mark = mark();
        let limits = ProcessLimits { processes: 12, ..Default::default() };
        // Bounded, in case it is not ended.
        let script = "for it in $(seq 100); do setsid sleep $1 & done; wait; sleep $1";
        let (report, ..) = pool.run(&limited(level, limits), script, &[&mark]).await;
        assert_eq!(report.end, CommandEnd::Limit(LimitKind::Processes), "{level:?}");
        assert_eq!(with_mark(&mark), Vec::<u32>::new(), "{level:?}");
    }
}

#[tokio::test]
async fn a_fork_bomb_ends() {
    let pool = pool();
    let highest = std::fs::read_to_string("/proc/sys/kernel/pid_max").expect("a number");
    for level in runner_levels() {
        let mark = mark();
        let limits = ProcessLimits { processes: 16, ..Default::default() };
        // Doubles eight times at most, in case it is not ended.
        let script = "bomb() { if [ $1 -gt 0 ]; then bomb $(($1 - 1)) $2 & bomb $(($1 - 1)) $2 & fi; \
                      sleep $2; }; bomb 8 $1; sleep $1";
        let (report, ..) = pool.run(&limited(level, limits), script, &[&mark]).await;
        assert_eq!(report.end, CommandEnd::Limit(LimitKind::Processes), "{level:?}");
        assert_eq!(with_mark(&mark), Vec::<u32>::new(), "{level:?}");
    }
    let still = std::fs::read_to_string("/proc/sys/kernel/pid_max").expect("a number");
    assert_eq!(still, highest, "the machine's own limit is nobody's business");
}

/// The kernel uses numbers below 300 only once, so a namespace needs room above.
#[tokio::test]
async fn a_command_can_start_many_processes_one_after_the_other() {
    let pool = pool();
    for level in runner_levels() {
        let limits = ProcessLimits { processes: 8, ..Default::default() };
        let script = "import os\n\
                      for it in range(2000):\n\
                      \tif os.fork() == 0: os._exit(0)\n\
                      \tos.wait()\n\
                      print(os.popen('echo a | cat | cat').read().strip())";
        for _ in 0..2 {
            let start = program(Path::new("/"), &["python3", "-c", script]);
            let started = pool.start(&limited(level, limits), start).await.expect("starts");
            let (report, output, errors) = finish(started).await;
            assert_eq!((report.end, output.as_str()), (CommandEnd::Code(0), "a\n"), "{errors}");
        }
    }
}

/// Memory that no process has mapped: anonymous files, scratch space and System V segments.
#[tokio::test]
async fn memory_counts_that_nobody_has_mapped() {
    let fill = "def fill(file):\n\tfor it in range(128): os.write(file, b'x' * (4 << 20))\n";
    let memfd = format!("import os, time\n{fill}fill(os.memfd_create('hog')); time.sleep(1000)");
    let file =
        format!("import os, time\n{fill}fill(os.open('/tmp/hog', os.O_CREAT | os.O_WRONLY))");
    let segment = "import ctypes, time\n\
                   libc = ctypes.CDLL(None)\n\
                   libc.shmat.restype = ctypes.c_void_p\n\
                   for it in range(32):\n\
                   \tat = libc.shmat(libc.shmget(0, 16 << 20, 0o1600), None, 0)\n\
                   \tctypes.memset(at, 1, 16 << 20); libc.shmdt(ctypes.c_void_p(at))\n\
                   time.sleep(1000)";
    let pool = pool();
    let limits = ProcessLimits { memory: 128 << 20, ..Default::default() };
    for (level, sandbox) in all_sandboxes() {
        let folder = SandboxPath::unchecked(pool.folder.path());
        let sandbox = Sandbox {
            level: sandbox,
            read: Vec::new(),
            write: vec![folder],
            network: NetworkAccess::Denied,
        };
        let is_full = sandbox.level == SandboxLevel::Full;
        if level == Level::Group {
            continue;
        }
        let spec = RunnerSpec { sandbox: Some(sandbox), ..limited(level, limits) };
        for (script, only_full) in [(memfd.as_str(), false), (segment, true), (&file, true)] {
            if only_full && !is_full {
                continue;
            }
            let start = program(pool.folder.path(), &["python3", "-c", script]);
            let started = pool.start(&spec, start).await.expect("starts");
            let (report, _, errors) = finish(started).await;
            let is_refused = errors.contains("No space left");
            let is_ended = report.end == CommandEnd::Limit(LimitKind::Memory);
            assert!(is_ended || is_refused, "{level:?} {script}: {report:?} {errors}");
        }
        if is_full {
            // Nothing of them is left for the next command, which may be in the same runner.
            let look = "tail -n +2 /proc/sysvipc/shm | wc -l; test -e /tmp/hog || echo gone";
            let start = program(pool.folder.path(), &["sh", "-c", look]);
            let (_, output, _) = finish(pool.start(&spec, start).await.expect("starts")).await;
            assert_eq!(output, "0\ngone\n");
        }
    }
}

#[tokio::test]
async fn one_process_cannot_take_more_memory_than_it_may() {
    let pool = pool();
    for level in runner_levels() {
        let memory = 256 << 20;
        let limits = ProcessLimits { memory, ..Default::default() };
        let hog = "x = []\nfor it in range(64): x.append(b'x' * (16 << 20))\nprint('all of it')";
        let start = program(Path::new("/"), &["python3", "-c", hog]);
        let started = pool.start(&limited(level, limits), start).await.expect("starts");
        let (report, output, errors) = finish(started).await;
        // The allocation fails, unless the sampler is faster.
        let failed = report.end == CommandEnd::Code(1) && errors.contains("MemoryError");
        let ended = report.end == CommandEnd::Limit(LimitKind::Memory);
        assert!(failed || ended, "{level:?}: {report:?} {errors}");
        assert_eq!(output, "");
        assert!(report.peak_memory.is_some_and(|peak| peak <= memory + (32 << 20)), "{report:?}");
    }
}

#[tokio::test]
async fn all_processes_together_cannot_take_more_memory_than_they_may() {
    let pool = pool();
    for level in runner_levels() {
        let mark = mark();
        let limits = ProcessLimits { memory: 256 << 20, ..Default::default() };
        // Six processes of 96 MiB each, which individually stay below the limit.
        let hog = "x=b'x'*(96<<20); import time; time.sleep(1000)";
        let script = "for it in 1 2 3 4 5 6; do python3 -c \"$2\" $1 & done; wait";
        let (report, ..) = pool.run(&limited(level, limits), script, &[&mark, hog]).await;
        assert_eq!(report.end, CommandEnd::Limit(LimitKind::Memory), "{level:?}");
        assert_eq!(with_mark(&mark), Vec::<u32>::new(), "{level:?}");
    }
}

#[tokio::test]
async fn too_much_cpu_time_ends_the_command_whoever_uses_it() {
    let pool = pool();
    for level in runner_levels() {
        let limits = ProcessLimits { cpu: Duration::from_millis(500), ..Default::default() };
        for script in [
            "while :; do :; done",
            "(setsid sh -c 'while :; do :; done' &) ; exec sleep 1000",
            // Many short-lived processes.
            "while :; do sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'; done",
        ] {
            let (report, ..) = pool.run(&limited(level, limits), script, &[]).await;
            assert_eq!(report.end, CommandEnd::Limit(LimitKind::Cpu), "{level:?} {script}");
            assert!(limits.cpu <= report.cpu, "{level:?} {script}: {report:?}");
        }
    }
}

#[tokio::test]
async fn a_command_has_the_limits_it_was_given() {
    let pool = pool();
    for level in all_levels() {
        let limits = ProcessLimits {
            memory: 512 << 20,
            processes: 20,
            cpu: Duration::from_secs(40),
            descriptors: 100,
        };
        let script = "ulimit -H -n; ulimit -H -d; ulimit -H -t; ulimit -H -c; ulimit -S -n";
        let (_, output, _) = pool.run(&limited(level, limits), script, &[]).await;
        assert_eq!(output, "100\n524288\n42\n0\n100\n", "{level:?}");
    }
}
