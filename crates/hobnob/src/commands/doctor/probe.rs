//! Starts one server as `serve` would, in a separate gateway with a temporary state. `doctor` and
//! `sandbox learn` use it.
//!
//! What must stay true: the catalogue and the failure to start are saved for later commands, but
//! the user's approvals and pins do not change.

use super::advice::{self, Advice};
use super::finding::ServerFinding;
use crate::commands::held_back::{held_back_variables, pass_hint};
use anyhow::Context as _;
use hobnob_config::{
    CatalogueCache, ConfiguredServer, Places, Profile, RuleText, ServerName, Servers, Settings,
    Switch,
};
use hobnob_disk::{FileMode, make_folder, write_atomic};
use hobnob_gateway::{
    FirstStarts, Gateway, GatewayOptions, GatewayStatus, Launcher, Phase, Reload, UpstreamStatus,
    ViewOptions, carry_start_failure,
};
use hobnob_hub::finding::Verdict;
use hobnob_hub::server_entries::literal_secrets::masked_command;
use hobnob_mcp_engine::Service;
use hobnob_text::shell_word;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often the state of a starting server is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Time on top of the configured timeouts: for the supervisor, the lists, a slow machine.
const SLACK: Duration = Duration::from_secs(10);
/// Entries per page. The lists are only counted here, so the value hardly matters.
const PAGE_SIZE: usize = 1000;

/// The service that answers for one server, and the gateway behind it.
type OpenedView = (Arc<dyn Service>, Arc<Gateway>);

/// What the check of every server needs.
pub(in crate::commands) struct Prober {
    /// The user's own folders, with the real state.
    user: Places,
    /// The same places with a temporary state.
    places: Places,
    settings: Settings,
    servers: Servers,
    launcher: Launcher,
    /// Which calls are made without a question.
    rules: Vec<RuleText>,
    folder: Folder,
}

impl Prober {
    /// Prepares a temporary state, which is removed at the end.
    pub(in crate::commands) fn new(
        places: &Places,
        settings: Settings,
        servers: Servers,
        launcher: Launcher,
    ) -> anyhow::Result<Self> {
        let folder = Folder::new(&places.state_dir).context("cannot create a temporary folder")?;
        let private = Places {
            data_dir: folder.0.join("data"),
            state_dir: folder.0.clone(),
            runtime_dir: folder.0.join("run"),
            ..places.clone()
        };
        if let Ok(bytes) = std::fs::read(places.approvals()) {
            write_atomic(&private.approvals(), &bytes, FileMode::Private)?;
        }
        Ok(Self {
            user: places.clone(),
            places: private,
            settings,
            servers,
            launcher,
            rules: Vec::new(),
            folder,
        })
    }

    /// Starts and checks one server; `None` if it is not configured.
    pub(super) async fn examine(&self, name: &ServerName) -> Option<ServerFinding> {
        let server = self.servers.get(name.as_str())?;
        let name = name.as_str();
        if server.switch == Switch::Off {
            let mut finding =
                ServerFinding::unstarted(name, Verdict::Note, "the server is switched off");
            finding.hint = Some(format!("hobnob enable {}", shell_word(name)));
            return Some(finding);
        }
        let spec = match &server.state {
            Ok(spec) => spec,
            Err(problem) => {
                let mut finding =
                    ServerFinding::unstarted(name, Verdict::Broken, problem.to_string());
                finding.hint = Some(format!("correct its entry in {}", server.file.display()));
                return Some(finding);
            }
        };
        let mut finding = match self.start(server).await {
            Ok((status, took)) => {
                self.save(server);
                self.judge(server, status, took)
            }
            Err(error) => ServerFinding::unstarted(name, Verdict::Broken, format!("{error:#}")),
        };
        finding.target = Some(masked_command(spec));
        Some(finding)
    }

    /// From now on, servers are traced, have no sandbox, and their tools are called without a
    /// question. Returns the file that records what they use.
    pub(in crate::commands) fn trace(&mut self) -> anyhow::Result<PathBuf> {
        let (tool, action) = (Some("*".into()), "allow".into());
        let (principal, group, server, pattern) = (None, None, None, None);
        self.rules = vec![RuleText { principal, group, server, tool, pattern, action }];
        let report = self.folder.0.join("trace");
        write_atomic(&report, b"", FileMode::Private)?;
        self.launcher.trace_report = Some(report.clone());
        Ok(report)
    }

    /// Starts one server, and runs `use_it` once it is ready. Returns the status with which the
    /// server became ready or failed; `None` if it is not configured.
    pub(in crate::commands) async fn run_with(
        &self,
        name: &ServerName,
        use_it: impl AsyncFnOnce(Arc<dyn Service>),
    ) -> anyhow::Result<Option<UpstreamStatus>> {
        let (hub, (service, gateway)) = self.gateway(name.as_str())?;
        let status = self.settled(&gateway, name.as_str()).await;
        let found = status.servers.into_iter().find(|it| it.name == name.as_str());
        if found.as_ref().is_some_and(|found| found.phase == Phase::Ready) {
            use_it(service).await;
        }
        hub.shut_down().await;
        gateway.shut_down().await;
        Ok(found)
    }

    async fn start(&self, server: &ConfiguredServer) -> anyhow::Result<(GatewayStatus, Duration)> {
        let begun = Instant::now();
        let (hub, (_, gateway)) = self.gateway(server.name.as_str())?;
        let status = self.settled(&gateway, server.name.as_str()).await;
        let took = begun.elapsed();
        hub.shut_down().await;
        gateway.shut_down().await;
        Ok((status, took))
    }

