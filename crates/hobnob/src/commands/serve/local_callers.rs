//! Decides who may use a listener that asks for no tokens: programs that the kernel knows to be the
//! owner's, or programs that know the owner's secret.
//!
//! `serve` calls it once, before it listens. What must stay true: on a system that cannot tell
//! users apart, the listener never admits every user by default.

use anyhow::Context as _;
use hobnob_config::{ListenerMode, Places};
use hobnob_hub::compose::Composed;
use hobnob_hub::front_page::CallerProof;
use hobnob_hub::local_secret::LocalSecret;
use hobnob_hub::refusal_audit::AuditedRefusals;
use hobnob_mcp_http::{Authentication, Exposure, PeerCheck};
use std::io;
use std::sync::Arc;

/// How a listener identifies callers on this machine if it asks for no token.
pub(super) enum LocalCallers {
    /// It does not: every user of this machine may connect, or another check decides who may.
    Anybody,
    /// The kernel tells which user connects: only programs of this user and of root may.
    KnownByKernel(Arc<dyn PeerCheck>),
    /// The kernel does not tell: only programs that know the owner's secret may connect.
    KnowingSecret(Arc<dyn Authentication>),
}

impl LocalCallers {
    /// Chooses the check that the mode asks for and that this system can do.
    pub(super) fn find(
        composed: &Composed,
        places: &Places,
        mode: ListenerMode,
        exposure: Exposure,
    ) -> anyhow::Result<Self> {
        let refusals = AuditedRefusals::new(composed.audit.clone());
        match (mode, exposure) {
            (ListenerMode::Local, Exposure::LoopbackOnly) => match local_programs(refusals) {
                Ok(programs) => Ok(Self::KnownByKernel(programs)),
                Err(why) => Ok(Self::KnowingSecret(secret(places, &why)?)),
            },
            (ListenerMode::Open, _) => {
                tracing::warn!(
                    "every user of this machine can connect: mode is \"open\" in [listener]"
                );
                Ok(Self::Anybody)
            }
            _ => Ok(Self::Anybody),
        }
    }

    /// The check of each connection, if any.
    pub(super) fn peers(&self) -> Option<Arc<dyn PeerCheck>> {
        match self {
            Self::KnownByKernel(peers) => Some(Arc::clone(peers)),
            Self::Anybody | Self::KnowingSecret(_) => None,
        }
    }

    /// What callers have to show, for the front page.
    pub(super) fn proof(&self, mode: ListenerMode) -> CallerProof {
        match (self, mode) {
            (Self::KnowingSecret(_), _) => CallerProof::Secret,
            (_, ListenerMode::Local | ListenerMode::Open) => CallerProof::Nothing,
            (_, ListenerMode::Token) => CallerProof::Token,
            (_, ListenerMode::Embedded | ListenerMode::External) => CallerProof::Login,
        }
    }

    /// The check of each request, if any.
    pub(super) fn authentication(&self) -> Option<Arc<dyn Authentication>> {
        match self {
            Self::KnowingSecret(secret) => Some(Arc::clone(secret)),
            Self::Anybody | Self::KnownByKernel(_) => None,
        }
    }
}

/// Opens the secret that callers must show, and logs where the owner finds it.
fn secret(places: &Places, why: &io::Error) -> anyhow::Result<Arc<dyn Authentication>> {
    let file = places.listener_secret();
    let secret = LocalSecret::open(&file).with_context(|| {
        format!("the secret that callers must show cannot be used: {}", file.display())
    })?;
    tracing::warn!(
        file = %file.display(),
        reason = %why,
        "this system does not say which user connects, so every request needs the header \
         `Authorization: Bearer SECRET`, with the secret in this file, which only you can read"
    );
    Ok(Arc::new(secret))
}

#[cfg(target_os = "linux")]
fn local_programs(refusals: AuditedRefusals) -> io::Result<Arc<dyn PeerCheck>> {
    Ok(Arc::new(hobnob_hub::peer_user::LocalPrograms::new(refusals)?))
}

/// Hobnob asks the kernel who connects only on Linux.
#[cfg(not(target_os = "linux"))]
fn local_programs(_refusals: AuditedRefusals) -> io::Result<Arc<dyn PeerCheck>> {
    Err(io::ErrorKind::Unsupported.into())
}
