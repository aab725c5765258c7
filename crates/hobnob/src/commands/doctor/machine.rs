//! Checks that start no server: folders, files, rules, and the machine itself. `doctor` runs them
//! first.
//!
//! What must stay true: they create missing folders and otherwise only read, so `doctor` may run
//! beside a hub.

use super::finding::{Finding, Verdict};
use hobnob_config::{
    Approvals, Places, Problem, Servers, Settings, list_profiles, load_profile, servers_in,
};
use hobnob_gateway::permission_rules;
use hobnob_hub::control::WhichHubs;
use hobnob_hub::hub_description::HubDescription;
use hobnob_hub::listener_certificate;
use hobnob_hub::running_hubs::running_hubs;
use hobnob_hub::services::profile_services;
use hobnob_hub::socket;
use hobnob_mcp_http::TlsWarning;
use hobnob_mcp_process::runner::memory_support;
use hobnob_mcp_process::supervisor::{Level, sandbox_support};
use hobnob_mcp_process::{MemorySupport, SandboxLevel, SandboxSupport, landlock_support};
use hobnob_terminal::render::counted;
use std::path::Path;

/// Whether our folders exist, and whether other users can change them.
pub(super) fn folders(places: &Places) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Err(error) = places.create() {
        let message = format!("cannot create a folder: {error}");
        let hint = "make it writable, or set HOBNOB_HOME to another folder";
        return vec![Finding::new("folder", Verdict::Broken, message).hint(hint)];
    }
    for folder in [&places.config_dir, &places.data_dir, &places.state_dir, &places.runtime_dir] {
        findings.push(folder_of_ours(folder));
    }
    findings
}

fn folder_of_ours(folder: &Path) -> Finding {
    let shown = folder.display();
    match others_may(folder) {
        Some(Access::Write) => {
            let message = format!("other users can change {shown}");
            let hint = format!("chmod 700 {shown}");
            Finding::new("folder", Verdict::Warning, message).hint(hint)
        }
        _ => Finding::new("folder", Verdict::Ok, shown.to_string()),
    }
}

/// The three `.mcp.json` files.
pub(super) fn server_files(places: &Places, servers: &Servers) -> Vec<Finding> {
    let mut files = vec![places.user_mcp_json(), places.own_mcp_json()];
    files.extend(places.project_mcp_json());
    let mut findings = Vec::new();
    for file in files {
        let shown = file.display();
        let finding = match servers_in(&file) {
            Ok(_) if !file.exists() => {
                Finding::new("servers", Verdict::Note, format!("{shown} does not exist"))
            }
            Ok(found) => Finding::new(
                "servers",
                Verdict::Ok,
                format!("{shown}: {}", counted(found.len(), "server")),
            ),
            // `servers.problems()` reports it below.
            Err(_) => continue,
        };
        findings.push(finding);
        findings.extend(readable_secrets(&file));
    }
    findings.extend(servers.problems().iter().map(|it| broken("servers", it)));
    findings
}

/// Warns about credentials in a file that other users can read.
fn readable_secrets(file: &Path) -> Option<Finding> {
    let servers = servers_in(file).ok()?;
    let literal = |entry: &serde_json::Value| {
        ["env", "headers"].iter().any(|table| {
            let pairs = entry.get(table).and_then(serde_json::Value::as_object);
            pairs.into_iter().flatten().any(|(name, value)| {
                let secret = ["TOKEN", "KEY", "SECRET", "PASSWORD", "AUTHORIZATION"];
                let name = name.to_ascii_uppercase();
                secret.iter().any(|word| name.contains(word))
                    && value.as_str().is_some_and(|value| !value.contains("${"))
            })
        })
    };
    let open = others_may(file).is_some_and(|access| access != Access::Nothing);
    let found = open && servers.values().any(literal);
    found.then(|| {
        let message =
            format!("{} contains credentials, and other users can read it", file.display());
        let hint = format!("chmod 600 {}, or write ${{VARIABLE}} instead", file.display());
        Finding::new("servers", Verdict::Warning, message).hint(hint)
    })
}

/// Our own settings, and the rules in them.
pub(super) fn settings(places: &Places, settings: &Result<Settings, Problem>) -> Vec<Finding> {
    let file = places.settings();
    let settings = match settings {
        Ok(settings) => settings,
        Err(problem) => return vec![broken("settings", problem)],
    };
    let shown = file.display();
    let first = match file.exists() {
        true => Finding::new("settings", Verdict::Ok, shown.to_string()),
        false => Finding::new("settings", Verdict::Note, format!("{shown} does not exist")),
    };
    let rules = match permission_rules(settings, None) {
        Ok(rules) => {
            let count = rules.as_slice().len();
            Finding::new("rules", Verdict::Ok, counted(count, "permission rule"))
        }
        Err(error) => Finding::new("rules", Verdict::Broken, error.to_string())
            .hint(format!("correct the rule in {shown}; until then `hobnob serve` does not start")),
    };
    vec![first, rules]
}

