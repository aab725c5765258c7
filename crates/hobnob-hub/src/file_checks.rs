//! Checks of Hobnob's own folders and files: who can change them, and whether they can be read.
//!
//! `hobnob doctor` runs them, and so does a running hub for its page. What must stay true: they are
//! quick and only read.

use crate::finding::{CheckFinding, Verdict};
use crate::listener_certificate;
use crate::services::profile_services;
use hobnob_config::{
    Approvals, Places, Problem, Servers, Settings, list_profiles, load_profile, servers_in,
};
use hobnob_gateway::permission_rules;
use hobnob_mcp_http::TlsWarning;
use hobnob_text::counted;
use std::path::Path;

/// All of them, with these servers and settings.
pub fn file_checks(
    places: &Places,
    servers: &Servers,
    settings: &Result<Settings, Problem>,
) -> Vec<CheckFinding> {
    let mut findings: Vec<CheckFinding> =
        [&places.config_dir, &places.data_dir, &places.state_dir, &places.runtime_dir]
            .into_iter()
            .filter(|folder| folder.exists())
            .map(|folder| folder_of_ours(folder))
            .collect();
    findings.extend(server_files(places, servers));
    findings.extend(self::settings(places, settings));
    findings.extend(certificate(places, settings));
    findings.extend(profiles(places));
    findings.extend(approvals(places));
    findings
}

fn folder_of_ours(folder: &Path) -> CheckFinding {
    let shown = folder.display();
    match others_may(folder) {
        Some(Access::Write) => {
            let message = format!("other users can change {shown}");
            let hint = format!("chmod 700 {shown}");
            CheckFinding::new("folder", Verdict::Warning, message).hint(hint)
        }
        _ => CheckFinding::new("folder", Verdict::Ok, shown.to_string()),
    }
}

/// The three `.mcp.json` files.
fn server_files(places: &Places, servers: &Servers) -> Vec<CheckFinding> {
    let mut files = vec![places.user_mcp_json(), places.own_mcp_json()];
    files.extend(places.project_mcp_json());
    let mut findings = Vec::new();
    for file in files {
        let shown = file.display();
        let finding = match servers_in(&file) {
            Ok(_) if !file.exists() => {
                CheckFinding::new("servers", Verdict::Note, format!("{shown} does not exist"))
            }
            Ok(found) => CheckFinding::new(
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
fn readable_secrets(file: &Path) -> Option<CheckFinding> {
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
        CheckFinding::new("servers", Verdict::Warning, message).hint(hint)
    })
}

/// Our own settings, and the rules in them.
fn settings(places: &Places, settings: &Result<Settings, Problem>) -> Vec<CheckFinding> {
    let file = places.settings();
    let settings = match settings {
        Ok(settings) => settings,
        Err(problem) => return vec![broken("settings", problem)],
    };
    let shown = file.display();
    let first = match file.exists() {
        true => CheckFinding::new("settings", Verdict::Ok, shown.to_string()),
        false => CheckFinding::new("settings", Verdict::Note, format!("{shown} does not exist")),
    };
    let rules = match permission_rules(settings, None) {
        Ok(rules) => {
            let count = rules.as_slice().len();
            CheckFinding::new("rules", Verdict::Ok, counted(count, "permission rule"))
        }
        Err(error) => CheckFinding::new("rules", Verdict::Broken, error.to_string())
            .hint(format!("correct the rule in {shown}; until then `hobnob serve` does not start")),
    };
    vec![first, rules]
}

/// The certificate of `hobnob serve --http`, if the settings name one.
fn certificate(places: &Places, settings: &Result<Settings, Problem>) -> Vec<CheckFinding> {
    let Ok(settings) = settings else { return Vec::new() };
    let listener = &settings.listener;
    let Some(files) = listener_certificate::files(places, listener) else { return Vec::new() };
    let shown = files.certificate.display().to_string();
    match listener_certificate::load(files, listener) {
        Ok((_, warnings)) if warnings.is_empty() => {
            vec![CheckFinding::new("certificate", Verdict::Ok, shown)]
        }
        Ok((_, warnings)) => {
            let found = |warning: &TlsWarning| {
                CheckFinding::new("certificate", Verdict::Warning, format!("{shown}: {warning}"))
                    .hint("clients refuse to connect; renew it, or correct `public_url`")
            };
            warnings.iter().map(found).collect()
        }
        Err(fault) => vec![
            CheckFinding::new(
                "certificate",
                Verdict::Broken,
                format!("{:#}", anyhow::Error::from(fault)),
            )
            .hint("`hobnob serve --http` does not start with it; one that runs keeps the earlier"),
        ],
    }
}

/// Whether each profile of the user can be loaded.
fn profiles(places: &Places) -> Vec<CheckFinding> {
    let check = |name: &hobnob_config::ProfileName| match load_profile(
        places,
        name,
        &[],
        &profile_services(),
    ) {
        Ok(_) => CheckFinding::new("profile", Verdict::Ok, name.to_string()),
        Err(error) => CheckFinding::new("profile", Verdict::Broken, error.to_string()),
    };
    list_profiles(places, &[]).iter().map(check).collect()
}

/// Whether the file of approvals can be read and written.
fn approvals(places: &Places) -> Option<CheckFinding> {
    let file = places.approvals();
    let loaded = Approvals::load(&file);
    if let (Ok(_), Err(error)) = (&loaded, Approvals::check_writable(&file)) {
        let message = format!(
            "cannot save approved tools, so changes of tools will go unnoticed: \
             {error}"
        );
        let hint = format!("make {} writable", places.state_dir.display());
        return Some(CheckFinding::new("approvals", Verdict::Broken, message).hint(hint));
    }
    match loaded {
        Ok(_) if !file.exists() => None,
        Ok(_) => Some(CheckFinding::new("approvals", Verdict::Ok, file.display().to_string())),
        Err(broken) => Some(
            CheckFinding::new("approvals", Verdict::Broken, broken.to_string())
                .hint(format!("delete {}, then approve again: hobnob approve", file.display())),
        ),
    }
}

fn broken(what: &'static str, problem: &Problem) -> CheckFinding {
    CheckFinding::new(what, Verdict::Broken, problem.to_string())
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
