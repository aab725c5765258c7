//! From a specification to a greeted server.
//!
//! `life` launches through it, once for each connection. It starts the program or reaches the URL,
//! greets, and leaves nothing running when it fails.

use crate::identity::HubIdentity;
use crate::upstream::connection_state::ConnectionState;
use crate::upstream::headers_helper;
use crate::upstream::host::{ConnectionCallers, PassThrough};
use crate::upstream::printed_headers::PrintedHeaders;
use crate::upstream::sandbox_builder::SandboxBuilder;
use crate::upstream::server_log::ServerLog;
use crate::upstream::spare_time::{longest, spare_time};
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
use hobnob_mcp_engine::WireTrace;
use hobnob_mcp_process::child::{
    Child, ChildSpec, Exit, StderrLog, StopGrace, Supervision, environment,
};
use hobnob_policy::audit::without_secrets;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::task::TaskTracker;

/// How long a program that failed to greet gets to say why on standard error.
const STDERR_GRACE: Duration = Duration::from_millis(300);

/// Lines of standard error that an error message quotes.
const MAX_STDERR_LINES: usize = 5;

/// What every launch needs of this process.
#[derive(Debug, Clone)]
pub struct Launcher {
    /// Who we say we are.
    pub implementation: hobnob_mcp_types::hello::Implementation,
    /// How long it may take until a connection stands.
    pub connect: Duration,
    /// How long the whole greeting may take, the start of the program included.
    pub handshake: Duration,
    /// The same for a program that may have to be downloaded first.
    pub install: Duration,
    /// Names (globs) of variables that servers get besides the usual ones.
    pub pass: Vec<String>,
    /// How their processes are supervised.
    pub supervision: SupervisionPolicy,
    /// How those are confined that have a sandbox.
    pub sandboxes: SandboxBuilder,
    /// A file for what programs use: they are traced then, and have no sandbox.
    pub trace_report: Option<PathBuf>,
    /// Where programs run that say nothing else.
    pub folder: PathBuf,
    /// Which hub starts them.
    pub identity: Arc<HubIdentity>,
    /// Where the logins to servers are kept.
    pub logins: Arc<FileGrantStore>,
}

/// How a server is greeted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Greeting {
    /// Which way is tried first.
    pub(crate) era: EraHint,
    /// How long it may take, from the start of the program on; for a program, of a machine with
    /// processors to spare.
    pub(crate) time: Duration,
}

/// Who launches: where its tasks are joined, and where a program's words are written.
pub(crate) struct LaunchOwner<'a> {
    pub(crate) tasks: &'a TaskTracker,
    pub(crate) log: &'a ServerLog,
    pub(crate) callers: ConnectionCallers,
    /// Who logs in to a server at a URL.
    pub(crate) authorizer: Option<Arc<OAuthAuthorizer>>,
}

/// A server that was started and greeted.
pub(crate) struct Launched {
    pub(crate) remote: Arc<Remote>,
    pub(crate) child: Option<Child>,
    pub(crate) state: Arc<ConnectionState>,
}

impl Launcher {
    /// Takes over what other settings say; for servers that are started from now on.
    pub(crate) fn adopt(&mut self, settings: &Settings) {
        self.connect = settings.timeouts.connect;
        self.handshake = settings.timeouts.handshake;
        self.install = settings.timeouts.install;
        self.pass.clone_from(&settings.environment.pass);
        self.supervision.adopt(settings.confinement.level);
    }

    /// Starts or reaches it and greets it.
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
                let child = self.walled(child, effective, cwd).await.map_err(|why| (why, None))?;
                let (child, pipes) =
                    Child::spawn(&child).map_err(|error| (error.to_string(), None))?;
                let stderr = child.stderr();
                owner.tasks.spawn(owner.log.clone().follow(child.stderr(), spec.clone()));
                // What a busy machine makes slow is not late.
                connection.options.timeouts.handshake = longest(greeting.time);
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
                // What a command prints counts before what is written. Its servers have no login.
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

    /// The program in its sandbox, if it has one, or traced without one.
    async fn walled(
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

    /// Lets go of a server that turns out to be a hub in front of us.
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
        options.trace = ConnectionTrace { peer: name.into(), switch };
        options.timeouts = Timeouts {
            connect: self.connect,
            handshake: greeting.time,
            call: effective.call,
            call_max: effective.call_max.max(effective.call),
            ..Timeouts::default()
        };
        options
    }

    /// Runs the command that prints headers, with what servers get and the names of Claude Code.
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
        // As Claude Code does; an entry may say otherwise.
        let project = (OsString::from(PROJECT_VARIABLE), self.folder.clone().into_os_string());
        let own = env.iter().map(|(name, value)| (name.into(), value.expose().into()));
        let own = std::iter::once(project).chain(own);
        // The last wins, so that no entry can hide who started it.
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

/// The way to greet that may go better after this error, if any. What is remembered of a server
/// may be out of date, and one that dies of the modern question may survive the handshake.
fn other_era(error: &ConnectError, tried: EraHint) -> Option<EraHint> {
    match (error, tried) {
        (ConnectError::Greet(GreetError::EndedEarly(_)), _) => Some(EraHint::Legacy),
        // Whoever is not let in is not let in another way either.
        (ConnectError::Greet(GreetError::Unauthorized | GreetError::AuthorizationFailed(_)), _) => {
            None
        }
        (ConnectError::Greet(_), EraHint::Legacy) => Some(EraHint::Unknown),
        _ => None,
    }
}

/// Ends a program that could not be greeted, and returns why and what it wrote to standard error.
async fn failed(
    mut child: Child,
    stderr: &StderrLog,
    error: &ConnectError,
    tried: EraHint,
) -> (String, Option<EraHint>) {
    let exit = tokio::time::timeout(STDERR_GRACE, child.exited()).await;
    let other = other_era(error, tried).filter(|_| !cannot_start(&exit));
    // A program that ends because we have let go of it did not fail by ending.
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

/// A supervisor says with these codes that there is no such program, or that it is none.
fn cannot_start(exit: &Result<Exit, tokio::time::error::Elapsed>) -> bool {
    matches!(exit, Ok(Exit::Code(126 | 127)))
}
