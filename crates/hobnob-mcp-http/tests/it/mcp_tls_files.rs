//! The files of a certificate: which can be used, how others are reported, and how to renew them.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a helper that fails must fail the test that uses it"
)]

use std::path::Path;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hobnob_mcp_http::{TlsCertificate, TlsFault, TlsReload, TlsWarning};
use rcgen::{CertificateParams, CertifiedKey, KeyPair, date_time_ymd};
use rustls::pki_types::CertificateDer;
use rustls::version::TLS13;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::client::wait_for;
use crate::mcp_server::{TestOptions, TestServer};
use crate::tls_server::{TlsFolder, TlsServer, certified, connect, connector, write};

const RSA_CERTIFICATE: &str = include_str!("rsa_certificate.pem");
const RSA_KEY: &str = include_str!("rsa_key_pkcs1.pem");

/// An elliptic curve key in the older form SEC1, which PKCS#8 wraps.
fn sec1(key: &KeyPair) -> String {
    let wrapped = key.serialize_der();
    // Version, algorithm, then the octets; for this curve the lengths are always the same.
    let start = wrapped.windows(4).position(|it| it == [0x30, 0x6b, 0x02, 0x01]).unwrap();
    let text = STANDARD.encode(&wrapped[start..start + 2 + 0x6b]);
    format!("-----BEGIN EC PRIVATE KEY-----\n{text}\n-----END EC PRIVATE KEY-----\n")
}

fn load(certificate: &str, key: &str) -> Result<TlsCertificate, TlsFault> {
    let folder = TlsFolder::of(&certified());
    folder.write_texts(certificate, key);
    TlsCertificate::load(folder.files())
}

#[tokio::test]
async fn every_form_of_key_serves() {
    let elliptic = certified();
    let (chain, key) = (elliptic.cert.pem(), &elliptic.signing_key);
    let longer = format!("{chain}{RSA_CERTIFICATE}");
    let dated = format!("Some words before it.\n{chain}");
    for (what, certificate, key) in [
        ("PKCS#8", &*chain, key.serialize_pem()),
        ("SEC1", &*chain, sec1(key)),
        ("PKCS#1", RSA_CERTIFICATE, RSA_KEY.to_owned()),
        ("a chain", &*longer, key.serialize_pem()),
        ("with words", &*dated, key.serialize_pem()),
        ("both in the file of the key", &*chain, format!("{chain}{}", key.serialize_pem())),
    ] {
        let loaded = load(certificate, &key).unwrap_or_else(|fault| panic!("{what}: {fault}"));
        let mut options = TestOptions::default();
        options.http.tls = Some(Arc::new(loaded));
        let server = TestServer::with(options).await;
        let trusted = rustls::pki_types::pem::PemObject::from_pem_slice(certificate.as_bytes());
        let trusted: CertificateDer<'static> = trusted.unwrap();
        let connected = connect(server.address, &connector(&trusted, &[&TLS13], &[])).await;
        assert!(connected.is_ok(), "{what}: {connected:?}");
    }
}

