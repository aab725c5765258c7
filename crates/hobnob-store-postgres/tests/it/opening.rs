//! Opening a store: what is wrong is named together with what to do, and several replicas may open
//! and migrate at once.

use crate::server::{Server, Version};
use hobnob_store::keys::KeyRepository as _;
use hobnob_store::{Store as _, StoreError};
use hobnob_store_postgres::{MigrationStep, PostgresStore, StoreUrl};
use rcgen::{CertificateParams, KeyPair};
use std::os::unix::fs::PermissionsExt as _;
use tokio::task::JoinSet;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_wrong_is_named_with_what_to_do() {
    // The password is asked for only over TCP.
    let rules = |folder: &std::path::Path| {
        let rules = "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n";
        std::fs::write(folder.join("hba"), rules).unwrap();
    };
    let tcp = "-c listen_addresses=127.0.0.1";
    let Some(server) = Server::start_with(Version::V18, tcp, rules) else { return };
    let (admin, _tasks) = server.connect("postgres").await;
    let roles = "CREATE ROLE ada LOGIN PASSWORD 'right'; REVOKE ALL ON SCHEMA public FROM PUBLIC";
    admin.batch_execute(roles).await.unwrap();
    let port = server.port();
    let cases = [
        (format!("postgres://ada:hush@127.0.0.1:{port}/postgres"), "correct the user"),
        (format!("postgres://eve:hush@127.0.0.1:{port}/postgres"), "correct the user"),
        (format!("postgres://ada:right@127.0.0.1:{port}/other"), "createdb"),
        (format!("postgres://ada:right@127.0.0.1:{port}/postgres"), "the owner of the database"),
        ("postgres://ada:hush@127.0.0.1:1/postgres".into(), "start the database"),
        (
            format!("postgres://ada:right@127.0.0.1:{port}/postgres?sslmode=require"),
            "no connection",
        ),
    ];
    for (url, hint) in cases {
        let url = StoreUrl::parse(&url).unwrap();
        let error = PostgresStore::open(url.clone()).await.unwrap_err().to_string();
        assert!(error.contains(hint), "{url:?}: {error}");
        assert!(!error.contains("hush") && !error.contains("right"), "{error}");
        let store = PostgresStore::on_demand(url);
        let failed = store.get_or_create("key", vec![1]).await.unwrap_err();
        assert!(matches!(failed, StoreError::Unavailable(_)), "{failed}");
        assert!(store.unavailable().is_some());
    }
    let url = format!("postgres://ada:right@127.0.0.1:{port}/postgres");
    admin.batch_execute("CREATE SCHEMA hobnob AUTHORIZATION ada").await.unwrap();
    PostgresStore::open(StoreUrl::parse(&url).unwrap()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_open_and_migrate_at_once() {
    let Some(server) = Server::start(Version::V18) else { return };
    let url = server.fresh_url();
    let mut opening = JoinSet::new();
    for _ in 0..6 {
        opening.spawn(PostgresStore::open(url.clone()));
    }
    let stores: Vec<PostgresStore> =
        opening.join_all().await.into_iter().map(|store| store.unwrap()).collect();
    assert_eq!(stores[0].get_or_create("key", vec![1]).await.unwrap(), [1]);
    assert_eq!(stores[5].get_or_create("key", vec![2]).await.unwrap(), [1]);
    // A step that only adds leaves the older version running and able to open.
    let adds = MigrationStep { sql: "CREATE TABLE later (number bigint)", usable_from: 1 };
    drop(PostgresStore::open_newer(url.clone(), &[adds]).await.unwrap());
    assert_eq!(stores[0].get_or_create("key", vec![3]).await.unwrap(), [1]);
    drop(PostgresStore::open(url.clone()).await.unwrap());
    // One that takes away what the older version needs shuts it out.
    let takes = MigrationStep { sql: "ALTER TABLE later RENAME TO gone", usable_from: 3 };
    drop(PostgresStore::open_newer(url.clone(), &[adds, takes]).await.unwrap());
    let refused = PostgresStore::open(url.clone()).await.unwrap_err().to_string();
    assert!(refused.contains("newer Hobnob") && refused.contains("update Hobnob"), "{refused}");
    // A step that fails changes nothing.
    let fails =
        MigrationStep { sql: "CREATE TABLE half (number bigint); SELECT 1/0", usable_from: 1 };
    PostgresStore::open_newer(url.clone(), &[adds, takes, fails]).await.unwrap_err();
    drop(PostgresStore::open_newer(url, &[adds, takes]).await.unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tls_checks_the_certificate() {
    let key = KeyPair::generate().unwrap();
    let certificate =
        CertificateParams::new(vec!["localhost".to_owned()]).unwrap().self_signed(&key).unwrap();
    let files = |folder: &std::path::Path| {
        std::fs::write(folder.join("cert.pem"), certificate.pem()).unwrap();
        let path = folder.join("key.pem");
        std::fs::write(&path, key.serialize_pem()).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    };
    let options = "-c listen_addresses=127.0.0.1 -c ssl=on -c ssl_cert_file=../cert.pem \
                   -c ssl_key_file=../key.pem";
    let Some(server) = Server::start_with(Version::Debian, options, files) else { return };
    let open = async |query: &str| {
        let url = format!("postgres://postgres@localhost:{}/postgres?{query}", server.port());
        PostgresStore::open(StoreUrl::parse(&url).unwrap()).await
    };
    let roots = format!("sslrootcert={}", server.folder().join("cert.pem").display());
    let store = open(&roots).await.unwrap();
    assert_eq!(store.get_or_create("key", vec![1]).await.unwrap(), [1]);
    let (admin, _tasks) = server.connect("postgres").await;
    let sql = "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
               WHERE ssl AND application_name = 'hobnob'";
    let encrypted: i64 = admin.query_one(sql, &[]).await.unwrap().get(0);
    assert!(0 < encrypted);
    // The system does not trust this certificate.
    let refused = open("sslmode=verify-full").await.unwrap_err().to_string();
    assert!(refused.contains("certificate"), "{refused}");
}
