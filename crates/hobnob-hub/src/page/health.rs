//! How the hub is: what it uses, how near its limits are, and what is not as it should be.
//!
//! `shown_hub` asks for it where it may block. What must stay true: it is quick and only reads, so
//! it is part of what `hobnob doctor` checks, without the checks that start something.

use super::processes;
use crate::file_checks::file_checks;
use crate::finding::{CheckFinding, Verdict};
use crate::running_program::build;
use crate::store::store_bytes;
use hobnob_config::{Places, Servers, Settings, process_environment};
use hobnob_gateway::Gateway;
use hobnob_mcp_server::Server;
use hobnob_mcp_types::Revision;
use hobnob_store_sqlite::sqlite_version;
use hobnob_ui::{
    AdviceHealth, AdviceLevel, AuditHealth, HealthReport, LimitHealth, LimitUnit, StoreFileHealth,
};
use std::fs;
use std::path::Path;
use std::time::Instant;

/// A backup or a migration needs about this much.
const MIN_FREE_BYTES: u64 = 100_000_000;

/// The parts of a hub whose health is read.
pub(super) struct ExaminedHub<'a> {
    pub(super) gateway: &'a Gateway,
    /// The first view, whose limits count.
    pub(super) server: &'a Server,
    pub(super) places: &'a Places,
    /// Whether calls are recorded.
    pub(super) has_audit: bool,
    /// Whether some service uses the store.
    pub(super) has_store: bool,
    /// Where the hub listens; empty if it does not.
    pub(super) listener: String,
    pub(super) started: Instant,
}

impl ExaminedHub<'_> {
    pub(super) fn read(self) -> HealthReport {
        let status = self.gateway.status();
        let audit = self.places.audit();
        let store = self.has_store.then(|| store_health(&self.places.store()));
        HealthReport {
            version: build().to_owned(),
            revision: Revision::NEWEST.as_str().to_owned(),
            sqlite: sqlite_version().to_owned(),
            instance: status.instance,
            pid: status.pid,
            process: processes::of_ourselves(),
            uptime_seconds: self.started.elapsed().as_secs(),
            project: status.project,
            problems: status.problems,
            advice: self.advice(store.as_ref()),
            store,
            audit: AuditHealth {
                enabled: self.has_audit,
                bytes: fs::metadata(&audit).map_or(0, |about| about.len()),
                path: audit.display().to_string(),
            },
            limits: self.limits(),
            listener: self.listener,
        }
    }

    fn limits(&self) -> Vec<LimitHealth> {
        let owner = self.gateway.owner_controls();
        let kept = owner.kept_results();
        let mut limits = vec![
            limit(
                "calls that run",
                owner.running_calls().len(),
                self.server.limits().in_flight_total,
            ),
            limit("large results that are kept", kept.count, kept.max_count),
            LimitHealth {
                unit: LimitUnit::Bytes,
                ..limit("memory of large results", kept.bytes, kept.max_bytes)
            },
        ];
        limits.extend(open_files());
        limits
    }

    fn advice(&self, store: Option<&StoreFileHealth>) -> Vec<AdviceHealth> {
        let mut advice: Vec<AdviceHealth> =
            bad_findings(self.places).into_iter().map(shown).collect();
        if let Some(store) = store.filter(|store| store.free_bytes < MIN_FREE_BYTES) {
            advice.push(AdviceHealth {
                level: AdviceLevel::Warning,
                message: format!("little space is left on the disk of {}", store.path),
                remedy: Some("free some before it is full; a backup needs it, too".to_owned()),
            });
        }
        if !self.has_audit {
            advice.push(AdviceHealth {
                level: AdviceLevel::Note,
                message: "calls are not recorded".to_owned(),
                remedy: Some("hobnob config set audit.enabled true".to_owned()),
            });
        }
        advice
    }
}

/// What is wrong with Hobnob's files, the worst first.
fn bad_findings(places: &Places) -> Vec<CheckFinding> {
    let servers = Servers::load(places, &process_environment);
    let settings = Settings::load(&places.settings());
    let mut findings = file_checks(places, &servers, &settings);
    findings.retain(|finding| Verdict::Warning <= finding.verdict);
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.verdict));
    findings
}

fn shown(finding: CheckFinding) -> AdviceHealth {
    AdviceHealth {
        level: match finding.verdict {
            Verdict::Ok | Verdict::Note => AdviceLevel::Note,
            Verdict::Warning => AdviceLevel::Warning,
            Verdict::Broken => AdviceLevel::Broken,
        },
        message: format!("{}: {}", finding.what, finding.message),
        remedy: finding.hint,
    }
}

fn limit(name: &str, used: usize, max: usize) -> LimitHealth {
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    LimitHealth {
        name: name.to_owned(),
        used: count(used),
        max: count(max),
        unit: LimitUnit::Count,
    }
}

/// The open files and connections of this process, if the system tells it and has a bound.
#[cfg(target_os = "linux")]
fn open_files() -> Option<LimitHealth> {
    let open = fs::read_dir("/proc/self/fd").ok()?.count();
    let max = rustix::process::getrlimit(rustix::process::Resource::Nofile).current?;
    // One of them is the folder that is being read.
    let used = u64::try_from(open.saturating_sub(1)).unwrap_or(u64::MAX);
    Some(LimitHealth {
        name: "open files and connections".to_owned(),
        used,
        max,
        unit: LimitUnit::Count,
    })
}

#[cfg(not(target_os = "linux"))]
fn open_files() -> Option<LimitHealth> {
    None
}

fn store_health(file: &Path) -> StoreFileHealth {
    let folder = file.parent().unwrap_or(file);
    let free = rustix::fs::statvfs(folder);
    StoreFileHealth {
        path: file.display().to_string(),
        bytes: store_bytes(file).unwrap_or_default(),
        free_bytes: free.map_or(0, |disk| disk.f_bavail.saturating_mul(disk.f_frsize)),
    }
}
