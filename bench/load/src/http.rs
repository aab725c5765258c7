//! Load over Streamable HTTP: several sessions on a connection each, with one call at a time.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::answer;
use crate::calls::Calls;
use crate::connection::{Connection, Head, Kind, event_data};
use crate::disk;
use crate::options::{Era, Limit, Options};
use crate::report::{Report, Tally, micros, quantile};
use crate::request::{HELLO_ID, INITIALIZED};
use crate::server::{START_LIMIT, Server};

/// How long to wait for one answer.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The interval at which to check whether a starting server listens.
const RETRY_INTERVAL: Duration = Duration::from_millis(1);

pub(crate) async fn measure(options: &Options) -> anyhow::Result<Report> {
    let calls = Calls::new(options, options.era)?;
    let (server, first) = start(&options.command, options.era).await?;
    let mut sessions = vec![first];
    while sessions.len() < options.parallel {
        sessions.push(open(sessions[0].address, options.era).await?);
    }
    let mut callers: Vec<Caller> =
        sessions.into_iter().map(|it| Caller::new(it, &options.tool, calls.clone())).collect();
    (callers, _) = run(callers, options.warmup()?).await.context("warm-up")?;
    let sync = || options.disk.as_deref().map_or(Ok(Vec::new()), disk::syncs);
    // Before and after the run, since other programs may use the disk meanwhile.
    let mut syncs = sync()?;
    let before = server.usage()?;
    let (_still_open, tally) = run(callers, options.limit()?).await?;
    let after = server.usage()?;
    syncs.extend(sync()?);
    server.end().await;
    let mut report = tally.report(before, after);
    if !syncs.is_empty() {
        syncs.sort_unstable();
        report.insert("fsync_us", micros(quantile(&syncs, 50)));
    }
    Ok(report)
}

/// Starts the server on a free port, and opens a session as soon as it listens.
pub(crate) async fn start(command: &[String], era: Era) -> anyhow::Result<(Server, Session)> {
    let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
    let mut server = Server::on_port(command, address.port())?;
    let connection = loop {
        match Connection::open(address).await {
            Ok(connection) => break connection,
            Err(_) if server.started().elapsed() < START_LIMIT => server.check_alive()?,
            Err(error) => return Err(error).context("the server does not listen"),
        }
        tokio::time::sleep(RETRY_INTERVAL).await;
    };
    let session = timeout(START_LIMIT, Session::open(connection, address, era)).await;
    Ok((server, session.with_context(|| format!("no answer to {}", era.hello_method()))??))
}

/// Opens another session with the server.
pub(crate) async fn open(address: SocketAddr, era: Era) -> anyhow::Result<Session> {
    let connection = Connection::open(address).await?;
    timeout(TIMEOUT, Session::open(connection, address, era)).await.context("no session in time")?
}

/// A client of the server: a legacy session, or just a connection in the stateless era.
pub(crate) struct Session {
    pub(crate) address: SocketAddr,
    connection: Connection,
    era: Era,
    /// The headers of every request after the handshake.
    headers: String,
    request: Vec<u8>,
    body: Vec<u8>,
}

impl Session {
    async fn open(connection: Connection, address: SocketAddr, era: Era) -> anyhow::Result<Self> {
        let version = format!("MCP-Protocol-Version: {}\r\n", era.revision());
        let (request, body) = (Vec::new(), Vec::new());
        let mut session = Self { address, connection, era, headers: version, request, body };
        let hello_headers = match era {
            // The version is settled only by the answer.
            Era::Legacy => String::new(),
            Era::Stateless => format!("{}Mcp-Method: server/discover\r\n", session.headers),
        };
        let head = session.post(&hello_headers, |body| body.extend(era.hello().bytes())).await?;
        let hello = session.answers(&head)?.find_map(|message| answer::read(message).transpose());
        let (id, result) = hello.context("no answer in the response")??;
        ensure!(id == HELLO_ID, "an answer to nothing we asked");
        if era == Era::Legacy {
            ensure!(result.get().contains(era.revision()), "another revision: {}", result.get());
            if let Some(id) = head.session {
                session.headers.push_str(&format!("Mcp-Session-Id: {id}\r\n"));
            }
            let headers = session.headers.clone();
            let head = session.post(&headers, |body| body.extend(INITIALIZED.bytes())).await?;
            ensure!(head.status == 202, "HTTP status {} to the notification", head.status);
        }
        Ok(session)
    }

