//! Why a certificate and its key cannot be used: what `serve` and `doctor` show.

use super::check::TlsWarning;

/// Why a certificate and its key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsFault {
    /// A file cannot be read, or is far too large.
    #[error("cannot read {0}")]
    Unreadable(Box<str>, #[source] std::io::Error),
    /// Every user of this machine may use the key.
    #[error("other users can read the key {0}: make it private with `chmod 600 {0}`")]
    Exposed(Box<str>),
    /// A file does not hold what it should.
    #[error("{path} {problem}")]
    Contents {
        /// The file in question.
        path: Box<str>,
        /// What is wrong with it.
        problem: Box<str>,
    },
    /// Both can be read, but the key is another one's.
    #[error("the key in {key} does not belong to the certificate in {certificate}")]
    Mismatch {
        /// The file with the certificate.
        certificate: Box<str>,
        /// The file with the key.
        key: Box<str>,
    },
    /// It would take the place of one that clients accept, and they would not accept it.
    #[error("{certificate}: {warning}")]
    WrongDate {
        /// The file with the certificate.
        certificate: Box<str>,
        /// What is wrong with its dates.
        warning: TlsWarning,
    },
    /// A kind of key or certificate that is not supported.
    #[error("cannot serve with the certificate in {certificate} and the key in {key}")]
    Unusable {
        /// The file with the certificate.
        certificate: Box<str>,
        /// The file with the key.
        key: Box<str>,
        /// What the library says about it.
        source: rustls::Error,
    },
}
