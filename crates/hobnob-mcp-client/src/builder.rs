//! The settings of a client: its identity, its time limits, its credentials.
//!
//! Authors of clients start here, through `Client::builder`, or with the defaults through
//! `Client::connect` and `Client::spawn`.

use crate::client::Client;
use crate::connect::{ConnectError, Connection, connect_lines};
use crate::event_stream::EventSender;
use crate::form_host::FormHost;
use crate::host::{DeclineAll, Host};
use crate::options::{ClientOptions, EraHint, Timeouts};
use crate::owned_connection::OwnedConnection;
#[cfg(feature = "http")]
use hobnob_mcp_http::client::RequestAuthorizer;
use hobnob_mcp_transport::TryWrite;
use hobnob_mcp_types::elicitation::ElicitFormParams;
use hobnob_mcp_types::hello::Implementation;
use hobnob_mcp_types::logging::LoggingLevel;
use serde::Serialize;
use std::sync::Arc;
use tokio::io::AsyncRead;
use tokio_util::task::TaskTracker;

/// How many unread events a stream holds by default.
const EVENT_LIMIT: usize = 256;

/// Settings of a client that is not connected yet.
///
/// ```no_run
/// use hobnob_mcp_client::{Client, EraHint};
/// use std::time::Duration;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let client = Client::builder()
///     .name("my-agent", "1.0.0")
///     .bearer_token("a secret from your own settings")
///     .call_timeout(Duration::from_secs(10))
///     .connect("https://mcp.example.com/mcp")
///     .await?;
/// # Ok(()) }
/// ```
#[must_use = "a builder does nothing until it connects"]
pub struct ClientBuilder {
    options: ClientOptions,
    host: Arc<dyn Host>,
    log_level: Option<LoggingLevel>,
    event_limit: usize,
    #[cfg(feature = "http")]
    headers: Vec<(String, String)>,
    #[cfg(feature = "http")]
    authorizer: Option<Arc<dyn RequestAuthorizer>>,
    #[cfg(all(unix, feature = "stdio"))]
    program: ProgramSettings,
}

/// How the program of a server is started.
#[cfg(all(unix, feature = "stdio"))]
#[derive(Default)]
struct ProgramSettings {
    environment: Vec<(std::ffi::OsString, std::ffi::OsString)>,
    inherited: Vec<String>,
    folder: Option<std::path::PathBuf>,
}

/// Ways to connect a client to its server.
impl Client {
    /// Starts with the settings; [`ClientBuilder::connect`] or [`ClientBuilder::spawn`] comes next.
    pub fn builder() -> ClientBuilder {
        let options = ClientOptions::new("hobnob-mcp-client", env!("CARGO_PKG_VERSION"));
        ClientBuilder {
            options,
            host: Arc::new(DeclineAll),
            log_level: None,
            event_limit: EVENT_LIMIT,
            #[cfg(feature = "http")]
            headers: Vec::new(),
            #[cfg(feature = "http")]
            authorizer: None,
            #[cfg(all(unix, feature = "stdio"))]
            program: ProgramSettings::default(),
        }
    }

    /// Connects to the server at this URL: over Streamable HTTP, or else over HTTP+SSE.
    ///
    /// The client finds out which revision the server speaks, and declines all its questions.
    #[cfg(feature = "http")]
    pub async fn connect(url: &str) -> Result<Self, ConnectError> {
        Self::builder().connect(url).await
    }

    /// Starts a server and talks to it over its standard input and output. The first word is the
    /// program, looked up in `PATH`; there is no shell.
    ///
    /// The program gets the variables that every program needs, such as `PATH` and `HOME`, and no
    /// others: [`ClientBuilder::env`] and [`ClientBuilder::inherit_env`] pass more. It is killed
    /// when the last clone of the client is dropped.
    #[cfg(all(unix, feature = "stdio"))]
    pub async fn spawn<W>(command: impl IntoIterator<Item = W>) -> Result<Self, ConnectError>
    where
        W: Into<std::ffi::OsString>,
    {
        Self::builder().spawn(command).await
    }

