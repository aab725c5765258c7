//! Starts one server the way `serve` would, in a gateway of its own with a state of its own.
//!
//! What it offers is kept for everybody, and that it failed to start, or did not; approvals and
//! pins of the user stay.

use super::advice::{self, Advice};
use super::finding::{ServerFinding, Verdict};
use anyhow::Context as _;
use hobnob_config::{
    CatalogueCache, Mode, Places, Profile, Server, ServerName, Servers, Settings, Switch,
    make_folder, write_atomic,
};
use hobnob_gateway::{
    FirstStarts, Gateway, GatewayOptions, Launcher, Phase, Reload, Status, UpstreamStatus,
    ViewOptions, carry_start_failure,
};
use hobnob_mcp_engine::Service;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often a server that starts is looked at.
const LOOK: Duration = Duration::from_millis(20);
/// What a start may take besides its settings: a supervisor, lists, a slow machine.
const SLACK: Duration = Duration::from_secs(10);
/// Entries on a page; nobody reads pages here.
const PAGE: usize = 1000;

/// What every examination needs.
pub(super) struct Bench {
    /// Where the user's files are.
    user: Places,
    /// Where those of the examination are.
    places: Places,
    settings: Settings,
    servers: Servers,
    launcher: Launcher,
    _folder: Folder,
}

impl Bench {
    /// Prepares a state that is thrown away at the end.
    pub(super) fn new(
        places: &Places,
        settings: Settings,
        servers: Servers,
        launcher: Launcher,
    ) -> anyhow::Result<Self> {
        let folder = Folder::new(&places.state_dir)
            .context("a folder for the examination cannot be made")?;
        let private = Places {
            data_dir: folder.0.join("data"),
            state_dir: folder.0.clone(),
            runtime_dir: folder.0.join("run"),
            ..places.clone()
        };
        if let Ok(bytes) = std::fs::read(places.approvals()) {
            write_atomic(&private.approvals(), &bytes, Mode::Private)?;
        }
        Ok(Self {
            user: places.clone(),
            places: private,
            settings,
            servers,
            launcher,
            _folder: folder,
        })
    }

    /// All about one server; nothing if there is no such server.
    pub(super) async fn examine(&self, name: &ServerName) -> Option<ServerFinding> {
        let server = self.servers.get(name.as_str())?;
        let name = name.as_str();
        if server.switch == Switch::Off {
            let mut finding = ServerFinding::unstarted(name, Verdict::Note, "it is switched off");
            finding.hint = Some(format!("hobnob enable {name}"));
            return Some(finding);
        }
        let spec = match &server.state {
            Ok(spec) => spec,
            Err(problem) => {
                let mut finding =
                    ServerFinding::unstarted(name, Verdict::Broken, problem.to_string());
                finding.hint = Some(format!("repair its entry in {}", server.file.display()));
                return Some(finding);
            }
        };
        let mut finding = match self.start(server).await {
            Ok((status, took)) => {
                self.keep(server);
                self.judge(server, status, took)
            }
            Err(error) => ServerFinding::unstarted(name, Verdict::Broken, format!("{error:#}")),
        };
        finding.target = Some(spec.display_command());
        Some(finding)
    }

    async fn start(&self, server: &Server) -> anyhow::Result<(Status, Duration)> {
        let begun = Instant::now();
        let (hub, gateway) = self.gateway(server.name.as_str())?;
        let status = self.settled(&gateway, server.name.as_str()).await;
        let took = begun.elapsed();
        hub.shut_down().await;
        gateway.shut_down().await;
        Ok((status, took))
    }

    fn gateway(&self, name: &str) -> anyhow::Result<(hobnob_mcp_server::Server, Arc<Gateway>)> {
        // JSON's quotes and escapes are TOML's too.
        let only = format!("servers = [{}]", serde_json::to_string(name)?);
        let profile = Profile::parse(Path::new("doctor"), &only, &[])?;
        let gateway = Gateway::start(GatewayOptions {
            places: self.places.clone(),
            settings: Settings { permissions: Vec::new(), ..self.settings.clone() },
            servers: self.servers.clone(),
            launcher: self.launcher.clone(),
            audit: None,
            page: PAGE,
            first_starts: FirstStarts::UnknownOnce,
            reload: Reload::OnDemand,
        });
        let builder = hobnob_mcp_server::Server::builder("hobnob", env!("CARGO_PKG_VERSION"));
        builder.try_build_with(|hub, jobs| {
            let (profile, kits) = (Some(profile), Vec::new());
            let view = ViewOptions { name: None, profile, kits, hub, jobs };
            let service: Arc<dyn Service> = Arc::new(gateway.open_view(view)?);
            Ok::<_, anyhow::Error>((service, gateway))
        })
    }

    /// Waits until the server is ready or has failed.
    async fn settled(&self, gateway: &Gateway, name: &str) -> Status {
        let limits = &self.settings.timeouts;
        // A server may be greeted twice: in the newer and then in the older way.
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
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Keeps what was learnt where everybody looks for it.
    fn keep(&self, server: &Server) {
        let learnt = CatalogueCache::new(&self.places.catalogues()).load(&server.identity);
        if let Some(text) = learnt {
            let kept = CatalogueCache::new(&self.user.catalogues());
            if let Err(error) = kept.store(&server.identity, &text) {
                tracing::warn!(%error, "a catalogue cannot be kept");
            }
        }
        carry_start_failure(&self.places, &self.user, server);
    }

    fn judge(&self, server: &Server, status: Status, took: Duration) -> ServerFinding {
        let name = server.name.as_str();
        let Status { problems, servers, .. } = status;
        let Some(found) = servers.into_iter().find(|it| it.name == name) else {
            let reason = "the gateway does not know it";
            return ServerFinding::unstarted(name, Verdict::Broken, reason);
        };
        let mut warnings = found.warnings.clone();
        // What is wrong with files is told once, not for every server.
        let of_files: Vec<String> =
            self.servers.problems().iter().map(ToString::to_string).collect();
        warnings.extend(problems.into_iter().filter(|it| !of_files.contains(it)));
        if !found.quarantined.is_empty() {
            warnings.push(format!(
                "held back until they are approved (hobnob approve {name}): {}",
                found.quarantined.join(", ")
            ));
        }
        let cache = CatalogueCache::new(&self.places.catalogues());
        warnings.extend(advice::of_tools(name, cache.load(&server.identity).as_deref()));
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
        tools: found.tools,
        resources: found.resources,
        prompts: found.prompts,
        warnings,
    }
}

/// Gone with the examination.
struct Folder(PathBuf);

impl Folder {
    /// In our own state, or where that cannot be written, which is a thing to examine, among the
    /// system's temporary files.
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
        // Fails if somebody was there first.
        builder.create(&folder)?;
        Ok(Self(folder))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // It is private, and nobody reads it again.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
