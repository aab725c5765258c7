//! Commands that want more than they may have: ended, said so, and the machine goes on.

use crate::commands::{all_levels, finish, limited, pool, program, runner_levels};
use crate::support::{mark, with_mark};
use hobnob_mcp_process::runner::CommandEnd;
use hobnob_mcp_process::{LimitKind, ProcessLimits};
use std::path::Path;
use std::time::Duration;

#[tokio::test]
async fn too_many_processes_end_the_command() {
    let pool = pool();
    for level in runner_levels() {
        let mark = mark();
        let limits = ProcessLimits { processes: 12, ..Default::default() };
        // Bounded, should nobody stop it.
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
        // Doubles eight times, should nobody stop it.
        let script = "bomb() { if [ $1 -gt 0 ]; then bomb $(($1 - 1)) $2 & bomb $(($1 - 1)) $2 & fi; \
                      sleep $2; }; bomb 8 $1; sleep $1";
        let (report, ..) = pool.run(&limited(level, limits), script, &[&mark]).await;
        assert_eq!(report.end, CommandEnd::Limit(LimitKind::Processes), "{level:?}");
        assert_eq!(with_mark(&mark), Vec::<u32>::new(), "{level:?}");
    }
    let still = std::fs::read_to_string("/proc/sys/kernel/pid_max").expect("a number");
    assert_eq!(still, highest, "the machine's own limit is nobody's business");
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
        // Six of 96 MiB each, which may all have what they ask for on their own.
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
            // Nobody lives for long.
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