    /// The last lines that the server's program wrote to its standard error; `None` if this client
    /// started no program.
    #[cfg(all(unix, feature = "stdio"))]
    pub fn stderr(&self, lines: usize) -> Option<String> {
        self.connection.as_ref().and_then(|connection| connection.stderr(lines))
    }
}

impl ClientBuilder {
    /// The name and version that the client reports to the server.
    pub fn name(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.options.implementation = Implementation::new(name, version);
        self
    }

    /// The host answers the server's questions: for roots, for a model's text, for a person's
    /// input. Without a host, every question is declined.
    pub fn host(mut self, host: impl Host) -> Self {
        self.host = Arc::new(host);
        self
    }

    /// Answers the forms of a server with a function, and declines its other questions. The
    /// function returns what a person filled in, or `None` if the person declines.
    ///
    /// ```no_run
    /// use hobnob_mcp_client::Client;
    /// use serde_json::json;
    ///
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = Client::builder()
    ///     .on_form(|form| async move {
    ///         println!("{}", form.message);
    ///         Some(json!({ "confirmed": true }))
    ///     })
    ///     .connect("http://127.0.0.1:4815/mcp")
    ///     .await?;
    /// # Ok(()) }
    /// ```
    pub fn on_form<F, Fut, T>(self, fill_in: F) -> Self
    where
        F: Fn(ElicitFormParams) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Option<T>> + Send + 'static,
        T: Serialize + 'static,
    {
        self.host(FormHost::new(fill_in))
    }

    /// Which revisions the server speaks, if you know that; by default the client finds out.
    pub fn era(mut self, era: EraHint) -> Self {
        self.options.era = era;
        self
    }

    /// How long a call may go without an answer or a sign of life; one minute by default.
    pub fn call_timeout(mut self, limit: std::time::Duration) -> Self {
        self.options.timeouts.call = limit;
        self
    }

