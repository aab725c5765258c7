//! Maps the state of a server to a verdict, a reason and a hint.
//!
//! `probe.rs` calls it with what the gateway found.

use hobnob_config::{ConfiguredServer, Secret, Settings, Target};
use hobnob_gateway::names::public_name;
use hobnob_gateway::{Phase, UpstreamStatus};
use hobnob_hub::finding::Verdict;
use hobnob_hub::server_entries::literal_secrets::masked_command;
use hobnob_hub::waiting_approvals::suspicions;
use hobnob_policy::poison::Suspicion;
use serde_json::Value;
use std::path::Path;

/// The verdict on one server.
pub(super) struct Advice {
    pub(super) verdict: Verdict,
    pub(super) reason: Option<String>,
    pub(super) hint: Option<String>,
}

/// Well-known programs, and how to install them.
const INSTALLED_WITH: [(&[&str], &str); 7] = [
    (&["npx", "npm", "node"], "install Node.js: https://nodejs.org"),
    (&["uvx", "uv"], "install uv: https://docs.astral.sh/uv"),
    (&["python", "python3", "pip", "pipx"], "install Python: https://www.python.org"),
    (&["docker"], "install Docker: https://docs.docker.com/get-docker"),
    (&["bun", "bunx"], "install Bun: https://bun.sh"),
    (&["deno"], "install Deno: https://deno.com"),
    (&["cargo"], "install Rust: https://rustup.rs"),
];

/// What a server's phase means, and what to do about it.
pub(super) fn of_phase(
    server: &ConfiguredServer,
    found: &UpstreamStatus,
    settings: &Settings,
) -> Advice {
    let advice = |verdict, hint| Advice { verdict, reason: found.reason.clone(), hint };
    match found.phase {
        Phase::Ready => advice(Verdict::Ok, None),
        Phase::Disabled => advice(Verdict::Note, found.hint.clone()),
        Phase::NeedsApproval | Phase::NeedsLogin => advice(Verdict::Warning, found.hint.clone()),
        // A project's file may list Hobnob itself for other clients.
        Phase::Refused => advice(Verdict::Note, found.hint.clone()),
        Phase::Misconfigured => advice(Verdict::Broken, found.hint.clone()),
        Phase::Unknown | Phase::Stopped | Phase::Sleeping | Phase::Starting | Phase::Installing => {
            Advice {
                verdict: Verdict::Broken,
                reason: Some("the server did not become ready in time".into()),
                hint: Some(longer(settings)),
            }
        }
        Phase::Failed | Phase::Resting => failure(server, found, settings),
    }
}

fn failure(server: &ConfiguredServer, found: &UpstreamStatus, settings: &Settings) -> Advice {
    let why = found.reason.as_deref().unwrap_or("the server failed");
    if let Some((reason, hint)) = missing_program(server) {
        return Advice { verdict: Verdict::Broken, reason: Some(reason), hint: Some(hint) };
    }
    let has = |words: &[&str]| words.iter().any(|word| why.contains(word));
    let hint = if has(&["no greeting within"]) {
        longer(settings)
    } else if has(&["401", "403", "credentials"]) {
        "set the credentials in `headers`, for example Authorization = \"Bearer ${TOKEN}\"".into()
    } else if has(&["exited with code 126"]) {
        "the program is not executable: run chmod +x, or put its interpreter first".into()
    } else if has(&["cannot be reached", "refused", "dns", "connect"]) {
        "check that the server is running and that the URL is right".into()
    } else if has(&["greeting cannot be read", "no common revision"]) {
        "check that this is an MCP server, and look for a newer version".into()
    } else {
        let command = server.state.as_ref().map(masked_command);
        format!("run the command yourself and read its output: {}", command.unwrap_or_default())
    };
    Advice { verdict: Verdict::Broken, reason: Some(why.into()), hint: Some(hint) }
}

fn longer(settings: &Settings) -> String {
    let seconds = settings.timeouts.handshake.as_secs_f64();
    format!(
        "the handshake may take {seconds} s; if the server is only slow, for example because it \
         downloads a package, raise `handshake` under [timeouts] in config.toml; otherwise check \
         that the command is an MCP server that uses standard input and output"
    )
}

/// Reason and hint if the program does not exist.
fn missing_program(server: &ConfiguredServer) -> Option<(String, String)> {
    let Ok(spec) = &server.state else { return None };
    let Target::Command { program, env, .. } = &spec.target else { return None };
    if is_there(program, env) {
        return None;
    }
    let (written, name) = (program.written(), Path::new(program.expose()));
    let stem = name.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let known = INSTALLED_WITH.iter().find(|(programs, _)| programs.contains(&stem));
    let hint = match known {
        Some((_, hint)) => (*hint).to_owned(),
        None if name.components().count() > 1 => "correct the path, or build the program".into(),
        None => "install the program, or write its full path".into(),
    };
    Some((format!("there is no program `{written}`"), hint))
}

fn is_there(program: &Secret, env: &[(String, Secret)]) -> bool {
    let program = Path::new(program.expose());
    if program.components().count() > 1 {
        return program.is_file();
    }
    let own = env.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.expose().into());
    let Some(path) = own.or_else(|| std::env::var_os("PATH")) else { return false };
    let names = |folder: &Path| {
        let plain = folder.join(program);
        plain.is_file()
            || (cfg!(windows)
                && ["exe", "cmd", "bat"]
                    .iter()
                    .any(|ending| plain.with_extension(ending).is_file()))
    };
    std::env::split_paths(&path).any(|folder| names(&folder))
}

/// Warnings about the tools in a server's cached catalogue.
pub(super) fn of_tools(server: &str, catalogue: Option<&str>) -> Vec<String> {
    let catalogue = catalogue.and_then(|text| serde_json::from_str::<Value>(text).ok());
    let tools = catalogue.as_ref().and_then(|it| it.get("tools")).and_then(Value::as_array);
    let mut warnings = Vec::new();
    for tool in tools.into_iter().flatten() {
        let Some(name) = tool.get("name").and_then(Value::as_str) else { continue };
        let found = suspicions(tool);
        if !found.is_empty() {
            let kinds: Vec<_> = found.into_iter().map(Suspicion::as_str).collect();
            warnings.push(format!(
                "the definition of tool `{name}` is suspicious ({}); review it before you use it",
                kinds.join(", ")
            ));
        }
        let public = public_name(server, name);
        if public.as_str() != format!("mcp__{server}__{name}") {
            warnings.push(format!(
                "tool `{name}` is renamed to `{public}`, because names have at most 64 characters"
            ));
        }
    }
    warnings
}
