//! What the kernel says about this process: CPU time, memory, open files.
//!
//! `figures` reads it for each page. Linux tells it in small files; elsewhere there is none.

/// The use of this process.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ProcessFigures {
    pub(crate) cpu_seconds: f64,
    pub(crate) resident_bytes: u64,
    pub(crate) virtual_bytes: u64,
    pub(crate) open_files: u64,
    /// `None` if there is no limit.
    pub(crate) max_files: Option<u64>,
    /// Seconds since 1970; `None` if a clock cannot be read.
    pub(crate) start_seconds: Option<f64>,
}

#[cfg(not(target_os = "linux"))]
impl ProcessFigures {
    pub(crate) fn read() -> Option<Self> {
        None
    }
}

#[cfg(target_os = "linux")]
impl ProcessFigures {
    /// The use right now; `None` where `/proc` is not mounted.
    pub(crate) fn read() -> Option<Self> {
        let stat = Stat::parse(&std::fs::read_to_string("/proc/self/stat").ok()?)?;
        let ticks = crate::counter::as_float(rustix::param::clock_ticks_per_second());
        let page = u64::try_from(rustix::param::page_size()).ok()?;
        // One of them is the folder that is being read.
        let open_files = std::fs::read_dir("/proc/self/fd").ok()?.count().saturating_sub(1);
        Some(Self {
            cpu_seconds: crate::counter::as_float(stat.cpu_ticks) / ticks,
            resident_bytes: stat.resident_pages.saturating_mul(page),
            virtual_bytes: stat.virtual_bytes,
            open_files: u64::try_from(open_files).ok()?,
            max_files: rustix::process::getrlimit(rustix::process::Resource::Nofile).current,
            start_seconds: boot_seconds()
                .map(|boot| boot + crate::counter::as_float(stat.start_ticks) / ticks),
        })
    }
}

/// When the machine started, in seconds since 1970. It is the difference of two clocks, since the
/// file that names it has a line for each processor.
#[cfg(target_os = "linux")]
fn boot_seconds() -> Option<f64> {
    let uptime = std::fs::read_to_string("/proc/uptime").ok()?;
    let uptime: f64 = uptime.split_ascii_whitespace().next()?.parse().ok()?;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(now.as_secs_f64() - uptime)
}

/// The fields of `/proc/self/stat` that count here.
#[cfg(target_os = "linux")]
#[derive(Debug, PartialEq, Eq)]
struct Stat {
    cpu_ticks: u64,
    start_ticks: u64,
    virtual_bytes: u64,
    resident_pages: u64,
}

#[cfg(target_os = "linux")]
impl Stat {
    fn parse(line: &str) -> Option<Self> {
        // The name of the program comes second, in brackets, and may contain anything.
        let (_, rest) = line.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        // The first field of the rest is number 3 of proc(5).
        let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
        Some(Self {
            cpu_ticks: field(14)?.saturating_add(field(15)?),
            start_ticks: field(22)?,
            virtual_bytes: field(23)?,
            resident_pages: field(24)?,
        })
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::{ProcessFigures, Stat};

    #[test]
    fn a_program_may_have_any_name() {
        let rest = "S 1 2 3 4 5 6 7 8 9 10 700 30 13 14 15 16 17 18 900 4096 12 0 0";
        let wanted =
            Stat { cpu_ticks: 730, start_ticks: 900, virtual_bytes: 4096, resident_pages: 12 };
        for name in ["hobnob", "a b", ") 1 (2", ""] {
            assert_eq!(
                Stat::parse(&format!("7 ({name}) {rest}")).as_ref(),
                Some(&wanted),
                "{name}"
            );
        }
        assert_eq!(Stat::parse("7 (short) S 1 2"), None);
        assert_eq!(Stat::parse(""), None);
    }

    #[test]
    fn this_process_has_figures() {
        let figures = ProcessFigures::read().unwrap();
        assert!(figures.resident_bytes < figures.virtual_bytes, "{figures:?}");
        assert!(1 << 20 < figures.resident_bytes, "{figures:?}");
        assert!(3 <= figures.open_files, "{figures:?}");
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        let start = figures.start_seconds.unwrap();
        assert!(now.as_secs_f64() - 86_400.0 < start && start < now.as_secs_f64() + 1.0);
    }
}
