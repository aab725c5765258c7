//! Who may use a listener that asks for no tokens: the owner's programs, as the kernel knows them, or
//! as they know the owner's secret.
//!
//! `serve` asks once, before it listens. What must stay true: a system that cannot tell users apart
//! never lets every user in by itself.

use anyhow::Context as _;
use hobnob_config::{ListenerMode, Places};
use hobnob_hub::compose::Composed;
use hobnob_hub::front_page::CallerProof;
use hobnob_hub::local_secret::LocalSecret;
use hobnob_hub::refusal_audit::AuditedRefusals;
use hobnob_mcp_http::{Authentication, Exposure, PeerCheck};
use std::io;
use std::sync::Arc;

/// How callers of this machine are told apart where no token is asked for.
pub(super) enum LocalCallers {
    /// Every user of this machine may connect, or what else protects the listener says who may.
    Anybody,
    /// The kernel says whose socket connects: only programs of this user and of root may.
    KnownByKernel(Arc<dyn PeerCheck>),
    /// The kernel does not say so: only programs that know the owner's secret may.
    KnowingSecret(Arc<dyn Authentication>),
}

impl LocalCallers {
    /// Finds out what this system can do.
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

    /// What looks at each connection.
    pub(super) fn peers(&self) -> Option<Arc<dyn PeerCheck>> {
        match self {
            Self::KnownByKernel(peers) => Some(Arc::clone(peers)),
            Self::Anybody | Self::KnowingSecret(_) => None,
        }
    }

    /// What callers are told that they have to show.
    pub(super) fn proof(&self, mode: ListenerMode) -> CallerProof {
        match (self, mode) {
            (Self::KnowingSecret(_), _) => CallerProof::Secret,
            (_, ListenerMode::Local | ListenerMode::Open) => CallerProof::Nothing,
            (_, ListenerMode::Token) => CallerProof::Token,
            (_, ListenerMode::Embedded | ListenerMode::External) => CallerProof::Login,
        }
    }

    /// What looks at each request.
    pub(super) fn authentication(&self) -> Option<Arc<dyn Authentication>> {
        match self {
            Self::KnowingSecret(secret) => Some(Arc::clone(secret)),
            Self::Anybody | Self::KnownByKernel(_) => None,
        }
    }
}

/// The secret that callers must show, and a line for the owner that says where it is.
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

/// Only Linux is asked whose socket connects.
#[cfg(not(target_os = "linux"))]
fn local_programs(_refusals: AuditedRefusals) -> io::Result<Arc<dyn PeerCheck>> {
    Err(io::ErrorKind::Unsupported.into())
}
