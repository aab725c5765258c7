//! A person with a browser, and the client that sent them: reads pages, fills in forms, and catches
//! the redirect.
//!
//! What must stay true: it uses only what the page shows.
#![expect(clippy::unwrap_used, reason = "a helper that fails must fail the test that uses it")]

use super::login_server::{Answer, LoginServer, PASSWORD, RESOURCE, encoded, posted};
use bytes::Bytes;
use http::Request;
use reqwest::Url;
use ring::digest::{SHA256, digest};
use std::collections::HashMap;

pub(crate) const REDIRECT: &str = "https://client.example/callback";
pub(crate) const VERIFIER: &str = "canary-verifier-0123456789-0123456789-0123456789";

/// The challenge of a verifier.
pub(crate) fn challenge(verifier: &str) -> String {
    use base64::Engine as _;
    let digest = digest(&SHA256, verifier.as_bytes());
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(digest)
}

/// The usual parameters of an authorization request.
pub(crate) fn usual(client: &str) -> Vec<(String, String)> {
    let challenge = challenge(VERIFIER);
    [
        ("response_type", "code"),
        ("client_id", client),
        ("redirect_uri", REDIRECT),
        ("state", "canary state&1"),
        ("code_challenge", &challenge),
        ("code_challenge_method", "S256"),
        ("resource", RESOURCE),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .to_vec()
}

/// The usual parameters with one changed; an empty value removes it.
pub(crate) fn changed(client: &str, name: &str, value: &str) -> Vec<(String, String)> {
    let mut all = usual(client);
    all.retain(|(it, _)| it != name);
    if !value.is_empty() {
        all.push((name.to_owned(), value.to_owned()));
    }
    all
}

/// A browser with its cookies.
pub(crate) struct Browser<'a> {
    pub(crate) server: &'a LoginServer,
    pub(crate) cookie: String,
}

/// A page that was opened.
pub(crate) struct Page {
    pub(crate) text: String,
    pub(crate) request: String,
    pub(crate) form_token: String,
}

impl<'a> Browser<'a> {
    pub(crate) fn new(server: &'a LoginServer) -> Self {
        Self { server, cookie: String::new() }
    }

    /// Requests the page with these parameters.
    pub(crate) async fn open(&self, parameters: &[(String, String)]) -> Answer {
        let pairs: Vec<_> =
            parameters.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let path = format!("/oauth/authorize?{}", encoded(&pairs));
        let request = Request::get(path).header("cookie", &self.cookie);
        self.server.send(request.body(Bytes::new()).unwrap()).await
    }

    /// Opens the page of a request that the server accepts.
    pub(crate) async fn page(&self, parameters: &[(String, String)]) -> Page {
        let answer = self.open(parameters).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let field = |name: &str| {
            let start = format!("name=\"{name}\" value=\"");
            let (_, rest) = answer.text.split_once(&start).unwrap();
            rest.split_once('"').unwrap().0.to_owned()
        };
        let (request, form_token) = (field("request"), field("form_token"));
        Page { text: answer.text, request, form_token }
    }

    /// Posts the form of a page, with these additional fields.
    pub(crate) async fn submit(&mut self, page: &Page, fields: &[(&str, &str)]) -> Answer {
        let mut form = vec![("request", &*page.request), ("form_token", &*page.form_token)];
        form.extend_from_slice(fields);
        let mut request = posted("/oauth/authorize", &form);
        let headers = request.headers_mut();
        headers.insert("cookie", self.cookie.parse().unwrap());
        headers.insert("origin", "null".parse().unwrap());
        headers.insert("sec-fetch-site", "same-origin".parse().unwrap());
        let answer = self.server.send(request).await;
        if let Some((cookie, _)) = answer.header("set-cookie").split_once(';') {
            self.cookie = cookie.to_owned();
        }
        answer
    }

    /// Allows the request with the password.
    pub(crate) async fn allow(&mut self, page: &Page) -> Answer {
        let fields = [("decision", "allow"), ("user", "ann"), ("password", PASSWORD)];
        self.submit(page, &fields).await
    }

    /// Logs in for this client, and returns the code.
    pub(crate) async fn code(&mut self, client: &str) -> String {
        let page = self.page(&usual(client)).await;
        let answer = self.allow(&page).await;
        sent_back(&answer, REDIRECT).remove("code").unwrap()
    }
}

/// The parameters of a redirect to this URL.
pub(crate) fn sent_back(answer: &Answer, place: &str) -> HashMap<String, String> {
    assert_eq!(answer.status, 303, "{answer:?}");
    let location = answer.header("location");
    let (before, _) = location.split_once('?').unwrap();
    assert_eq!(before, place);
    let url = Url::parse(location).unwrap();
    url.query_pairs().into_owned().collect()
}

impl LoginServer {
    /// A public client with the usual redirect, and a code for it.
    pub(crate) async fn client_and_code(&self) -> (String, String) {
        let client = self.public_client(&[REDIRECT]).await;
        let code = Browser::new(self).code(&client).await;
        (client, code)
    }

    pub(crate) async fn redeem(&self, client: &str, code: &str) -> Answer {
        let form = [
            ("grant_type", "authorization_code"),
            ("client_id", client),
            ("code", code),
            ("redirect_uri", REDIRECT),
            ("code_verifier", VERIFIER),
            ("resource", RESOURCE),
        ];
        self.post("/oauth/token", &form).await
    }

    pub(crate) async fn refresh(&self, client: &str, token: &str) -> Answer {
        let form = [
            ("grant_type", "refresh_token"),
            ("client_id", client),
            ("refresh_token", token),
            ("resource", RESOURCE),
        ];
        self.post("/oauth/token", &form).await
    }

    /// Logs in; returns the client, its access token and its refresh token.
    pub(crate) async fn logged_in(&self) -> (String, String, String) {
        let (client, code) = self.client_and_code().await;
        let answer = self.redeem(&client, &code).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let (access, refresh) = tokens(&answer);
        (client, access, refresh)
    }
}

/// The access token and the refresh token of an answer.
pub(crate) fn tokens(answer: &Answer) -> (String, String) {
    assert_eq!(answer.status, 200, "{answer:?}");
    let json = answer.json();
    let text = |name: &str| json[name].as_str().unwrap().to_owned();
    (text("access_token"), text("refresh_token"))
}
