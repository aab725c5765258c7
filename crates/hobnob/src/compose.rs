//! The only wiring: places and settings to a gateway, a gateway to a server.

use crate::services::health;
use anyhow::Context as _;
use hobnob_config::{
    Places, Profile, ProfileName, Servers, Settings, load_profile, process_environment,
};
use hobnob_gateway::{
    FirstStarts, Gateway, GatewayOptions, GatewayService, KeepingPolicy, Launcher, Reload,
};
use hobnob_policy::audit::{AuditLog, AuditOptions};
use mcp_engine::{Limits, Service};
use mcp_server::Server;
use mcp_types::hello::Implementation;
use std::sync::Arc;

/// A server and the gateway behind it.
pub(crate) struct Composed {
    pub(crate) server: Server,
    pub(crate) gateway: Arc<Gateway>,
}

/// What differs between one way of running and another.
pub(crate) struct Plan {
    pub(crate) places: Places,
    pub(crate) profile: Option<String>,
    pub(crate) first_starts: FirstStarts,
    pub(crate) reload: Reload,
}

/// Who we say we are, to clients and to servers.
pub(crate) fn implementation() -> Implementation {
    Implementation::new("hobnob", env!("CARGO_PKG_VERSION"))
}

/// Puts everything together. Must run inside a runtime.
pub(crate) fn compose(plan: Plan) -> anyhow::Result<Composed> {
    plan.places.create().context("the folders for settings and state cannot be made")?;
    let settings = Settings::load(&plan.places.settings()).map_err(anyhow::Error::from)?;
    let servers = Servers::load(&plan.places, &process_environment);
    for problem in servers.problems() {
        tracing::warn!(%problem, "configuration");
    }
    for problem in servers.misconfigured() {
        tracing::warn!(%problem, "configuration");
    }
    let profile = plan.profile.as_deref().map(|name| profile(&plan.places, name)).transpose()?;
    let audit = if settings.audit.enabled {
        let file = plan.places.audit();
        let opened = AuditLog::open(&file, AuditOptions::default());
        Some(opened.with_context(|| format!("the audit log {} cannot be opened", file.display()))?)
    } else {
        None
    };
    let limits = Limits::default();
    let launcher = launcher(&plan.places, &settings)?;
    let wanted = |service: &str| {
        let listed = profile.as_ref().and_then(|profile| profile.services.as_ref());
        settings.services.get(service) != Some(&false)
            && listed.is_none_or(|listed| listed.iter().any(|name| name == service))
    };
    let kits = match wanted("health") {
        true => vec![health::kit().context("the health service")?],
        false => Vec::new(),
    };
    let options = GatewayOptions {
        places: plan.places,
        settings,
        servers,
        profile,
        launcher,
        kits,
        audit,
        page: limits.page,
        first_starts: plan.first_starts,
        reload: plan.reload,
    };
    let builder = Server::builder("hobnob", env!("CARGO_PKG_VERSION")).limits(limits);
    let (server, gateway) = builder.try_build_with(|hub, tasks| {
        let gateway = Gateway::start(options, hub, tasks)?;
        let service: Arc<dyn Service> = Arc::new(GatewayService(Arc::clone(&gateway)));
        Ok::<_, anyhow::Error>((service, gateway))
    })?;
    Ok(Composed { server, gateway })
}

fn profile(places: &Places, name: &str) -> anyhow::Result<Profile> {
    let name = ProfileName::parse(name)?;
    Ok(load_profile(places, &name, &[])?)
}

/// How servers are started here.
pub(crate) fn launcher(places: &Places, settings: &Settings) -> anyhow::Result<Launcher> {
    Ok(Launcher {
        implementation: implementation(),
        connect: settings.timeouts.connect,
        handshake: settings.timeouts.handshake,
        pass: settings.environment.pass.clone(),
        keeping: keeping(settings)?,
        folder: places.project.clone(),
    })
}

/// What keeps servers' processes on this machine.
pub(crate) fn keeping(settings: &Settings) -> anyhow::Result<KeepingPolicy> {
    let keeper = std::env::current_exe().context("our own program cannot be found")?;
    Ok(KeepingPolicy::new(keeper, settings.confinement.level))
}
