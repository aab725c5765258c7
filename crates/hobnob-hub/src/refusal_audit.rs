//! Audit records of peers that were refused before a service saw them: at the listener and at the
//! private sockets. They never contain a token or a part of one.

use crate::private_peer::PeerRefusal;
use hobnob_mcp_engine::Principal;
use hobnob_mcp_http::{IdentityRefusal, Refusal, RefusalObserver, RefusedRequest, RequestRefusal};
use hobnob_policy::audit::{AuditLog, AuditOutcome, AuditRecord, AuditTarget};
use hobnob_ui::RefusedPageRequest;
use std::fmt;
#[cfg(target_os = "linux")]
use std::net::IpAddr;
use std::sync::Arc;

/// Writes refusals to the audit log, if there is one; the log counts repeated refusals.
#[derive(Clone)]
pub struct AuditedRefusals(Option<Arc<AuditLog>>);

impl AuditedRefusals {
    /// Without a log, nothing is written.
    pub fn new(audit: Option<Arc<AuditLog>>) -> Self {
        Self(audit)
    }

    /// Records that a program may not use a private socket.
    pub(crate) fn peer_refused(&self, why: PeerRefusal) {
        self.write(AuditRecord::event(match why {
            PeerRefusal::OtherUser => "connections/other-user",
            PeerRefusal::ConfinedCommand => "connections/confined-command",
        }));
    }

    /// Records that a program may not use the listener. The user is unknown if the connection was
    /// closed at once; browsers close some connections that they opened in advance.
    #[cfg(target_os = "linux")]
    pub(crate) fn connection_refused(&self, peer: IpAddr, user: Option<u32>) {
        let method = match user {
            Some(_) => "connections/other-user",
            None => "connections/unknown-user",
        };
        self.write(AuditRecord {
            address: Some(peer.to_canonical()),
            ..AuditRecord::event(method)
        });
    }

    /// Records that a request to the page was refused.
    pub(crate) fn page_request_refused(&self, refused: &RefusedPageRequest<'_>) {
        self.write(AuditRecord {
            principal: refused.principal.unwrap_or_default(),
            address: refused.address,
            target: refused.origin.map_or(AuditTarget::None, AuditTarget::Uri),
            ..AuditRecord::event(refused.why.as_str())
        });
    }

    fn write(&self, record: AuditRecord<'_>) {
        if let Some(audit) = &self.0 {
            audit.record(&AuditRecord { outcome: AuditOutcome::Refused, ..record });
        }
    }
}

impl RefusalObserver for AuditedRefusals {
    fn request_refused(&self, request: &RefusedRequest<'_>) {
        let path = format!("{}/mcp", request.prefix);
        let target = match request.why {
            RequestRefusal::Guard { origin, .. } => {
                origin.map_or(AuditTarget::None, AuditTarget::Uri)
            }
            _ => AuditTarget::Uri(&path),
        };
        self.write(AuditRecord {
            principal: request.principal.map(Principal::as_str).unwrap_or_default(),
            address: request.address,
            target,
            ..AuditRecord::event(method(&request.why))
        });
    }
}

fn method(why: &RequestRefusal<'_>) -> &'static str {
    match why {
        RequestRefusal::Guard { refusal, .. } => match refusal {
            Refusal::HostMissing | Refusal::HostRepeated | Refusal::HostForeign => "requests/host",
            Refusal::OriginRepeated | Refusal::OriginForeign => "requests/origin",
        },
        RequestRefusal::NoToken => "tokens/missing",
        RequestRefusal::MisplacedToken => "tokens/misplaced",
        RequestRefusal::TooManyBadTokens => "tokens/throttle",
        RequestRefusal::MissingScope => "tokens/scope",
        RequestRefusal::OthersSession => "sessions/others",
        RequestRefusal::BadToken(why) => match why {
            IdentityRefusal::Invalid => "tokens/unknown",
            IdentityRefusal::Expired => "tokens/expired",
            IdentityRefusal::NotYetValid => "tokens/not-yet-valid",
            IdentityRefusal::OtherAudience => "tokens/other-audience",
            IdentityRefusal::Forbidden => "tokens/not-for-user",
            IdentityRefusal::Unavailable => "tokens/unavailable",
        },
    }
}

impl fmt::Debug for AuditedRefusals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AuditedRefusals")
    }
}
