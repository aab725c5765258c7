//! TLS of a listener: a certificate and its key, from files that are looked at again.
//!
//! A [`TlsCertificate`] is handed over with [`HttpOptions`](crate::HttpOptions); every connection takes
//! what is in force when it begins.

mod fault;
mod files;

mod check;

mod certificate;

mod handshake;

pub use certificate::{TlsCertificate, TlsReload};
pub use check::TlsWarning;
pub use fault::TlsFault;
pub use files::TlsFiles;

pub(crate) use handshake::handshake;
