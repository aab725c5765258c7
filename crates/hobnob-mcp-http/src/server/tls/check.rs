//! What is wrong with a certificate that can be used all the same: clients will refuse it.
//!
//! Called when a server starts and by `doctor`. The library's own checks of clients are asked, with
//! nobody to trust, so that only the dates and the names matter.

use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, Error, RootCertStore};

/// Why clients will not accept a certificate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TlsWarning {
    /// Its last day is over.
    #[error("the certificate has expired")]
    Expired,
    /// Its first day has not come, or the clock of this machine is wrong.
    #[error("the certificate is not valid yet")]
    NotYetValid,
    /// It is a certificate of other names.
    #[error("the certificate does not name {0}")]
    OtherName(Box<str>),
}

pub(super) fn warnings(leaf: &CertificateDer<'_>, host: Option<&str>) -> Vec<TlsWarning> {
    // Old forms of certificates can be shown to clients, but not looked into here.
    let Ok(parsed) = ParsedCertificate::try_from(leaf) else { return Vec::new() };
    let date = date_of(&parsed);
    let name = host.filter(|host| !names(&parsed, host));
    date.into_iter().chain(name.map(|host| TlsWarning::OtherName(host.into()))).collect()
}

/// What is wrong with the dates of a certificate, now.
pub(super) fn wrong_date(leaf: &CertificateDer<'_>) -> Option<TlsWarning> {
    ParsedCertificate::try_from(leaf).ok().and_then(|parsed| date_of(&parsed))
}

fn date_of(certificate: &ParsedCertificate<'_>) -> Option<TlsWarning> {
    let algorithms = default_provider().signature_verification_algorithms.all;
    // The dates come first; afterwards it always fails, for want of anybody to trust.
    let verified = verify_server_cert_signed_by_trust_anchor(
        certificate,
        &RootCertStore::empty(),
        &[],
        UnixTime::now(),
        algorithms,
    );
    let Err(Error::InvalidCertificate(error)) = verified else { return None };
    match error {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            Some(TlsWarning::Expired)
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            Some(TlsWarning::NotYetValid)
        }
        _ => None,
    }
}

fn names(certificate: &ParsedCertificate<'_>, host: &str) -> bool {
    // An IPv6 address stands in brackets in an address of the web.
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    ServerName::try_from(bare).is_ok_and(|name| verify_server_name(certificate, &name).is_ok())
}
