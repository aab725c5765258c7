//! TLS of a listener: a certificate and its key, from files that are checked for changes.
//!
//! Pass a [`TlsCertificate`] in the [`HttpOptions`](crate::HttpOptions); every connection uses the
//! certificate that is in force when it begins.

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
