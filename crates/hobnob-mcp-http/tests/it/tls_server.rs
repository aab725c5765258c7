//! A server that speaks TLS, its files, and clients that trust it.
//!
//! Through the tunnel the clients of all other tests can use it without TLS of their own.
#![expect(clippy::unwrap_used, reason = "a helper that fails must fail the test that uses it")]

use std::fs;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hobnob_mcp_http::{TlsCertificate, TlsFiles};
use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, RootCertStore, SupportedProtocolVersion};
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::client::wait_for;
use crate::mcp_server::{TestOptions, TestServer};

/// Short enough that no test waits for it.
const CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// A self-signed certificate for `localhost`.
pub(crate) fn certified() -> CertifiedKey<KeyPair> {
    generate_simple_self_signed(["localhost".to_owned()]).unwrap()
}

/// A folder with the two files of a certificate.
pub(crate) struct TlsFolder {
    folder: TempDir,
}

impl TlsFolder {
    pub(crate) fn of(certified: &CertifiedKey<KeyPair>) -> Self {
        let folder = Self { folder: TempDir::new().unwrap() };
        folder.write(certified);
        folder
    }

    pub(crate) fn write(&self, certified: &CertifiedKey<KeyPair>) {
        self.write_texts(&certified.cert.pem(), &certified.signing_key.serialize_pem());
    }

    pub(crate) fn write_texts(&self, certificate: &str, key: &str) {
        write(&self.files().certificate, certificate);
        write(&self.files().key, key);
    }

    pub(crate) fn files(&self) -> TlsFiles {
        let path = |name| self.folder.path().join(name);
        TlsFiles { certificate: path("certificate.pem"), key: path("key.pem") }
    }
}

/// Replaces a private file in one step, as a program that renews certificates should.
pub(crate) fn write(path: &Path, text: &str) {
    let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap()).unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file.persist(path).unwrap();
    assert_eq!(fs::read_to_string(path).unwrap(), text);
}

/// A running server with a certificate.
pub(crate) struct TlsServer {
    pub(crate) server: TestServer,
    pub(crate) folder: TlsFolder,
    pub(crate) certificate: CertificateDer<'static>,
}

impl TlsServer {
    pub(crate) async fn start() -> Self {
        Self::with(TestOptions::default()).await
    }

    pub(crate) async fn with(mut options: TestOptions) -> Self {
        let certified = certified();
        let folder = TlsFolder::of(&certified);
        let loaded = TlsCertificate::load(folder.files()).unwrap().checked_every(CHECK_INTERVAL);
        options.http.tls = Some(Arc::new(loaded));
        let server = TestServer::with(options).await;
        Self { server, folder, certificate: certified.cert.der().clone() }
    }

    /// Connects a client that trusts the server's first certificate.
    pub(crate) async fn connect(&self) -> TlsStream<TcpStream> {
        let connector = connector(&self.certificate, &[&TLS13], &[]);
        wait_for("a handshake", connect(self.server.address, &connector)).await.unwrap()
    }
}

pub(crate) fn connector(
    trusted: &CertificateDer<'static>,
    versions: &[&'static SupportedProtocolVersion],
    protocols: &[&str],
) -> TlsConnector {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(versions)
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    TlsConnector::from(Arc::new(config))
}

pub(crate) async fn connect(
    address: SocketAddr,
    connector: &TlsConnector,
) -> std::io::Result<TlsStream<TcpStream>> {
    let stream = TcpStream::connect(address).await?;
    connector.connect(ServerName::try_from("localhost").unwrap(), stream).await
}

/// A server, and a local port that forwards all bytes to it encrypted.
pub(crate) async fn tunnelled(mut options: TestOptions) -> (TestServer, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let here = listener.local_addr().unwrap();
    options.http.hosts.push(here.to_string());
    let TlsServer { mut server, folder, certificate } = TlsServer::with(options).await;
    let connector = connector(&certificate, &[&TLS12, &TLS13], &[]);
    let there = std::mem::replace(&mut server.address, here);
    let mut tunnel = JoinSet::new();
    tunnel.spawn(async move {
        let _folder = folder;
        let mut open = JoinSet::new();
        while let Ok((mut plain, _)) = listener.accept().await {
            let connector = connector.clone();
            open.spawn(async move {
                // If this fails, the test sees a broken connection.
                if let Ok(mut encrypted) = connect(there, &connector).await {
                    let _ended = tokio::io::copy_bidirectional(&mut plain, &mut encrypted).await;
                }
            });
        }
    });
    (server, tunnel)
}