#[test]
fn files_that_cannot_be_used_are_named() {
    let (one, other) = (certified(), certified());
    let (chain, key) = (one.cert.pem(), one.signing_key.serialize_pem());
    let encrypted = key.replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY");
    for (certificate, key, expected) in [
        ("", &*key, "certificate.pem holds no certificate"),
        (&*key, &key, "certificate.pem holds no certificate"),
        ("-----BEGIN CERTIFICATE-----\n%%\n-----END CERTIFICATE-----\n", &key, "is no PEM"),
        (&chain[..chain.len() / 2], &key, "certificate.pem is no PEM"),
        (&chain, "", "key.pem holds no private key"),
        (&chain, &chain, "key.pem holds no private key"),
        (&chain, &key[..key.len() / 2], "key.pem is no PEM, or only the beginning of one"),
        (&chain, &encrypted, "key.pem is encrypted"),
        (&chain, RSA_KEY, "does not belong to the certificate in"),
    ] {
        let fault = load(certificate, key).unwrap_err().to_string();
        assert!(fault.contains(expected), "{expected:?}: {fault}");
    }
    let key = other.signing_key.serialize_pem();
    let fault = load(&chain, &key).unwrap_err();
    assert!(matches!(fault, TlsFault::Mismatch { .. }), "{fault:?}");
    let said = fault.to_string();
    assert!(said.contains("certificate.pem") && said.contains("key.pem"), "{said}");
    let folder = TlsFolder::of(&one);
    std::fs::remove_file(folder.files().key).unwrap();
    let fault = TlsCertificate::load(folder.files()).unwrap_err();
    assert!(matches!(fault, TlsFault::Unreadable(..)), "{fault:?}");
    assert!(fault.to_string().contains("key.pem"), "{fault}");
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// Without the check of its mode such a key would be used.
#[cfg(unix)]
#[test]
fn a_key_that_everybody_can_read_is_refused() {
    let folder = TlsFolder::of(&certified());
    let files = folder.files();
    for (mode, is_private) in [(0o600, true), (0o640, true), (0o644, false), (0o602, false)] {
        set_mode(&files.key, mode);
        match TlsCertificate::load(files.clone()) {
            Ok(_) => assert!(is_private, "{mode:o}"),
            Err(fault) => {
                assert!(!is_private, "{mode:o}");
                assert!(matches!(fault, TlsFault::Exposed(_)), "{fault:?}");
                assert!(fault.to_string().contains("chmod 600"), "{fault}");
            }
        }
    }
}

/// The certificate that a new client sees.
async fn shown(server: &TlsServer, trusted: [&CertificateDer<'static>; 2]) -> usize {
    for (index, trusted) in trusted.into_iter().enumerate() {
        let connector = connector(trusted, &[&TLS13], &[]);
        if connect(server.server.address, &connector).await.is_ok() {
            return index;
        }
    }
    panic!("neither certificate is shown");
}

#[tokio::test]
async fn a_new_pair_takes_over_and_open_connections_go_on() {
    let server = TlsServer::start().await;
    let mut old = server.connect().await;
    let renewed = certified();
    let both = [&server.certificate, renewed.cert.der()];
    assert_eq!(shown(&server, both).await, 0);
    server.folder.write(&renewed);
    wait_for("the new one", async { while shown(&server, both).await == 0 {} }).await;
    let get = "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    old.write_all(get.as_bytes()).await.unwrap();
    let mut answer = String::new();
    wait_for("an answer", old.read_to_string(&mut answer)).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
}

/// Without this, a renewal that is written file by file would leave a server without a certificate.
#[test]
fn a_pair_that_cannot_be_used_changes_nothing_and_is_said_once() {
    let (first, second) = (certified(), certified());
    let folder = TlsFolder::of(&first);
    let files = folder.files();
    let loaded = TlsCertificate::load(files.clone()).unwrap();
    assert!(matches!(loaded.reload(), TlsReload::Unchanged));
    let whole = second.cert.pem();
    write(&files.certificate, &whole[..whole.len() / 2]);
    assert!(matches!(loaded.reload(), TlsReload::Kept(TlsFault::Contents { .. })));
    assert!(loaded.is_kept());
    assert!(matches!(loaded.reload(), TlsReload::Unchanged));
    write(&files.certificate, &whole);
    assert!(matches!(loaded.reload(), TlsReload::Kept(TlsFault::Mismatch { .. })));
    std::fs::remove_file(&files.key).unwrap();
    assert!(matches!(loaded.reload(), TlsReload::Kept(TlsFault::Unreadable(..))));
    assert!(matches!(loaded.reload(), TlsReload::Unchanged));
    write(&files.key, &second.signing_key.serialize_pem());
    #[cfg(unix)]
    {
        set_mode(&files.key, 0o644);
        assert!(matches!(loaded.reload(), TlsReload::Kept(TlsFault::Exposed(_))));
        set_mode(&files.key, 0o600);
    }
    assert!(matches!(loaded.reload(), TlsReload::Renewed));
    assert!(matches!(loaded.reload(), TlsReload::Unchanged));
}

/// A certificate that is valid from one year to another.
fn of_years(from: i32, to: i32) -> CertifiedKey<KeyPair> {
    let names = ["hub.example.com", "*.wild.example", "127.0.0.1", "::1"].map(str::to_owned);
    let mut params = CertificateParams::new(names).unwrap();
    params.not_before = date_time_ymd(from, 1, 1);
    params.not_after = date_time_ymd(to, 1, 1);
    let signing_key = KeyPair::generate().unwrap();
    let cert = params.self_signed(&signing_key).unwrap();
    CertifiedKey { cert, signing_key }
}

#[test]
fn a_certificate_with_wrong_dates_does_not_take_the_place_of_a_good_one() {
    let folder = TlsFolder::of(&of_years(2000, 2999));
    let loaded = TlsCertificate::load(folder.files()).unwrap();
    for (from, to, expected) in
        [(2000, 2001, TlsWarning::Expired), (2998, 2999, TlsWarning::NotYetValid)]
    {
        folder.write(&of_years(from, to));
        let TlsReload::Kept(TlsFault::WrongDate { warning, .. }) = loaded.reload() else {
            panic!("{expected}");
        };
        assert_eq!(warning, expected);
        assert!(matches!(loaded.reload(), TlsReload::Unchanged), "it is said once");
        assert!(loaded.is_kept());
        assert_eq!(loaded.warnings(None), [], "the good one is in force");
    }
    folder.write(&of_years(2001, 2999));
    assert!(matches!(loaded.reload(), TlsReload::Renewed));
    assert!(!loaded.is_kept());
    // If there is no valid one, the newest is used.
    folder.write(&of_years(2000, 2001));
    let old = TlsCertificate::load(folder.files()).unwrap();
    folder.write(&of_years(2000, 2002));
    assert!(matches!(old.reload(), TlsReload::Renewed));
    assert_eq!(old.warnings(None), [TlsWarning::Expired]);
}

#[test]
fn what_clients_will_refuse_is_said() {
    let of = |from: i32, to: i32| {
        let CertifiedKey { cert, signing_key } = of_years(from, to);
        load(&cert.pem(), &signing_key.serialize_pem()).unwrap()
    };
    let good = of(2000, 2999);
    for host in ["hub.example.com", "HUB.example.com", "a.wild.example", "127.0.0.1", "[::1]"] {
        assert_eq!(good.warnings(Some(host)), [], "{host}");
    }
    assert_eq!(good.warnings(None), []);
    for host in ["example.com", "a.b.wild.example", "127.0.0.2", "[::2]", "not a name"] {
        assert_eq!(good.warnings(Some(host)), [TlsWarning::OtherName(host.into())]);
    }
    assert_eq!(of(2000, 2001).warnings(None), [TlsWarning::Expired]);
    let both = of(2998, 2999).warnings(Some("x.example"));
    assert_eq!(both, [TlsWarning::NotYetValid, TlsWarning::OtherName("x.example".into())]);
}
