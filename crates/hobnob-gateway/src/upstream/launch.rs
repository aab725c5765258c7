//! Turns a specification into a server that has been greeted.
//!
//! `life` launches each connection through it. It starts the program or connects to the URL, greets
//! the server, and leaves nothing running if that fails.

use crate::identity::HubIdentity;
use crate::upstream::connection_state::ConnectionState;
use crate::upstream::headers_helper;
use crate::upstream::host::{ConnectionCallers, PassThrough};
use crate::upstream::printed_headers::PrintedHeaders;
use crate::upstream::sandbox_builder::SandboxBuilder;
use crate::upstream::server_log::ServerLog;
use crate::upstream::spare_time::{max_real_time, spare_time};
use crate::upstream::supervision::SupervisionPolicy;
use hobnob_config::{
    ConfinementLevel, EffectiveServer, HttpKind, PROJECT_VARIABLE, Secret, ServerSpec, Settings,
    Target, glob_matches,
};
use hobnob_mcp_auth::{FileGrantStore, OAuthAuthorizer};
use hobnob_mcp_client::{
    ClientOptions, ConnectError, Connection, ConnectionTrace, EraHint, ExtraMeta, GreetError,
    Remote, RequestAuthorizer, Timeouts, connect_http, connect_lines, connect_sse, http_target,
};
use hobnob_mcp_engine::{MessageTap, WireTrace};
use hobnob_mcp_process::child::{
    Child, ChildSpec, Exit, StderrLog, StopGrace, Supervision, environment,
};
use hobnob_policy::audit::without_secrets;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::task::TaskTracker;

/// How long a program that failed to greet may take to write its reason to standard error.
const STDERR_GRACE: Duration = Duration::from_millis(300);

/// How many lines of standard error an error message quotes.
const MAX_STDERR_LINES: usize = 5;

/// The parts of this process that every launch needs.
#[derive(Debug, Clone)]
pub struct Launcher {
    /// Name and version that Hobnob sends in a greeting.
    pub implementation: hobnob_mcp_types::hello::Implementation,
    /// The time limit for connecting.
    pub connect: Duration,
    /// The time limit for the whole greeting, including the start of the program.
    pub handshake: Duration,
    /// The time limit for the greeting of a program that may have to be downloaded first.
    pub install: Duration,
    /// Names (globs) of variables that servers get besides the usual ones.
    pub pass: Vec<String>,
    /// How the processes of servers are supervised.
    pub supervision: SupervisionPolicy,
    /// Confines the servers that have a sandbox.
    pub sandboxes: SandboxBuilder,
    /// If set, programs are traced without a sandbox; this file gets what they use.
    pub trace_report: Option<PathBuf>,
    /// The working directory of programs whose entry names none.
    pub folder: PathBuf,
    /// The identity of this hub.
    pub identity: Arc<HubIdentity>,
    /// The store of logins to servers.
    pub logins: Arc<FileGrantStore>,
    /// Where the messages of all connections can be observed.
    pub tap: MessageTap,
}

/// How to greet a server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Greeting {
    /// The protocol era that is tried first.
    pub(crate) era: EraHint,
    /// The time limit from the start of the program on. For a program, time in which the machine is
    /// busy does not count fully.
    pub(crate) time: Duration,
}

/// The caller of a launch: its tasks, its log for the program's output, its login.
pub(crate) struct LaunchOwner<'a> {
    pub(crate) tasks: &'a TaskTracker,
    pub(crate) log: &'a ServerLog,
    pub(crate) callers: ConnectionCallers,
    /// Logs in to a server at a URL.
    pub(crate) authorizer: Option<Arc<OAuthAuthorizer>>,
}

/// A server that was started and greeted.
pub(crate) struct Launched {
    pub(crate) remote: Arc<Remote>,
    pub(crate) child: Option<Child>,
    pub(crate) state: Arc<ConnectionState>,
}

impl Launcher {
    /// Takes over changed settings, for servers that are started from now on.
    pub(crate) fn adopt(&mut self, settings: &Settings) {
        self.connect = settings.timeouts.connect;
        self.handshake = settings.timeouts.handshake;
        self.install = settings.timeouts.install;
        self.pass.clone_from(&settings.environment.pass);
        self.supervision.adopt(settings.confinement.level);
    }

