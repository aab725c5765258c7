//! The two files of a certificate: how they are read, and what is in them.
//!
//! Read by the certificate at the start and at every later look. Only digests of them stay in memory
//! besides what the library keeps.

use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use ring::digest::{Context, SHA256};
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::fault::TlsFault;

/// Limit on the bytes of a file; a chain has a few thousand.
const MAX_BYTES: u64 = 1 << 20;

/// Where a certificate and its key are, as PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate of the server, then those that lead from it to one that clients know.
    pub certificate: PathBuf,
    /// Its private key: PKCS#8, PKCS#1 or SEC1, not encrypted.
    pub key: PathBuf,
}

impl TlsFiles {
    /// Both paths for messages: of the certificate and of the key.
    pub(super) fn shown(&self) -> (Box<str>, Box<str>) {
        (shown(&self.certificate), shown(&self.key))
    }

    pub(super) fn read(&self) -> PemPair {
        PemPair {
            certificate: read(&self.certificate, |_| Ok(())),
            key: read(&self.key, |metadata| check_private(metadata, &self.key)),
        }
    }
}

/// What was read, or why it was not.
pub(super) struct PemPair {
    certificate: Result<Vec<u8>, TlsFault>,
    key: Result<Vec<u8>, TlsFault>,
}

/// Tells one state of the two files from another.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PairDigest([Box<[u8]>; 2]);

type Parsed = (Vec<CertificateDer<'static>>, CertificateDer<'static>, PrivateKeyDer<'static>);

impl PemPair {
    pub(super) fn digest(&self) -> PairDigest {
        PairDigest([&self.certificate, &self.key].map(|file| {
            let mut digest = Context::new(&SHA256);
            match file {
                Ok(bytes) => {
                    digest.update(b"+");
                    digest.update(bytes);
                }
                Err(fault) => digest.update(fault.to_string().as_bytes()),
            }
            digest.finish().as_ref().into()
        }))
    }

    /// The chain, its first certificate, and the key.
    pub(super) fn parse(self, files: &TlsFiles) -> Result<Parsed, TlsFault> {
        let (certificate, key) = (self.certificate?, self.key?);
        let chain = CertificateDer::pem_slice_iter(&certificate)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| wrong(&files.certificate, format!("is no PEM: {error}")))?;
        let Some(leaf) = chain.first().cloned() else {
            let problem = "holds no certificate: it must have a block `BEGIN CERTIFICATE`";
            return Err(wrong(&files.certificate, problem.into()));
        };
        let key = PrivateKeyDer::from_pem_slice(&key).map_err(|error| match error {
            pem::Error::NoItemsFound if is_encrypted(&key) => {
                let problem = "is encrypted, and nobody is there to type its passphrase: \
                               write it without one, with `openssl pkey -in KEY -out NEW`";
                wrong(&files.key, problem.into())
            }
            pem::Error::NoItemsFound => {
                let problem = "holds no private key: it must have a block `BEGIN PRIVATE KEY`";
                wrong(&files.key, problem.into())
            }
            // What the library says may repeat bytes of the file, and this is a secret.
            _ => wrong(&files.key, "is no PEM, or only the beginning of one".into()),
        })?;
        Ok((chain, leaf, key))
    }
}

fn is_encrypted(pem: &[u8]) -> bool {
    let marker = b"BEGIN ENCRYPTED PRIVATE KEY";
    memchr::memmem::find(pem, marker).is_some()
}

fn wrong(path: &Path, problem: String) -> TlsFault {
    TlsFault::Contents { path: shown(path), problem: problem.into() }
}

fn shown(path: &Path) -> Box<str> {
    path.display().to_string().into()
}

fn read(
    path: &Path,
    check: impl FnOnce(&Metadata) -> Result<(), TlsFault>,
) -> Result<Vec<u8>, TlsFault> {
    let unreadable = |error: io::Error| TlsFault::Unreadable(shown(path), error);
    let metadata = path.metadata().map_err(unreadable)?;
    // Opening a pipe would wait for whoever writes it.
    if !metadata.is_file() {
        return Err(unreadable(io::Error::other("it is not a file")));
    }
    let file = File::open(path).map_err(unreadable)?;
    check(&file.metadata().map_err(unreadable)?)?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if MAX_BYTES < bytes.len() as u64 {
        return Err(unreadable(io::Error::other(format!("it has more than {MAX_BYTES} bytes"))));
    }
    Ok(bytes)
}

/// A group may have been made for just this, so only everybody is too many.
#[cfg(unix)]
fn check_private(metadata: &Metadata, path: &Path) -> Result<(), TlsFault> {
    use std::os::unix::fs::PermissionsExt as _;
    match metadata.permissions().mode() & 0o007 {
        0 => Ok(()),
        _ => Err(TlsFault::Exposed(shown(path))),
    }
}

/// Other systems have no such modes.
#[cfg(not(unix))]
fn check_private(_metadata: &Metadata, _path: &Path) -> Result<(), TlsFault> {
    Ok(())
}
