//! Restricts a listener in mode `local` to the owner's programs where the kernel does not report
//! the peer's user: each request carries a secret that only the owner can read.
//!
//! `serve` opens it in place of `peer_user`. The secret is not the `owner-secret`: a client that
//! may call tools must not be able to change permissions.

use crate::private_secret::read_or_make;
use hobnob_config::Digest;
use hobnob_disk::is_open_to_others;
use hobnob_mcp_engine::{BoxFuture, Principal};
use hobnob_mcp_http::{Authentication, ChallengeReason, Identity, IdentityRefusal};
use hobnob_mcp_types::{MethodName, Params};
use http::HeaderValue;
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Recognises the owner's programs by one secret that all of them share.
pub struct LocalSecret {
    /// A digest of the secret, so that the time of a comparison reveals nothing about it.
    digest: Digest,
    owner: Arc<dyn Identity>,
}

impl LocalSecret {
    /// Reads the secret from its file, or creates both. Fails if others can read the file.
    pub fn open(file: &Path) -> io::Result<Self> {
        let digest = Digest::of(read_or_make(file)?.as_bytes());
        if is_open_to_others(&std::fs::metadata(file)?) {
            let message = "other users can read it: remove it, and it is made anew";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
        }
        Ok(Self { digest, owner: Arc::new(Owner(Principal::anonymous())) })
    }
}

impl Authentication for LocalSecret {
    fn recall(&self, token: &str, _prefix: &str) -> Option<Arc<dyn Identity>> {
        (Digest::of(token.as_bytes()) == self.digest).then(|| Arc::clone(&self.owner))
    }

    fn verify<'a>(
        &'a self,
        token: &'a str,
        prefix: &'a str,
    ) -> BoxFuture<'a, Result<Arc<dyn Identity>, IdentityRefusal>> {
        let known = self.recall(token, prefix).ok_or(IdentityRefusal::Invalid);
        Box::pin(std::future::ready(known))
    }

    fn challenge(&self, _prefix: &str, _reason: &ChallengeReason) -> Option<HeaderValue> {
        Some(HeaderValue::from_static("Bearer"))
    }
}

impl fmt::Debug for LocalSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LocalSecret")
    }
}

/// A program of the owner: it has no name and may do everything, as if the kernel had reported it.
#[derive(Debug)]
struct Owner(Principal);

impl Identity for Owner {
    fn principal(&self) -> &Principal {
        &self.0
    }

    fn check(&self, _prefix: &str, _method: &MethodName, _params: &Params) -> Result<(), Box<str>> {
        Ok(())
    }

    fn check_all(&self, _prefix: &str) -> Result<(), Box<str>> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::LocalSecret;
    use hobnob_mcp_http::Authentication as _;

    #[test]
    fn a_file_that_others_can_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("listener-secret");
        let opened = LocalSecret::open(&file).unwrap();
        let secret = std::fs::read_to_string(&file).unwrap();
        assert!(opened.recall(secret.trim(), "").is_some());
        for other in ["", "0", &secret.trim()[1..], &format!("{}0", secret.trim())] {
            assert!(opened.recall(other, "").is_none(), "{other}");
        }
        assert!(!format!("{opened:?}").contains(secret.trim()));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let readable = std::fs::Permissions::from_mode(0o640);
            std::fs::set_permissions(&file, readable).unwrap();
            assert!(LocalSecret::open(&file).is_err());
        }
    }
}
