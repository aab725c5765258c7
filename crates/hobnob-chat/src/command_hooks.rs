//! The person's hooks: programs that read an event as JSON on standard input, and may block it or
//! add to it.
//!
//! What must stay true: a hook is bounded in time and output, none of its processes outlives it,
//! and a call whose hook cannot run is blocked, because the person relies on the hook.

use futures_util::future::BoxFuture;
use hobnob_agent::{AgentHooks, EffectiveCall, HookVerdict, ToolReport};
use hobnob_config::ChatHooks;
use hobnob_llm::ToolOutcome;
use hobnob_mcp_process::child::{
    Child, ChildPipes, ChildSpec, Exit, StopGrace, Supervision, environment,
};
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// How long a hook may take.
const HOOK_TIMEOUT: Duration = Duration::from_secs(60);
/// The most bytes that a hook may write.
const MAX_OUTPUT: u64 = 64 << 10;
/// The exit code that blocks; standard output says why.
const BLOCKING_EXIT: i32 = 2;

/// The hooks of one chat.
#[derive(Debug)]
pub(super) struct CommandHooks {
    pub(super) commands: ChatHooks,
    pub(super) project: PathBuf,
    /// The name of the current conversation; `set_session` changes it.
    pub(super) session: Mutex<String>,
}

/// What a hook may write to standard output.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct HookOutput {
    block: Option<String>,
    add: Option<String>,
}

impl CommandHooks {
    /// Notes the name of the conversation that the chat goes on with.
    pub(super) fn set_session(&self, name: String) {
        *self.session.lock() = name;
    }

    /// Runs the hook for the start of the chat. What it adds goes with the first question.
    pub(super) async fn session_start(&self) -> HookVerdict {
        self.run_hook("session_start", &self.commands.session_start, json!({})).await
    }

    /// Runs the hook for the end of the chat, which can block nothing any more.
    pub(super) async fn session_end(&self) {
        self.run_hook("session_end", &self.commands.session_end, json!({})).await;
    }

    /// Runs the hook for a question of the person.
    pub(super) async fn question(&self, text: &str) -> HookVerdict {
        self.run_hook("question", &self.commands.question, json!({"question": text})).await
    }

    /// Runs the hook of an event; a hook that fails blocks the event.
    async fn run_hook(&self, event: &str, command: &[String], mut body: Value) -> HookVerdict {
        let Some((program, words)) = command.split_first() else { return HookVerdict::default() };
        body["event"] = event.into();
        body["session"] = self.session.lock().as_str().into();
        body["project"] = self.project.display().to_string().into();
        let spec = ChildSpec {
            program: program.into(),
            args: words.iter().map(Into::into).collect(),
            env: environment(|_| true, []),
            cwd: Some(self.project.clone()),
            supervision: Supervision::Group,
        };
        run(&spec, &body.to_string()).await.unwrap_or_else(|why| HookVerdict {
            block: Some(format!("the hook `{event}` ({program}) failed: {why}")),
            add: None,
        })
    }
}

impl AgentHooks for CommandHooks {
    fn before_call<'a>(&'a self, call: &'a EffectiveCall) -> BoxFuture<'a, HookVerdict> {
        let body = call_body(call);
        Box::pin(self.run_hook("before_tool", &self.commands.before_tool, body))
    }

    fn after_call<'a>(
        &'a self,
        call: &'a EffectiveCall,
        report: &'a ToolReport,
    ) -> BoxFuture<'a, HookVerdict> {
        let mut body = call_body(call);
        body["output"] = report.text.as_str().into();
        body["is_error"] = (report.outcome == ToolOutcome::Failed).into();
        Box::pin(self.run_hook("after_tool", &self.commands.after_tool, body))
    }
}

/// The tool that runs, its input, and the tool that the model called it through.
fn call_body(call: &EffectiveCall) -> Value {
    let mut body = json!({"tool": call.tool(), "input": call.as_tool_use().input});
    if let Some(through) = call.through() {
        body["through"] = through.into();
    }
    body
}

/// Runs a program with `body` on standard input. Dropping the future ends the program.
async fn run(spec: &ChildSpec, body: &str) -> Result<HookVerdict, String> {
    let spawned = Child::spawn(spec);
    let (mut child, pipes) = spawned.map_err(|error| format!("it cannot start: {error}"))?;
    let ChildPipes { mut stdin, stdout } = pipes;
    let ran = async {
        let (mut written, mut reading) = (Vec::new(), stdout.take(MAX_OUTPUT + 1));
        let write = async move {
            // A hook need not read, so a failed write is no error; the drop ends its input.
            drop(stdin.write_all(body.as_bytes()).await);
            drop(stdin);
        };
        let ((), read) = tokio::join!(write, reading.read_to_end(&mut written));
        (read.map(|_| written), child.exited().await)
    };
    let ran = tokio::time::timeout(HOOK_TIMEOUT, ran).await;
    let grace = StopGrace { eof: Duration::from_millis(200), term: Duration::from_millis(500) };
    child.stop(grace).await;
    let (written, exit) =
        ran.map_err(|_| format!("it took more than {} s", HOOK_TIMEOUT.as_secs()))?;
    let written = written.map_err(|error| error.to_string())?;
    if MAX_OUTPUT < written.len() as u64 {
        return Err(format!("it wrote more than {MAX_OUTPUT} bytes"));
    }
    let text = String::from_utf8_lossy(&written);
    match exit {
        Exit::Code(0) if text.trim().is_empty() => Ok(HookVerdict::default()),
        Exit::Code(0) => match serde_json::from_str(&text) {
            Ok(HookOutput { block, add }) => Ok(HookVerdict { block, add }),
            Err(error) => Err(format!("it did not write a JSON object: {error}")),
        },
        Exit::Code(BLOCKING_EXIT) => {
            Ok(HookVerdict { block: Some(text.trim().to_owned()), add: None })
        }
        exit => Err(format!("it {exit}")),
    }
}
