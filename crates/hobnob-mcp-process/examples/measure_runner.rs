//! How long `true` takes through a runner that waits, beside a plain start: `measure_runner [ROUNDS]`.
//!
//! Both have no input, and two pipes that are read to their end. The rounds alternate, so that a busy machine
//! slows both down; the medians are shown.

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    use hobnob_mcp_process::supervisor;

    let mut arguments = std::env::args_os().skip(1);
    match arguments.next() {
        Some(first) if first == supervisor::ARGUMENT => supervisor::run(arguments),
        rounds => match linux::measure(rounds.as_ref().and_then(|it| it.to_str())) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        },
    }
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    ExitCode::FAILURE
}

#[cfg(target_os = "linux")]
mod linux {
    use hobnob_mcp_process::ProcessLimits;
    use hobnob_mcp_process::runner::{
        CommandInput, PoolOptions, ProgramStart, RunnerPool, RunnerSpec,
    };
    use hobnob_mcp_process::supervisor::Level;
    use std::fs::File;
    use std::io::{self, Write};
    use std::process::Stdio;
    use std::time::{Duration, Instant};
    use tokio::io::AsyncReadExt;

    const PATH: &str = "/usr/bin:/bin";
    const WARM_UP: usize = 20;

    #[tokio::main]
    pub(super) async fn measure(rounds: Option<&str>) -> io::Result<()> {
        let rounds = rounds.and_then(|it| it.parse().ok()).unwrap_or(500);
        let pool = RunnerPool::new(PoolOptions::new(std::env::current_exe()?));
        for level in [Level::Namespace, Level::Subreaper] {
            let (limits, key) = (ProcessLimits::default(), String::new());
            let spec = RunnerSpec { limits, sandbox: None, level, key };
            let (mut plain, mut pooled) = (Vec::new(), Vec::new());
            for _ in 0..rounds + WARM_UP {
                plain.push(plain_start().await?);
                pooled.push(pooled_start(&pool, &spec).await?);
            }
            let (plain, pooled) = (median(plain), median(pooled));
            let times = pooled.as_secs_f64() / plain.as_secs_f64();
            let line = format!("{level:?}: plain {plain:?}, pooled {pooled:?}, {times:.2} times\n");
            io::stdout().write_all(line.as_bytes())?;
        }
        Ok(())
    }

    async fn plain_start() -> io::Result<Duration> {
        let began = Instant::now();
        let mut command = tokio::process::Command::new("true");
        command.env_clear().env("PATH", PATH).current_dir("/").stdin(Stdio::null());
        command.output().await?;
        Ok(began.elapsed())
    }

    async fn pooled_start(pool: &RunnerPool, spec: &RunnerSpec) -> io::Result<Duration> {
        let began = Instant::now();
        let program = ProgramStart {
            program: "true".into(),
            arguments: Vec::new(),
            environment: vec![("PATH".into(), PATH.into())],
            folder: File::open("/")?.into(),
            input: CommandInput::Nothing,
        };
        let (mut tree, mut pipes) = pool.start(spec, program).await.map_err(io::Error::other)?;
        let (mut output, mut errors) = (Vec::new(), Vec::new());
        let both = (pipes.stdout.read_to_end(&mut output), pipes.stderr.read_to_end(&mut errors));
        tokio::try_join!(both.0, both.1)?;
        tree.ended().await;
        Ok(began.elapsed())
    }

    fn median(mut times: Vec<Duration>) -> Duration {
        times.drain(..WARM_UP.min(times.len()));
        times.sort_unstable();
        times.get(times.len() / 2).copied().unwrap_or_default()
    }
}