    /// Starts the program or connects to the URL, and greets the server.
    pub(crate) async fn launch(
        &self,
        spec: &ServerSpec,
        effective: &EffectiveServer,
        greeting: Greeting,
        owner: &LaunchOwner<'_>,
        new_state: impl Fn() -> ConnectionState,
    ) -> Result<Launched, String> {
        match self.launch_once(spec, effective, greeting, owner, new_state()).await {
            Err((_, Some(other))) if other != greeting.era => {
                let greeting = Greeting { era: other, ..greeting };
                let again = self.launch_once(spec, effective, greeting, owner, new_state());
                again.await.map_err(|(why, _)| why)
            }
            done => done.map_err(|(why, _)| why),
        }
    }

    async fn launch_once(
        &self,
        spec: &ServerSpec,
        effective: &EffectiveServer,
        greeting: Greeting,
        owner: &LaunchOwner<'_>,
        state: ConnectionState,
    ) -> Result<Launched, (String, Option<EraHint>)> {
        let (state, era) = (Arc::new(state), greeting.era);
        let mut connection = Connection {
            host: Arc::new(PassThrough { roots: spec.roots.clone(), callers: owner.callers }),
            events: Arc::clone(&state) as _,
            options: self.options(state.name(), effective, greeting),
            tasks: owner.tasks.clone(),
        };
        match &spec.target {
            Target::Command { program, args, env, cwd } => {
                let supervision = self.supervision.for_server(effective.confinement).await;
                let child = self.child_spec(program, args, env, cwd.as_ref(), supervision);
                let cwd = cwd.as_ref().map(|cwd| Path::new(cwd.expose()));
                let child = self.confine(child, effective, cwd).await.map_err(|why| (why, None))?;
                let (child, pipes) =
                    Child::spawn(&child).map_err(|error| (error.to_string(), None))?;
                let stderr = child.stderr();
                owner.tasks.spawn(owner.log.clone().follow(child.stderr(), spec.clone()));
                // Time on a busy machine does not count: `spare_time` sets the limit.
                connection.options.timeouts.handshake = max_real_time(greeting.time);
                let greeted = tokio::select! {
                    greeted = connect_lines(connection, pipes.stdout, pipes.stdin) => greeted,
                    () = spare_time(greeting.time) => Err(GreetError::Late(greeting.time).into()),
                };
                match greeted {
                    Ok(remote) => {
                        self.check_peer(Launched { remote, child: Some(child), state }).await
                    }
                    Err(error) => Err(failed(child, &stderr, &error, era).await),
                }
            }
            Target::Url { url, kind, headers } => {
                // A `headersHelper` replaces the login and overrides the configured headers.
                let authorizer: Option<Arc<dyn RequestAuthorizer>> = match &spec.headers_helper {
                    Some(helper) => {
                        let ran = self.run_helper(helper, state.name(), url).await;
                        Some(Arc::new(ran.map_err(|why| (why, None))?))
                    }
                    None => owner.authorizer.clone().map(|authorizer| authorizer as _),
                };
                let headers = headers.iter().map(|(name, value)| (name.as_str(), value.expose()));
                let target = http_target(url.expose(), headers)
                    .map_err(|error| (error.to_string(), None))?
                    .shown_as(&without_secrets(url.written()));
                let target = match authorizer {
                    Some(authorizer) => target.authorized_by(authorizer),
                    None => target,
                };
                let connected = match kind {
                    HttpKind::Sse => connect_sse(connection, target).await,
                    HttpKind::Auto | HttpKind::Streamable => connect_http(connection, target).await,
                };
                let remote =
                    connected.map_err(|error| (error.to_string(), other_era(&error, era)))?;
                self.check_peer(Launched { remote, child: None, state }).await
            }
        }
    }

    /// Puts the program in its sandbox, if it has one, or traces it without one.
    async fn confine(
        &self,
        mut child: ChildSpec,
        effective: &EffectiveServer,
        cwd: Option<&Path>,
    ) -> Result<ChildSpec, String> {
        if let Some(report) = &self.trace_report {
            let traced = child.traced(self.supervision.supervisor(), report);
            return traced.map_err(|error| error.to_string());
        }
        if let Some(sandbox) = &effective.sandbox {
            self.sandboxes.confine(&mut child, sandbox, cwd, &self.supervision).await?;
        }
        Ok(child)
    }

    /// Rejects a server that turns out to be this hub or a hub in front of it.
    async fn check_peer(&self, launched: Launched) -> Result<Launched, (String, Option<EraHint>)> {
        let meta = launched.remote.hello().meta.as_deref();
        let Some(why) = meta.and_then(|meta| self.identity.recognise(meta)) else {
            return Ok(launched);
        };
        launched.remote.close();
        if let Some(child) = launched.child {
            child.stop(StopGrace::default()).await;
        }
        Err((why, None))
    }

