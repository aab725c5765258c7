//! What the processes of servers use: memory and computing time of each server's process and of all
//! that it started.
//!
//! `shown_hub` reads it where it may block, for a page that shows it. Linux tells it in small files;
//! elsewhere nothing is known. What must stay true: processes come and go while it is read, so none
//! needs to be there.

use hobnob_gateway::ServerProcess;
use hobnob_ui::{ProcessUse, ServerProcessHealth};
use std::collections::BTreeMap;

/// The use of each server with processes on this machine, by its name: all of its processes together.
pub(super) fn of_servers(processes: &[ServerProcess]) -> BTreeMap<Box<str>, ProcessUse> {
    let mut uses: BTreeMap<Box<str>, ProcessUse> = BTreeMap::new();
    for (process, used) in processes.iter().zip(of_trees(processes)) {
        let Some(used) = used else { continue };
        let sum = uses.entry(process.server.clone()).or_insert(ProcessUse {
            processes: 0,
            resident_bytes: 0,
            cpu_ms: 0,
        });
        sum.processes += used.processes;
        sum.resident_bytes = sum.resident_bytes.saturating_add(used.resident_bytes);
        sum.cpu_ms = sum.cpu_ms.saturating_add(used.cpu_ms);
    }
    uses
}

/// The processes one by one, as the page shows them.
pub(super) fn list(mut processes: Vec<ServerProcess>) -> Vec<ServerProcessHealth> {
    // Of one server, the oldest stays first.
    processes.sort_by(|one, other| one.server.cmp(&other.server));
    let uses = of_trees(&processes);
    let shown = processes.into_iter().zip(uses).map(|(process, used)| ServerProcessHealth {
        server: process.server.into(),
        pid: process.pid,
        principal: process.principal.into(),
        one_client: process.is_of_one_client,
        uptime_seconds: process.uptime_seconds,
        in_flight: u64::try_from(process.in_flight).unwrap_or(u64::MAX),
        used,
    });
    shown.collect()
}

#[cfg(not(target_os = "linux"))]
fn of_trees(processes: &[ServerProcess]) -> Vec<Option<ProcessUse>> {
    vec![None; processes.len()]
}

