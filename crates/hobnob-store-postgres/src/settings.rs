//! Where the database is and how to reach it: the URL of the settings, parsed once, and TLS.
//!
//! The store connects with it. What must stay true: neither `Debug` nor a message shows the password.

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres_rustls::MakeRustlsConnect;

/// How long a connection may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Connections per replica; PostgreSQL's default allows a hundred in all.
const DEFAULT_CONNECTIONS: usize = 16;
/// The schema of the tables, unless the URL names another one.
const DEFAULT_SCHEMA: &str = "hobnob";

/// Why a URL is not usable. The text shows no part of the URL that may be secret.
#[derive(Debug, thiserror::Error)]
#[error("the URL of the store is not usable: {0}")]
pub struct BadStoreUrl(String);

/// How statements are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StatementForm {
    /// Prepared once per connection.
    Prepared,
    /// Anew each time, for poolers that move transactions between connections.
    Unnamed,
}

/// A parsed URL such as `postgres://hobnob:secret@db.example/hobnob?schema=team`.
#[derive(Clone)]
pub struct StoreUrl {
    pub(crate) config: tokio_postgres::Config,
    pub(crate) schema: String,
    pub(crate) connections: usize,
    pub(crate) statements: StatementForm,
    tls: TlsMode,
}

#[derive(Debug, Clone)]
enum TlsMode {
    Off,
    /// The certificate is checked against the roots of the system, or those of a file.
    Checked(Option<PathBuf>),
}

impl StoreUrl {
    /// Parses a URL. Besides the parameters of `libpq` that the driver knows, it takes `schema`,
    /// `connections`, `statements=unnamed` and `sslrootcert`.
    pub fn parse(url: &str) -> Result<Self, BadStoreUrl> {
        let bad = |what: &str| BadStoreUrl(what.into());
        if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
            return Err(bad("it must begin with `postgres://`"));
        }
        let (address, query) = url.split_once('?').unwrap_or((url, ""));
        let mut parsed = Self {
            config: tokio_postgres::Config::new(),
            schema: DEFAULT_SCHEMA.into(),
            connections: DEFAULT_CONNECTIONS,
            statements: StatementForm::Prepared,
            tls: TlsMode::Off,
        };
        let (mut rest, mut mode, mut roots) = (Vec::new(), None, None);
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            match name {
                "schema" => parsed.schema = schema(value)?,
                "connections" => {
                    parsed.connections = value
                        .parse()
                        .ok()
                        .filter(|count| 0 < *count)
                        .ok_or_else(|| bad("`connections` must be a number of at least 1"))?;
                }
                "statements" => parsed.statements = statement_form(value)?,
                "sslmode" => mode = Some(value),
                "sslrootcert" => roots = Some(PathBuf::from(value)),
                _ => rest.push(parameter),
            }
        }
        let url = format!("{address}?{}", rest.join("&"));
        // The driver's message names the parameter, not its value.
        parsed.config = url.parse().map_err(|error: tokio_postgres::Error| {
            BadStoreUrl(std::error::Error::source(&error).map_or_else(
                || "it is not of the form `postgres://USER:PASSWORD@HOST/DATABASE`".into(),
                ToString::to_string,
            ))
        })?;
        if parsed.config.get_hosts().is_empty() {
            return Err(bad("it names no host"));
        }
        parsed.tls = parsed.tls_mode(mode, roots)?;
        let ssl = match parsed.tls {
            TlsMode::Off => SslMode::Disable,
            TlsMode::Checked(_) => SslMode::Require,
        };
        parsed.config.ssl_mode(ssl).application_name("hobnob").connect_timeout(CONNECT_TIMEOUT);
        Ok(parsed)
    }

    /// TLS is the default for every host but this one.
    fn tls_mode(&self, mode: Option<&str>, roots: Option<PathBuf>) -> Result<TlsMode, BadStoreUrl> {
        match mode {
            None if roots.is_none() && self.is_local() => Ok(TlsMode::Off),
            None | Some("require" | "verify-ca" | "verify-full") => Ok(TlsMode::Checked(roots)),
            Some("disable") => Ok(TlsMode::Off),
            Some(_) => Err(BadStoreUrl(
                "`sslmode` must be `disable`, or `verify-full`, which is the default".into(),
            )),
        }
    }

    fn is_local(&self) -> bool {
        self.config.get_hosts().iter().all(|host| match host {
            Host::Tcp(name) => {
                let address = name.parse::<std::net::IpAddr>();
                name == "localhost" || address.is_ok_and(|address| address.is_loopback())
            }
            Host::Unix(_) => true,
        })
    }

    /// The database as messages show it: without user and password.
    pub fn location(&self) -> String {
        let host = match self.config.get_hosts().first() {
            Some(Host::Tcp(name)) => name.clone(),
            Some(Host::Unix(path)) => path.display().to_string(),
            None => String::new(),
        };
        let port = self.config.get_ports().first().copied().unwrap_or(5432);
        let database = self.config.get_dbname().unwrap_or_default();
        format!("postgres://{host}:{port}/{database} (schema {})", self.schema)
    }

    /// What makes TLS connections.
    pub(crate) fn connector(&self) -> Result<MakeRustlsConnect, BadStoreUrl> {
        let failed = |error: &dyn fmt::Display| BadStoreUrl(format!("TLS cannot be used: {error}"));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| failed(&error))?;
        let config = match &self.tls {
            TlsMode::Off => builder.with_root_certificates(RootCertStore::empty()),
            TlsMode::Checked(Some(file)) => {
                let mut roots = RootCertStore::empty();
                let unreadable = |error: &dyn fmt::Display| {
                    BadStoreUrl(format!("`sslrootcert={}`: {error}", file.display()))
                };
                for certificate in
                    CertificateDer::pem_file_iter(file).map_err(|error| unreadable(&error))?
                {
                    let certificate = certificate.map_err(|error| unreadable(&error))?;
                    roots.add(certificate).map_err(|error| unreadable(&error))?;
                }
                builder.with_root_certificates(roots)
            }
            TlsMode::Checked(None) => {
                builder.with_platform_verifier().map_err(|error| failed(&error))?
            }
        };
        Ok(MakeRustlsConnect::new(config.with_no_client_auth()))
    }
}

