//! Worker processes that use a store until they are killed, and what the file must contain then.

use hobnob_store::maintenance::StoreHealth;
use hobnob_store_sqlite::check;
use rusqlite::{Connection, OpenFlags};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

/// The limit for any step that should be quick.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The count for a normal run, or the full one for `SLOW_TESTS=1`.
pub(crate) fn times(usual: u64, full: u64) -> u64 {
    if std::env::var_os("SLOW_TESTS").is_some_and(|it| it == "1") { full } else { usual }
}

/// A random generator with a printed seed, so that a failure can be repeated.
pub(crate) fn dice() -> fastrand::Rng {
    let seed = fastrand::u64(..);
    eprintln!("seed {seed}");
    fastrand::Rng::with_seed(seed)
}

/// A write that the store acknowledged, so it must be on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AcknowledgedWrite {
    pub(crate) writer: u64,
    pub(crate) step: u64,
    pub(crate) micros: u64,
}

impl AcknowledgedWrite {
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let mut words = line.strip_prefix("ack ")?.split(' ').map(|word| word.parse().unwrap());
        let mut next = || words.next().unwrap();
        Some(Self { writer: next(), step: next(), micros: next() })
    }
}

/// A process that uses a store; dropping the value kills it.
pub(crate) struct Worker {
    child: Child,
    lines: Receiver<String>,
}

