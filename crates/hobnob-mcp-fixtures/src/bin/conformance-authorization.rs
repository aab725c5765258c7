//! Runs the official conformance suite against an authorization server, and plays the user.
//!
//! `conformance-authorization NODE SUITE OUTPUT` starts the product's server on a free port,
//! registers the client that the suite plays, and runs the suite. It opens the login page that the
//! suite prints, submits the form, follows the redirect, and exits with the suite's code.

use anyhow::{Context as _, ensure};
use bytes::Bytes;
use hobnob_mcp_auth::SecretText;
use hobnob_mcp_auth::authorization_server::{
    AuthorizationServerSettings, EmbeddedAuthorizationServer, MemoryAuthorizationStore,
    ScopeDefault, ScopeOffer,
};
use hobnob_mcp_engine::ClientId;
use hobnob_mcp_http::{HttpOptions, OpenRoutes, bind, serve_http};
use hobnob_mcp_server::Server;
use hobnob_web_client::client_builder;
use http::Request;
use reqwest::{Url, redirect};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::process::{ExitCode, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;
use tokio::task::JoinSet;

const USER: &str = "person";
const PASSWORD: &str = "correct horse battery staple";
/// The time limit for the whole run.
const LIMIT: Duration = Duration::from_secs(60);

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    tokio::time::timeout(LIMIT, run()).await.context("the suite does not end")?
}

async fn run() -> anyhow::Result<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    let mut next =
        || arguments.next().context("usage: conformance-authorization NODE SUITE OUTPUT");
    let (node, suite, output) = (next()?, next()?, next()?);
    let options = HttpOptions::default();
    let listener = bind((Ipv4Addr::LOCALHOST, 0).into(), &options).await?;
    let issuer = format!("http://127.0.0.1:{}", listener.local_addr()?.port());
    let login = authorization_server(&issuer).await?;
    let callback = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
    let client = register(&login, callback).await?;
    let options = HttpOptions { open_routes: vec![login], ..options };
    let server = Server::builder("conformance-authorization", "1.0.0").build()?;
    let mut serving = JoinSet::new();
    serving.spawn(async move {
        serve_http(&server, listener, options, std::future::pending()).await.map(drop)
    });
    run_suite([node, suite, output], &issuer, &client, callback).await
}

async fn authorization_server(issuer: &str) -> anyhow::Result<Arc<EmbeddedAuthorizationServer>> {
    let resource = format!("{issuer}/mcp").into();
    let mut settings = AuthorizationServerSettings::new(issuer, [resource])?;
    settings.scopes = vec![ScopeOffer {
        name: "read".into(),
        meaning: "Read everything".into(),
        default: ScopeDefault::Included,
    }];
    let store = Arc::new(MemoryAuthorizationStore::default());
    let login = EmbeddedAuthorizationServer::builder(settings, store).build();
    login.users().add(USER, Some(SecretText::new(PASSWORD)), 0).await?;
    Ok(login)
}

/// Registers the client that the suite plays, and returns its id.
async fn register(login: &EmbeddedAuthorizationServer, callback: u16) -> anyhow::Result<String> {
    let registration = json!({
        "client_name": "Conformance suite",
        "redirect_uris": [format!("http://127.0.0.1:{callback}/callback")],
        "token_endpoint_auth_method": "none",
    });
    let request = Request::post("/oauth/register").body(Bytes::from(registration.to_string()))?;
    let answer = login.answer(request, ClientId::next()).await;
    let answer: Value = serde_json::from_slice(answer.body().bytes())?;
    Ok(answer["client_id"].as_str().context("the client was not registered")?.to_owned())
}

async fn run_suite(
    [node, suite, output]: [OsString; 3],
    issuer: &str,
    client: &str,
    callback: u16,
) -> anyhow::Result<ExitCode> {
    let mut child = Command::new(node)
        .arg(suite)
        .args(["authorization", "--url", issuer, "--client-id", client])
        .args(["--resource", &format!("{issuer}/mcp"), "--port", &callback.to_string(), "-o"])
        .arg(output)
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .context("the suite cannot be started")?;
    let written = child.stdout.take().context("the suite has no output")?;
    let mut lines = BufReader::new(written).lines();
    let page = format!("{issuer}/oauth/authorize?");
    let mut persons = JoinSet::new();
    while let Some(line) = lines.next_line().await? {
        writeln!(io::stderr(), "{line}")?;
        if line.starts_with(&page) {
            persons.spawn(agree(Url::parse(&line)?));
        }
    }
    while let Some(person) = persons.join_next().await {
        person??;
    }
    let code = child.wait().await?.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Fills in the form of the login page and follows the redirect.
async fn agree(page: Url) -> anyhow::Result<()> {
    let http = client_builder(&page, LIMIT).redirect(redirect::Policy::limited(1)).build()?;
    let text = http.get(page.clone()).send().await?.error_for_status()?.text().await?;
    let field = |name: &str| {
        let start = format!("name=\"{name}\" value=\"");
        let rest = text.split_once(&start).map(|(_, rest)| rest);
        let value = rest.and_then(|rest| rest.split_once('"')).map(|(value, _)| value);
        value.with_context(|| format!("the page has no field {name}"))
    };
    let mut form = Url::parse("http://form/")?;
    form.query_pairs_mut()
        .append_pair("request", field("request")?)
        .append_pair("form_token", field("form_token")?)
        .append_pair("decision", "allow")
        .append_pair("user", USER)
        .append_pair("password", PASSWORD);
    let answer = http
        .post(page.join("/oauth/authorize")?)
        .header("content-type", "application/x-www-form-urlencoded")
        .body(form.query().unwrap_or_default().to_owned())
        .send()
        .await?;
    ensure!(answer.status().is_success(), "the form led to {}", answer.status());
    Ok(())
}
