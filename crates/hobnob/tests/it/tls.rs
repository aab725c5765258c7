//! `serve --http` with a certificate from files, and its clients: Python's, and our own gateway,
//! which trusts what the system trusts.

use std::path::Path;
use std::process::Command;

use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use serde_json::{Value, json};

use crate::cli_config_home::Home;
use crate::program::HttpServer;
use crate::tokens::{create, serve};

const LISTENER: &str = "[listener]\nmode = \"token\"\npublic_url = \"https://localhost\"\n\
                        tls_certificate = \"tls/hub.pem\"\ntls_key = \"tls/hub-key.pem\"\n";

fn certified(name: &str) -> CertifiedKey<KeyPair> {
    generate_simple_self_signed([name.to_owned(), "127.0.0.1".to_owned()]).unwrap()
}

/// A home whose listener has a certificate.
fn home(settings: &str, certified: &CertifiedKey<KeyPair>) -> Home {
    let home = Home::new();
    home.write("hobnob/config/config.toml", settings);
    write_pair(&home, certified, 0o600);
    home
}

fn write_pair(home: &Home, certified: &CertifiedKey<KeyPair>, mode: u32) {
    home.write("hobnob/config/tls/hub.pem", &certified.cert.pem());
    home.write("hobnob/config/tls/hub-key.pem", &certified.signing_key.serialize_pem());
    set_mode(&home.path("hobnob/config/tls/hub-key.pem"), mode);
}

fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// Posts its last argument, trusting the certificate in a file, and prints the status and the body.
const CLIENT: &str = r#"
import ssl, sys, urllib.error, urllib.request
url, trusted, token, body = sys.argv[1:]
headers = {"Content-Type": "application/json", "Accept": "application/json"}
if token:
    headers["Authorization"] = "Bearer " + token
request = urllib.request.Request(url, body.encode(), headers)
context = ssl.create_default_context(cafile=trusted)
try:
    answer = urllib.request.urlopen(request, timeout=60, context=context)
    print(answer.status, answer.read().decode())
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode())
except urllib.error.URLError as error:
    print("untrusted" if isinstance(error.reason, ssl.SSLCertVerificationError) else error)
"#;

fn python(server: &HttpServer, trusted: &Path, token: &str, body: &str) -> String {
    let mut command = Command::new("python3");
    command.args(["-c", CLIENT, &server.url]).arg(trusted).args([token, body]);
    let ran = command.output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap()
}

#[tokio::test]
async fn a_client_of_python_calls_a_hub_that_speaks_tls() {
    let home = home(LISTENER, &certified("localhost"));
    let token = create(&home, &["python"]);
    let server = serve(&home, &["serve", "--http", "127.0.0.1:0"]).await;
    assert!(server.url.starts_with("https://127.0.0.1:"), "{}", server.url);
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "python", "version": "1"},
    }});
    let hello = hello.to_string();
    let trusted = home.path("hobnob/config/tls/hub.pem");
    let answer = python(&server, &trusted, &token, &hello);
    let answer: Value = serde_json::from_str(answer.strip_prefix("200 ").unwrap()).unwrap();
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
    assert!(python(&server, &trusted, "", &hello).starts_with("401 "), "a token is needed");
    home.write("other.pem", &certified("localhost").cert.pem());
    assert_eq!(python(&server, &home.path("other.pem"), &token, &hello), "untrusted\n");
}

/// Asks by two names, and prints the status and what the answer says about TLS for each.
const NAMES: &str = r#"
import http.client, ssl, sys
port, trusted = sys.argv[1:]
context = ssl.create_default_context(cafile=trusted)
for host in ["hub.example.com", "localhost:" + port]:
    connection = http.client.HTTPSConnection("127.0.0.1", int(port), timeout=60, context=context)
    connection.putrequest("GET", "/health", skip_host=True)
    connection.putheader("Host", host)
    connection.endheaders()
    answer = connection.getresponse()
    print(answer.status, answer.getheader("Strict-Transport-Security"))
"#;

