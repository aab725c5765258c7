//! A hub of our own program that is asked one question after the other, on pipes; `speed` measures
//! each.
//!
//! Linux only: processor time and memory come from `/proc`.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::{Value, json};

use crate::mcp_pipe::McpPipe;

/// The time limit for one answer: the first question reads the model and all vectors.
const LIMIT: Duration = Duration::from_secs(120);

/// The hub, ended when this is dropped.
pub(super) struct AskedHub(McpPipe);

/// What a question cost.
pub(super) struct QuestionCost {
    /// From the request to the answer, as the client sees it.
    pub(super) wall: Duration,
    /// The processor time of all threads of the hub.
    pub(super) cpu: Duration,
}

impl AskedHub {
    /// Starts the program with this home.
    pub(super) fn start(program: &Path, home: &Path) -> anyhow::Result<Self> {
        let mut command = Command::new(program);
        command.arg("serve").current_dir(home).env("HOBNOB_HOME", home).env("HOME", home);
        let log = File::create(home.join("serve.log"))?;
        Ok(Self(McpPipe::start(&mut command, log, "eval", LIMIT)?))
    }

    /// Calls `memory_recall`; an answer without the part of the model is an error.
    pub(super) fn ask(&mut self, arguments: &Value) -> anyhow::Result<QuestionCost> {
        let call = json!({"name": "memory_recall", "arguments": arguments});
        let before = self.processor_time()?;
        let begun = Instant::now();
        let answer = self.0.ask("tools/call", &call, LIMIT)?;
        let wall = begun.elapsed();
        let cpu = self.processor_time()?.saturating_sub(before);
        let text = answer.to_string();
        anyhow::ensure!(answer["isError"] != true && !text.contains("text only"), "{text}");
        Ok(QuestionCost { wall, cpu })
    }

    /// The resident memory of the process.
    pub(super) fn resident_mib(&self) -> anyhow::Result<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.0.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok());
        Ok(kib.context("the memory of the process is not listed")? / 1_024.0)
    }

    /// The processor time of all threads, from `schedstat`: `stat` counts in hundredths of a second.
    fn processor_time(&self) -> anyhow::Result<Duration> {
        let mut nanoseconds = 0;
        for thread in fs::read_dir(format!("/proc/{}/task", self.0.child.id()))? {
            // A thread may end between being listed and being read.
            let Ok(text) = fs::read_to_string(thread?.path().join("schedstat")) else { continue };
            let ran = text.split_whitespace().next().and_then(|it| it.parse::<u64>().ok());
            nanoseconds += ran.context("schedstat is not understood")?;
        }
        Ok(Duration::from_nanos(nanoseconds))
    }
}
