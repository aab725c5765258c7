//! Reads and parses the two files of a certificate.
//!
//! The certificate reads them at the start and at every check. Besides what the library stores,
//! only their digests stay in memory.

use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use ring::digest::{Context, SHA256};
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::fault::TlsFault;

/// Limit on the size of a file, in bytes; a certificate chain has a few thousand.
const MAX_BYTES: u64 = 1 << 20;

/// The paths of a certificate and its key, as PEM files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The server's certificate, followed by those that link it to one that clients trust.
    pub certificate: PathBuf,
    /// The private key: PKCS#8, PKCS#1 or SEC1, not encrypted.
    pub key: PathBuf,
}

impl TlsFiles {
    /// Both paths as text for messages: certificate, key.
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

/// The contents of both files, or why they could not be read.
pub(super) struct PemPair {
    certificate: Result<Vec<u8>, TlsFault>,
    key: Result<Vec<u8>, TlsFault>,
}

/// Distinguishes two states of the files.
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
            // The library's message may repeat bytes of the file, which is a secret.
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
    // Opening a pipe would wait for its writer.
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

/// A group may exist for just this purpose, so only access for all users is refused.
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