/// What each process and all that it started use; `None` for one that is gone.
#[cfg(target_os = "linux")]
fn of_trees(processes: &[ServerProcess]) -> Vec<Option<ProcessUse>> {
    if processes.is_empty() {
        return Vec::new();
    }
    let all = linux::read_all();
    let used = processes.iter().map(|process| linux::sum_of_tree(&all, process.pid));
    used.map(|used| Some(used).filter(|used| 0 < used.processes)).collect()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn of_ourselves() -> Option<ProcessUse> {
    None
}

/// The use of this process alone.
#[cfg(target_os = "linux")]
pub(super) fn of_ourselves() -> Option<ProcessUse> {
    let line = linux::read(std::process::id())?;
    Some(linux::sum([line].into_iter()))
}

#[cfg(target_os = "linux")]
mod linux {
    use hobnob_ui::ProcessUse;
    use std::collections::HashMap;
    use std::fs;

    /// The most processes of a machine that are looked at.
    const MAX_PROCESSES: usize = 32_768;

    /// One process, as far as it counts here.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) struct ProcessLine {
        pub(super) parent: u32,
        pub(super) cpu_ticks: u64,
        pub(super) resident_pages: u64,
    }

    /// All processes by their ids.
    pub(super) fn read_all() -> HashMap<u32, ProcessLine> {
        let Ok(folder) = fs::read_dir("/proc") else { return HashMap::new() };
        let ids = folder.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
        ids.take(MAX_PROCESSES).filter_map(|id| Some((id, read(id)?))).collect()
    }

    /// One process, if it is still there.
    pub(super) fn read(id: u32) -> Option<ProcessLine> {
        // The name of a program may be anything, also no text.
        let stat = fs::read(format!("/proc/{id}/stat")).ok()?;
        parse(&String::from_utf8_lossy(&stat))
    }

    /// Parses a line of proc(5).
    pub(super) fn parse(line: &str) -> Option<ProcessLine> {
        // The name of the program comes second, in brackets, and may contain brackets.
        let (_, rest) = line.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        // The first field of the rest is number 3.
        let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
        Some(ProcessLine {
            parent: u32::try_from(field(4)?).ok()?,
            cpu_ticks: field(14)?.saturating_add(field(15)?),
            resident_pages: field(24)?,
        })
    }

    /// What a process and its descendants use together.
    pub(super) fn sum_of_tree(all: &HashMap<u32, ProcessLine>, root: u32) -> ProcessUse {
        let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
        for (id, line) in all {
            children.entry(line.parent).or_default().push(*id);
        }
        let (mut tree, mut open) = (Vec::new(), vec![root]);
        // Each process has one parent, so each comes at most once.
        while let Some(id) = open.pop() {
            tree.extend(all.get(&id).copied());
            open.extend(children.remove(&id).unwrap_or_default());
        }
        sum(tree.into_iter())
    }

    pub(super) fn sum(lines: impl Iterator<Item = ProcessLine>) -> ProcessUse {
        let (mut processes, mut pages, mut ticks) = (0_u32, 0_u64, 0_u64);
        for line in lines {
            processes += 1;
            pages = pages.saturating_add(line.resident_pages);
            ticks = ticks.saturating_add(line.cpu_ticks);
        }
        let page = u64::try_from(rustix::param::page_size()).unwrap_or_default();
        let per_second = rustix::param::clock_ticks_per_second().max(1);
        ProcessUse {
            processes,
            resident_bytes: pages.saturating_mul(page),
            cpu_ms: ticks.saturating_mul(1_000) / per_second,
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::linux::{ProcessLine, parse, read_all, sum_of_tree};
    use super::{list, of_servers};
    use hobnob_gateway::ServerProcess;
    use std::collections::HashMap;

    #[test]
    fn a_program_may_have_any_name() {
        let rest = "S 42 2 3 4 5 6 7 8 9 10 700 30 13 14 15 16 17 18 900 4096 12 0 0";
        let wanted = ProcessLine { parent: 42, cpu_ticks: 730, resident_pages: 12 };
        for name in ["hobnob", "a b", ") 1 (2", ""] {
            assert_eq!(parse(&format!("7 ({name}) {rest}")), Some(wanted), "{name}");
        }
        assert_eq!(parse("7 (short) S 1 2"), None);
    }

    #[test]
    fn a_tree_is_summed_up_and_its_neighbours_are_not() {
        let line = |parent| ProcessLine { parent, cpu_ticks: 100, resident_pages: 2 };
        // 1 → 2 → (3 → 4, 5), and a process that claims to be its own parent.
        let all = HashMap::from([
            (1, line(0)),
            (2, line(1)),
            (3, line(2)),
            (4, line(3)),
            (5, line(2)),
            (9, line(9)),
        ]);
        let page = u64::try_from(rustix::param::page_size()).unwrap();
        let used = sum_of_tree(&all, 2);
        assert_eq!((used.processes, used.resident_bytes), (4, 8 * page));
        assert_eq!(used.cpu_ms, 400 * 1_000 / rustix::param::clock_ticks_per_second());
        assert_eq!(sum_of_tree(&all, 77).processes, 0);
    }

    #[test]
    fn several_processes_of_one_server_are_listed_and_summed_up() {
        let process = |server: &str, pid| ServerProcess {
            server: server.into(),
            pid,
            principal: "ann".into(),
            is_of_one_client: true,
            uptime_seconds: 7,
            in_flight: 1,
        };
        let ourselves = std::process::id();
        // No process has the last id.
        let gone = process("shop", u32::MAX);
        let all = vec![process("shop", ourselves), process("files", ourselves), gone];
        let sums = of_servers(&all);
        assert_eq!(sums.keys().map(|name| &**name).collect::<Vec<_>>(), ["files", "shop"]);
        assert!(1 << 20 < sums.get("shop").unwrap().resident_bytes);
        let listed = list(all);
        let names = listed.iter().map(|it| (it.server.as_str(), it.used.is_some()));
        assert_eq!(names.collect::<Vec<_>>(), [("files", true), ("shop", true), ("shop", false)]);
    }

    #[test]
    fn this_process_uses_memory() {
        let used = sum_of_tree(&read_all(), std::process::id());
        assert!(1 <= used.processes && 1 << 20 < used.resident_bytes, "{used:?}");
    }
}