    fn gateway(&self, name: &str) -> anyhow::Result<(hobnob_mcp_server::Server, OpenedView)> {
        // A string in JSON is also one in TOML.
        let only = format!("servers = [{}]", serde_json::to_string(name)?);
        let profile = Profile::parse(Path::new("doctor"), &only, &[])?;
        let gateway = Gateway::start(GatewayOptions {
            places: self.places.clone(),
            settings: Settings { permissions: self.rules.clone(), ..self.settings.clone() },
            servers: self.servers.clone(),
            launcher: self.launcher.clone(),
            audit: None,
            observer: None,
            page: PAGE_SIZE,
            first_starts: FirstStarts::UnknownOnce,
            reload: Reload::OnDemand,
        });
        let builder = hobnob_mcp_server::Server::builder("hobnob", env!("CARGO_PKG_VERSION"));
        builder.try_build_with(|hub, jobs| {
            let (profile, kits) = (Some(profile), Vec::new());
            let view =
                ViewOptions { name: None, profile, kits, everyday: Arc::new(|_| true), hub, jobs };
            let service: Arc<dyn Service> = Arc::new(gateway.open_view(view)?);
            Ok::<_, anyhow::Error>((Arc::clone(&service), (service, gateway)))
        })
    }

    /// Waits until the server is ready or has failed.
    async fn settled(&self, gateway: &Gateway, name: &str) -> GatewayStatus {
        let limits = &self.settings.timeouts;
        // There may be two handshakes: a modern one, then a legacy one.
        let greeting = limits.handshake.max(limits.install);
        let deadline = Instant::now() + limits.connect + greeting * 2 + SLACK;
        loop {
            let status = gateway.status();
            let phase = status.servers.iter().find(|it| it.name == name).map(|it| it.phase);
            let waiting = matches!(
                phase,
                Some(Phase::Unknown | Phase::Sleeping | Phase::Starting | Phase::Installing)
            );
            if !waiting || deadline < Instant::now() {
                return status;
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Saves the catalogue and the failure to start for later commands.
    fn save(&self, server: &ConfiguredServer) {
        let learnt = CatalogueCache::new(&self.places.catalogues()).load(&server.identity);
        if let Some(text) = learnt {
            let cache = CatalogueCache::new(&self.user.catalogues());
            if let Err(error) = cache.store(&server.identity, &text) {
                tracing::warn!(%error, "cannot save a catalogue");
            }
        }
        carry_start_failure(&self.places, &self.user, server);
    }

    fn judge(
        &self,
        server: &ConfiguredServer,
        status: GatewayStatus,
        took: Duration,
    ) -> ServerFinding {
        let name = server.name.as_str();
        let GatewayStatus { problems, servers, .. } = status;
        let Some(found) = servers.into_iter().find(|it| it.name == name) else {
            let reason = "the gateway does not know this server";
            return ServerFinding::unstarted(name, Verdict::Broken, reason);
        };
        let mut warnings = found.warnings.clone();
        // Problems of files are reported once, not for every server.
        let of_files: Vec<String> =
            self.servers.problems().iter().map(ToString::to_string).collect();
        warnings.extend(problems.into_iter().filter(|it| !of_files.contains(it)));
        if !found.quarantined.is_empty() {
            warnings.push(format!(
                "held back until you approve them (hobnob approve {}): {}",
                shell_word(name),
                found.quarantined.join(", ")
            ));
        }
        let cache = CatalogueCache::new(&self.places.catalogues());
        warnings.extend(advice::of_tools(name, cache.load(&server.identity).as_deref()));
        if matches!(found.phase, Phase::Failed | Phase::Resting)
            && let Ok(spec) = &server.state
        {
            let names = held_back_variables(spec, &self.settings);
            warnings.extend(pass_hint(&names, &self.user.settings()));
        }
        let Advice { verdict, reason, hint } = advice::of_phase(server, &found, &self.settings);
        let verdict = if warnings.is_empty() { verdict } else { verdict.max(Verdict::Warning) };
        finding(found, verdict, reason, hint, warnings, took)
    }
}

fn finding(
    found: UpstreamStatus,
    verdict: Verdict,
    reason: Option<String>,
    hint: Option<String>,
    warnings: Vec<String>,
    took: Duration,
) -> ServerFinding {
    ServerFinding {
        name: found.name,
        verdict,
        reason,
        hint,
        target: Some(found.target),
        took_ms: Some(u64::try_from(took.as_millis()).unwrap_or(u64::MAX)),
        server: found.server,
        revision: found.revision,
        sandbox: found.sandbox,
        tools: found.tools,
        resources: found.resources,
        prompts: found.prompts,
        warnings,
    }
}

/// A folder that is removed on drop.
struct Folder(PathBuf);

impl Folder {
    /// Creates the folder in our own state folder. If that is not writable, which is one of the
    /// problems to report, creates it among the system's temporary files.
    fn new(state: &Path) -> std::io::Result<Self> {
        let own = state.join(format!("doctor-{}", std::process::id()));
        if make_folder(&own).is_ok() {
            return Ok(Self(own));
        }
        let name = format!("hobnob-doctor-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        // Fails if the folder exists already.
        builder.create(&folder)?;
        Ok(Self(folder))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that stays behind is private and never read again.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
