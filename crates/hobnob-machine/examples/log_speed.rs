//! How long pages of a log with a million entries take, and how much memory:
//! `cargo run --release -p hobnob-machine --example log_speed`.
//!
//! The first query knows nothing of the file; the others know its index. The file is in the page cache.

#[cfg(target_os = "linux")]
mod measure {
    use std::fmt::Write as _;
    use std::fs;
    use std::io::Write as _;
    use std::path::Path;
    use std::time::Instant;

    use hobnob_machine::files::{HiddenFolders, RootIdentity};
    use hobnob_machine::logs::{LogControl, LogOutcome, LogPage, LogReader, NoMask};
    use hobnob_policy::{
        CallerPlace, FolderSource, GrantSet, GrantSources, GrantSubject, HardLinks, LogFilter,
        LogGrantSource, LogLevel, LogOperation, LogSource, LogStart, LogWish,
    };

    type Problem = Box<dyn std::error::Error>;
    const ENTRIES: u64 = 1_000_000;
    pub(crate) fn run() -> Result<(), Problem> {
        let mut out = std::io::stdout();
        let folder = std::env::temp_dir().join(format!("log-speed-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        let folder = folder.canonicalize()?;
        write(&folder.join("app.log"))?;
        let grants = grants(&folder)?;
        let reader = LogReader::new(HiddenFolders::new([]), None);
        let before = resident();
        let warning = LogFilter { min_level: Some(LogLevel::Error), ..LogFilter::default() };
        let rare = LogFilter { contains: Some("entry 4711 ".into()), ..LogFilter::default() };
        for (what, filter, offset) in [
            ("first page, nothing known", LogFilter::default(), 0),
            ("first page", LogFilter::default(), 0),
            ("page behind 500,000", LogFilter::default(), 500_000),
            ("page behind 999,000", LogFilter::default(), 999_000),
            ("first page of errors", warning, 0),
            ("one entry far back", rare, 0),
        ] {
            let began = Instant::now();
            let page = query(&grants, &reader, filter, offset)?;
            let time = began.elapsed().as_secs_f64() * 1e3;
            writeln!(
                out,
                "{what}: {time:.1} ms, {} entries of {:?}",
                page.entries.len(),
                page.total
            )?;
        }
        writeln!(out, "resident: {} KiB before, {} KiB after", before, resident())?;
        fs::remove_dir_all(&folder)?;
        Ok(())
    }

    fn write(path: &Path) -> Result<(), Problem> {
        let mut text = String::new();
        for number in 0..ENTRIES {
            let level = ["INFO", "INFO", "INFO", "WARN", "ERROR"][(number % 5) as usize];
            let (minute, second) = (number / 60 % 60, number % 60);
            writeln!(
                text,
                "2024-02-10T10:{minute:02}:{second:02}.000Z {level} [part{}] entry {number} of a \
                 log that is as long as lines of logs usually are",
                number % 7
            )?;
        }
        Ok(fs::write(path, text)?)
    }

    fn grants(folder: &Path) -> Result<GrantSet, Problem> {
        let folder = FolderSource {
            path: folder.to_owned(),
            access: "read".into(),
            identity: RootIdentity::of_path(folder)?.to_string(),
            hard_links: HardLinks::Refused,
        };
        let row = LogGrantSource { log: LogSource::Folder(folder), principal: None };
        Ok(GrantSet::parse(&GrantSources {
            services: vec![("logs".into(), "read-only".into())],
            logs: vec![row],
            ..GrantSources::default()
        })?)
    }

    fn query(
        grants: &GrantSet,
        reader: &LogReader,
        filter: LogFilter,
        offset: u64,
    ) -> Result<LogPage, Problem> {
        let who = GrantSubject { principal: None, place: CallerPlace::Local };
        let start = LogStart::Offset(offset);
        let operation = LogOperation::Query { filter, limit: 100, start };
        let wish = LogWish { log: "app.log".into(), operation };
        let permit = grants.permit_log(who, wish).map_err(|denied| denied.to_string())?;
        match reader.perform(&permit, &NoMask, &LogControl::default(), &mut |_| {})? {
            LogOutcome::Page(page) => Ok(page),
            LogOutcome::Followed(_) => Err("a page was asked for".into()),
        }
    }

    /// Memory of this process, in KiB.
    fn resident() -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        number.unwrap_or(0)
    }
}

#[cfg(target_os = "linux")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    measure::run()
}

#[cfg(not(target_os = "linux"))]
fn main() {}
