//! Why a certificate and its key cannot be used, as `serve` and `doctor` show it.

use super::check::TlsWarning;

/// Why a certificate and its key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsFault {
    /// A file cannot be read, or is far too large.
    #[error("cannot read {0}")]
    Unreadable(Box<str>, #[source] std::io::Error),
    /// Every user of this machine can read the key.
    #[error("other users can read the key {0}: make it private with `chmod 600 {0}`")]
    Exposed(Box<str>),
    /// A file does not contain what it should.
    #[error("{path} {problem}")]
    Contents {
        /// The file in question.
        path: Box<str>,
        /// What is wrong with it.
        problem: Box<str>,
    },
    /// Both files can be read, but the key belongs to another certificate.
    #[error("the key in {key} does not belong to the certificate in {certificate}")]
    Mismatch {
        /// The file with the certificate.
        certificate: Box<str>,
        /// The file with the key.
        key: Box<str>,
    },
    /// The dates of the new certificate are invalid, while those of the present one are valid.
    #[error("{certificate}: {warning}")]
    WrongDate {
        /// The file with the certificate.
        certificate: Box<str>,
        /// What is wrong with the dates.
        warning: TlsWarning,
    },
    /// The kind of key or certificate is not supported.
    #[error("cannot serve with the certificate in {certificate} and the key in {key}")]
    Unusable {
        /// The file with the certificate.
        certificate: Box<str>,
        /// The file with the key.
        key: Box<str>,
        /// The TLS library's error.
        source: rustls::Error,
    },
}