/// A browser would hold every other program on this machine to it too.
#[tokio::test]
async fn only_names_of_other_machines_are_bound_to_tls() {
    let settings = LISTENER.replace("https://localhost", "https://hub.example.com");
    let home = home(&settings, &certified("localhost"));
    let server = serve(&home, &["serve", "--http", "127.0.0.1:0"]).await;
    let port = server.url.trim_end_matches("/mcp").rsplit(':').next().unwrap();
    let mut command = Command::new("python3");
    command.args(["-c", NAMES, port]).arg(home.path("hobnob/config/tls/hub.pem"));
    let ran = command.output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert_eq!(
        said,
        "200 max-age=31536000\n200 None\n",
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
}

/// The other hub is an upstream like any other: its certificate is one that the system trusts.
#[tokio::test]
async fn a_hub_uses_another_one_over_tls() {
    let far = home(LISTENER, &certified("localhost"));
    let token = create(&far, &["near"]);
    let server = serve(&far, &["serve", "--http", "127.0.0.1:0"]).await;
    let near = Home::new();
    let entry = json!({"type": "http", "url": server.url,
                       "headers": {"Authorization": format!("Bearer {token}")}});
    near.write("home/.mcp.json", &json!({"mcpServers": {"far": entry}}).to_string());
    let trusted = far.path("hobnob/config/tls/hub.pem");
    let mut command = crate::program::hobnob(&["call", "--yes", "far/memory_status"]);
    command
        .env("HOME", near.path("home"))
        .env("HOBNOB_HOME", near.path("hobnob"))
        .current_dir(near.path("project"));
    let untrusted = command.output().await.unwrap();
    assert!(!untrusted.status.success(), "a certificate that nobody vouches for");
    let ran = command.env("SSL_CERT_FILE", &trusted).output().await.unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    assert!(said.contains("memories"), "{said}");
}

#[test]
fn a_certificate_that_cannot_be_used_does_not_start() {
    let good = certified("localhost");
    for (settings, mode, complaint) in [
        (LISTENER, 0o644, "chmod 600"),
        ("[listener]\ntls_certificate = \"tls/hub.pem\"\n", 0o600, "needs `tls_key`"),
        ("[listener]\ntls_key = \"tls/hub-key.pem\"\n", 0o600, "needs `tls_certificate`"),
        (
            "[listener]\ntls_certificate = \"tls/hub.pem\"\ntls_key = \"none.pem\"\n",
            0o600,
            "none.pem",
        ),
        (
            "[listener]\npublic_url = \"http://localhost\"\ntls_certificate = \"tls/hub.pem\"\n\
             tls_key = \"tls/hub-key.pem\"\n",
            0o600,
            "must begin with https",
        ),
    ] {
        let home = home(settings, &good);
        set_mode(&home.path("hobnob/config/tls/hub-key.pem"), mode);
        let run = home.run(&["serve", "--http", "127.0.0.1:0"]);
        assert_eq!(run.code, 1, "{settings}: {}", run.stderr);
        assert!(run.stderr.contains(complaint), "{settings}: {}", run.stderr);
    }
    let home = home(LISTENER, &good);
    home.write("hobnob/config/tls/hub.pem", &certified("localhost").cert.pem());
    let run = home.run(&["serve", "--http", "127.0.0.1:0"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.contains("hub.pem") && run.stderr.contains("hub-key.pem"), "{}", run.stderr);
}

#[test]
fn doctor_looks_at_the_certificate() {
    let found = |home: &Home| {
        let run = home.run(&["doctor", "--json"]);
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        let checks = report["checks"].as_array().unwrap();
        let check = checks.iter().find(|check| check["what"] == "certificate");
        let check = check.unwrap_or_else(|| panic!("{report}"));
        (check["verdict"].as_str().unwrap().to_owned(), check["message"].to_string())
    };
    let home = home(LISTENER, &certified("localhost"));
    assert_eq!(found(&home).0, "ok");
    write_pair(&home, &certified("elsewhere.example"), 0o600);
    let (verdict, message) = found(&home);
    assert_eq!(verdict, "warning", "{message}");
    assert!(message.contains("does not name localhost"), "{message}");
    write_pair(&home, &certified("localhost"), 0o604);
    let (verdict, message) = found(&home);
    assert_eq!(verdict, "broken", "{message}");
    assert!(message.contains("chmod 600"), "{message}");
}

/// A renewal that went wrong is in the status, for as long as it is wrong.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn status_tells_of_a_renewal_that_cannot_be_used() {
    let (good, other) = (certified("localhost"), certified("localhost"));
    let home = home(LISTENER, &good);
    let _server = serve(&home, &["serve", "--http", "127.0.0.1:0"]).await;
    let said = || {
        let problems = home.json(0, &["status"])["problems"].to_string();
        assert!(!problems.contains("hub.pem"), "every client may read it: {problems}");
        problems.contains("the earlier one stays in force")
    };
    // The files are looked at every few seconds.
    let soon = |expected: bool| {
        let begun = std::time::Instant::now();
        while said() != expected {
            assert!(begun.elapsed() < crate::program::TIMEOUT, "{expected}");
        }
    };
    assert!(!said());
    home.write("hobnob/config/tls/hub.pem", &other.cert.pem());
    soon(true);
    write_pair(&home, &other, 0o600);
    soon(false);
}
