//! From a specification to a greeted server.

use crate::identity::HubIdentity;
use crate::upstream::host::{Hearing, PassThrough};
use hobnob_config::{
    ConfinementLevel, EffectiveServer, HttpKind, Secret, ServerSpec, Settings, Target, glob_matches,
};
use hobnob_mcp_client::{
    ClientOptions, ConnectError, Connection, EraHint, ExtraMeta, GreetError, Remote, Timeouts,
    connect_http, connect_lines, connect_sse, http_target,
};
use hobnob_mcp_transport::child::{
    Child, ChildSpec, Exit, StderrLog, StopGrace, Supervision, environment,
};
use hobnob_mcp_transport::supervisor::{Level, detect};
use hobnob_policy::audit::without_secrets;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio_util::task::TaskTracker;

/// How long a program that failed to greet gets to say why on standard error.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// Lines of standard error that belong into a message.
const TAIL: usize = 5;

/// What every launch needs of this process.
#[derive(Debug, Clone)]
pub struct Launcher {
    /// Who we say we are.
    pub implementation: hobnob_mcp_types::hello::Implementation,
    /// How long a connection and a greeting may take.
    pub connect: Duration,
    /// The whole greeting.
    pub handshake: Duration,
    /// The same for a program that may have to be downloaded first.
    pub install: Duration,
    /// Names (globs) of variables that servers get besides the usual ones.
    pub pass: Vec<String>,
    /// What keeps their processes.
    pub supervision: SupervisionPolicy,
    /// Where programs run that say nothing else.
    pub folder: PathBuf,
    /// Which hub starts them.
    pub identity: Arc<HubIdentity>,
}

/// What keeps servers' processes, found out when the first one is started: a hub without any
/// need not.
#[derive(Debug, Clone)]
pub struct SupervisionPolicy {
    /// Our own program.
    supervisor: PathBuf,
    /// What the user wants.
    wanted: ConfinementLevel,
    found: Arc<OnceLock<Level>>,
}

impl SupervisionPolicy {
    /// Supervisors are this program.
    pub fn new(supervisor: PathBuf, wanted: ConfinementLevel) -> Self {
        Self { supervisor, wanted, found: Arc::default() }
    }

    async fn for_server(&self, own: ConfinementLevel) -> Supervision {
        let wanted = if own == ConfinementLevel::Auto { self.wanted } else { own };
        let level = match wanted {
            ConfinementLevel::Namespace => Level::Namespace,
            ConfinementLevel::Subreaper => Level::Subreaper,
            ConfinementLevel::Group => Level::Group,
            ConfinementLevel::Auto => self.detect().await,
        };
        Supervision::Supervisor { program: self.supervisor.clone(), level }
    }

    /// What this machine allows.
    pub async fn detect(&self) -> Level {
        if let Some(level) = self.found.get() {
            return *level;
        }
        let (supervisor, found) = (self.supervisor.clone(), Arc::clone(&self.found));
        let detecting =
            tokio::task::spawn_blocking(move || *found.get_or_init(|| detect(&supervisor)));
        detecting.await.unwrap_or(Level::Group)
    }
}

/// How a server is greeted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Greeting {
    /// Which way is tried first.
    pub(crate) era: EraHint,
    /// How long it may take, from the start of the program on.
    pub(crate) time: Duration,
}

/// A server that was started and greeted.
pub(crate) struct Launched {
    pub(crate) remote: Arc<Remote>,
    pub(crate) child: Option<Child>,
    pub(crate) hearing: Arc<Hearing>,
}

impl Launcher {
    /// Takes over what other settings say; for servers that are started from now on.
    pub(crate) fn adopt(&mut self, settings: &Settings) {
        self.connect = settings.timeouts.connect;
        self.handshake = settings.timeouts.handshake;
        self.install = settings.timeouts.install;
        self.pass.clone_from(&settings.environment.pass);
        self.supervision.wanted = settings.confinement.level;
    }