impl Worker {
    pub(crate) fn start<'a>(words: impl IntoIterator<Item = &'a str>) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_store-worker"));
        Self::spawn(command.args(words))
    }

    /// Starts endless writers that continue after the steps in `made`.
    pub(crate) fn write(file: &Path, writers: u64, made: &BTreeMap<u64, u64>) -> Self {
        let first = |writer| made.get(&writer).map_or(1, |last| last + 1);
        let writers: Vec<String> =
            (0..writers).map(|writer| format!("{writer}:{}", first(writer))).collect();
        let words = ["write", file.to_str().unwrap(), "1000000"];
        Self::start(words.into_iter().chain(writers.iter().map(String::as_str)))
    }

    pub(crate) fn spawn(command: &mut Command) -> Self {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a worker");
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = sync_channel(1 << 20);
        std::thread::spawn(move || {
            // A line cut off by the kill does not count.
            output.lines().map_while(Result::ok).all(|line| sender.send(line).is_ok())
        });
        Self { child, lines }
    }

    /// The next line before a deadline; `None` if it passes or the process has ended.
    pub(crate) fn line_before(&self, end: Instant) -> Option<String> {
        self.lines.recv_timeout(end.saturating_duration_since(Instant::now())).ok()
    }

    /// The next line, waiting up to the timeout.
    pub(crate) fn line(&self) -> String {
        self.line_before(Instant::now() + TIMEOUT).expect("another line")
    }

    /// Every write acknowledged until a deadline.
    pub(crate) fn acks_before(&self, end: Instant) -> Vec<AcknowledgedWrite> {
        let lines = std::iter::from_fn(|| self.line_before(end));
        lines.filter_map(|line| AcknowledgedWrite::parse(&line)).collect()
    }

    /// The next `count` acknowledged writes.
    pub(crate) fn acks(&self, count: u64) -> Vec<AcknowledgedWrite> {
        let lines = std::iter::repeat_with(|| self.line());
        let acks = lines.filter_map(|line| AcknowledgedWrite::parse(&line));
        acks.take(usize::try_from(count).unwrap()).collect()
    }

    /// Kills the process with `SIGKILL`; returns the acknowledgements not read yet.
    pub(crate) fn kill(mut self) -> Vec<AcknowledgedWrite> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.lines.iter().filter_map(|line| AcknowledgedWrite::parse(&line)).collect()
    }

    /// Closes its input and waits for it; returns its status and its output.
    pub(crate) fn end(mut self) -> (ExitStatus, Vec<String>) {
        drop(self.child.stdin.take());
        let lines = self.lines.iter().collect();
        (self.child.wait().unwrap(), lines)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Checks the whole file: no damage, no partial write, and no gap in any writer's steps. Returns
/// the last step of each writer.
pub(crate) fn steps_made(file: &Path) -> BTreeMap<u64, u64> {
    assert_eq!(check(file), StoreHealth::Sound);
    let connection = look(file);
    for (what, condition) in PARTS {
        let sql = format!("SELECT count(*) FROM {condition}");
        let count: i64 = connection.query_row(&sql, (), |row| row.get(0)).unwrap();
        assert_eq!(count, 0, "{what}");
    }
    steps_in(&connection)
}

/// The last step of each writer, in a file that other processes may be creating or writing.
pub(crate) fn steps_now(file: &Path) -> BTreeMap<u64, u64> {
    if !file.exists() {
        return BTreeMap::new();
    }
    let connection = look(file);
    match connection.table_exists(None, "tasks") {
        Ok(true) => steps_in(&connection),
        _ => BTreeMap::new(),
    }
}

/// A read-only connection that neither creates nor removes any file.
pub(crate) fn look(file: &Path) -> Connection {
    let name = file.to_str().unwrap();
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let log = fs::exists(format!("{name}-wal")).unwrap();
    let options = if log { "" } else { "?immutable=1" };
    Connection::open_with_flags(format!("file:{name}{options}"), flags).unwrap()
}

/// Asserts that every acknowledged write is there.
pub(crate) fn assert_kept(acks: &[AcknowledgedWrite], made: &BTreeMap<u64, u64>) {
    let lost: Vec<&AcknowledgedWrite> = acks
        .iter()
        .filter(|ack| made.get(&ack.writer).is_none_or(|last| *last < ack.step))
        .collect();
    assert!(lost.is_empty(), "of {} acknowledged writes, lost: {lost:?}", acks.len());
}

/// Traces that a partial write would leave.
const PARTS: [(&str, &str); 7] = [
    (
        "memories without all of their tags",
        "memories AS m WHERE (SELECT count(*) FROM memory_tags WHERE memory = m.number) <> 3",
    ),
    (
        "memories without all of their history",
        "memories AS m WHERE m.version <> \
         (SELECT count(*) FROM memory_history WHERE memory = m.number)",
    ),
    (
        "memories whose history says something else",
        "memories AS m WHERE (m.content, m.status) IS NOT \
         (SELECT h.content, h.status FROM memory_history AS h \
          WHERE h.memory = m.number AND h.version = m.version)",
    ),
    (
        "memories that nothing has superseded",
        "memories AS m WHERE (m.status = 'superseded') <> \
         EXISTS (SELECT 1 FROM memories AS n WHERE n.id = m.superseded_by)",
    ),
    (
        "memories that have superseded nothing",
        "memories AS m WHERE (m.content LIKE '% merged %') <> \
         EXISTS (SELECT 1 FROM memories AS o WHERE o.superseded_by = m.id)",
    ),
    (
        "tasks without all of their history",
        "tasks AS t WHERE (SELECT count(*) FROM task_history WHERE task = t.number) <> \
         1 + (t.result IS NOT NULL)",
    ),
    (
        "tasks without their blocker",
        "tasks AS t WHERE (SELECT count(*) FROM task_blockers WHERE task = t.number) <> \
         (t.description NOT LIKE '% after nothing')",
    ),
];

fn steps_in(connection: &Connection) -> BTreeMap<u64, u64> {
    let sql = "SELECT content FROM memory_history UNION ALL SELECT description FROM tasks \
               UNION ALL SELECT result FROM tasks WHERE result IS NOT NULL";
    let mut statement = connection.prepare(sql).unwrap();
    let mut steps: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
    let texts = statement.query_map((), |row| row.get::<_, String>(0)).unwrap();
    for text in texts.map(Result::unwrap) {
        let words: Vec<&str> = text.split(' ').collect();
        let [_, writer, _, step, ..] = words.as_slice() else { panic!("whose text is {text}") };
        steps.entry(writer.parse().unwrap()).or_default().insert(step.parse().unwrap());
    }
    let last = |(writer, steps): (u64, BTreeSet<u64>)| {
        let last = *steps.last().unwrap();
        assert_eq!(u64::try_from(steps.len()).unwrap(), last, "a gap before {last}");
        (writer, last)
    };
    steps.into_iter().map(last).collect()
}