    fn options(
        &self,
        name: &str,
        effective: &EffectiveServer,
        greeting: Greeting,
    ) -> ClientOptions {
        let implementation = self.implementation.clone();
        let mut options = ClientOptions::new("", "");
        options.implementation = implementation;
        options.era = greeting.era;
        let identity = Arc::clone(&self.identity);
        options.meta = Some(ExtraMeta::new(move || identity.request_meta()));
        let switch = if effective.trace { WireTrace::Always } else { WireTrace::ByLevel };
        options.trace = ConnectionTrace { peer: name.into(), switch, tap: self.tap.clone() };
        options.timeouts = Timeouts {
            connect: self.connect,
            handshake: greeting.time,
            call: effective.call,
            call_max: effective.call_max.max(effective.call),
            ..Timeouts::default()
        };
        options
    }

    /// Runs a `headersHelper` in the environment of servers, with Claude Code's variables.
    async fn run_helper(
        &self,
        helper: &Secret,
        server: &str,
        url: &Secret,
    ) -> Result<PrintedHeaders, String> {
        let mut words = headers_helper::words(helper.expose())?.into_iter().map(OsString::from);
        let passes = |name: &str| self.pass.iter().any(|glob| glob_matches(glob, name));
        let own = [
            ("CLAUDE_CODE_MCP_SERVER_NAME".into(), server.into()),
            ("CLAUDE_CODE_MCP_SERVER_URL".into(), url.expose().into()),
            self.identity.variable(),
        ];
        let spec = ChildSpec {
            program: words.next().unwrap_or_default(),
            args: words.collect(),
            env: environment(passes, own),
            cwd: Some(self.folder.clone()),
            supervision: self.supervision.for_server(ConfinementLevel::Auto).await,
        };
        PrintedHeaders::run(spec).await
    }

    fn child_spec(
        &self,
        program: &Secret,
        args: &[Secret],
        env: &[(String, Secret)],
        cwd: Option<&Secret>,
        supervision: Supervision,
    ) -> ChildSpec {
        let passes = |name: &str| self.pass.iter().any(|glob| glob_matches(glob, name));
        // As in Claude Code; an entry may set another value.
        let project = (OsString::from(PROJECT_VARIABLE), self.folder.clone().into_os_string());
        let own = env.iter().map(|(name, value)| (name.into(), value.expose().into()));
        let own = std::iter::once(project).chain(own);
        // The last value wins, so no entry can hide which hubs started the program.
        let own = own.chain([self.identity.variable()]);
        ChildSpec {
            program: program.expose().into(),
            args: args.iter().map(|arg| OsString::from(arg.expose())).collect(),
            env: environment(passes, own),
            cwd: Some(cwd.map_or_else(|| self.folder.clone(), |cwd| cwd.expose().into())),
            supervision,
        }
    }
}

/// The other era to greet with after this error, if that may help: the remembered era may be out of
/// date, and a server that dies of the modern request may survive the legacy handshake.
fn other_era(error: &ConnectError, tried: EraHint) -> Option<EraHint> {
    match (error, tried) {
        (ConnectError::Greet(GreetError::EndedEarly(_)), _) => Some(EraHint::Legacy),
        // A refused login would be refused in the other era, too.
        (ConnectError::Greet(GreetError::Unauthorized | GreetError::AuthorizationFailed(_)), _) => {
            None
        }
        (ConnectError::Greet(_), EraHint::Legacy) => Some(EraHint::Unknown),
        _ => None,
    }
}

/// Stops a program that could not be greeted; returns why, with the end of its standard error.
async fn failed(
    mut child: Child,
    stderr: &StderrLog,
    error: &ConnectError,
    tried: EraHint,
) -> (String, Option<EraHint>) {
    let exit = tokio::time::timeout(STDERR_GRACE, child.exited()).await;
    let other = other_era(error, tried).filter(|_| !cannot_start(&exit));
    // A program that ends because its pipes were closed did not fail by ending.
    let by_itself = matches!(
        error,
        ConnectError::Greet(GreetError::EndedEarly(_) | GreetError::Unreachable(_))
    );
    let why = match exit {
        Ok(exit) if by_itself => format!("the program {exit}"),
        _ => error.to_string(),
    };
    let grace = StopGrace { eof: Duration::from_millis(200), term: Duration::from_millis(500) };
    child.stop(grace).await;
    let tail = stderr.tail(MAX_STDERR_LINES);
    let why = if tail.is_empty() { why } else { format!("{why}; it said: {tail}") };
    (why, other)
}

/// The supervisor's exit codes for a program that is missing or not executable.
fn cannot_start(exit: &Result<Exit, tokio::time::error::Elapsed>) -> bool {
    matches!(exit, Ok(Exit::Code(126 | 127)))
}
