//! Checks of the machine itself and of the running hub. `doctor` runs them after those of files.
//!
//! What must stay true: they create missing folders and otherwise only read, so `doctor` may run
//! beside a hub.

use hobnob_config::Places;
use hobnob_hub::control::WhichHubs;
use hobnob_hub::finding::{CheckFinding, Verdict};
use hobnob_hub::hub_description::HubDescription;
use hobnob_hub::running_hubs::running_hubs;
use hobnob_hub::socket;
use hobnob_mcp_process::runner::memory_support;
use hobnob_mcp_process::supervisor::{Level, sandbox_support};
use hobnob_mcp_process::{MemorySupport, SandboxLevel, SandboxSupport, landlock_support};
use std::path::Path;

/// Creates the folders that are missing; a finding if that fails.
pub(super) fn missing_folders(places: &Places) -> Option<CheckFinding> {
    let error = places.create().err()?;
    let message = format!("cannot create a folder: {error}");
    let hint = "make it writable, or set HOBNOB_HOME to another folder";
    Some(CheckFinding::new("folder", Verdict::Broken, message).hint(hint))
}

/// How this machine makes sure that servers end with Hobnob.
pub(super) fn supervisor(level: Level) -> CheckFinding {
    let verdict = match level {
        Level::Namespace | Level::Subreaper => Verdict::Ok,
        Level::Group => Verdict::Note,
    };
    CheckFinding::new("supervisor", verdict, level.describes())
}

/// How well this machine can confine commands to their grants, measured by confining one.
pub(super) async fn sandbox() -> CheckFinding {
    let find = || sandbox_support(Path::new("/proc/self/exe"));
    let support = tokio::task::spawn_blocking(find).await.ok();
    let support = support.unwrap_or(SandboxSupport { level: SandboxLevel::Weak, obstacle: None });
    let verdict = match support.level {
        SandboxLevel::Full => Verdict::Ok,
        SandboxLevel::Partial | SandboxLevel::Weak => Verdict::Note,
    };
    let (level, kernel) = (support.level, landlock_support());
    let list = |wanted: bool| {
        let fitting = level.guarantees().filter(|(_, holds)| *holds == wanted);
        fitting.map(|(guarantee, _)| guarantee).collect::<Vec<_>>().join("; ")
    };
    let mut text = format!("level `{level}` ({kernel})");
    for (head, guarantees) in [("a command", list(true)), ("not guaranteed: it", list(false))] {
        if !guarantees.is_empty() {
            text.push_str(&format!(". {head} {guarantees}"));
        }
    }
    if let Some(obstacle) = support.obstacle.filter(|it| !it.is_empty()) {
        text.push_str(&format!(". Not full because: {obstacle}"));
    }
    CheckFinding::new("sandbox", verdict, text)
}

/// Warns if the running hub is another program than this one.
pub(super) async fn running_hub(places: &Places) -> Option<CheckFinding> {
    let hubs = running_hubs(places, WhichHubs::Ours).await;
    let outdated = hubs.iter().find_map(HubDescription::outdated)?;
    Some(CheckFinding::new("hub", Verdict::Warning, outdated.what).hint(outdated.remedy))
}

/// Whether the kernel or Hobnob enforces the memory limit of commands, for the running hub or for
/// one that this terminal would start.
pub(super) async fn memory_limit(places: &Places) -> CheckFinding {
    let running = socket::find(places).await.into_iter().next();
    let process = running.and_then(|hub| hub.peer_cred().ok()?.pid()?.try_into().ok());
    memory_finding(memory_support(process), process)
}

pub(super) fn memory_finding(support: MemorySupport, hub: Option<u32>) -> CheckFinding {
    let whose = match hub {
        Some(process) => format!("commands of the running hub (process {process})"),
        None => "commands of a hub that is started here".to_owned(),
    };
    match support {
        MemorySupport::Kernel => {
            let text = format!("the kernel holds the memory limit of {whose}, in cgroups");
            CheckFinding::new("memory limit", Verdict::Ok, text)
        }
        MemorySupport::Sampled { obstacle } => {
            let text = format!(
                "Hobnob samples the memory of {whose} ten times a second: in between they can take \
                 more. The kernel does not hold the limit because: {obstacle}"
            );
            CheckFinding::new("memory limit", Verdict::Note, text)
                .hint("the service that `hobnob service install` writes has a cgroup of its own")
        }
    }
}