/// A name that needs no quotes, since statements contain it.
fn schema(name: &str) -> Result<String, BadStoreUrl> {
    let legal = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let fits = (1..=50).contains(&name.len())
        && name.bytes().all(legal)
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && !name.starts_with("pg_");
    match fits {
        true => Ok(name.into()),
        false => Err(BadStoreUrl("`schema` must be 1 to 50 of `[a-z0-9_]`".into())),
    }
}

fn statement_form(value: &str) -> Result<StatementForm, BadStoreUrl> {
    match value {
        "prepared" => Ok(StatementForm::Prepared),
        "unnamed" => Ok(StatementForm::Unnamed),
        _ => Err(BadStoreUrl("`statements` must be `prepared` or `unnamed`".into())),
    }
}

impl fmt::Debug for StoreUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.location())
    }
}

#[cfg(test)]
mod tests {
    use super::{StatementForm, StoreUrl, TlsMode};

    #[test]
    fn urls_are_read_and_passwords_are_not_shown() {
        let url = "postgres://ada:se%40cret@db.example:6000/team?schema=a_1&connections=3\
                   &statements=unnamed&connect_timeout=4";
        let parsed = StoreUrl::parse(url).unwrap();
        assert_eq!(format!("{parsed:?}"), "postgres://db.example:6000/team (schema a_1)");
        assert_eq!((parsed.connections, parsed.statements), (3, StatementForm::Unnamed));
        assert_eq!(parsed.config.get_password(), Some(&b"se@cret"[..]));
        assert!(matches!(parsed.tls, TlsMode::Checked(None)));
    }

    #[test]
    fn tls_is_left_out_only_on_this_machine_or_on_demand() {
        let cases = [
            ("localhost", "", true),
            ("127.0.0.1", "", true),
            ("[::1]", "", true),
            ("%2Frun%2Fpostgresql", "", true),
            ("db.example", "", false),
            ("db.example", "?sslmode=disable", true),
            ("localhost", "?sslmode=require", false),
            ("localhost", "?sslrootcert=/ca.pem", false),
            ("db.example,localhost", "", false),
        ];
        for (host, query, plain) in cases {
            let parsed = StoreUrl::parse(&format!("postgres://a@{host}/d{query}")).unwrap();
            assert_eq!(matches!(parsed.tls, TlsMode::Off), plain, "{host}{query}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_without_the_password() {
        let cases = [
            ("mysql://a:hush@h/d", "begin with"),
            ("postgres://a:hush@h/d?schema=Big", "`schema`"),
            ("postgres://a:hush@h/d?schema=pg_x", "`schema`"),
            ("postgres://a:hush@h/d?connections=0", "`connections`"),
            ("postgres://a:hush@h/d?sslmode=prefer", "`sslmode`"),
            ("postgres://a:hush@h/d?statements=odd", "`statements`"),
            ("postgres://a:hush@h/d?nonsense=hush", "nonsense"),
            ("postgres://a:hush@h:port/d", "port"),
        ];
        for (url, named) in cases {
            let error = StoreUrl::parse(url).unwrap_err().to_string();
            assert!(error.contains(named) && !error.contains("hush"), "{url}: {error}");
        }
    }
}
