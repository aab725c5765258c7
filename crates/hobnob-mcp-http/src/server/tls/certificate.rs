//! The certificate of a listener that is in force, and its renewal.
//!
//! The program that starts a server loads it, connections use its configuration, and the listener
//! watches its files. What must stay true: an unusable pair never replaces a usable one.

use parking_lot::Mutex;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use rustls::crypto::ring::default_provider;
use rustls::pki_types::CertificateDer;
use rustls::{InconsistentKeys, ServerConfig};

use super::check::{self, TlsWarning};
use super::fault::TlsFault;
use super::files::{PairDigest, PemPair, TlsFiles};

/// How often the files are checked by default. They are small, and their contents are compared: a
/// time stamp would not change when a link leads to another file.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);

/// The only protocol offered in ALPN, since HTTP/2 is not supported.
const PROTOCOL: &[u8] = b"http/1.1";

/// The result of checking the files.
#[derive(Debug)]
pub enum TlsReload {
    /// The files are as they were at the last check.
    Unchanged,
    /// Connections that begin from now on get the new certificate.
    Renewed,
    /// The files have changed and cannot be used, so the earlier certificate stays in force. This
    /// is reported once for each change.
    Kept(TlsFault),
}

/// The certificate of a listener, and its key.
#[derive(Debug)]
pub struct TlsCertificate {
    files: TlsFiles,
    interval: Duration,
    state: Mutex<TlsState>,
}

#[derive(Debug)]
struct TlsState {
    config: Arc<ServerConfig>,
    leaf: CertificateDer<'static>,
    /// The contents of the files at the last check, whether or not they could be used.
    seen: PairDigest,
    /// Why those contents are not in force, if they are not.
    kept: Option<KeptBecause>,
}

/// Why an earlier certificate is still in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeptBecause {
    /// The files cannot be used.
    Unusable,
    /// Clients would refuse the new certificate because of its dates, which may become valid later.
    WrongDate,
}

impl TlsCertificate {
    /// Reads the files for the first time.
    ///
    /// # Errors
    /// A file cannot be read or used, other users can read the key, or the key does not fit.
    pub fn load(files: TlsFiles) -> Result<Self, TlsFault> {
        let pair = files.read();
        let seen = pair.digest();
        let (config, leaf) = configure(&files, pair)?;
        Ok(Self {
            files,
            interval: CHECK_INTERVAL,
            state: Mutex::new(TlsState { config, leaf, seen, kept: None }),
        })
    }

    /// Checks the files this often while a server uses them; the default is every five seconds.
    #[must_use]
    pub fn checked_every(mut self, interval: Duration) -> Self {
        self.interval = interval;
        self
    }

    /// Checks the files. It reads them, so it blocks for as long as the disk takes.
    pub fn reload(&self) -> TlsReload {
        let pair = self.files.read();
        let seen = pair.digest();
        let (known, kept) = {
            let state = self.state.lock();
            (state.seen == seen, state.kept)
        };
        if known && kept != Some(KeptBecause::WrongDate) {
            return TlsReload::Unchanged;
        }
        let configured = configure(&self.files, pair);
        let mut state = self.state.lock();
        state.seen = seen;
        match configured.and_then(|(config, leaf)| self.better(&state.leaf, config, leaf)) {
            Ok((config, leaf)) => {
                // A new configuration also forgets the TLS sessions that clients could resume,
                // which began with the earlier key.
                (state.config, state.leaf, state.kept) = (config, leaf, None);
                TlsReload::Renewed
            }
            Err(_) if known => TlsReload::Unchanged,
            Err(fault) => {
                state.kept = Some(match &fault {
                    TlsFault::WrongDate { .. } => KeptBecause::WrongDate,
                    _ => KeptBecause::Unusable,
                });
                TlsReload::Kept(fault)
            }
        }
    }

    /// Whether the files contain a certificate that is not in force because it cannot be used.
    pub fn is_kept(&self) -> bool {
        self.state.lock().kept.is_some()
    }

    /// A certificate with invalid dates does not replace one with valid dates.
    fn better(
        &self,
        current: &CertificateDer<'_>,
        config: Arc<ServerConfig>,
        leaf: CertificateDer<'static>,
    ) -> Result<(Arc<ServerConfig>, CertificateDer<'static>), TlsFault> {
        match check::wrong_date(&leaf) {
            Some(warning) if check::wrong_date(current).is_none() => {
                let (certificate, _) = self.files.shown();
                Err(TlsFault::WrongDate { certificate, warning })
            }
            _ => Ok((config, leaf)),
        }
    }

    /// Reasons why clients would refuse the certificate in force, at present and under this host
    /// name.
    pub fn warnings(&self, host: Option<&str>) -> Vec<TlsWarning> {
        let leaf = self.state.lock().leaf.clone();
        check::warnings(&leaf, host)
    }

    /// Checks the files periodically, until the future is dropped.
    pub(crate) async fn watch(self: Arc<Self>) -> Infallible {
        loop {
            tokio::time::sleep(self.interval).await;
            let certificate = Arc::clone(&self);
            match tokio::task::spawn_blocking(move || certificate.reload()).await {
                Ok(TlsReload::Unchanged) => {}
                Ok(TlsReload::Renewed) => {
                    tracing::info!("the TLS certificate was renewed");
                    for warning in self.warnings(None) {
                        tracing::warn!("{warning}; clients will refuse to connect");
                    }
                }
                Ok(TlsReload::Kept(fault)) => tracing::warn!(
                    error = &fault as &dyn std::error::Error,
                    "the TLS files have changed and cannot be used; the earlier certificate stays in force"
                ),
                // The runtime ends, and with it this task.
                Err(error) => tracing::debug!(%error, "cannot look at the TLS files"),
            }
        }
    }

    /// The configuration for a connection that begins now.
    pub(super) fn config(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.state.lock().config)
    }
}

fn configure(
    files: &TlsFiles,
    pair: PemPair,
) -> Result<(Arc<ServerConfig>, CertificateDer<'static>), TlsFault> {
    let (chain, leaf, key) = pair.parse(files)?;
    let (certificate_file, key_file) = files.shown();
    let unusable = |source: rustls::Error| match source {
        rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => {
            TlsFault::Mismatch { certificate: certificate_file.clone(), key: key_file.clone() }
        }
        source => TlsFault::Unusable {
            certificate: certificate_file.clone(),
            key: key_file.clone(),
            source,
        },
    };
    let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(unusable)?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(unusable)?;
    config.alpn_protocols = vec![PROTOCOL.to_vec()];
    Ok((Arc::new(config), leaf))
}
