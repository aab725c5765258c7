//! Reasons why clients will refuse a certificate that the server can use.
//!
//! Called when a server starts and by `doctor`. It runs the library's client-side checks without
//! any trusted roots, so that only the dates and the names matter.

use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, Error, RootCertStore};

/// Why clients will refuse a certificate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TlsWarning {
    /// The certificate has expired.
    #[error("the certificate has expired")]
    Expired,
    /// The certificate is not valid yet, or the clock of this machine is wrong.
    #[error("the certificate is not valid yet")]
    NotYetValid,
    /// The certificate is for other names.
    #[error("the certificate does not name {0}")]
    OtherName(Box<str>),
}

pub(super) fn warnings(leaf: &CertificateDer<'_>, host: Option<&str>) -> Vec<TlsWarning> {
    // Old forms of certificates can be served, but not parsed here.
    let Ok(parsed) = ParsedCertificate::try_from(leaf) else { return Vec::new() };
    let date = date_of(&parsed);
    let name = host.filter(|host| !names(&parsed, host));
    date.into_iter().chain(name.map(|host| TlsWarning::OtherName(host.into()))).collect()
}

/// What is wrong with the dates of a certificate at present.
pub(super) fn wrong_date(leaf: &CertificateDer<'_>) -> Option<TlsWarning> {
    ParsedCertificate::try_from(leaf).ok().and_then(|parsed| date_of(&parsed))
}

fn date_of(certificate: &ParsedCertificate<'_>) -> Option<TlsWarning> {
    let algorithms = default_provider().signature_verification_algorithms.all;
    // The dates are checked first; after that it always fails, since no root is trusted.
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
    // URLs write IPv6 addresses in brackets.
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    ServerName::try_from(bare).is_ok_and(|name| verify_server_name(certificate, &name).is_ok())
}
