//! The checks that all services share: which callers get an answer, and how far a service is on.

use crate::grants::access::{MachineService, ServiceAccess};
use crate::grants::denied::{NotGranted, NotGrantedReason};
use crate::grants::file_root::RootAccess;
use crate::grants::subject::GrantSubject;

/// Refuses remote callers that are not authenticated, before they learn what would be granted.
pub(super) fn refuse_remote(who: GrantSubject<'_>, input: &str) -> Result<(), NotGranted> {
    match who.is_remote_stranger() {
        true => Err(NotGranted::new(input, NotGrantedReason::RemoteCaller)),
        false => Ok(()),
    }
}

/// Why the service is not switched on far enough for this access, and the command that does it.
pub(super) fn needs_enabling(
    service: MachineService,
    access: ServiceAccess,
    needed: RootAccess,
) -> Option<(NotGrantedReason, String)> {
    let enough = match needed {
        RootAccess::Read => ServiceAccess::ReadOnly,
        RootAccess::Write => ServiceAccess::ReadWrite,
    };
    let option = match needed {
        RootAccess::Read => " --read-only",
        RootAccess::Write => "",
    };
    let reason = NotGrantedReason::Service { service, state: access.as_str() };
    (access < enough).then(|| (reason, format!("hobnob enable {}{option}", service.as_str())))
}
