//! How the hub is: what it uses, how near its limits are, and what is not as it should be.
//!
//! `shown_hub` asks for it where it may block. What must stay true: it is quick and only reads, so
//! it is part of what `hobnob doctor` checks, without the checks that start something.

use super::limits::HubLimits;
use super::processes;
use crate::file_checks::file_checks;
use crate::finding::{CheckFinding, Verdict};
use crate::running_program::build;
use crate::store::{store_bytes, store_file};
use hobnob_config::{Places, Servers, Settings, process_environment};
use hobnob_gateway::Gateway;
use hobnob_mcp_types::Revision;
use hobnob_store::{QuotaCount, Store};
use hobnob_store_sqlite::sqlite_version;
use hobnob_ui::{
    AdviceHealth, AdviceLevel, AuditHealth, HealthReport, LimitHealth, LimitUnit, StoreFileHealth,
};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// A backup or a migration needs about this much.
const MIN_FREE_BYTES: u64 = 100_000_000;

/// How long the store may take to count records.
const MAX_COUNTING: Duration = Duration::from_secs(2);

/// The parts of a hub whose health is read.
pub(super) struct ExaminedHub<'a> {
    pub(super) gateway: &'a Gateway,
    pub(super) limits: &'a HubLimits,
    pub(super) places: &'a Places,
    /// Whether calls are recorded.
    pub(super) has_audit: bool,
    /// The store; `None` if no service uses one.
    pub(super) store: Option<&'a dyn Store>,
    /// Where the hub listens; empty if it does not.
    pub(super) listener: String,
    pub(super) started: Instant,
}

impl ExaminedHub<'_> {
    pub(super) fn read(self) -> HealthReport {
        let status = self.gateway.status();
        let audit = self.places.audit();
        let store = self.store.and_then(|_| Some(store_health(&store_file(self.places)?)));
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
            processes: processes::list(self.gateway.owner_controls().server_processes()),
            listener: self.listener,
        }
    }

    /// All limits: those that are known at once, the disk, and how near owners are to their quotas.
    fn limits(&self) -> Vec<LimitHealth> {
        let mut limits = self.limits.read();
        if let Some(file) = self.store.and_then(|_| store_file(self.places)) {
            limits.extend(disk(&file));
        }
        limits.extend(self.store.map(quotas).unwrap_or_default());
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

/// How near owners are to their quotas; nothing where the store cannot be read now.
fn quotas(store: &dyn Store) -> Vec<LimitHealth> {
    let counting = tokio::time::timeout(MAX_COUNTING, store.nearest_quotas());
    let counts = match tokio::runtime::Handle::current().block_on(counting) {
        Ok(Ok(counts)) => counts,
        Ok(Err(error)) => {
            tracing::debug!(%error, "quotas are not known now");
            return Vec::new();
        }
        Err(_) => return Vec::new(),
    };
    let shown = |count: QuotaCount| LimitHealth {
        name: match count.owner.as_str() {
            "" => format!("your {}", count.kind),
            owner => format!("{} of {owner}", count.kind),
        },
        used: count.stored,
        max: count.limit,
        unit: LimitUnit::Count,
        remedy: count.kind.remedy().to_owned(),
    };
    counts.into_iter().map(shown).collect()
}

/// The disk of the store, where the system tells how large it is.
fn disk(file: &Path) -> Option<LimitHealth> {
    let disk = rustix::fs::statvfs(file.parent().unwrap_or(file)).ok()?;
    let size = |blocks: u64| blocks.saturating_mul(disk.f_frsize);
    // What only the administrator may use counts as used.
    let used = disk.f_blocks.saturating_sub(disk.f_bavail);
    Some(LimitHealth {
        name: "disk of the store".to_owned(),
        used: size(used),
        max: size(disk.f_blocks),
        unit: LimitUnit::Bytes,
        remedy: "free space on it before it is full; a backup and a migration need some, too"
            .to_owned(),
    })
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