    /// Starts or reaches it and greets it.
    pub(crate) async fn launch(
        &self,
        spec: &ServerSpec,
        effective: &EffectiveServer,
        greeting: Greeting,
        tasks: &TaskTracker,
        hearing: impl Fn() -> Hearing,
    ) -> Result<Launched, String> {
        match self.launch_once(spec, effective, greeting, tasks, hearing()).await {
            Err((_, Some(other))) if other != greeting.era => {
                let greeting = Greeting { era: other, ..greeting };
                let again = self.launch_once(spec, effective, greeting, tasks, hearing());
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
        tasks: &TaskTracker,
        hearing: Hearing,
    ) -> Result<Launched, (String, Option<EraHint>)> {
        let (hearing, era) = (Arc::new(hearing), greeting.era);
        let connection = Connection {
            host: Arc::new(PassThrough { roots: spec.roots.clone() }),
            events: Arc::clone(&hearing) as _,
            options: self.options(effective, greeting),
            tasks: tasks.clone(),
        };
        match &spec.target {
            Target::Command { program, args, env, cwd } => {
                let supervision = self.supervision.for_server(effective.confinement).await;
                let child = self.child_spec(program, args, env, cwd.as_ref(), supervision);
                let (child, pipes) =
                    Child::spawn(&child).map_err(|error| (error.to_string(), None))?;
                let stderr = child.stderr();
                match connect_lines(connection, pipes.stdout, pipes.stdin).await {
                    Ok(remote) => {
                        self.check_peer(Launched { remote, child: Some(child), hearing }).await
                    }
                    Err(error) => Err(failed(child, &stderr, &error, era).await),
                }
            }
            Target::Url { url, kind, headers } => {
                let headers = headers.iter().map(|(name, value)| (name.as_str(), value.expose()));
                let target = http_target(url.expose(), headers)
                    .map_err(|error| (error.to_string(), None))?
                    .shown_as(&without_secrets(url.written()));
                let connected = match kind {
                    HttpKind::Sse => connect_sse(connection, target).await,
                    HttpKind::Auto | HttpKind::Streamable => connect_http(connection, target).await,
                };
                let remote =
                    connected.map_err(|error| (error.to_string(), other_era(&error, era)))?;
                self.check_peer(Launched { remote, child: None, hearing }).await
            }
        }
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

    fn options(&self, effective: &EffectiveServer, greeting: Greeting) -> ClientOptions {
        let implementation = self.implementation.clone();
        let mut options = ClientOptions::new("", "");
        options.implementation = implementation;
        options.era = greeting.era;
        let identity = Arc::clone(&self.identity);
        options.meta = Some(ExtraMeta::new(move || identity.request_meta()));
        options.timeouts = Timeouts {
            connect: self.connect,
            handshake: greeting.time,
            call: effective.call,
            call_max: effective.call_max.max(effective.call),
            ..Timeouts::default()
        };
        options
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
        let own = env.iter().map(|(name, value)| (name.into(), value.expose().into()));
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
        (ConnectError::Greet(_), EraHint::Legacy) => Some(EraHint::Unknown),
        _ => None,
    }
}

/// Ends a program that could not be greeted, and tells what it said.
async fn failed(
    mut child: Child,
    stderr: &StderrLog,
    error: &ConnectError,
    tried: EraHint,
) -> (String, Option<EraHint>) {
    let exit = tokio::time::timeout(LAST_WORDS, child.exited()).await;
    let other = other_era(error, tried).filter(|_| !cannot_start(&exit));
    // A program that ends because we have let go of it did not fail by ending.
    let by_itself = matches!(
        error,
        ConnectError::Greet(GreetError::EndedEarly(_) | GreetError::Unreachable(_))
    );
    let told = match exit {
        Ok(exit) if by_itself => format!("the program {exit}"),
        _ => error.to_string(),
    };
    let grace = StopGrace { eof: Duration::from_millis(200), term: Duration::from_millis(500) };
    child.stop(grace).await;
    let tail = stderr.tail(TAIL);
    let told = if tail.is_empty() { told } else { format!("{told}; it said: {tail}") };
    (told, other)
}

/// A supervisor says with these codes that there is no such program, or that it is none.
fn cannot_start(exit: &Result<Exit, tokio::time::error::Elapsed>) -> bool {
    matches!(exit, Ok(Exit::Code(126 | 127)))
}