/// The certificate of `hobnob serve --http`, if the settings name one.
pub(super) fn certificate(places: &Places, settings: &Result<Settings, Problem>) -> Vec<Finding> {
    let Ok(settings) = settings else { return Vec::new() };
    let listener = &settings.listener;
    let Some(files) = listener_certificate::files(places, listener) else { return Vec::new() };
    let shown = files.certificate.display().to_string();
    match listener_certificate::load(files, listener) {
        Ok((_, warnings)) if warnings.is_empty() => {
            vec![Finding::new("certificate", Verdict::Ok, shown)]
        }
        Ok((_, warnings)) => {
            let found = |warning: &TlsWarning| {
                Finding::new("certificate", Verdict::Warning, format!("{shown}: {warning}"))
                    .hint("clients refuse to connect; renew it, or correct `public_url`")
            };
            warnings.iter().map(found).collect()
        }
        Err(fault) => vec![
            Finding::new(
                "certificate",
                Verdict::Broken,
                format!("{:#}", anyhow::Error::from(fault)),
            )
            .hint("`hobnob serve --http` does not start with it; one that runs keeps the earlier"),
        ],
    }
}

/// Whether each profile of the user can be loaded.
pub(super) fn profiles(places: &Places) -> Vec<Finding> {
    let check = |name: &hobnob_config::ProfileName| match load_profile(
        places,
        name,
        &[],
        &profile_services(),
    ) {
        Ok(_) => Finding::new("profile", Verdict::Ok, name.to_string()),
        Err(error) => Finding::new("profile", Verdict::Broken, error.to_string()),
    };
    list_profiles(places, &[]).iter().map(check).collect()
}

/// Whether the file of approvals can be read and written.
pub(super) fn approvals(places: &Places) -> Option<Finding> {
    let file = places.approvals();
    let loaded = Approvals::load(&file);
    if let (Ok(_), Err(error)) = (&loaded, Approvals::check_writable(&file)) {
        let message = format!(
            "cannot save approved tools, so changes of tools will go unnoticed: \
             {error}"
        );
        let hint = format!("make {} writable", places.state_dir.display());
        return Some(Finding::new("approvals", Verdict::Broken, message).hint(hint));
    }
    match loaded {
        Ok(_) if !file.exists() => None,
        Ok(_) => Some(Finding::new("approvals", Verdict::Ok, file.display().to_string())),
        Err(broken) => Some(
            Finding::new("approvals", Verdict::Broken, broken.to_string())
                .hint(format!("delete {}, then approve again: hobnob approve", file.display())),
        ),
    }
}

/// How this machine makes sure that servers end with Hobnob.
pub(super) fn supervisor(level: Level) -> Finding {
    let verdict = match level {
        Level::Namespace | Level::Subreaper => Verdict::Ok,
        Level::Group => Verdict::Note,
    };
    Finding::new("supervisor", verdict, level.describes())
}

/// How well this machine can confine commands to their grants, measured by confining one.
pub(super) async fn sandbox() -> Finding {
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
    Finding::new("sandbox", verdict, text)
}

/// Warns if the running hub is another program than this one.
pub(super) async fn running_hub(places: &Places) -> Option<Finding> {
    let hubs = running_hubs(places, WhichHubs::Ours).await;
    let outdated = hubs.iter().find_map(HubDescription::outdated)?;
    Some(Finding::new("hub", Verdict::Warning, outdated.what).hint(outdated.remedy))
}

/// Whether the kernel or Hobnob enforces the memory limit of commands, for the running hub or for
/// one that this terminal would start.
pub(super) async fn memory_limit(places: &Places) -> Finding {
    let running = socket::find(places).await.into_iter().next();
    let process = running.and_then(|hub| hub.peer_cred().ok()?.pid()?.try_into().ok());
    memory_finding(memory_support(process), process)
}

pub(super) fn memory_finding(support: MemorySupport, hub: Option<u32>) -> Finding {
    let whose = match hub {
        Some(process) => format!("commands of the running hub (process {process})"),
        None => "commands of a hub that is started here".to_owned(),
    };
    match support {
        MemorySupport::Kernel => {
            let text = format!("the kernel holds the memory limit of {whose}, in cgroups");
            Finding::new("memory limit", Verdict::Ok, text)
        }
        MemorySupport::Sampled { obstacle } => {
            let text = format!(
                "Hobnob samples the memory of {whose} ten times a second: in between they can take \
                 more. The kernel does not hold the limit because: {obstacle}"
            );
            Finding::new("memory limit", Verdict::Note, text)
                .hint("the service that `hobnob service install` writes has a cgroup of its own")
        }
    }
}

fn broken(what: &'static str, problem: &Problem) -> Finding {
    Finding::new(what, Verdict::Broken, problem.to_string())
}

/// What other users of this machine may do with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Nothing,
    Read,
    Write,
}

#[cfg(unix)]
fn others_may(path: &Path) -> Option<Access> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = path.metadata().ok()?.permissions().mode();
    Some(match (mode & 0o022, mode & 0o044) {
        (0, 0) => Access::Nothing,
        (0, _) => Access::Read,
        _ => Access::Write,
    })
}

/// Other systems have no Unix file modes.
#[cfg(not(unix))]
fn others_may(_path: &Path) -> Option<Access> {
    None
}