    /// Opens the GET stream for the server's own messages; it takes over the connection.
    pub(crate) async fn listen(mut self) -> anyhow::Result<Connection> {
        let request = format!(
            "GET /mcp HTTP/1.1\r\nHost: {}\r\nAccept: text/event-stream\r\n{}\r\n",
            self.address, self.headers
        );
        self.connection.send(request.as_bytes()).await?;
        let head =
            timeout(TIMEOUT, self.connection.read_head()).await.context("no stream in time")??;
        ensure!(head.status == 200, "HTTP status {} to GET", head.status);
        ensure!(head.kind == Kind::EventStream, "GET did not open an event stream");
        Ok(self.connection)
    }

    /// Sends one request and returns all messages of the response, one of them the answer.
    pub(crate) async fn ask(&mut self, request: &str) -> anyhow::Result<Vec<Vec<u8>>> {
        let headers = self.headers.clone();
        let posted = self.post(&headers, |body| body.extend(request.bytes()));
        let head = timeout(TIMEOUT, posted).await.context("no answer in time")??;
        Ok(self.answers(&head)?.map(<[u8]>::to_vec).collect())
    }

    /// Sends one message and reads the whole response.
    async fn post(
        &mut self,
        headers: &str,
        write_body: impl FnOnce(&mut Vec<u8>),
    ) -> anyhow::Result<Head> {
        self.body.clear();
        write_body(&mut self.body);
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n{headers}Content-Length: {}\r\n\r\n",
            self.address,
            self.body.len()
        );
        self.request.clear();
        self.request.extend_from_slice(head.as_bytes());
        self.request.extend_from_slice(&self.body);
        self.connection.send(&self.request).await?;
        let head = self.connection.read_head().await?;
        self.connection.read_body(&head, &mut self.body).await?;
        Ok(head)
    }

    /// The messages of a response: the body itself, or the data of its events.
    fn answers(&self, head: &Head) -> anyhow::Result<impl Iterator<Item = &[u8]>> {
        if head.status != 200 {
            bail!("HTTP status {}: {}", head.status, String::from_utf8_lossy(&self.body));
        }
        let (body, events) = match head.kind {
            Kind::Other => (Some(&self.body[..]), &[][..]),
            Kind::EventStream => (None, &self.body[..]),
        };
        Ok(body.into_iter().chain(event_data(events)))
    }
}

/// A session that makes one call after the other.
struct Caller {
    session: Session,
    calls: Calls,
    headers: String,
    next_id: usize,
}

impl Caller {
    fn new(session: Session, tool: &str, calls: Calls) -> Self {
        let mut headers = session.headers.clone();
        if session.era == Era::Stateless {
            headers.push_str(&format!("Mcp-Method: tools/call\r\nMcp-Name: {tool}\r\n"));
        }
        Self { next_id: HELLO_ID + 1, session, calls, headers }
    }

    async fn call(&mut self) -> anyhow::Result<()> {
        let (call, id) = (self.calls.next()?, self.next_id);
        self.next_id += 1;
        let posted = self.session.post(&self.headers, |body| call.append_to(body, id));
        let head = timeout(TIMEOUT, posted).await.context("no answer in time")??;
        for message in self.session.answers(&head)? {
            if let Some(answered) = self.calls.answered(message)? {
                ensure!(answered == id, "an answer to nothing we asked");
                return Ok(());
            }
        }
        bail!("no answer in the response")
    }

    async fn repeat(mut self, limit: Limit) -> anyhow::Result<(Self, Vec<Duration>)> {
        let mut latencies = Vec::new();
        let begin = Instant::now();
        let mut now = begin;
        while limit.allows(latencies.len(), now - begin) {
            self.call().await?;
            let answered = Instant::now();
            latencies.push(answered - now);
            now = answered;
        }
        Ok((self, latencies))
    }
}

/// Lets all callers run concurrently; the first failure ends them all.
async fn run(callers: Vec<Caller>, limit: Limit) -> anyhow::Result<(Vec<Caller>, Tally)> {
    let begin = Instant::now();
    let mut calling: JoinSet<_> = callers.into_iter().map(|caller| caller.repeat(limit)).collect();
    let (mut callers, mut latencies) = (Vec::new(), Vec::new());
    while let Some(ended) = calling.join_next().await {
        let (caller, mut its) = ended??;
        callers.push(caller);
        latencies.append(&mut its);
    }
    Ok((callers, Tally { latencies, elapsed: begin.elapsed() }))
}