    /// Sets all time limits at once.
    pub fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.options.timeouts = timeouts;
        self
    }

    /// Asks the server for log messages of this level and above; they come as events.
    pub fn log_level(mut self, level: LoggingLevel) -> Self {
        self.log_level = Some(level);
        self
    }

    /// How many unread events a stream holds; 256 by default.
    pub fn event_limit(mut self, limit: usize) -> Self {
        self.event_limit = limit;
        self
    }

    /// Sets all options of the connection, [`ClientBuilder::name`] and the time limits included.
    pub fn options(mut self, options: ClientOptions) -> Self {
        self.options = options;
        self
    }

    /// Sends a header with every HTTP request.
    #[cfg(feature = "http")]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sends a token with every HTTP request, as `Authorization: Bearer …`.
    #[cfg(feature = "http")]
    pub fn bearer_token(self, token: &str) -> Self {
        self.header("Authorization", format!("Bearer {token}"))
    }

    /// Logs in to the server and authorizes every HTTP request; `hobnob-mcp-auth` has an
    /// implementation for OAuth.
    #[cfg(feature = "http")]
    pub fn authorizer(mut self, authorizer: Arc<dyn RequestAuthorizer>) -> Self {
        self.authorizer = Some(authorizer);
        self
    }

    /// Sets a variable in the environment of the program that [`ClientBuilder::spawn`] starts.
    #[cfg(all(unix, feature = "stdio"))]
    pub fn env(
        mut self,
        name: impl Into<std::ffi::OsString>,
        value: impl Into<std::ffi::OsString>,
    ) -> Self {
        self.program.environment.push((name.into(), value.into()));
        self
    }

    /// Passes a variable of your own environment to the program, if you have it.
    #[cfg(all(unix, feature = "stdio"))]
    pub fn inherit_env(mut self, name: impl Into<String>) -> Self {
        self.program.inherited.push(name.into());
        self
    }

    /// The folder that the program runs in; your own by default.
    #[cfg(all(unix, feature = "stdio"))]
    pub fn current_dir(mut self, folder: impl Into<std::path::PathBuf>) -> Self {
        self.program.folder = Some(folder.into());
        self
    }

    /// Connects to the server at this URL.
    #[cfg(feature = "http")]
    pub async fn connect(self, url: &str) -> Result<Client, ConnectError> {
        let headers = self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let mut target = crate::connect_http::http_target(url, headers)?;
        if let Some(authorizer) = &self.authorizer {
            target = target.authorized_by(Arc::clone(authorizer));
        }
        let (events, tasks) = (EventSender::new(self.event_limit), TaskTracker::new());
        let connection = self.connection(&events, &tasks);
        let remote = crate::connect_http::connect_http(connection, target).await?;
        Ok(self.client(OwnedConnection::new(remote, tasks), events))
    }

    /// Starts a server and talks to it over its standard input and output.
    #[cfg(all(unix, feature = "stdio"))]
    pub async fn spawn<W>(
        self,
        command: impl IntoIterator<Item = W>,
    ) -> Result<Client, ConnectError>
    where
        W: Into<std::ffi::OsString>,
    {
        self.spawn_words(command.into_iter().map(Into::into).collect()).await
    }

    #[cfg(all(unix, feature = "stdio"))]
    async fn spawn_words(self, words: Vec<std::ffi::OsString>) -> Result<Client, ConnectError> {
        use hobnob_mcp_process::child::{ChildSpec, Supervision, environment};

        let mut words = words.into_iter();
        let ProgramSettings { environment: own, inherited, folder } = &self.program;
        let spec = ChildSpec {
            program: words.next().unwrap_or_default(),
            args: words.collect(),
            env: environment(|name| inherited.iter().any(|it| it == name), own.iter().cloned()),
            cwd: folder.clone(),
            supervision: Supervision::Group,
        };
        let (events, tasks) = (EventSender::new(self.event_limit), TaskTracker::new());
        let started = crate::start_program::start_program(&spec, |era| {
            let mut connection = self.connection(&events, &tasks);
            connection.options.era = era.unwrap_or(connection.options.era);
            connection
        });
        let (remote, child) = started.await?;
        let mut connection = OwnedConnection::new(remote, tasks);
        connection.hold_program(child);
        Ok(self.client(connection, events))
    }

    /// Talks to a server over the two halves of an open pipe or socket.
    pub async fn over<R, W>(self, read: R, write: W) -> Result<Client, ConnectError>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: TryWrite + Send + Sync + 'static,
    {
        self.over_with_tasks(read, write, TaskTracker::new()).await
    }

    /// Like [`ClientBuilder::over`], with tasks of yours that [`Client::close`] also waits for.
    /// They must end when the connection is closed.
    pub async fn over_with_tasks<R, W>(
        self,
        read: R,
        write: W,
        tasks: TaskTracker,
    ) -> Result<Client, ConnectError>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: TryWrite + Send + Sync + 'static,
    {
        let events = EventSender::new(self.event_limit);
        let remote = connect_lines(self.connection(&events, &tasks), read, write).await?;
        Ok(self.client(OwnedConnection::new(remote, tasks), events))
    }

    fn connection(&self, events: &EventSender, tasks: &TaskTracker) -> Connection {
        Connection {
            host: Arc::clone(&self.host),
            events: Arc::new(events.clone()),
            options: self.options.clone(),
            tasks: tasks.clone(),
        }
    }

    fn client(self, connection: OwnedConnection, events: EventSender) -> Client {
        Client::owning(connection, self.host, events, self.log_level)
    }
}

impl std::fmt::Debug for ClientBuilder {
    /// Headers and variables may be secrets, so they are left out.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClientBuilder").field("options", &self.options).finish_non_exhaustive()
    }
}
